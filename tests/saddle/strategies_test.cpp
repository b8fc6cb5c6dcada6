// Every strategy of SymmetricSystem against dense algebra on the same matrices.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>

#include "dense_saddle.hpp"
#include "saddle/symmetric_system.hpp"

namespace daedalus::testing {
namespace {

enum class Strategy { StraightLine, Condensed, Panels };

std::string name_of(Strategy strategy) {
  if (strategy == Strategy::StraightLine) return "StraightLine";
  return strategy == Strategy::Condensed ? "Condensed" : "Panels";
}

// Sizes and masses for which SymmetricSystem takes this strategy by itself.
DenseSaddle saddle_for(Strategy strategy, unsigned seed) {
  std::mt19937 random(seed);
  const bool small = strategy == Strategy::StraightLine;
  const int n = std::uniform_int_distribution<int>(small ? 3 : 40, small ? 14 : 90)(random);
  const int m = std::uniform_int_distribution<int>(small ? 2 : 5, small ? n : n / 2)(random);
  return random_saddle(n, m, strategy == Strategy::Condensed ? Masses::Diagonal : Masses::Coupled, seed);
}

struct Made {
  Made(const DenseSaddle& given, Strategy strategy)
      : expressions(given, strategy == Strategy::Condensed),
        system(expressions.graph, expressions.matrix, expressions.rhs, given.n(), expressions.setting()) {}
  [[nodiscard]] Strategy strategy() const {
    if (system.method() == "straight-line") return Strategy::StraightLine;
    const bool by_unknown = static_cast<int>(system.solution().size()) == system.size();
    return by_unknown ? Strategy::Condensed : Strategy::Panels;
  }
  [[nodiscard]] Eigen::VectorXd solve() {
    EXPECT_TRUE(system.solve(expressions.environment));
    return solution();
  }
  [[nodiscard]] Eigen::VectorXd solution() {
    std::vector<double> z(static_cast<std::size_t>(system.size()));
    system.put(z);
    return as_vector(z);
  }
  [[nodiscard]] bool prepare() { return system.prepare(expressions.environment); }

