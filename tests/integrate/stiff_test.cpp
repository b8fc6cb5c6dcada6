// Classical stiff problems with published reference solutions.
#include <gtest/gtest.h>

#include "integrate/drive.hpp"
#include "integrate/stiff_systems.hpp"

namespace daedalus::testing {
namespace {

// Chemical Akzo Nobel, index 1 (Test Set for IVP Solvers, problem CHEMAKZO). y2 < 0 is not finite.
class Akzo final : public DenseSystem {
 public:
  Akzo() : DenseSystem(6) { components_[5].differential = false; }
  static constexpr double kKs = 115.83;
  static std::vector<double> initial() { return {0.444, 0.00123, 0, 0.007, 0, kKs * 0.444 * 0.007}; }
  std::vector<double> initial_slope() {
    std::vector<double> r(6);
    const std::vector<double> zero(6, 0.0);
    equations(0, initial(), zero, r);
    for (double& x : r) x = -x;
    r[5] = 0;  // algebraic: unknown
    return r;
  }

 private:
  static constexpr double k1 = 18.7, k2 = 0.58, k3 = 0.09, k4 = 0.42, kK = 34.4, kKlA = 3.3, kP = 0.9,
                          kH = 737;
  void equations(double, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    const double root = std::sqrt(y[1]);
    const double r1 = k1 * std::pow(y[0], 4) * root, r2 = k2 * y[2] * y[3], r3 = k2 / kK * y[0] * y[4];
    const double r4 = k3 * y[0] * y[3] * y[3], r5 = k4 * y[5] * y[5] * root;
    r[0] = yp[0] - (-2 * r1 + r2 - r3 - r4);
    r[1] = yp[1] - (-r1 / 2 - r4 - r5 / 2 + kKlA * (kP / kH - y[1]));
    r[2] = yp[2] - (r1 - r2 + r3);
    r[3] = yp[3] - (-r2 + r3 - 2 * r4);
    r[4] = yp[4] - (r2 - r3 + r5);
    r[5] = y[5] - kKs * y[0] * y[3];
  }
  void derivatives(double, std::span<const double> y, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    const double root = std::sqrt(y[1]), half = 0.5 / root;
    // Rates r1 … r5 (rows) by the unknowns (columns), and how they enter the equations.
    const double rate[5][6] = {{4 * k1 * std::pow(y[0], 3) * root, k1 * std::pow(y[0], 4) * half, 0, 0, 0, 0},
                               {0, 0, k2 * y[3], k2 * y[2], 0, 0},
                               {k2 / kK * y[4], 0, 0, 0, k2 / kK * y[0], 0},
                               {k3 * y[3] * y[3], 0, 0, 2 * k3 * y[0] * y[3], 0, 0},
                               {0, k4 * y[5] * y[5] * half, 0, 0, 0, 2 * k4 * y[5] * root}};
    const double share[5][5] = {
        {-2, 1, -1, -1, 0}, {-0.5, 0, 0, -1, -0.5}, {1, -1, 1, 0, 0}, {0, -1, 1, -2, 0}, {0, 1, -1, 0, 1}};
    for (int i = 0; i < 5; ++i) {
      dyp(i, i) = 1;
      for (int j = 0; j < 6; ++j) {
        for (int k = 0; k < 5; ++k) dy(i, j) -= share[i][k] * rate[k][j];
      }
    }
    dy(1, 1) += kKlA;
    dy(5, 5) = 1;
    dy(5, 0) = -kKs * y[3];
    dy(5, 3) = -kKs * y[0];
  }
};

const std::vector<std::string> kMethods{"bdf", "ndf", "radau", "ida"};

double worst_relative_error(std::span<const double> y, const std::vector<double>& reference) {
  double worst = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    worst = std::max(worst, std::abs(y[i] / reference[i] - 1));
  }
  return worst;
}

// Reference: Test Set for IVP Solvers, problem ROBER, t = 1e11. Eleven decades of time. The absolute
// tolerances are 1e-7 of the components at the end, so the relative error tells; below 1e-15 the third would
// be rounding.
TEST(Stiff, RobertsonOverElevenDecades) {
  const std::vector<double> reference{0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050};
  for (const std::string& method : kMethods) {
    Robertson system;
    const auto integrator = make_integrator(method, system, with_tolerance(1e-7, 1e-14));
    integrator->start(0, std::vector<double>{1, 0, 0}, std::vector<double>{-0.04, 0.04, 0}, 1e11);
    run_to(*integrator, 1e11);
    EXPECT_LE(worst_relative_error(integrator->y(), reference), 1e-4) << method;
    EXPECT_LE(integrator->counters().steps, 5000) << method;
  }
}

// Reference: Test Set for IVP Solvers, problem VDPOL, t = 2.
TEST(Stiff, VanDerPolRelaxation) {
  const std::vector<double> reference{0.1706167732170483e1, -0.8928097010247975};
  for (const std::string& method : kMethods) {
    VanDerPol system;
    const auto integrator = make_integrator(method, system, with_tolerance(1e-7, 1e-7));
    integrator->start(0, std::vector<double>{2, 0}, std::vector<double>{0, -2e6}, 2);
    run_to(*integrator, 2);
    EXPECT_LE(worst_relative_error(integrator->y(), reference), 1e-4) << method;
  }
}

// Reference: Test Set for IVP Solvers, problem CHEMAKZO, t = 180, six digits at a tolerance of 1e-9 as DASSL
// and RADAU5 reach there.
TEST(Stiff, ChemicalAkzoNobel) {
  const std::vector<double> reference{0.1150794920661702,    0.1203831471567715e-2, 0.1611562887407974,
                                      0.3656156421249283e-3, 0.1708010885264404e-1, 0.4873531310307455e-2};
  for (const std::string& method : kMethods) {
    Akzo system;
    const auto integrator = make_integrator(method, system, with_tolerance(1e-9, 1e-12));
    integrator->start(0, Akzo::initial(), system.initial_slope(), 180);
    run_to(*integrator, 180);
    EXPECT_LE(worst_relative_error(integrator->y(), reference), 1e-6) << method;
  }
}

// The hand-coded Jacobians against central differences of step d: an error of about d² times the third
// derivative (of size 1e2 here), and rounding of ε|F|/d.
TEST(Stiff, JacobiansAreExact) {
  Akzo akzo;
  VanDerPol van_der_pol;
  Robertson robertson;
  IndexOne index_one;
  DummyPendulum pendulum(true);
  for (DenseSystem* system : {static_cast<DenseSystem*>(&akzo), static_cast<DenseSystem*>(&van_der_pol),
                              static_cast<DenseSystem*>(&robertson), static_cast<DenseSystem*>(&index_one),
                              static_cast<DenseSystem*>(&pendulum)}) {
    const auto n = static_cast<std::size_t>(system->size());
    std::vector<double> y(n), yp(n), dy(n * n), dyp(n * n), plus(n), minus(n);
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = 0.3 + 0.1 * static_cast<double>(i);
      yp[i] = 0.2 - 0.15 * static_cast<double>(i);
    }
    ASSERT_TRUE(system->jacobian(0.7, y, yp, dy, dyp));
    for (std::size_t j = 0; j < n; ++j) {
      for (auto [vector, matrix] : {std::pair{&y, &dy}, std::pair{&yp, &dyp}}) {
        const double saved = (*vector)[j];
        const double d = 1e-6;
        (*vector)[j] = saved + d;
        ASSERT_TRUE(system->residual(0.7, y, yp, plus));
        (*vector)[j] = saved - d;
        ASSERT_TRUE(system->residual(0.7, y, yp, minus));
        (*vector)[j] = saved;
        for (std::size_t i = 0; i < n; ++i) {
          const double exact = (*matrix)[j * n + i];
          const double rounding = 1e-15 * (std::abs(plus[i]) + std::abs(minus[i])) / d;
          EXPECT_NEAR((plus[i] - minus[i]) / (2 * d), exact, 1e-8 * (1 + std::abs(exact)) + rounding);
        }
      }
    }
  }
}

}  // namespace
}  // namespace daedalus::testing
