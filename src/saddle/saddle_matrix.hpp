// [S B; G 0] on a fixed pattern, S, B and G given entry by entry in the order of their lists; real or
// complex.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/copied.hpp"
#include "numerics/static_lu.hpp"
#include "reform/constrained_form.hpp"

namespace daedalus {

// By constraint: which multiplier is its own, the one whose column of B is its row of G but for a factor, by
// values at one point. Constraints without one take what is left.
[[nodiscard]] std::vector<int> paired_multipliers(const SymbolicMatrix& input, std::span<const double> inputs,
                                                  const SymbolicMatrix& constraint,
                                                  std::span<const double> gradients);

struct SaddleShape {
  int n = 0;                                        // rows of S
  std::vector<int> multiplier;                      // by constraint
  std::vector<std::span<const SymbolicEntry>> top;  // lists of entries of S, which add up where they meet
  std::span<const SymbolicEntry> right;             // B
  std::span<const SymbolicEntry> bottom;            // G
};

template <class Scalar>
class SaddleMatrix {
 public:
  SaddleMatrix() = default;
  explicit SaddleMatrix(const SaddleShape& shape);

  void clear() { std::ranges::fill(values_, Scalar(0)); }
  // Adds factor · values to the entries of a list: 0 … for those of S, then B, then G.
  void add(std::size_t list, std::span<const double> values, Scalar factor);
  [[nodiscard]] bool factor() { return solver_->factor(values_); }
  // n entries, then by constraint; they become the solution, by multiplier.
  void solve(std::span<Scalar> rhs);
  [[nodiscard]] std::string_view name() const { return solver_->name(); }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(pattern_.size); }

 private:
  std::size_t n_ = 0;
  std::vector<int> multiplier_;
  SparsePattern pattern_;
  std::vector<Scalar> scratch_;
  std::vector<std::vector<int>> place_;  // by list: where its entries stand
  std::vector<Scalar> values_;
  Copied<LinearSolver<Scalar>> solver_;
};

extern template class SaddleMatrix<double>;
extern template class SaddleMatrix<std::complex<double>>;

}  // namespace daedalus
