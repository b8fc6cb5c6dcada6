// The rank of a matrix whose rows and columns have units of their own.
//
// Rows and columns are scaled by powers of two, such that on the entries of a transversal of largest product
// the matrix is about 1 and nowhere larger (Duff, Koster, SIAM J. Matrix Anal. Appl. 22, 2001): the result
// does not depend on units, and a tolerance means the same everywhere. What is left below the rounding errors
// of the entries is zero.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "structure/signature.hpp"

namespace daedalus {

// Powers of two for rows and columns.
struct Exponents {
  std::vector<int> row, column;
};
// `orders` has the exponents of the entries of a square matrix, those that are zero left out. Nothing: there
// is no transversal.
[[nodiscard]] std::optional<Exponents> transversal_exponents(const Signature& orders);

class ScaledMatrix {
 public:
  // Entries that `error` covers count as zero.
  ScaledMatrix(const Eigen::MatrixXd& value, const Eigen::MatrixXd& error);

  [[nodiscard]] bool finite() const { return finite_; }
  // Some of the rows, scaled as they are here.
  [[nodiscard]] ScaledMatrix rows(const std::vector<int>& which) const;
  // Every row is independent of the others.
  [[nodiscard]] bool full_rank() const;
  // Vectors u with uᵀA = 0, one for each dependent row, their largest entry 1 where rows are scaled. In the
  // units of the matrix.
  [[nodiscard]] std::vector<Eigen::VectorXd> null_combinations() const;
  // Whether uᵀA = 0 up to rounding, column by column.
  [[nodiscard]] bool cancels(const Eigen::VectorXd& u) const;
  // As many columns as there are rows, such that the matrix of these is regular; empty: there are none.
  [[nodiscard]] std::vector<int> independent_columns() const;

 private:
  ScaledMatrix() = default;
  void scale();
  void scale_by_largest();
  [[nodiscard]] int row(long i) const { return exponents_.row[static_cast<std::size_t>(i)]; }
  [[nodiscard]] int column(long j) const { return exponents_.column[static_cast<std::size_t>(j)]; }

  bool finite_ = false;
  Eigen::MatrixXd value_;
  Exponents exponents_;  // value_ = what was given * 2^(row + column)
  double tolerance_ = 0;
};

}  // namespace daedalus
