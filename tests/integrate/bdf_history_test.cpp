#include "integrate/bdf_history.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace daedalus {
namespace {

// y = (t+1)^degree, sampled at steps that vary by up to a factor of two.
class Polynomial : public ::testing::TestWithParam<int> {
 protected:
  [[nodiscard]] double value(double t) const { return std::pow(t + 1, degree()); }
  [[nodiscard]] double slope(double t) const { return degree() * std::pow(t + 1, degree() - 1); }
  [[nodiscard]] static int degree() { return GetParam(); }

  // One step of size h at the given order whose corrected value is the exact one.
  void exact_step(double h, int order) {
    history_.begin_step(h, order);
    std::vector<double> y0(1);
    std::vector<double> yp0(1);
    history_.predict(y0, yp0);
    t_ += h;
    predicted_ = y0[0];
    slope_ = yp0[0] + history_.cj() * (value(t_) - y0[0]);
    history_.complete(std::vector<double>{value(t_) - y0[0]});
  }

  void climb() {
    history_.start(std::vector<double>{value(0)}, std::vector<double>{slope(0)});
    for (int k = 1; k <= degree(); ++k) exact_step(k % 2 == 1 ? 0.1 : 0.15, k);
  }

  BdfHistory history_;
  double t_ = 0;
  double predicted_ = 0;
  double slope_ = 0;
};

// A method of order k is exact for polynomials of degree k, whatever the steps were: the predictor, the
// formula for y', and the interpolant. Sizes are about 10 and a few dozen operations round.
constexpr double kExact = 1e-12;

TEST_P(Polynomial, IsPredictedExactly) {
  climb();
  for (const double h : {0.1, 0.2, 0.13, 0.13, 0.07}) {
    exact_step(h, degree());
    // From the second step on, the polynomial through k+1 exact values is the solution.
    if (h != 0.1) {
      EXPECT_NEAR(predicted_, value(t_), kExact * value(t_));
    }
  }
}

TEST_P(Polynomial, HasTheExactSlopeByTheFormula) {
  climb();
  for (const double h : {0.1, 0.2, 0.13, 0.13, 0.07}) exact_step(h, degree());
  EXPECT_NEAR(slope_, slope(t_), 100 * kExact * value(t_));
}

TEST_P(Polynomial, IsInterpolatedExactly) {
  climb();
  for (const double h : {0.1, 0.2, 0.13, 0.13, 0.07}) exact_step(h, degree());
  std::vector<double> y(1);
  std::vector<double> yp(1);
  for (const double ahead : {0.0, -0.03, -0.07}) {
    history_.evaluate(ahead, y, yp);
    EXPECT_NEAR(y[0], value(t_ + ahead), kExact * value(t_));
    EXPECT_NEAR(yp[0], slope(t_ + ahead), 100 * kExact * value(t_));
  }
}

TEST_P(Polynomial, IsUnchangedByAStepTakenBack) {
  climb();
  for (const double h : {0.1, 0.2, 0.13}) exact_step(h, degree());
  history_.begin_step(0.4, degree());
  history_.restore();
  history_.begin_step(0.05, std::max(degree() - 1, 1));
  history_.restore();
  exact_step(0.1, degree());
  EXPECT_NEAR(predicted_, value(t_), kExact * value(t_));
}

INSTANTIATE_TEST_SUITE_P(Orders, Polynomial, ::testing::Range(1, BdfHistory::kMaxOrder + 1));

// At constant steps the leading coefficients are those of the textbook: Σ 1/j.
TEST(BdfHistory, HasTheLeadingCoefficientOfTheFormula) {
  BdfHistory history;
  history.start(std::vector<double>{1}, std::vector<double>{0});
  double sum = 0;
  for (int k = 1; k <= BdfHistory::kMaxOrder; ++k) {
    sum += 1.0 / k;
    history.begin_step(0.5, k);
    EXPECT_DOUBLE_EQ(history.cj() * 0.5, sum);
    history.complete(std::vector<double>{0});
  }
}

// Error constant of BDF k at constant steps: the local truncation error is e/(k+1), and the interpolation
// error is of the same size, so the larger of the two factors is 1/(k+1).
TEST(BdfHistory, HasTheErrorConstantOfTheFormula) {
  BdfHistory history;
  history.start(std::vector<double>{1}, std::vector<double>{0});
  for (int k = 1; k <= BdfHistory::kMaxOrder; ++k) {
    for (int repeat = 0; repeat < k + 2; ++repeat) {
      history.begin_step(0.5, k);
      EXPECT_NEAR(history.error_factor(), 1.0 / (k + 1), 1e-14);
      history.complete(std::vector<double>{0});
    }
  }
}

// The numerical formulas (κ ≠ 0): cj h = (1 - κ) H_k and the error constant 1/(k+1) + κ H_k at constant
// steps; with steps that double, where σ is small, estimates of the error stay positive all the same.
TEST(BdfHistory, HasTheConstantsOfANumericalFormula) {
  constexpr BdfHistory::Kappa kappa{0, -0.1850, -1.0 / 9, -0.0823, -0.0415, 0};
  BdfHistory history(kappa);
  history.start(std::vector<double>{1}, std::vector<double>{0});
  double sum = 0;
  for (int k = 1; k <= BdfHistory::kMaxOrder; ++k) {
    sum += 1.0 / k;
    const double part = kappa[static_cast<std::size_t>(k)] * sum;
    for (int repeat = 0; repeat < k + 2; ++repeat) {
      history.begin_step(0.5, k);
      EXPECT_NEAR(history.cj() * 0.5, sum - part, 1e-14);
      EXPECT_NEAR(history.error_factor(), 1.0 / (k + 1) + part, 1e-14);
      EXPECT_NEAR(history.error_constant(k), 1.0 / (k + 1) + part, 1e-14);
      history.complete(std::vector<double>{0});
    }
  }
  double h = 0.5;
  for (int k = 0; k < 6; ++k) {
    history.begin_step(h *= 2, BdfHistory::kMaxOrder);
    for (int j = 1; j <= BdfHistory::kMaxOrder; ++j) EXPECT_GT(history.error_constant(j), 0) << j;
    EXPECT_GT(history.error_factor(), 0);
    history.complete(std::vector<double>{0});
  }
}

}  // namespace
}  // namespace daedalus
