// Every strategy against dense algebra on the same matrices: each by itself, and as RegularisedSystem makes
// of it what stands dependent constraints.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <tuple>

#include "dense_saddle.hpp"
#include "saddle/condensed_system.hpp"
#include "saddle/general_system.hpp"
#include "saddle/make_saddle_system.hpp"
#include "saddle/panel_system.hpp"
#include "saddle/straight_line_system.hpp"

namespace daedalus::testing {
namespace {

enum class Strategy { StraightLine, Condensed, Panels, General };

std::string name_of(Strategy strategy) {
  switch (strategy) {
    case Strategy::StraightLine:
      return "StraightLine";
    case Strategy::Condensed:
      return "Condensed";
    case Strategy::Panels:
      return "Panels";
    case Strategy::General:
      break;
  }
  return "General";
}

// Sizes and masses for which make_saddle_system takes this strategy by itself.
DenseSaddle saddle_for(Strategy strategy, unsigned seed) {
  std::mt19937 random(seed);
  const bool small = strategy == Strategy::StraightLine;
  const int n = std::uniform_int_distribution<int>(small ? 3 : 40, small ? 14 : 90)(random);
  const int m = std::uniform_int_distribution<int>(small ? 2 : 5, small ? n : n / 2)(random);
  return random_saddle(n, m, strategy == Strategy::Condensed ? Masses::Diagonal : Masses::Coupled, seed);
}

std::unique_ptr<SaddleSystem> make_strategy(Strategy strategy, const SaddleEquations& equations,
                                            const ProgramSetting& setting) {
  if (strategy == Strategy::General) return std::make_unique<GeneralSystem>(equations, setting);
  PanelSystem whole(equations, setting);
  if (strategy == Strategy::StraightLine) return StraightLineSystem::make(equations, setting, whole);
  if (strategy == Strategy::Condensed) return CondensedSystem::make(equations, setting, whole);
  whole.compile();
  return std::make_unique<PanelSystem>(std::move(whole));
}

Eigen::VectorXd solution_of(SaddleSystem& system, int size) {
  system.complete();
  Eigen::VectorXd z(size);
  for (int i = 0; i < size; ++i) z(i) = system.solution()[static_cast<std::size_t>(system.index(i))];
  return z;
}

// A strategy by itself.
struct Bare {
  Bare(const DenseSaddle& given, Strategy strategy, bool homogeneous = false)
      : size(given.size()),
        expressions(given, strategy == Strategy::Condensed),
        system(make_strategy(strategy, expressions.equations(homogeneous), expressions.setting())) {}
  [[nodiscard]] Eigen::VectorXd solve() {
    EXPECT_TRUE(system->solve_at(expressions.environment));
    return solution_of(*system, size);
  }

  int size;
  SaddleExpressions expressions;
  std::unique_ptr<SaddleSystem> system;
};

// The one that is chosen, and what makes it stand redundant constraints.
struct Made {
  Made(const DenseSaddle& given, Strategy strategy)
      : expressions(given, strategy == Strategy::Condensed),
        owner(make_saddle_system(expressions.equations(), expressions.setting())),
        system(*owner) {}
  [[nodiscard]] Strategy strategy() const {
    if (system.name() == "straight-line") return Strategy::StraightLine;
    return system.name() == "condensed" ? Strategy::Condensed : Strategy::Panels;
  }
  [[nodiscard]] Eigen::VectorXd solve() {
    EXPECT_TRUE(system.solve_at(expressions.environment));
    return solution();
  }
  [[nodiscard]] Eigen::VectorXd solution() { return solution_of(system, system.size()); }
  [[nodiscard]] bool prepare() { return system.prepare(expressions.environment); }

