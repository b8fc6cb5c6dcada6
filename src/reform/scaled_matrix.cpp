#include "reform/scaled_matrix.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "structure/assignment.hpp"

namespace daedalus {
namespace {

// Elimination of n rows leaves rounding errors of about n units of roundoff; what is a hundred times as large
// is a number.
constexpr double rounding_of_elimination = 100 * std::numeric_limits<double>::epsilon();
constexpr double errors_of_entries = 8;  // as many errors of entries meet in a pivot without being seen
// Factors of a combination that are smaller are rounding: the pivots that they were divided by are above the
// tolerance, but may be small.
constexpr double least_factor = 1e-12;
constexpr int passes = 3;
constexpr double rounding_of_combination =
    10;  // in tolerances of the rank: factors carry errors of their own

}  // namespace

// The duals of the assignment: v_j - u_i ≥ log2 |a_ij|, with equality on the transversal.
std::optional<Exponents> transversal_exponents(const Signature& orders) {
  if (!maximum_matching(orders).matching.perfect()) return std::nullopt;
  Transversal found = highest_value_transversal(orders);
  for (int& v : found.v) v = -v;
  return Exponents{.row = std::move(found.u), .column = std::move(found.v)};
}

ScaledMatrix::ScaledMatrix(const Eigen::MatrixXd& value, const Eigen::MatrixXd& error)
    : finite_(value.allFinite() && error.allFinite()),
      value_((value.array().abs() <= error.array()).select(0.0, value)),
      exponents_{.row = std::vector<int>(static_cast<std::size_t>(value.rows()), 0),
                 .column = std::vector<int>(static_cast<std::size_t>(value.cols()), 0)} {
  if (!finite_) return;
  scale();
  double largest_error = 0;
  for (long i = 0; i < value.rows(); ++i) {
    for (long j = 0; j < value.cols(); ++j) {
      const int by = row(i) + column(j);
      value_(i, j) = std::ldexp(value_(i, j), by);
      largest_error = std::max(largest_error, std::ldexp(error(i, j), by));
    }
  }
  tolerance_ = (static_cast<double>(std::max(value.rows(), value.cols())) * rounding_of_elimination) +
               (errors_of_entries * std::min(largest_error, 1.0));
}

ScaledMatrix ScaledMatrix::rows(const std::vector<int>& which) const {
  ScaledMatrix part;
  part.finite_ = finite_;
  part.tolerance_ = tolerance_;
  part.value_.resize(std::ssize(which), value_.cols());
  part.exponents_.column = exponents_.column;
  for (std::size_t k = 0; k < which.size(); ++k) {
    part.value_.row(static_cast<long>(k)) = value_.row(which[k]);
    part.exponents_.row.push_back(row(which[k]));
  }
  return part;
}

// The transversal where there is one; and where there is none, largest entries about 1.
void ScaledMatrix::scale() {
  if (value_.rows() == value_.cols()) {
    Signature orders;
    orders.variables = static_cast<int>(value_.cols());
    std::vector<SignatureEntry> entries;
    for (long i = 0; i < value_.rows(); ++i) {
      entries.clear();
      for (long j = 0; j < value_.cols(); ++j) {
        if (value_(i, j) != 0)
          entries.push_back({.variable = static_cast<int>(j), .order = std::ilogb(value_(i, j))});
      }
      orders.add_row(entries);
    }
    if (auto found = transversal_exponents(orders)) exponents_ = *std::move(found);
  }
  scale_by_largest();
}

void ScaledMatrix::scale_by_largest() {
  const auto scaled = [&](long i, long j) { return std::abs(std::ldexp(value_(i, j), row(i) + column(j))); };
  for (int pass = 0; pass < passes; ++pass) {
    for (long i = 0; i < value_.rows(); ++i) {
      double largest = 0;
      for (long j = 0; j < value_.cols(); ++j) largest = std::max(largest, scaled(i, j));
      if (largest > 0) exponents_.row[static_cast<std::size_t>(i)] -= std::ilogb(largest);
    }
    for (long j = 0; j < value_.cols(); ++j) {
      double largest = 0;
      for (long i = 0; i < value_.rows(); ++i) largest = std::max(largest, scaled(i, j));
      if (largest > 0) exponents_.column[static_cast<std::size_t>(j)] -= std::ilogb(largest);
    }
  }
}

bool ScaledMatrix::full_rank() const {
  Eigen::FullPivLU<Eigen::MatrixXd> lu(value_);
  lu.setThreshold(tolerance_);
  return lu.rank() == value_.rows();
}

std::vector<Eigen::VectorXd> ScaledMatrix::null_combinations() const {
  Eigen::FullPivLU<Eigen::MatrixXd> lu(value_.transpose());
  lu.setThreshold(tolerance_);
  if (lu.rank() == value_.rows()) return {};
  const Eigen::MatrixXd kernel = lu.kernel();
  std::vector<Eigen::VectorXd> result;
  for (long k = 0; k < kernel.cols(); ++k) {
    Eigen::VectorXd u = kernel.col(k);
    const double largest = u.cwiseAbs().maxCoeff();
    if (!(largest > 0) || !std::isfinite(largest)) continue;
    u = (u.array().abs() > least_factor * largest).select(u, 0.0);
    // Exponents against that of the largest factor, so that nothing overflows.
    int most = std::numeric_limits<int>::min();
    for (long i = 0; i < u.size(); ++i) {
      if (u(i) != 0) most = std::max(most, row(i) + std::ilogb(u(i)));
    }
    for (long i = 0; i < u.size(); ++i) u(i) = std::ldexp(u(i), row(i) - most);
    result.emplace_back(u / u.cwiseAbs().maxCoeff());
  }
  return result;
}

bool ScaledMatrix::cancels(const Eigen::VectorXd& u) const {
  int most = std::numeric_limits<int>::min();
  for (long i = 0; i < u.size(); ++i) {
    if (u(i) != 0) most = std::max(most, std::ilogb(u(i)) - row(i));
  }
  Eigen::VectorXd scaled(u.size());
  for (long i = 0; i < u.size(); ++i) scaled(i) = u(i) == 0 ? 0 : std::ldexp(u(i), -row(i) - most);
  return (value_.transpose() * scaled).cwiseAbs().maxCoeff() <= rounding_of_combination * tolerance_;
}

std::vector<int> ScaledMatrix::independent_columns() const {
  Eigen::FullPivLU<Eigen::MatrixXd> lu(value_);
  lu.setThreshold(tolerance_);
  if (lu.rank() < value_.rows()) return {};
  std::vector<int> columns;
  for (long k = 0; k < value_.rows(); ++k)
    columns.push_back(static_cast<int>(lu.permutationQ().indices()(k)));
  return columns;
}

}  // namespace daedalus
