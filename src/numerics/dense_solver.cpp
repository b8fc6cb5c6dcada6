// LU with row pivoting in place, for small matrices. Pivots are compared after scaling each row by its
// largest entry, because the equations of a DAE come in different units (and some are multiplied by 1/h).
#include <Eigen/Core>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

#include "numerics/linear_solver.hpp"

namespace daedalus {
namespace {

// Cheap size of a number; |re| + |im| is within √2 of the modulus, enough to choose a pivot.
double size_of(double x) {
  return std::abs(x);
}
double size_of(const std::complex<double>& x) {
  return std::abs(x.real()) + std::abs(x.imag());
}

template <class Scalar>
class DenseSolver final : public LinearSolver<Scalar> {
 public:
  explicit DenseSolver(const SparsePattern& pattern)
      : LinearSolver<Scalar>(pattern),
        lu_(pattern.size, pattern.size),
        row_scale_(pattern.size),
        column_size_(pattern.size),
        permutation_(static_cast<std::size_t>(pattern.size)),
        origin_(static_cast<std::size_t>(pattern.size)) {}

  bool factor(std::span<const Scalar> values) override;
  void solve(std::span<Scalar> b) override;
  Pivot weakest_pivot() const override { return weakest_; }
  std::string_view name() const override { return "dense"; }
  void state(Archive& archive) override;
  std::unique_ptr<LinearSolver<Scalar>> sibling() const override {
    return std::make_unique<DenseSolver<Scalar>>(pattern_);
  }

 private:
  bool eliminate(std::span<const Scalar> values);
  bool scatter(std::span<const Scalar> values);
  int choose_pivot_row(int k) const;

  using LinearSolver<Scalar>::pattern_;
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> lu_;
  Eigen::VectorXd row_scale_;     // reciprocal of each row's largest entry
  Eigen::VectorXd column_size_;   // each column's largest entry after row scaling
  std::vector<int> permutation_;  // row interchanges, as in LAPACK's ipiv
  std::vector<int> origin_;       // which row of A now stands in row i
  Pivot weakest_;
  bool factored_ = false;  // lu_ and permutation_ are complete
};

// Copies the values into the full matrix and finds the scales. False: a row or column without entries.
template <class Scalar>
bool DenseSolver<Scalar>::scatter(std::span<const Scalar> values) {
  lu_.setZero();
  row_scale_.setZero();
  for (int j = 0; j < pattern_.size; ++j) {
    for (int p = pattern_.column_start[j]; p < pattern_.column_start[j + 1]; ++p) {
      const int i = pattern_.row[p];
      lu_(i, j) = values[p];
      const double size = size_of(values[p]);
      if (!(size <= row_scale_[i])) row_scale_[i] = size;
    }
  }
  for (int i = 0; i < pattern_.size; ++i) {
    origin_[i] = i;
    if (!(row_scale_[i] > 0) || !std::isfinite(row_scale_[i])) {
      weakest_ = {.row = i, .column = -1, .relative = 0};
      return false;
    }
    row_scale_[i] = 1 / row_scale_[i];
  }
  for (int j = 0; j < pattern_.size; ++j) {
    double largest = 0;
    for (int p = pattern_.column_start[j]; p < pattern_.column_start[j + 1]; ++p) {
      largest = std::max(largest, size_of(values[p]) * row_scale_[pattern_.row[p]]);
    }
    column_size_[j] = largest;
  }
  return true;
}

template <class Scalar>
int DenseSolver<Scalar>::choose_pivot_row(int k) const {
  int best = k;
  double largest = size_of(lu_(k, k)) * row_scale_[k];
  for (int i = k + 1; i < pattern_.size; ++i) {
    const double size = size_of(lu_(i, k)) * row_scale_[i];
    if (size > largest) {
      largest = size;
      best = i;
    }
  }
  return best;
}

template <class Scalar>
bool DenseSolver<Scalar>::factor(std::span<const Scalar> values) {
  factored_ = eliminate(values);
  return factored_;
}

template <class Scalar>
bool DenseSolver<Scalar>::eliminate(std::span<const Scalar> values) {
  assert(static_cast<int>(values.size()) == pattern_.nonzeros());
  const int n = pattern_.size;
  weakest_ = {.row = -1, .column = -1, .relative = std::numeric_limits<double>::infinity()};
  if (!scatter(values)) return false;
  for (int k = 0; k < n; ++k) {
    const int p = choose_pivot_row(k);
    permutation_[k] = p;
    const double pivot = size_of(lu_(p, k)) * row_scale_[p];
    const double relative = column_size_[k] > 0 ? pivot / column_size_[k] : 0;
    if (!(relative >= weakest_.relative)) weakest_ = {.row = origin_[p], .column = k, .relative = relative};
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    if (p != k) {
      lu_.row(p).swap(lu_.row(k));
      std::swap(row_scale_[p], row_scale_[k]);
      std::swap(origin_[p], origin_[k]);
    }
    const int below = n - k - 1;
    if (below == 0) break;
    auto multipliers = lu_.col(k).tail(below);
    multipliers *= Scalar(1) / lu_(k, k);
    for (int j = k + 1; j < n; ++j) {
      const Scalar u = lu_(k, j);
      if (u != Scalar(0)) lu_.col(j).tail(below) -= u * multipliers;
    }
  }
  return true;
}

template <class Scalar>
void DenseSolver<Scalar>::solve(std::span<Scalar> b) {
  const int n = pattern_.size;
  assert(static_cast<int>(b.size()) == n);
  Eigen::Map<Eigen::Matrix<Scalar, Eigen::Dynamic, 1>> x(b.data(), n);
  for (int k = 0; k < n; ++k) {
    if (permutation_[k] != k) std::swap(x[k], x[permutation_[k]]);
  }
  for (int k = 0; k < n; ++k) {
    if (x[k] != Scalar(0)) x.tail(n - k - 1) -= x[k] * lu_.col(k).tail(n - k - 1);
  }
  for (int k = n - 1; k >= 0; --k) {
    x[k] /= lu_(k, k);
    if (x[k] != Scalar(0)) x.head(k) -= x[k] * lu_.col(k).head(k);
  }
}

template <class Scalar>
void DenseSolver<Scalar>::state(Archive& archive) {
  const int n = pattern_.size;
  archive.section("dense", 1);
  archive(factored_, weakest_);
  archive.require(weakest_.fits(n), "a pivot that there is not");
  if (!factored_) return;
  archive.sized(static_cast<std::size_t>(n), permutation_);
  for (int k = 0; k < n; ++k)
    archive.require(permutation_[k] >= k && permutation_[k] < n, "an exchange of rows that there is not");
  archive.block(std::span<Scalar>(lu_.data(), static_cast<std::size_t>(lu_.size())));
  if (!archive.ok()) factored_ = false;
}

}  // namespace

template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_dense_solver(const SparsePattern& pattern) {
  return std::make_unique<DenseSolver<Scalar>>(pattern);
}

template std::unique_ptr<RealSolver> make_dense_solver<double>(const SparsePattern&);
template std::unique_ptr<ComplexSolver> make_dense_solver<std::complex<double>>(const SparsePattern&);

}  // namespace daedalus
