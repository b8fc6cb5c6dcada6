// The stages of a half-explicit Runge–Kutta method for constrained mechanical systems in the partitioned form
// of Murua ("Partitioned half-explicit Runge–Kutta methods for differential-algebraic systems of index 2",
// Computing 59, 1997; after Brasey and Hairer, SIAM J. Numer. Anal. 30, 1993):
//
//   P_i = p + h Σ_(j<i) a_ij V_j,      V_i = v + h Σ_(j<i) a_ij V'_j,      M(P_i) V'_i = f(P_i, V_i) - B(P_i)
//   Λ_i, P̂_i = p + h Σ_(j≤i) â_ij V_j,      V̂_i = v + h Σ_(j≤i) â_ij V'_j,      0 = G(P̂_i) V̂_i + g_t.
//
// Λ_i makes the constraint hold at the end of stage i: one linear system [M(P_i) B(P_i); G(P̂_i) 0] a stage,
// no Newton iteration and no second derivatives of g. The last row of â is b, so the velocities at the end of
// the step fulfil the constraints.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "integrate/mechanical_system.hpp"

namespace daedalus {

class HalfExplicitStages {
 public:
  explicit HalfExplicitStages(MechanicalSystem& system);

  // y + h Σ_(j<i) â_ij k_j, to be filled in before slope().
  [[nodiscard]] std::span<double> end() { return end_; }

  struct Stage {
    double t = 0;
    double t_end = 0;
    double weight = 0;          // h â_ii
    std::span<const double> y;  // (P_i, V_i)
  };
  // k_i = (V_i, V'_i). False: a value is not finite, or the matrix is singular.
  [[nodiscard]] bool slope(const Stage& stage, std::span<double> k);

  // Takes out of an error of (p, v) what the constraints do not let through: of its velocities the part in
  // M⁻¹B, where the stages are of low order, with the matrix of the last stage.
  void project_error(std::span<double> error);

  [[nodiscard]] std::string_view solver() const { return system_.solver(); }

 private:
  MechanicalSystem& system_;
  std::size_t n_ = 0;
  std::vector<double> end_, rhs_;
};

}  // namespace daedalus
