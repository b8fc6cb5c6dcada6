// Rows of a sparse matrix G that follow from others, and the combinations that make them so, for values that
// change. Each dependent row r gives a vector of the null space N of Gᵀ: e_r less its combination of the
// independent rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "numerics/static_ldl.hpp"

namespace daedalus {

struct RowEntry {
  int row = 0;
  int column = 0;
};

class RowCombinations {
 public:
  // The entries stay where they are, each once. `dependent`: by rows, ascending; the others are independent.
  RowCombinations(int rows, int columns, std::span<const RowEntry> entries, std::span<const int> dependent);

  // Whether combinations of so many rows are worth their memory and time.
  [[nodiscard]] static bool fit(std::size_t rows, std::size_t dependent) {
    constexpr std::size_t most = 1'000'000;  // numbers: 8 MB
    return rows * dependent <= most;
  }

  // At values, by entry: false where the rows that should be independent are not, or those that should be
  // dependent.
  [[nodiscard]] bool update(std::span<const double> values);

  // Of dependent row k, by row.
  [[nodiscard]] std::span<const double> combination(std::size_t k) const {
    return std::span(factors_).subspan(k * rows_, rows_);
  }
  // The y of least Σ w_i y_i² among those with the same Gᵀ y: y - N (NᵀWN)⁻¹ NᵀW y. Weights are positive.
  void make_least(std::span<double> y, std::span<const double> weights) const;

 private:
  struct Place {
    int entry;  // of G, or -1: the constant
    double constant;
    int place;  // in the factorisation
  };
  void list_places(std::span<const RowEntry> entries, const SparsePattern& pattern);
  [[nodiscard]] bool nothing_left(std::size_t k, std::span<const double> values) const;

  std::size_t rows_ = 0;
  int columns_ = 0;
  std::vector<int> dependent_;
  std::vector<int> number_;                           // by row: its number among the independent, or -1
  std::vector<std::vector<std::size_t>> entries_of_;  // by dependent row
  std::vector<int> column_of_;                        // by entry
  StaticLdl ldl_;                                     // of [1 Gᵀ; G 0], independent rows only
  std::vector<Place> places_;
  std::vector<double> work_, factors_;
};

}  // namespace daedalus
