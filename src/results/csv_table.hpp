// CSV read back: a header "time,name,…" and rows of numbers. Any bytes give a table or an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"
#include "record/trajectory.hpp"

namespace daedalus {

// Limits that end in a message; what `daedalus run --out` writes by default is far below.
struct CsvLimits {
  std::size_t columns = 10'000'000;
  std::size_t values = 500'000'000;
};

struct CsvRules {
  std::string what;     // "the input 'u.csv'": how messages call the text
  bool finite = false;  // nan and inf are errors
  CsvLimits limits = {};
};

struct CsvTable {
  std::vector<std::string> names;  // without time
  std::vector<double> times;       // not decreasing
  std::vector<double> values;      // row by row

  [[nodiscard]] std::vector<double> column(std::size_t number) const;
};

// By RFC 4180, as csv_text.hpp writes it. Empty lines are skipped, spaces around fields dropped, a byte order
// mark allowed. What is wrong is an error that names the line and the column.
[[nodiscard]] Result<CsvTable> read_csv_table(std::string_view text, const CsvRules& rules);

// Signals, times and values.
[[nodiscard]] Trajectory trajectory_of(CsvTable table);

}  // namespace daedalus
