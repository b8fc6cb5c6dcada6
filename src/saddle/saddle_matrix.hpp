// [S B; G -δ] in numbers, on a fixed pattern; S, B and G are given entry by entry in the order of their
// lists. S and B are any matrices of their size, so that LU takes the place of L D Lᵀ (saddle_system.hpp).
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/copied.hpp"
#include "numerics/linear_solver.hpp"
#include "reform/constrained_form.hpp"

namespace daedalus {

struct SaddleShape {
  int n = 0;                                        // rows of S
  std::vector<int> multiplier;                      // by constraint: its own (saddle/pairing.hpp)
  std::vector<std::span<const SymbolicEntry>> top;  // lists of entries of S, which add up where they meet
  std::span<const SymbolicEntry> right;             // B
  std::span<const SymbolicEntry> bottom;            // G
  // Static: by static LU on panels where that is possible, which is faster. Otherwise pivots are searched
  // for, as they must be where G may lose rank.
  bool static_order = true;
};

class SaddleMatrix {
 public:
  SaddleMatrix() = default;
  explicit SaddleMatrix(const SaddleShape& shape);

  void clear() { std::ranges::fill(values_, 0.0); }
  // Adds factor · values to the entries of a list: 0 … for those of S, then B, then G.
  void add(std::size_t list, std::span<const double> values, double factor);
  // -δ by multiplier.
  void subtract_delta(std::span<const double> delta);
  // False: a pivot is zero, or a value is not finite.
  [[nodiscard]] bool factor();
  // n entries, then by constraint; they become the solution, by multiplier.
  void solve(std::span<double> rhs);
  [[nodiscard]] std::string_view name() const { return solver_->name(); }
  [[nodiscard]] std::size_t size() const { return values_.empty() ? 0 : n_ + multiplier_.size(); }
  void state(Archive& archive) { solver_->state(archive); }

 private:
  std::size_t n_ = 0;
  std::vector<int> multiplier_;
  std::vector<double> scratch_;
  std::vector<std::vector<int>> place_;  // by list: where its entries stand
  std::vector<int> diagonal_;            // by multiplier: where its diagonal entry stands
  std::vector<double> values_;
  Copied<RealSolver> solver_;
};

}  // namespace daedalus
