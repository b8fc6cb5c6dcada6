// An embedded explicit Runge–Kutta pair as data: Hairer, Nørsett, Wanner, "Solving Ordinary Differential
// Equations I", sections II.4 (error estimate and step control), II.5 and II.6 (the pairs and their dense
// output).
//
// Stage k has the slope k_k = φ(t + c_k h, y + h Σ a_kj k_j). The stages 0 … stages-1 make the step
// y_end = y + h Σ b_j k_j; stage number `stages` is the slope at the end (FSAL: it is the first one of the
// next step); those after it are for dense output only. Zero coefficients are left out.
#pragma once

#include <span>

namespace daedalus {

struct ErkWeight {
  int stage;
  double value;
};
using ErkRow = std::span<const ErkWeight>;

struct ErkSmallCode;  // erk_small.hpp

struct ErkTableau {
  int order = 0;
  int stages = 0;
  std::span<const double> c;
  std::span<const ErkRow> a;
  ErkRow b;
  // y_end minus the embedded solution, over h. With `coarse_error`, of lower order, the estimate is
  // E² / √(E² + 0.01 E_coarse²), of the order of the method (II.10, for DOP853).
  ErkRow error;
  ErkRow coarse_error;
  // Dense output at t + s h: Σ w_j r_j, w_j = s^⌈j/2⌉ (1-s)^⌊j/2⌋, with r_0 … r_3 the cubic Hermite
  // polynomial of the ends and r_4, … = h Σ dense_j k_j (II.6).
  std::span<const ErkRow> dense;
  // Half-explicit methods (half_explicit.hpp): the weights â of the stages 0 … stages-1, with â_kk last.
  // Empty: the slopes are those of φ.
  std::span<const ErkRow> ends;

  // Step control (II.4): h_new = h min(max_factor, max(min_factor, 0.9 err^-(1/order - 0.75 beta)
  // err_old^beta)).
  double beta = 0;
  double min_factor = 0.2;
  double max_factor = 10;
  // The boundary of the stability region on the negative real axis, a little inside (IV.2 of volume II).
  double stability_bound = 0;
  const ErkSmallCode* small = nullptr;  // the same for few states
};

[[nodiscard]] const ErkTableau& dopri5_tableau();
[[nodiscard]] const ErkTableau& dop853_tableau();
[[nodiscard]] const ErkTableau& hem5_tableau();

}  // namespace daedalus
