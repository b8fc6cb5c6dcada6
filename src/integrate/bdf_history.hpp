// The past of a variable-step BDF method in fixed-leading-coefficient form: modified divided differences
// φ_j of the solution and the coefficients that follow from the last step sizes.
//
// Notation of Brenan, Campbell, Petzold, "Numerical Solution of Initial-Value Problems in
// Differential-Algebraic Equations", section 5.2.1 (in their numbering from 1; ours is from 0):
//   ψ_j = t_n - t_(n-1-j),   α_j = h/ψ_j,   β_0 = 1, β_j = Π ψ_i(n)/ψ_i(n-1),
//   φ_j(n) = ψ_0 … ψ_(j-1) [y_n, …, y_(n-j)],   φ*_j(n) = β_j φ_j(n),
//   σ_j = j! h^j / (ψ_0 … ψ_j) …,   γ_j = Σ_(i<j) 1/ψ_i,
//   predictor y0 = Σ φ*_j,  y0' = Σ γ_j φ*_j;   corrector y' = y0' + cj (y - y0),  cj = (1 - κ_k) H_k / h,
// H_k = Σ_(j=1..k) 1/j. κ = 0 gives the backward differentiation formulas. Others give the numerical ones of
// Klopfenstein (Shampine, Reichelt, "The MATLAB ODE Suite", SIAM J. Sci. Comput. 18, 1997, section 2): they
// add κ_k H_k (y - y0) to the formula, which does not change the order but the error constant to
// 1/(k+1) + κ_k H_k.
// Every component has its history, algebraic or not, so any of them may become a state at any time.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/archive.hpp"

namespace daedalus {

class BdfHistory {
 public:
  static constexpr int kMaxOrder =
      5;  // of order 6 the formula is hardly stable anywhere near the imaginary axis
  using Kappa = std::array<double, kMaxOrder + 1>;  // by order

  explicit BdfHistory(const Kappa& kappa = {}) : kappa_(kappa) {}

  // Only a value and a slope are known.
  void start(std::span<const double> y, std::span<const double> yp);

  // Coefficients for a step of size h and order k; φ becomes φ*. Undone by restore().
  void begin_step(double h, int order);
  void restore();
  void predict(std::span<double> y0, std::span<double> yp0) const;
  // Takes the corrected step into the history: y = y0 + e.
  void complete(std::span<const double> e);

  // The last step ended at y: every φ_j takes the difference, since y_n has the weight 1/(ψ_0 … ψ_(j-1)) in
  // [y_n, …, y_(n-j)].
  void move_end(std::span<const double> y);

  [[nodiscard]] const Kappa& kappa() const { return kappa_; }
  [[nodiscard]] double cj() const { return cj_; }
  // The factor of |e| that bounds the local truncation error and the interpolation error within the step.
  [[nodiscard]] double error_factor() const { return error_factor_; }
  [[nodiscard]] double sigma(int j) const { return sigma_[index(j)]; }
  // The local error of order j, 1 ≤ j ≤ k, over its difference of order j + 1, were the next steps equal.
  [[nodiscard]] double error_constant(int j) const { return sigma_[index(j)] * error_ratio(j); }
  // The same of order k + 1, after equal steps.
  [[nodiscard]] double error_constant_above() const { return error_ratio(order_ + 1) / (order_ + 2); }
  [[nodiscard]] std::span<const double> phi(int j) const { return {phi_.data() + index(j) * size_, size_}; }
  // Steps taken at the present step size and order, this one included.
  [[nodiscard]] int constant_steps() const { return constant_steps_; }
  [[nodiscard]] int order_used() const { return order_used_; }

  // The interpolating polynomial of the last step, at `ahead` after its end (negative within the step).
  void evaluate(double ahead, std::span<double> y, std::span<double> yp) const;

  void state(Archive& archive, std::size_t size);

 private:
  static std::size_t index(int j) { return static_cast<std::size_t>(j); }
  std::span<double> phi_mutable(int j) { return {phi_.data() + index(j) * size_, size_}; }
  void scale(int j, double factor);
  void set_coefficients();
  [[nodiscard]] double formula_part(int j) const;  // κ_j H_j
  // The error of the formula over that of backward differentiation.
  [[nodiscard]] double error_ratio(int j) const { return 1 + ((j + 1) * formula_part(j)); }

  Kappa kappa_;
  using Coefficients = std::array<double, kMaxOrder + 2>;
  std::size_t size_ = 0;
  std::vector<double> phi_;  // φ_0 … φ_(kMaxOrder+1), one after the other
  Coefficients psi_{}, psi_before_{}, alpha_{}, beta_{}, sigma_{}, gamma_{};
  double h_ = 0;
  double h_used_ = 0;
  double cj_ = 0;
  double error_factor_ = 0;
  int order_ = 1;
  int order_used_ = 0;  // 0: no step yet
  int constant_steps_ = 0;
};

}  // namespace daedalus
