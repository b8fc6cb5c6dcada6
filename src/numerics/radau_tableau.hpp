// Radau IIA with 1, 3, 5 or 7 stages, of order 1, 5, 9, 13 (Hairer, Wanner, "Solving Ordinary Differential
// Equations II", section IV.5; "Stiff differential equations solved by Radau methods", J. Comput. Appl. Math.
// 111, 1999). The one with three stages is the table of radau_coefficients.hpp; the others are computed from
// their definition in extended precision when they are first asked for, and the tests check them all.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace daedalus {

struct RadauTableau {
  static constexpr int kMaxStages = 7;

  int stages = 0;
  std::vector<double> c;        // nodes, the last is 1
  std::vector<double> inverse;  // A⁻¹, by rows
  // T⁻¹ A⁻¹ T = diag(γ, [α -β; β α], …), one block for each of `pairs`, α + iβ.
  double gamma = 0;
  std::vector<std::complex<double>> pairs;
  std::vector<double> t, t_inverse;  // by rows
  // The embedded formula of order `stages`: ŷ - y = (h/γ) (y'_n + Σ e_i z_i / h).
  std::vector<double> error;
  // The collocation polynomial of z as divided differences over the nodes 1, c_(s-1), …, c_1, 0: the one of
  // order k + 1 is row k applied to the stages.
  std::vector<double> differences;

  [[nodiscard]] int order() const { return 2 * stages - 1; }
};

// `stages` is odd, up to kMaxStages.
[[nodiscard]] const RadauTableau& radau_tableau(int stages);

// |x (x - c_1) … (x - c_s)|, and the largest of it in [0, 1], well enough: what the error of the collocation
// polynomial is proportional to.
[[nodiscard]] double node_product(std::span<const double> c, double x);
[[nodiscard]] double largest_node_product(std::span<const double> c);

}  // namespace daedalus