  SaddleExpressions expressions;
  std::unique_ptr<RegularisedSystem> owner;
  RegularisedSystem& system;
};

void expect_near(const Eigen::VectorXd& found, const Eigen::VectorXd& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance)
      << "largest: " << expected.cwiseAbs().maxCoeff();
}

class AllStrategies : public ::testing::TestWithParam<std::tuple<Strategy, unsigned>> {
 protected:
  [[nodiscard]] Strategy strategy() const { return std::get<0>(GetParam()); }
  [[nodiscard]] unsigned seed() const { return std::get<1>(GetParam()); }
};
// Those of symmetric matrices.
class Strategies : public AllStrategies {};

TEST_P(AllStrategies, SolveARegularSystemAtEachOfItsPoints) {
  const DenseSaddle given = saddle_for(strategy(), seed());
  Bare made(given, strategy());
  ASSERT_NE(made.system, nullptr);
  expect_near(made.solve(), given.solution(), forward_tolerance(given, given.solution()));
  const auto top = made.system->accelerations();
  EXPECT_EQ(as_vector(top), solution_of(*made.system, made.size).head(given.n()));
  DenseSaddle other = given;
  other.gradient *= 1.25;
  other.b *= -2;
  made.expressions.load(other);
  expect_near(made.solve(), other.solution(), forward_tolerance(other, other.solution()));
}

// The matrix of a point, factorised by itself, for right-hand sides as they come.
TEST_P(AllStrategies, SolveForOtherRightHandSidesWithTheMatrixOfAPoint) {
  DenseSaddle given = saddle_for(strategy(), seed());
  Bare made(given, strategy());
  ASSERT_TRUE(made.system->factor(made.expressions.environment));
  for (const double frequency : {0.7, 2.3}) {
    for (int i = 0; i < given.size(); ++i) given.b(i) = std::sin(frequency * i);
    std::vector<double> z(given.b.begin(), given.b.end());
    made.system->solve(z);
    expect_near(as_vector(z), given.solution(), forward_tolerance(given, given.solution()));
  }
}

// The second constraint's gradient is the first one's but for an angle: the condition grows as its inverse
// square, and the error with it; the residual does not.
TEST_P(AllStrategies, StandNearlySingularConstraints) {
  for (const double angle : {1e-1, 1e-2, 1e-3, 1e-4}) {
    DenseSaddle given = saddle_for(strategy(), seed());
    given.gradient.row(1) = given.gradient.row(0) + angle * given.gradient.row(1);
    given.b(given.n() + 1) = given.b(given.n()) + angle * given.b(given.n() + 1);
    Bare made(given, strategy());
    const Eigen::VectorXd found = made.solve();
    expect_near(found, given.solution(), forward_tolerance(given, given.solution()));
    const Eigen::VectorXd residual = given.whole() * found - given.b;
    EXPECT_LE(residual.cwiseAbs().maxCoeff(), 1e-11 * (1 + found.cwiseAbs().maxCoeff())) << angle;
  }
}

// Coordinates and constraints in units that differ by up to `decades`: elimination without pivoting does not
// see units, so the solution is as exact as before, in the old units. Pivoting sees them.
Eigen::VectorXd some_units(const DenseSaddle& given, unsigned seed, double decades) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(-decades / 2, decades / 2);
  Eigen::VectorXd units(given.size());
  for (double& unit : units) unit = std::pow(10, exponent(random));
  return units;
}

TEST_P(AllStrategies, StandDifferentUnits) {
  const DenseSaddle given = saddle_for(strategy(), seed());
  const bool pivoting = strategy() == Strategy::General;
  const Eigen::VectorXd units = some_units(given, seed(), pivoting ? 4 : 8);
  Bare made(given.scaled(units), strategy());
  const Eigen::VectorXd expected = given.solution();
  // Pivots are those of other rows: it loses some of the digits that rows in these units differ by.
  const double lost = pivoting ? 1e4 : 1;
  expect_near(units.asDiagonal() * made.solve(), expected, lost * forward_tolerance(given, expected));
}

// Whatever the order, the product of the pivots is the determinant of G M⁻¹ Gᵀ. In sums of logarithms each
// pivot adds some roundings times the condition.
TEST_P(AllStrategies, HavePivotsWhoseProductIsTheDeterminantOfTheSchurComplement) {
  const DenseSaddle given = saddle_for(strategy(), seed());
  Bare made(given, strategy());
  const Eigen::MatrixXd schur = given.gradient * given.mass.inverse() * given.gradient.transpose();
  const Eigen::MatrixXd factor = schur.llt().matrixL();
  for (const bool prepared : {false, true}) {
    if (prepared) made.system->prepare_pivots();
    std::vector<double> pivots(static_cast<std::size_t>(given.m()));
    const bool known = made.system->pivots_at(made.expressions.environment, pivots);
    ASSERT_EQ(known, strategy() != Strategy::General);
    if (!known) continue;
    double logarithm = 0;
    for (const double pivot : pivots) logarithm += std::log(pivot);
    EXPECT_NEAR(logarithm, 2 * factor.diagonal().array().log().sum(), 1e-12 * given.size());
  }
}

