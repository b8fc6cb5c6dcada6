// Tables 4.1 to 4.9 of U. M. Ascher, L. R. Petzold, Stability of computational methods for constrained
// dynamics systems, SIAM J. Sci. Comput. 14 (1993), as printed. Where the print is damaged, exponents' signs
// are restored by what the text says of them.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace daedalus {

enum class Measure { Error, Mu, ErrorP, ErrorV, Drift };

struct PrintedRow {
  std::string_view label;
  std::string_view formulation;  // ours, for the method of the row
  double nu = 0;
  int steps = 100;                            // h = 1/steps
  std::array<std::string_view, 4> printed{};  // by column; empty: NA
};

struct PrintedTable {
  std::string_view number;
  std::string_view model;
  std::string_view c;  // of Example 3; empty for the others
  std::span<const Measure> columns;
  std::span<const PrintedRow> rows;
};

[[nodiscard]] const PrintedTable& ascher_petzold_table(std::string_view number);

// Cells where the print cannot be right, and what should stand there; or why no figure can be compared.
struct KnownDifference {
  std::string_view table;
  std::string_view row;
  std::string_view column;
  std::string_view corrected;  // empty: no figure is the right one
  std::string_view reason;
};

[[nodiscard]] const KnownDifference* known_difference(std::string_view table, std::string_view row,
                                                      std::string_view column);

[[nodiscard]] std::string_view word(Measure measure);

}  // namespace daedalus
