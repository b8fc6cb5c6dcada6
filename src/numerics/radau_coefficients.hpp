// Radau IIA with three stages, order 5. Hairer, Wanner, "Solving Ordinary Differential Equations II",
// section IV.5 (table 5.6) and IV.8. The tests check the order conditions and the transformation.
#pragma once

#include <array>

namespace daedalus::radau {

constexpr int kStages = 3;
using Vector3 = std::array<double, kStages>;
using Matrix3 = std::array<Vector3, kStages>;

constexpr double kSqrt6 = 2.449489742783178098197284074705891391966;

// Nodes c and matrix A. The method is stiffly accurate: the last row of A is b, so y_(n+1) is the last stage.
constexpr Vector3 kC{(4 - kSqrt6) / 10, (4 + kSqrt6) / 10, 1};
constexpr Matrix3 kA{{
    {(88 - 7 * kSqrt6) / 360, (296 - 169 * kSqrt6) / 1800, (-2 + 3 * kSqrt6) / 225},
    {(296 + 169 * kSqrt6) / 1800, (88 + 7 * kSqrt6) / 360, (-2 - 3 * kSqrt6) / 225},
    {(16 - kSqrt6) / 36, (16 + kSqrt6) / 36, 1.0 / 9},
}};

constexpr Matrix3 kAInverse{{
    {3.224744871391589049098642, 1.167840084690405494924041, -0.2531972647421808261859424},
    {-3.567840084690405494924041, 0.775255128608410950901358, 1.053197264742180826185942},
    {5.531972647421808261859424, -7.531972647421808261859424, 5.0},
}};

// T⁻¹ A⁻¹ T = diag(γ, [α -β; β α]) (IV.8.5).
constexpr double kGamma = 3.637834252744495732208418513577775797946;
constexpr double kAlpha = 2.681082873627752133895790743211112101027;
constexpr double kBeta = 3.050430199247410569426377624787567904440;
constexpr Matrix3 kT{{
    {9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02},
    {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
    {0.96604818261509293619, 1, 0},
}};
constexpr Matrix3 kTInverse{{
    {4.325579890063155350967474, 0.3391992518158098695447507, 0.5417705399358748711888207},
    {-4.178718591551904727289064, -0.3276828207610623870842012, 0.4766235545005504519581567},
    {-0.5028726349457868760469806, 2.57192694985560542921562, -0.5960392048282249249738335},
}};

// The embedded formula of order 3: y^ - y = (h/γ) (y'_n + Σ e_i z_i / h) (IV.8.16-18, times γ).
constexpr Vector3 kError{-(13 + 7 * kSqrt6) / 3, (-13 + 7 * kSqrt6) / 3, -1.0 / 3};

}  // namespace daedalus::radau
