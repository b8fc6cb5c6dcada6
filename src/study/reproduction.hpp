// What a study gives: the paper's figures beside ours, cell by cell, and pictures.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace daedalus {

enum class Verdict {
  Agree,
  Misprint,      // the paper's figure is a known misprint, and ours is what should stand there
  Differ,        // with a reason when the difference is known and understood
  NotAvailable,  // could not be measured; the reason says why
};

[[nodiscard]] std::string_view word(Verdict verdict);

struct Cell {
  std::string row;
  std::string column;
  std::string paper;                                        // as printed
  std::string ours;                                         // in the paper's style
  double value = std::numeric_limits<double>::quiet_NaN();  // ours, if it is a number
  Verdict verdict = Verdict::NotAvailable;
  std::string how;     // what agrees: digits, last digit, decade, round-off; or what was compared
  std::string reason;  // why it differs

  // Everything but a difference that nobody has explained, or a measurement that failed.
  [[nodiscard]] bool expected() const;
};

struct Series {
  std::string label;
  std::vector<double> x;
  std::vector<double> y;
  bool dashed = false;  // for what ours is compared with
};

struct Figure {
  std::string name;  // of the file, without .svg
  std::string title;
  std::string x_label;
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  std::vector<Series> series;
};

struct RowCommand {
  std::string row;
  std::string command;  // that makes the row's run
};

struct Reproduction {
  std::string name;
  std::string title;
  std::vector<std::string> notes;  // how it was measured
  std::vector<Cell> cells;         // by rows
  std::vector<RowCommand> commands;
  std::vector<Figure> figures;
  double seconds = 0;
};

struct Count {
  int cells = 0;
  int agree = 0;
  int misprints = 0;
  int explained = 0;    // differ, with a reason
  int unexplained = 0;  // differ, without
  int not_available = 0;

  Count& operator+=(const Count& other);
  [[nodiscard]] bool as_expected() const { return unexplained == 0 && not_available == 0; }
};

[[nodiscard]] Count count(const Reproduction& reproduction);
[[nodiscard]] Count count(const std::vector<Reproduction>& reproductions);

}  // namespace daedalus
