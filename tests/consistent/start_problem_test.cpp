#include "consistent/start_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "consistent/support.hpp"
#include "consistent/tolerances.hpp"

namespace daedalus {
namespace {

using testing::Asked;

// x was given, y was not; both can be states. a follows, l was guessed.
const std::string mixed =
    "Real x(start=1.5,nominal=2), y, a, l(start=2), p(start=1,fixed=true); equation der(x)=y; der(y)=a; "
    "a=-x; "
    "l=x+1; der(p)=1;";

TEST(StartProblem, WhoGaveAValueDecidesHowMuchItMatters) {
  const Asked m(mixed);
  const StartProblem& problem = *m.problem;
  const auto x = m.unknown("x");
  const auto y = m.unknown("y");
  const auto l = m.unknown("l");
  const auto p = m.unknown("p");
  EXPECT_TRUE(problem.is_wish(x));
  EXPECT_TRUE(problem.is_default(y));
  EXPECT_TRUE(problem.is_guess(l));
  EXPECT_EQ(problem.willingness(x), Willingness::Given);
  EXPECT_EQ(problem.willingness(y), Willingness::Default);
  EXPECT_EQ(problem.willingness(l), Willingness::Guess);
  EXPECT_EQ(problem.willingness(p), Willingness::Held);
  EXPECT_GT(problem.posed.weight[x], problem.posed.weight[y]);
  EXPECT_GT(problem.posed.weight[y], problem.posed.weight[l]);
  EXPECT_EQ(problem.posed.guess[x], 1.5);
  EXPECT_EQ(problem.posed.scale[x], 2);
}

TEST(StartProblem, HighestDerivativesAndAlgebraicUnknownsFollow) {
  const Asked m(mixed);
  const std::vector<bool> follows = m.problem->follows();
  EXPECT_FALSE(follows[m.unknown("x")]);
  EXPECT_FALSE(follows[m.unknown("y")]);
  EXPECT_TRUE(follows[m.unknown("l")]);
  EXPECT_TRUE(follows[m.unknown("der(p)")]);
}

TEST(StartProblem, CountsConditions) {
  EXPECT_EQ(Asked(mixed).problem->conditions(), 1);
  // Two initial equations, of which one determines the parameter.
  const Asked m(
      "Real x(start=1); parameter Real k(fixed=false,start=5); initial equation x=2; der(x)=-4; equation "
      "der(x)=-k*x;");
  EXPECT_EQ(m.problem->conditions(), 1);
  EXPECT_TRUE(m.problem->has_parameters());
  EXPECT_EQ(m.problem->posed.guess[m.unknown("k")], 5);
}

TEST(StartProblem, ConstraintsAreTheEquationsAndTheirJacobian) {
  const Asked m(mixed);
  const ConstraintFunction& constraints = m.problem->constraints();
  std::vector<double> z = m.problem->posed.guess;
  for (std::size_t k = 0; k < z.size(); ++k) z[k] += 0.1 * static_cast<double>(k);
  std::vector<double> c(static_cast<std::size_t>(constraints.rows));
  std::vector<double> moved = c;
  std::vector<double> values(constraints.row.size());
  constraints.jacobian(z, values);
  constraints.residual(z, c);
  // The equations are linear: differences are derivatives but for rounding.
  std::vector<std::vector<double>> dense(z.size(), std::vector<double>(c.size(), 0));
  for_entries(constraints,
              [&](std::size_t k, std::size_t column, std::size_t row) { dense[column][row] = values[k]; });
  for (std::size_t k = 0; k < z.size(); ++k) {
    std::vector<double> shifted = z;
    shifted[k] += 1;
    constraints.residual(shifted, moved);
    for (std::size_t r = 0; r < c.size(); ++r) EXPECT_NEAR(moved[r] - c[r], dense[k][r], 1e-14);
  }
}

TEST(StartProblem, RoundingIsThatOfEachRow) {
  Asked m("Real x(start=1e6,fixed=true), d, s; equation der(x)=1; d=x-1e6; s=2;");
  m.problem->posed.rounding = m.problem->rounding_at(m.problem->posed.guess);
  ASSERT_EQ(m.problem->posed.rounding.size(), static_cast<std::size_t>(m.problem->constraints().rows));
  const double largest = std::ranges::max(m.problem->posed.rounding);
  EXPECT_GT(largest, 1e6 * 1e-16);
  EXPECT_LT(largest, 1e6 * 1e-15);
}

TEST(StartProblem, NamesRowsAndUnknowns) {
  const Asked m("Real x(start=1), y; initial equation x=2; equation der(x)=y; y=-x;");
  const int last = m.problem->constraints().rows - 1;
  EXPECT_NE(m.problem->row_text(last).find("initial equation"), std::string::npos);
  EXPECT_TRUE(m.problem->row_span(last).valid());
  const auto x = m.unknown("x");
  EXPECT_EQ(m.problem->value_text(x, std::vector<double>(m.problem->posed.guess.size(), 0.5)), "x = 0.5");
  EXPECT_EQ(m.problem->values_in_row(last, std::vector<double>(m.problem->posed.guess.size(), 0.5)),
            "x = 0.5");
}

TEST(StartProblem, WritesUnknownsIntoTheEnvironment) {
  const Asked m(
      "Real x(start=1); parameter Real k(fixed=false); initial equation x=2; der(x)=-4; equation "
      "der(x)=-k*x;");
  std::vector<double> z(m.problem->posed.guess.size());
  for (std::size_t k = 0; k < z.size(); ++k) z[k] = 10 + static_cast<double>(k);
  m.problem->put(z);
  for (const double value : z) EXPECT_NE(std::ranges::find(m.environment, value), m.environment.end());
}

}  // namespace
}  // namespace daedalus