TEST_P(AllStrategies, HaveNoPivotForAConstraintGivenTwice) {
  if (strategy() == Strategy::General) return;
  DenseSaddle given = saddle_for(strategy(), seed());
  given.gradient.row(1) = 2 * given.gradient.row(0);
  Bare made(given, strategy());
  std::vector<double> pivots(static_cast<std::size_t>(given.m()));
  (void)made.system->pivots_at(made.expressions.environment, pivots);
  PivotRank rank;
  const Eigen::VectorXd diagonal = given.schur_diagonal();
  rank.begin(pivots, {diagonal.data(), static_cast<std::size_t>(diagonal.size())});
  EXPECT_TRUE(rank.has_redundant());
  // At least one: where it is zero to the last bit, nothing can be said of those that it joins.
  EXPECT_FALSE(std::ranges::all_of(
      pivots, [&](const double& pivot) { return pivot > 1e-14 * diagonal(&pivot - pivots.data()); }));
}

// (0, c) for a system of constraints alone, with the matrix that pivots_at() has left behind.
TEST_P(AllStrategies, SolveForOtherConstraintsWhereTheySayThatTheyCan) {
  DenseSaddle given = saddle_for(strategy(), seed());
  given.b.setZero();
  Bare made(given, strategy(), true);
  const bool can = strategy() == Strategy::Condensed || strategy() == Strategy::Panels;
  ASSERT_EQ(made.system->solves_constraints(), can);
  if (!can) return;
  std::vector<double> pivots(static_cast<std::size_t>(given.m()));
  ASSERT_TRUE(made.system->pivots_at(made.expressions.environment, pivots));
  for (const double frequency : {0.3, 1.7}) {
    std::vector<double> c;
    for (int i = 0; i < given.m(); ++i) c.push_back(given.b(given.n() + i) = std::cos(frequency * i));
    const Eigen::VectorXd expected = given.solution();
    expect_near(as_vector(made.system->solve_constraints(c)), expected.head(given.n()),
                forward_tolerance(given, expected));
  }
}

// A copy is a system of its own, and so is one that reads what another has written: at the same point the
// same bits.
TEST_P(AllStrategies, CopiesAndArchivesGiveTheSameBits) {
  const DenseSaddle given = saddle_for(strategy(), seed());
  DenseSaddle other = given;
  other.gradient *= 0.75;
  Bare made(given, strategy());
  const auto untouched = made.system->copy();
  const Eigen::VectorXd first = made.solve();
  Archive archive;
  made.system->state(archive);
  archive.turn();
  untouched->state(archive);
  ASSERT_TRUE(archive.ok()) << archive.error();
  const auto copy = made.system->copy();
  std::vector<double> here = made.expressions.environment;
  made.expressions.load(other);
  (void)made.solve();
  for (SaddleSystem* one : {copy.get(), untouched.get()}) {
    ASSERT_TRUE(one->solve_at(here));
    EXPECT_EQ(solution_of(*one, made.size), first);
  }
}

TEST_P(AllStrategies, RefuseAtAPointWhatIsNotFinite) {
  const DenseSaddle given = saddle_for(strategy(), seed());
  Bare made(given, strategy());
  made.expressions.environment.front() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(made.system->solve_at(made.expressions.environment));
}

// Pivoting needs no M that is positive definite, and no symmetry.
TEST(GeneralSystem, SolvesWhereMassIsSingularOrIndefiniteOrTheMatrixIsNotSymmetric) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    DenseSaddle given = saddle_for(Strategy::General, seed);
    given.mass.row(0).setZero();
    given.mass.col(0).setZero();
    given.mass(1, 1) *= -1;
    Bare made(given, Strategy::General);
    expect_near(made.solve(), given.solution(), forward_tolerance(given, given.solution()));
  }
  ExprGraph graph;
  const auto number = [&](double value) { return graph.constant(value); };
  const SymbolicMatrix matrix{
      .rows = 2,
      .columns = 2,
      .entries = {{.row = 1, .column = 0, .value = number(2)}, {.row = 0, .column = 1, .value = number(-4)}}};
  const std::vector<NodeId> rhs{number(8), number(6)};
  GeneralSystem system({.graph = graph, .matrix = matrix, .rhs = rhs, .first = 1},
                       {.slots = 0, .slot_of = [](NodeId) { return -1; }, .codegen = {}});
  ASSERT_TRUE(system.solve_at({}));
  EXPECT_EQ(system.solution()[0], 3);
  EXPECT_EQ(system.solution()[1], -2);
}

