// Radau IIA of all orders by their definitions, and the method that changes between them.
#include "numerics/radau_tableau.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "integrate/drive.hpp"
#include "integrate/test_systems.hpp"

namespace daedalus::testing {
namespace {

// Sums of seven products of numbers up to about 100, in double precision.
constexpr double kRounding = 1e-12;

class Tableau : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Radau, Tableau, ::testing::Values(1, 3, 5, 7));

// Collocation, written for A⁻¹: Σ_j (A⁻¹)_ij c_j^k / k = c_i^(k-1), k = 1 … s.
TEST_P(Tableau, IsACollocationMethod) {
  const RadauTableau& tableau = radau_tableau(GetParam());
  const auto s = static_cast<std::size_t>(tableau.stages);
  for (std::size_t k = 1; k <= s; ++k) {
    for (std::size_t i = 0; i < s; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < s; ++j)
        sum += tableau.inverse[i * s + j] * std::pow(tableau.c[j], k) / static_cast<double>(k);
      EXPECT_NEAR(sum, std::pow(tableau.c[i], k - 1), kRounding) << i << " " << k;
    }
  }
}

// The nodes are those of a quadrature of order 2s-1: ∫ Π (x - c_i) x^(k-1) dx = 0 for k = 1 … s-1, the last
// node being 1. By Gauss's formula of 8 points, exact for these polynomials up to degree 13.
TEST_P(Tableau, HasTheNodesOfRadau) {
  const RadauTableau& tableau = radau_tableau(GetParam());
  EXPECT_EQ(tableau.c.back(), 1);
  constexpr std::array<double, 4> x{0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                    0.9602898564975363};
  constexpr std::array<double, 4> w{0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                    0.1012285362903763};
  for (int k = 1; k < tableau.stages; ++k) {
    double integral = 0;
    for (std::size_t g = 0; g < 8; ++g) {
      const double t = (1 + (g < 4 ? x[g] : -x[g - 4])) / 2;
      double product = w[g % 4] / 2 * std::pow(t, k - 1);
      for (const double c : tableau.c) product *= t - c;
      integral += product;
    }
    EXPECT_NEAR(integral, 0, 1e-15) << k;
  }
}

TEST_P(Tableau, IsTakenApartByItsTransformation) {
  const RadauTableau& tableau = radau_tableau(GetParam());
  const auto s = static_cast<std::size_t>(tableau.stages);
  ASSERT_EQ(tableau.pairs.size(), s / 2);
  const auto block = [&](std::size_t r, std::size_t c) {
    if (r == 0 || c == 0) return r == c ? tableau.gamma : 0.0;
    if ((r - 1) / 2 != (c - 1) / 2) return 0.0;
    const auto& pair = tableau.pairs[(r - 1) / 2];
    return r == c ? pair.real() : r < c ? -pair.imag() : pair.imag();
  };
  for (std::size_t i = 0; i < s; ++i) {
    for (std::size_t j = 0; j < s; ++j) {
      double applied = 0;  // A⁻¹ T
      double expected = 0;
      double unit = 0;
      for (std::size_t k = 0; k < s; ++k) {
        applied += tableau.inverse[i * s + k] * tableau.t[k * s + j];
        expected += tableau.t[i * s + k] * block(k, j);
        unit += tableau.t[i * s + k] * tableau.t_inverse[k * s + j];
      }
      EXPECT_NEAR(applied, expected, kRounding) << i << " " << j;
      EXPECT_NEAR(unit, i == j ? 1 : 0, kRounding) << i << " " << j;
    }
  }
}

// For y' = t^(k-1) the stages are z_i = (c_i h)^k / k, and y'_n + Σ e_i z_i / h vanishes as long as the
// embedded formula is exact: k ≤ s.
TEST_P(Tableau, HasAnEmbeddedFormulaOfOrderS) {
  const RadauTableau& tableau = radau_tableau(GetParam());
  for (int k = 1; k <= tableau.stages + 1; ++k) {
    double sum = k == 1 ? 1 : 0;
    for (std::size_t i = 0; i < tableau.c.size(); ++i)
      sum += tableau.error[i] * std::pow(tableau.c[i], k) / k;
    if (k <= tableau.stages) {
      EXPECT_NEAR(sum, 0, kRounding) << k;
    } else {
      EXPECT_GT(std::abs(sum), 1e-5) << "order s, not more";
    }
  }
}

// The computed method of three stages would be the tabulated one: HW's constants of 5 and 7 stages, to the
// digits that RADAU has for the first of them.
TEST(RadauTableau, AgreesWithThePublishedErrorWeights) {
  const RadauTableau& five = radau_tableau(5);
  EXPECT_NEAR(five.error[0], -27.78093394406463730479, 1e-12);
  EXPECT_NEAR(five.error[4], -0.2, 1e-13);
  EXPECT_NEAR(radau_tableau(7).error[0], -54.37443689412861451458, 1e-11);
}

// At a sharp tolerance the order goes up, and with it the steps.
TEST(RadauOrder, RisesWhereItPays) {
  double steps[2];
  int k = 0;
  for (const char* method : {"radau", "radau:order=variable"}) {
    IndexOne system;
    const auto integrator = make_integrator(method, system, with_tolerance(1e-12, 1e-12));
    integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 20);
    double worst = 0;
    while (integrator->t() < 20) {
      ASSERT_TRUE(integrator->step(20).ok()) << method;
      worst = std::max(worst, max_difference(integrator->y(), IndexOne::exact(integrator->t())));
      // Between the steps: of the order of the collocation polynomial, at the steps that it allows.
      std::vector<double> y(integrator->y().size());
      const double middle = integrator->t_previous() + integrator->last_step() / 2;
      integrator->interpolate(middle, y, {});
      EXPECT_LE(max_difference(y, IndexOne::exact(middle)), 1e-6) << method;
    }
    EXPECT_LE(worst, 1e-10) << method;
    steps[k++] = static_cast<double>(integrator->counters().steps);
    EXPECT_GE(integrator->order(), k == 1 ? 5 : 9);
  }
  EXPECT_LE(steps[1], steps[0] / 4);
}

}  // namespace
}  // namespace daedalus::testing
