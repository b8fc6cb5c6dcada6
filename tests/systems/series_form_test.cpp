// Taylor coefficients against those known by recursion or by hand, and what they do at points where there are
// none.
#include "systems/series_form.hpp"

#include <gtest/gtest.h>

#include "explicit_model.hpp"
#include "support/model_families.hpp"

namespace daedalus::testing {
namespace {

struct SeriesModel : ExplicitModel {
  explicit SeriesModel(const DaeSystem& system, bool unconstrained = true)
      : ExplicitModel(system, unconstrained), series(*formed.form, residual, ode) {}
  // Coefficient k of state i is [k · size + i].
  std::vector<double> expand(double t, const std::vector<double>& y, int order) {
    std::vector<double> c(y.size() * static_cast<std::size_t>(order + 1));
    EXPECT_TRUE(series.expand(t, y, order, c)) << series.trouble();
    return c;
  }
  SeriesForm series;
};

std::string first_order(const std::string& right_side) {
  return "model F\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = " + right_side + ";\nend F;";
}

constexpr int order = 20;
// Each coefficient is a sum of some that came before it.
constexpr double rounding = 1e-13;

// By recursions of a different origin than the equations' own: y' = y², y' = t y, y' = 1 + y², y' = e^(-y).
TEST(SeriesForm, CoefficientsOfKnownSolutions) {
  constexpr double y0 = 0.4;
  constexpr double t0 = 0.3;
  std::vector<double> geometric{y0};
  std::vector<double> gauss{y0, t0 * y0};
  std::vector<double> logarithm{y0};
  for (int k = 1; k <= order; ++k) {
    geometric.push_back(geometric.back() * y0);  // y0/(1 - y0 (t - t0))
    // (k + 1) c_(k+1) = t0 c_k + c_(k-1), of exp((t² - t0²)/2)
    gauss.push_back((t0 * gauss.back() + gauss[gauss.size() - 2]) / (k + 1));
    // log(e^y0 + t - t0)
    logarithm.push_back((k % 2 == 1 ? 1 : -1) * std::exp(-k * y0) / k);
  }
  struct Row {
    const char* right_side;
    const std::vector<double>* expected;
  };
  for (const Row& row : {Row{"x^2", &geometric}, Row{"time*x", &gauss}, Row{"exp(-x)", &logarithm}}) {
    SeriesModel model(from_text(first_order(row.right_side)));
    const std::vector<double> c = model.expand(t0, {y0}, order);
    for (std::size_t k = 0; k < c.size(); ++k)
      EXPECT_NEAR(c[k], (*row.expected)[k], rounding * (1 + std::abs((*row.expected)[k])))
          << row.right_side << " " << k;
  }
}

// x'' = -x: the coefficients of cosine and sine, and those of x' are (k + 1) times the next ones of x.
TEST(SeriesForm, CoefficientsOfAnOscillator) {
  SeriesModel model(from_text(R"(model O
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x;
end O;)"));
  std::vector<double> y(2);
  const std::size_t x = model.place("x", 0);
  const std::size_t v = model.place("x", 1);
  y[x] = 0.6;
  y[v] = -0.8;
  const std::vector<double> c = model.expand(0, y, order);
  double factorial = 1;
  for (int k = 0; k <= order; ++k) {
    if (k > 0) factorial *= k;
    // x = 0.6 cos t - 0.8 sin t
    const double expected = (k % 2 == 0 ? 0.6 : -0.8) * (k % 4 < 2 ? 1 : -1) / factorial;
    const auto at = 2 * static_cast<std::size_t>(k);
    EXPECT_NEAR(c[at + x] * factorial, expected * factorial, rounding) << k;
    if (k < order) {
      EXPECT_DOUBLE_EQ(c[at + v], (k + 1) * c[at + 2 + x]) << k;
    }
  }
}

// With constraints the sums stay on them: g of the polynomial vanishes up to the order, at twice the step
// 2^(order + 1) times as much is left.
TEST(SeriesForm, PolynomialsStayOnTheConstraintToTheirOrder) {
  constexpr int low = 5;
  SeriesModel model(from_text(moving_pivot), false);
  std::vector<double> y(4);
  const double x = 0.6 + std::sin(0.2);
  y[model.place("x", 0)] = x;
  y[model.place("y", 0)] = -0.8;
  // G v + g_t = 0
  y[model.place("x", 1)] = std::cos(0.2) + 0.8;
  y[model.place("y", 1)] = 0.6;
  const std::vector<double> c = model.expand(0.2, y, low);
  const auto violation = [&](double h) {
    std::vector<double> at(4, 0.0);
    for (std::size_t i = 0; i < 4; ++i) {
      for (int k = low; k >= 0; --k) at[i] = (at[i] * h) + c[(static_cast<std::size_t>(k) * 4) + i];
    }
    const double dx = at[model.place("x", 0)] - std::sin(0.2 + h);
    const double dy = at[model.place("y", 0)];
    return std::abs((dx * dx) + (dy * dy) - 1);
  };
  EXPECT_LT(violation(0), 1e-15);
  EXPECT_NEAR(std::log2(violation(0.02) / violation(0.01)), low + 1, 0.5);
}

// Of two orders the common coefficients are the same bits, whichever was asked for first.
TEST(SeriesForm, LowerCoefficientsDoNotDependOnTheOrder) {
  SeriesModel model(problem("slider_crank.mo"), false);
  const std::vector<double> y = {0.8, 2.3, 0.4, -0.5};
  const std::vector<double> first = model.expand(0, y, 6);
  const std::vector<double> more = model.expand(0, y, 15);
  const std::vector<double> again = model.expand(0, y, 6);
  EXPECT_EQ(first, again);
  for (std::size_t k = 0; k < first.size(); ++k) EXPECT_EQ(first[k], more[k]) << k;
}

// The first coefficient is the derivative that other methods get.
TEST(SeriesForm, TheFirstCoefficientIsTheDerivative) {
  for (const DaeSystem& system : {from_text(bead_text()), from_text(chain_text(4)), from_text(skew_bead),
                                  problem("n_four_bar.mo"), problem("andrews.mo")}) {
    SeriesModel model(system, false);
    std::vector<double> y(static_cast<std::size_t>(model.series.size()));
    model.ode.gather(y);
    const std::vector<double> noise = model.some_states(3);
    for (std::size_t k = 0; k < y.size(); ++k) y[k] += 0.1 * noise[k];
    const std::vector<double> c = model.expand(0.1, y, 2);
    std::vector<double> yp(y.size());
    ASSERT_TRUE(model.series.derivative(0.1, y, yp)) << system.name;
    double largest = 1;
    for (const double rate : yp) largest = std::max(largest, std::abs(rate));
    for (std::size_t i = 0; i < y.size(); ++i) {
      EXPECT_EQ(c[i], y[i]) << system.name;
      EXPECT_NEAR(c[y.size() + i], yp[i], 1e-10 * largest) << system.name;
    }
  }
}

// Where there are no coefficients there is a sentence.
TEST(SeriesForm, SaysWhereThereIsNone) {
  std::vector<double> c(64);
  SeriesModel root(from_text(first_order("sqrt(x)")));
  EXPECT_FALSE(root.series.expand(0, std::vector<double>{-1}, 5, c));
  EXPECT_EQ(root.series.trouble(), "the equations of motion");
  EXPECT_TRUE(root.series.expand(0, std::vector<double>{1}, 5, c)) << "and goes on after it";
  SeriesModel bead(from_text(bead_text()), false);
  EXPECT_FALSE(bead.series.expand(0, std::vector<double>(4, 0.0), 5, c));
  EXPECT_NE(bead.series.trouble().find("singular"), std::string::npos) << bead.series.trouble();
}

TEST(SeriesForm, ACopyForCopiesOfBothIsIndependent) {
  SeriesModel model(from_text(bead_text()), false);
  const std::vector<double> y = {0.6, -0.8, 0.8, 0.6};
  const std::vector<double> c = model.expand(0, y, 8);
  ReformedResidual residual = model.residual;
  std::vector<double> elsewhere = model.environment;
  residual.bind(elsewhere);
  ExplicitForm ode(model.ode, residual);
  SeriesForm copy(model.series, residual, ode);
  const std::vector<double> before = model.environment;
  std::vector<double> of_copy(c.size());
  ASSERT_TRUE(copy.expand(0, y, 8, of_copy));
  EXPECT_EQ(of_copy, c);
  EXPECT_EQ(model.environment, before);
}

}  // namespace
}  // namespace daedalus::testing
