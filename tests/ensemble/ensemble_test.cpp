// Ensembles against the engine's own runs, and what must not matter: neighbours, threads, order.
#include "ensemble/lane_stepper.hpp"
#include "ensemble_support.hpp"

namespace daedalus {
namespace {

using test::between;
using test::engine_of;
using test::pendulum;
using test::problem;
using test::run_of;
using test::Table;

// What every back end promises, times rtol; and of the constraints.
constexpr double agreed = 10;
constexpr double least_drift = 1e-10;

void expect_as_the_engine(const std::shared_ptr<const Engine>& engine, const EnsembleOptions& options,
                          const Table& table, double rtol) {
  EnsembleOptions scalar = options;
  scalar.backend = "scalar";
  EnsembleOptions lanes = options;
  lanes.backend = "lanes";
  const EnsembleResult expected = run_of(engine, scalar, table);
  const EnsembleResult result = run_of(engine, lanes, table);
  ASSERT_EQ(result.values.size(), expected.values.size());
  EXPECT_LE(test::distance(result, expected), agreed * rtol);
  for (std::size_t k = 0; k < result.runs(); ++k) {
    EXPECT_EQ(result.status[k], TrajectoryStatus::Ok);
    EXPECT_EQ(result.scalar[k], 0) << k;
    EXPECT_LE(result.drift[k], least_drift);
    EXPECT_NEAR(result.steps[k], expected.steps[k], 2 + (expected.steps[k] / 20)) << k;
  }
}

// Builds and processors without machine code run all of them by the engine, and have nothing to show here.
bool has_lanes() {
  return there_are_lanes();
}

TEST(Ensembles, PendulumsAreThoseOfTheEngine) {
  if (!has_lanes()) return;
  const Table table{.names = {"g", "L"}, .columns = {between(5, 15, 23), between(0.8, 1.4, 23)}};
  const std::vector<double> at{0, 0.1, 0.5, 0.5, 1.25, 2};
  for (const char* const integrator : {"dopri5", "dop853"}) {
    const auto engine = engine_of(pendulum, {"g", "L"}, {.integrator = Selection(integrator)});
    expect_as_the_engine(engine, {.at = at}, table, 1e-6);
    expect_as_the_engine(engine, {.rtol = 1e-9, .at = at}, table, 1e-9);
  }
}

// Forces that are as large as those of this mechanism hold the error of accelerations, which are thousands.
TEST(Ensembles, AndrewsMechanismIsThatOfTheEngine) {
  if (!has_lanes()) return;
  const auto engine = engine_of(problem("problems/andrews.mo"), {"mom", "c0"});
  const Table table{.names = {"mom", "c0"}, .columns = {between(0.03, 0.036, 17), between(4400, 4600, 17)}};
  expect_as_the_engine(engine, {.outputs = {"beta", "epsilon", "v1"}, .at = {0.01, 0.02, 0.03}}, table, 1e-8);
}

TEST(Ensembles, ATrajectoryDependsOnItsOwnNumbersAlone) {
  if (!has_lanes()) return;
  const auto engine = engine_of(pendulum, {"g", "L"});
  Table table{.names = {"g", "L"}, .columns = {between(1, 40, 50), between(0.5, 3, 50)}};
  const EnsembleResult first = run_of(engine, {.at = {0.7, 2}, .threads = 1}, table);
  const EnsembleResult again = run_of(engine, {.at = {0.7, 2}, .threads = 3}, table);
  EXPECT_EQ(first.values, again.values);
  for (auto& column : table.columns) std::ranges::reverse(column);
  const EnsembleResult reversed = run_of(engine, {.at = {0.7, 2}, .threads = 2}, table);
  for (std::size_t k = 0; k < first.runs(); ++k) {
    const auto here = first.of_run(k);
    const auto there = reversed.of_run(first.runs() - 1 - k);
    EXPECT_TRUE(std::ranges::equal(here, there)) << k;
    EXPECT_EQ(first.steps[k], reversed.steps[first.runs() - 1 - k]);
  }
}

TEST(Ensembles, OneThatFailsDoesNotDisturbItsNeighbours) {
  if (!has_lanes()) return;
  const auto engine = engine_of(pendulum, {"g"});
  Table table{.names = {"g"}, .columns = {between(5, 15, 9)}};
  const EnsembleResult good = run_of(engine, {.threads = 1}, table);
  table.columns[0][4] = std::nan("");
  const EnsembleResult result = run_of(engine, {.threads = 1}, table);
  EXPECT_EQ(result.status[4], TrajectoryStatus::Failed);
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_EQ(result.failures[0].run, 4U);
  EXPECT_FALSE(result.failures[0].reason.empty());
  EXPECT_EQ(result.done, 9U);
  for (std::size_t k = 0; k < 9; ++k) {
    if (k == 4) continue;
    EXPECT_TRUE(std::ranges::equal(result.of_run(k), good.of_run(k))) << k;
  }
}

TEST(Ensembles, StoppedOnesKeepWhatIsDone) {
  if (!has_lanes()) return;
  const auto engine = engine_of(pendulum, {"g"});
  const Table table{.names = {"g"}, .columns = {between(5, 15, 100)}};
  const auto ensemble = Ensemble::make(engine, {.threads = 1});
  const auto result =
      (*ensemble)->run(table.inputs(), [](std::size_t done, std::size_t) { return done < 20; });
  ASSERT_TRUE(result.has_value());
  EXPECT_GE(result->done, 20U);
  EXPECT_LT(result->done, 30U);
  const EnsembleResult whole = run_of(engine, {}, table);
  for (std::size_t k = 0; k < 100; ++k) {
    if (result->status[k] == TrajectoryStatus::NotDone) {
      EXPECT_TRUE(std::isnan(result->of_run(k)[0]));
    } else {
      EXPECT_TRUE(std::ranges::equal(result->of_run(k), whole.of_run(k)));
    }
  }
}

TEST(EnsembleRefusals, ModelsThatCannotGoThereRunByTheEngine) {
  const char* const bouncing = R"(
model B
  parameter Real g = 9.81;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;  der(v) = -g;
  when h < 0 then reinit(v, -0.8*pre(v)); end when;
end B;
)";
  const auto engine = engine_of(bouncing, {"g"});
  const auto ensemble = Ensemble::make(engine, {.outputs = {"h"}});
  ASSERT_TRUE(ensemble.has_value());
  EXPECT_EQ((*ensemble)->backend(), "scalar");
  EXPECT_NE((*ensemble)->why(), "");
  const std::vector<double> g{9.81, 1.62};
  const auto result = (*ensemble)->run({.names = {"g"}, .columns = {g}, .runs = 2});
  ASSERT_TRUE(result.has_value());
  const auto one = engine->run({.set = {{"g", 1.62}}});
  ASSERT_TRUE(one.has_value());
  EXPECT_NEAR(result->of_run(1)[0],
              one->trajectory.values[(one->trajectory.rows() - 1) * one->trajectory.signals.size()], 1e-9);
  EXPECT_FALSE(Ensemble::make(engine, {.backend = "lanes"}).has_value());
}

TEST(EnsembleRefusals, WrongInputIsSaid) {
  const auto engine = engine_of(pendulum, {"g"});
  EXPECT_FALSE(Ensemble::make(engine, {.outputs = {"z"}}).has_value());
  EXPECT_FALSE(Ensemble::make(engine, {.at = {3}}).has_value());
  EXPECT_FALSE(Ensemble::make(engine, {.at = {1, 0.5}}).has_value());
  EXPECT_FALSE(Ensemble::make(engine, {.backend = "gpu"}).has_value());
  const auto ensemble = Ensemble::make(engine, {});
  const std::vector<double> two{1, 2};
  EXPECT_FALSE((*ensemble)->run({.names = {"q"}, .columns = {two}, .runs = 2}).has_value());
  EXPECT_FALSE((*ensemble)->run({.names = {"g"}, .columns = {two}, .runs = 3}).has_value());
  EXPECT_FALSE((*ensemble)->run({.names = {"m"}, .columns = {two}, .runs = 2}).has_value());
}

}  // namespace
}  // namespace daedalus