  SaddleExpressions expressions;
  SymmetricSystem system;
};

void expect_near(const Eigen::VectorXd& found, const Eigen::VectorXd& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance)
      << "largest: " << expected.cwiseAbs().maxCoeff();
}

class Strategies : public ::testing::TestWithParam<std::tuple<Strategy, unsigned>> {
 protected:
  [[nodiscard]] Strategy strategy() const { return std::get<0>(GetParam()); }
  [[nodiscard]] unsigned seed() const { return std::get<1>(GetParam()); }
};

TEST_P(Strategies, SolveARegularSystemAtEachOfItsPoints) {
  const DenseSaddle given = saddle_for(strategy(), seed());
  Made made(given, strategy());
  ASSERT_TRUE(made.prepare());
  EXPECT_EQ(made.strategy(), strategy());
  EXPECT_FALSE(made.system.has_redundant());
  expect_near(made.solve(), given.solution(), forward_tolerance(given, given.solution()));
  EXPECT_TRUE(made.system.holds(made.expressions.environment));
  DenseSaddle other = given;
  other.gradient *= 1.25;
  other.b *= -2;
  made.expressions.load(other);
  expect_near(made.solve(), other.solution(), forward_tolerance(other, other.solution()));
}

// The matrix of a point, factorised by itself, for right-hand sides as they come.
TEST_P(Strategies, SolveForOtherRightHandSidesWithTheMatrixOfAPoint) {
  DenseSaddle given = saddle_for(strategy(), seed());
  Made made(given, strategy());
  ASSERT_TRUE(made.prepare());
  ASSERT_TRUE(made.system.factor(made.expressions.environment));
  for (const double frequency : {0.7, 2.3}) {
    for (int i = 0; i < given.size(); ++i) given.b(i) = std::sin(frequency * i);
    std::vector<double> z(given.b.begin(), given.b.end());
    made.system.solve_factored(z);
    expect_near(as_vector(z), given.solution(), forward_tolerance(given, given.solution()));
  }
}

// Two constraints are repeated, in other units. The accelerations are unique; of the multipliers those are
// taken whose squares, weighted by the diagonal of G M⁻¹ Gᵀ, have the least sum. What the constraints do not
// see is known up to rounding over δ = 1e-11, some tens of roundings times the condition.
TEST_P(Strategies, TakeTheMultipliersOfLeastNormWhereConstraintsAreRedundant) {
  const DenseSaddle regular = saddle_for(strategy(), seed());
  const int n = regular.n();
  const int m = regular.m();
  DenseSaddle given{
      .mass = regular.mass, .gradient = Eigen::MatrixXd(m + 2, n), .b = Eigen::VectorXd(n + m + 2)};
  given.gradient << regular.gradient, 3 * regular.gradient.row(0), -0.5 * regular.gradient.row(1);
  given.b << regular.b, 3 * regular.b(n), -0.5 * regular.b(n + 1);
  Made made(given, strategy());
  ASSERT_TRUE(made.prepare());
  EXPECT_TRUE(made.system.has_redundant());
  const Eigen::VectorXd found = made.solve();
  const Eigen::VectorXd expected = given.least_norm_solution(given.schur_diagonal());
  constexpr double delta = 1e-11;
  const double tolerance = forward_tolerance(given, expected, n + m);
  expect_near(found.head(n), expected.head(n), 10 * tolerance);
  expect_near(found.tail(m + 2), expected.tail(m + 2), tolerance / delta);
  EXPECT_LE(tolerance / delta, 0.05 * expected.tail(m + 2).cwiseAbs().maxCoeff());
  EXPECT_TRUE(made.system.holds(made.expressions.environment));
}

// The second constraint's gradient is the first one's but for an angle: the condition grows as its inverse
// square, and the error with it; the residual does not.
TEST_P(Strategies, StandNearlySingularConstraints) {
  for (const double angle : {1e-1, 1e-2, 1e-3, 1e-4}) {
    DenseSaddle given = saddle_for(strategy(), seed());
    given.gradient.row(1) = given.gradient.row(0) + angle * given.gradient.row(1);
    given.b(given.n() + 1) = given.b(given.n()) + angle * given.b(given.n() + 1);
    Made made(given, strategy());
    ASSERT_TRUE(made.prepare()) << angle;
    EXPECT_FALSE(made.system.has_redundant()) << angle;
    const Eigen::VectorXd found = made.solve();
    expect_near(found, given.solution(), forward_tolerance(given, given.solution()));
    const Eigen::VectorXd residual = given.whole() * found - given.b;
    EXPECT_LE(residual.cwiseAbs().maxCoeff(), 1e-11 * (1 + found.cwiseAbs().maxCoeff())) << angle;
  }
}

// Coordinates and constraints in units that differ by up to 1e8, so that entries go from 1e-8 to 1e8:
// elimination without pivoting does not see units, so the solution is as exact as before, in the old units.
TEST_P(Strategies, DoNotDependOnUnits) {
  const DenseSaddle given = saddle_for(strategy(), seed());
  std::mt19937 random(seed());
  std::uniform_real_distribution<double> exponent(-4, 4);
  Eigen::VectorXd units(given.size());
  for (double& unit : units) unit = std::pow(10, exponent(random));
  const DenseSaddle scaled = given.scaled(units);
  Made made(scaled, strategy());
  ASSERT_TRUE(made.prepare());
  EXPECT_FALSE(made.system.has_redundant());
  const Eigen::VectorXd expected = given.solution();
  expect_near(units.asDiagonal() * made.solve(), expected, forward_tolerance(given, expected));
}

// One coordinate has no mass of its own. The whole matrix is regular, since a constraint holds the
// coordinate, but M has a pivot that is zero, or that would be but for rounding: refused, or right.
TEST_P(Strategies, RefuseASingularMassOrSolveIt) {
  for (const bool coupled : {false, true}) {
    DenseSaddle given = saddle_for(strategy(), seed());
    given.mass.row(0).setZero();
    given.mass.col(0).setZero();
    if (coupled) {  // [a -a; -a a]/3 in its place: two masses that only move against each other
      given.mass.row(1).setZero();
      given.mass.col(1).setZero();
      given.mass.topLeftCorner(2, 2) << 0.1 / 3, -0.1 / 3, -0.1 / 3, 0.1 / 3;
    }
    Made made(given, strategy());
    if (!made.prepare()) continue;
    expect_near(made.solve(), given.solution(), 1e-6 * given.solution().cwiseAbs().maxCoeff());
  }
}

// M is not positive definite: it is said at the first point.
TEST_P(Strategies, RefuseAnIndefiniteMass) {
  DenseSaddle given = saddle_for(strategy(), seed());
  given.mass(0, 0) = -given.mass(0, 0);
  Made made(given, strategy());
  EXPECT_FALSE(made.prepare());
}

TEST_P(Strategies, RefuseWhatIsNotFinite) {
  const DenseSaddle given = saddle_for(strategy(), seed());
  Made made(given, strategy());
  std::size_t entry = 0;
  while (made.expressions.where[entry].first < given.n()) ++entry;
  made.expressions.environment[entry] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(made.prepare());
}

// λ of (G M⁻¹ Gᵀ + δ S) λ = r, and once more for what is left of r: S is the diagonal of G M⁻¹ Gᵀ by that of
// M.
TEST_P(Strategies, SoftenedMultipliersAreThoseOfTheRegularisedMatrixRefinedOnce) {
  const DenseSaddle given = saddle_for(strategy(), seed());
  Made made(given, strategy());
  ASSERT_TRUE(made.prepare());
  constexpr double part = 1e-2;
  made.system.soften(part);
  EXPECT_TRUE(made.system.soft());
  Eigen::MatrixXd soft = given.whole();
  soft.bottomRightCorner(given.m(), given.m()).diagonal() = -part * given.schur_diagonal();
  const auto lu = soft.fullPivLu();
  Eigen::VectorXd expected = lu.solve(given.b);
  expected += lu.solve(given.b - given.whole() * expected);
  expect_near(made.solve(), expected, forward_tolerance(given, expected));
  made.system.harden();
  EXPECT_FALSE(made.system.soft());
  EXPECT_EQ(made.strategy(), strategy());
  expect_near(made.solve(), given.solution(), forward_tolerance(given, given.solution()));
}

// A copy is a system of its own: at the same point the same bits, and what one does the other does not see.
TEST_P(Strategies, CopiesAreIndependentAndGiveTheSameBits) {
  const DenseSaddle given = saddle_for(strategy(), seed());
  DenseSaddle other = given;
  other.gradient *= 0.75;
  Made made(given, strategy());
  ASSERT_TRUE(made.prepare());
  for (const bool soft : {false, true}) {
    if (soft) made.system.soften(1e-3);
    const Eigen::VectorXd first = made.solve();
    SymmetricSystem copy = made.system;
    std::vector<double> elsewhere = made.expressions.environment;
    made.expressions.load(other);
    std::swap(elsewhere, made.expressions.environment);
    ASSERT_TRUE(copy.solve(elsewhere));
    EXPECT_EQ(made.solution(), first);  // untouched by the copy's work
    ASSERT_TRUE(copy.solve(made.expressions.environment));
    std::vector<double> again(static_cast<std::size_t>(given.size()));
    copy.put(again);
    EXPECT_EQ(as_vector(again), first);
    copy.soften(0.5);
    EXPECT_EQ(made.system.soft(), soft);
    EXPECT_EQ(made.solve(), first);
  }
}

// The smallest ones: no constraint at all, and as many as coordinates.
TEST(Strategy, SmallestSystemsAreSolved) {
  for (const auto& [n, m] : {std::pair(1, 0), std::pair(1, 1), std::pair(2, 0), std::pair(3, 3)}) {
    const DenseSaddle given = random_saddle(n, m, Masses::Coupled, 7);
    Made made(given, Strategy::StraightLine);
    ASSERT_TRUE(made.prepare());
    expect_near(made.solve(), given.solution(), forward_tolerance(given, given.solution()));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Strategies,
                         ::testing::Combine(::testing::Values(Strategy::StraightLine, Strategy::Condensed,
                                                              Strategy::Panels),
                                            ::testing::Range(1U, 9U)),
                         [](const auto& given) {
                           return name_of(std::get<0>(given.param)) +
                                  std::to_string(std::get<1>(given.param));
                         });

}  // namespace
}  // namespace daedalus::testing