TEST_P(Strategies, AreChosenForWhatTheyAreMadeFor) {
  const DenseSaddle given = saddle_for(strategy(), seed());
  Made made(given, strategy());
  ASSERT_TRUE(made.prepare());
  EXPECT_EQ(made.strategy(), strategy());
  EXPECT_FALSE(made.system.has_redundant());
  expect_near(made.solve(), given.solution(), forward_tolerance(given, given.solution()));
  EXPECT_TRUE(made.system.holds(made.expressions.environment));
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

// Beside a redundant constraint another two that nearly are, as between bodies that are very different: their
// pivots are small, but δ must not be seen in the solution. The residual is that of rounding, and the
// accelerations are those of the model, whose condition goes with the square of the angle.
TEST_P(Strategies, StandNearlySingularConstraintsBesideRedundantOnes) {
  for (const double angle : {1e-2, 1e-3, 1e-4, 3e-5}) {
    const DenseSaddle regular = saddle_for(strategy(), seed());
    const int n = regular.n();
    const int m = regular.m();
    DenseSaddle given{
        .mass = regular.mass, .gradient = Eigen::MatrixXd(m + 1, n), .b = Eigen::VectorXd(n + m + 1)};
    given.gradient << regular.gradient, regular.gradient.row(0);
    given.b << regular.b, regular.b(n);
    given.gradient.row(1) = given.gradient.row(0) + angle * regular.gradient.row(1);
    given.b(n + 1) = given.b(n) + angle * regular.b(n + 1);
    Made made(given, strategy());
    ASSERT_TRUE(made.prepare()) << angle;
    EXPECT_TRUE(made.system.has_redundant());
    const Eigen::VectorXd found = made.solve();
    EXPECT_TRUE(made.system.holds(made.expressions.environment));
    const Eigen::VectorXd residual = given.whole() * found - given.b;
    EXPECT_LE(residual.cwiseAbs().maxCoeff(), 1e-11 * (1 + found.cwiseAbs().maxCoeff())) << angle;
    const Eigen::VectorXd expected = regular.solution();  // the same accelerations: the same equations
    const double tolerance = forward_tolerance(given, found, n + m);
    expect_near(found.head(n), expected.head(n), 10 * tolerance);
  }
}

// What counts as redundant does not depend on units.
TEST_P(Strategies, FindRedundantConstraintsInAnyUnits) {
  for (const bool redundant : {false, true}) {
    DenseSaddle given = saddle_for(strategy(), seed());
    if (redundant) {
      given.gradient.row(1) = given.gradient.row(0);
      given.b(given.n() + 1) = given.b(given.n());
    }
    Made made(given.scaled(some_units(given, seed(), 8)), strategy());
    ASSERT_TRUE(made.prepare());
    EXPECT_EQ(made.system.has_redundant(), redundant);
  }
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

// A copy is a system of its own, softened or not: what one does the other does not see.
TEST_P(Strategies, CopiesAreIndependentAndGiveTheSameBits) {
  const DenseSaddle given = saddle_for(strategy(), seed());
  DenseSaddle other = given;
  other.gradient *= 0.75;
  Made made(given, strategy());
  RegularisedSystem unprepared = made.system;
  ASSERT_TRUE(made.prepare());
  for (const bool soft : {false, true}) {
    if (soft) made.system.soften(1e-3);
    const Eigen::VectorXd first = made.solve();
    RegularisedSystem copy = made.system;
    std::vector<double> elsewhere = made.expressions.environment;
    made.expressions.load(other);
    std::swap(elsewhere, made.expressions.environment);
    ASSERT_TRUE(copy.solve_at(elsewhere));
    EXPECT_EQ(made.solution(), first);  // untouched by the copy's work
    ASSERT_TRUE(copy.solve_at(made.expressions.environment));
    EXPECT_EQ(solution_of(copy, given.size()), first);
    copy.soften(0.5);
    EXPECT_EQ(made.system.soft(), soft);
    EXPECT_EQ(made.solve(), first);
    Archive archive;
    made.system.state(archive);
    archive.turn();
    unprepared.state(archive);
    ASSERT_TRUE(archive.ok()) << archive.error();
    EXPECT_EQ(unprepared.soft(), soft);
    ASSERT_TRUE(unprepared.solve_at(made.expressions.environment));
    EXPECT_EQ(solution_of(unprepared, given.size()), first);
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

std::string name_of_test(const ::testing::TestParamInfo<std::tuple<Strategy, unsigned>>& given) {
  return name_of(std::get<0>(given.param)) + std::to_string(std::get<1>(given.param));
}

INSTANTIATE_TEST_SUITE_P(All, AllStrategies,
                         ::testing::Combine(::testing::Values(Strategy::StraightLine, Strategy::Condensed,
                                                              Strategy::Panels, Strategy::General),
                                            ::testing::Range(1U, 9U)),
                         name_of_test);
INSTANTIATE_TEST_SUITE_P(All, Strategies,
                         ::testing::Combine(::testing::Values(Strategy::StraightLine, Strategy::Condensed,
                                                              Strategy::Panels),
                                            ::testing::Range(1U, 9U)),
                         name_of_test);

}  // namespace
}  // namespace daedalus::testing
