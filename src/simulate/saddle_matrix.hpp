// [S B; G 0] on a fixed pattern, S, B and G given entry by entry in the order of their lists; real or
// complex.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "numerics/static_lu.hpp"
#include "reform/constrained_form.hpp"

namespace daedalus {

template <class Scalar>
class SaddleMatrix {
 public:
  SaddleMatrix() = default;
  // `top`: lists of entries of S, which add up where they meet.
  SaddleMatrix(int n, int constraints, std::span<const std::span<const SymbolicEntry>> top,
               std::span<const SymbolicEntry> right, std::span<const SymbolicEntry> bottom);

  void clear() { std::ranges::fill(values_, Scalar(0)); }
  // Adds factor · values to the entries of a list: 0 … for those of S, then B, then G.
  void add(std::size_t list, std::span<const double> values, Scalar factor);
  [[nodiscard]] bool factor() { return solver_->factor(values_); }
  void solve(std::span<Scalar> rhs) { solver_->solve(rhs); }
  [[nodiscard]] std::string_view name() const { return solver_->name(); }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(pattern_.size); }

 private:
  SparsePattern pattern_;
  std::vector<std::vector<int>> place_;  // by list: where its entries stand
  std::vector<Scalar> values_;
  std::unique_ptr<LinearSolver<Scalar>> solver_;
};

extern template class SaddleMatrix<double>;
extern template class SaddleMatrix<std::complex<double>>;

}  // namespace daedalus
