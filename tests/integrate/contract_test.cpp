// What every row of the table promises (integrator.hpp).
#include <gtest/gtest.h>

#include "integrate/drive.hpp"
#include "integrate/rows.hpp"
#include "integrate/test_systems.hpp"

namespace daedalus::testing {
namespace {

IntegratorSettings settings_for(const IntegratorRow& row) {
  IntegratorSettings settings = with_tolerance(1e-7, 1e-7);
  if (!row.adaptive) settings.fixed_step = 0.07;
  return settings;
}

TEST(Table, HasTheRowsOfTheContract) {
  for (const char* name :
       {"bdf", "ndf", "backward-euler", "implicit-midpoint", "radau", "ida", "dopri5", "dop853"}) {
    ASSERT_NE(find_integrator(name), nullptr) << name;
    EXPECT_EQ(find_integrator(name)->name, name);
  }
  EXPECT_EQ(find_integrator("euler"), nullptr);
}

TEST(Table, RowsDescribeThemselves) {
  for (const IntegratorRow& row : integrators()) {
    EXPECT_FALSE(row.summary.empty()) << row.name;
    EXPECT_FALSE(row.reference.empty()) << row.name;
    EXPECT_TRUE(resolve(Selection(std::string(row.name)), row.options, row.name).has_value()) << row.name;
  }
}

TEST(Table, ARowIsForOneKindOfSystem) {
  for (const IntegratorRow& row : integrators()) {
    const int kinds = static_cast<int>(row.make != nullptr) + static_cast<int>(row.make_explicit != nullptr) +
                      static_cast<int>(row.make_mechanical != nullptr) +
                      static_cast<int>(row.make_series != nullptr);
    EXPECT_EQ(kinds, 1) << row.name;
    EXPECT_EQ(row.make_explicit != nullptr, row.name == "dopri5" || row.name == "dop853") << row.name;
    EXPECT_EQ(row.one_step, row.name != "bdf" && row.name != "ndf" && row.name != "ida") << row.name;
    EXPECT_EQ(row.moves_end(), row.name != "ida") << row.name;
  }
}

TEST(EveryRow, MakesItselfWithoutOptions) {
  for (const IntegratorRow& row : implicit_rows()) {
    IndexOne system;
    const auto integrator = row.make(system, settings_for(row));
    integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 1);
    EXPECT_TRUE(integrator->step(1).ok()) << row.name;
  }
}

TEST(EveryRow, MeetsEveryStopExactlyAndNeverPassesIt) {
  for (const IntegratorRow& row : implicit_rows()) {
    IndexOne system;
    const auto integrator = make_integrator(std::string(row.name), system, settings_for(row));
    integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 5);
    for (const double stop : {0.3, 0.30001, 1.0, 2.0 + 1.0 / 3, 5.0}) {
      while (integrator->t() < stop) {
        const double before = integrator->t();
        ASSERT_TRUE(integrator->step(stop).ok()) << row.name;
        EXPECT_EQ(integrator->t_previous(), before) << row.name;
        EXPECT_GT(integrator->t(), before) << row.name;
        EXPECT_LE(integrator->t(), stop) << row.name;
      }
      EXPECT_EQ(integrator->t(), stop) << row.name;
    }
    const double allowed = row.adaptive ? 2e-6 : 0.1;
    EXPECT_LE(max_difference(integrator->y(), IndexOne::exact(5)), allowed) << row.name;
  }
}

TEST(EveryRow, SlopesSatisfyTheEquationsAtTheEndOfAStep) {
  for (const IntegratorRow& row : implicit_rows()) {
    IndexOne system;
    const auto integrator = make_integrator(std::string(row.name), system, settings_for(row));
    integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 5);
    run_to(*integrator, 5);
    std::vector<double> r(2);
    ASSERT_TRUE(system.residual(5, integrator->y(), integrator->yp(), r));
    // y' comes from the method's own formula, so F is solved as well as Newton solved it, times 1/h for y'.
    // IDA hands out the derivative of its interpolant instead, which differs by the local error over h.
    EXPECT_LE(std::abs(r[0]), row.name == "ida" ? 1e-4 : 1e-6) << row.name;
    EXPECT_LE(std::abs(r[1]), 1e-7) << row.name;
  }
}

TEST(EveryRow, KeepsToTheLargestStep) {
  for (const IntegratorRow& row : implicit_rows()) {
    if (!row.adaptive) continue;
    StiffLinear system(1);
    IntegratorSettings settings = with_tolerance(1e-3, 1e-3);
    settings.max_step = 0.01;
    const auto integrator = make_integrator(std::string(row.name), system, settings);
    integrator->start(0, StiffLinear::exact(0), StiffLinear::exact_slope(0), 3);
    double longest = 0;
    while (integrator->t() < 3) {
      ASSERT_TRUE(integrator->step(3).ok());
      longest = std::max(longest, integrator->last_step());
    }
    EXPECT_LE(longest, 0.01 * (1 + 1e-12)) << row.name;
    EXPECT_GE(longest, 0.0099) << row.name;
  }
}

TEST(EveryRow, TakesTheLargestStepAsAnOption) {
  for (const IntegratorRow& row : integrators()) {
    const bool offered =
        std::ranges::find(row.options, std::string_view("max_step"), &OptionSpec::name) != row.options.end();
    EXPECT_EQ(offered, row.adaptive) << row.name;
    if (!offered || row.make == nullptr) continue;
    for (const auto& [option, setting, expected] :
         {std::tuple{"0.02", 0.0, 0.02}, {"0", 0.01, 0.01}, {"0.02", 0.01, 0.01}}) {
      StiffLinear system(1);
      IntegratorSettings settings = with_tolerance(1e-3, 1e-3);
      if (setting > 0) settings.max_step = setting;
      const auto integrator =
          make_integrator(std::string(row.name) + ":max_step=" + option, system, settings);
      integrator->start(0, StiffLinear::exact(0), StiffLinear::exact_slope(0), 3);
      double longest = 0;
      while (integrator->t() < 3) {
        ASSERT_TRUE(integrator->step(3).ok());
        longest = std::max(longest, integrator->last_step());
      }
      EXPECT_NEAR(longest, expected, 0.01 * expected) << row.name << " " << option;
    }
  }
}

// Without a rejection the step taken is the one announced.
TEST(EveryRow, AnnouncesItsNextStep) {
  for (const IntegratorRow& row : implicit_rows()) {
    IndexOne system;
    const auto integrator = make_integrator(std::string(row.name), system, settings_for(row));
    integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 5);
    long rejected = 0;
    int seen = 0;
    for (const double stop : {1.0, 1.01, 5.0}) {
      while (integrator->t() < stop) {
        const double announced = integrator->next_step(stop);
        const bool first = integrator->counters().steps == 0;
        ASSERT_TRUE(integrator->step(stop).ok()) << row.name;
        const long now = integrator->counters().rejected;
        // IDA chooses its first step only in the step itself.
        if (now == rejected && !(first && row.name == "ida")) {
          EXPECT_NEAR(integrator->last_step(), announced, 1e-9 * announced + 1e-14) << row.name;
          ++seen;
        }
        rejected = now;
      }
    }
    EXPECT_GE(seen, 10) << row.name;
  }
}

TEST(EveryRow, BeginsWithTheFirstStepGiven) {
  for (const IntegratorRow& row : implicit_rows()) {
    if (!row.adaptive) continue;
    IndexOne system;
    IntegratorSettings settings = with_tolerance(1e-6, 1e-6);
    settings.initial_step = 1e-5;
    const auto integrator = make_integrator(std::string(row.name), system, settings);
    integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 3);
    ASSERT_TRUE(integrator->step(3).ok());
    EXPECT_NEAR(integrator->last_step(), 1e-5, 1e-15) << row.name;
  }
}

// An event: start() again from other values, at the same integrator.
TEST(EveryRow, RestartsFromNewValues) {
  for (const IntegratorRow& row : implicit_rows()) {
    IndexOne system;
    const auto integrator = make_integrator(std::string(row.name), system, settings_for(row));
    integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 3);
    run_to(*integrator, 1);
    const long steps = integrator->counters().steps;
    integrator->start(2, IndexOne::exact(2), IndexOne::exact_slope(2), 3);
    EXPECT_EQ(integrator->t(), 2);
    EXPECT_EQ(integrator->t_previous(), 2);
    run_to(*integrator, 3);
    EXPECT_GT(integrator->counters().steps, steps) << row.name;
    const double allowed = row.adaptive ? 2e-6 : 0.1;
    EXPECT_LE(max_difference(integrator->y(), IndexOne::exact(3)), allowed) << row.name;
  }
}

// Slopes of algebraic components may be unknown and given as zero.
TEST(EveryRow, StartsWithoutTheSlopesOfAlgebraicComponents) {
  for (const IntegratorRow& row : implicit_rows()) {
    IndexOne system;
    const auto integrator = make_integrator(std::string(row.name), system, settings_for(row));
    integrator->start(1, IndexOne::exact(1), std::vector<double>{std::cos(1.0), 0}, 3);
    run_to(*integrator, 3);
    const double allowed = row.adaptive ? 2e-6 : 0.1;
    EXPECT_LE(max_difference(integrator->y(), IndexOne::exact(3)), allowed) << row.name;
  }
}

TEST(EveryRow, TakesBothLinearSolvers) {
  for (const IntegratorRow& row : implicit_rows()) {
    std::vector<std::vector<double>> ends;
    for (const char* solver : {"dense", "klu"}) {
      IndexOne system;
      const auto integrator =
          make_integrator(std::string(row.name) + ":solver=" + solver, system, settings_for(row));
      integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 3);
      EXPECT_EQ(integrator->linear_solver(), solver);
      run_to(*integrator, 3);
      ends.emplace_back(integrator->y().begin(), integrator->y().end());
    }
    EXPECT_LE(max_difference(ends[0], ends[1]), 1e-9) << row.name;  // rounding, through the choice of steps
  }
}

TEST(EveryRow, TakesEveryNormItOffers) {
  for (const char* selection : {"bdf:norm=max", "bdf:norm=rms", "radau:norm=max", "radau:norm=rms"}) {
    IndexOne system;
    const IntegratorSettings settings = with_tolerance(1e-7, 1e-7);
    const auto integrator = make_integrator(selection, system, settings);
    integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 3);
    run_to(*integrator, 3);
    EXPECT_LE(in_tolerances(integrator->y(), IndexOne::exact(3), settings.tolerances), 10) << selection;
  }
}

TEST(BackwardEuler, TakesItsStepAndAShorterLastOne) {
  IndexOne system;
  const auto integrator = make_integrator("backward-euler", system, with_fixed_step(0.3));
  integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 1);
  std::vector<double> times;
  while (integrator->t() < 1) {
    ASSERT_TRUE(integrator->step(1).ok());
    times.push_back(integrator->t());
  }
  ASSERT_EQ(times.size(), 4);
  EXPECT_DOUBLE_EQ(times[0], 0.3);
  EXPECT_DOUBLE_EQ(times[2], 0.9);
  EXPECT_EQ(times[3], 1.0);
}

// 0.1 is not a binary fraction: ten steps must still be ten.
TEST(BackwardEuler, DoesNotAddAStepByRounding) {
  IndexOne system;
  const auto integrator = make_integrator("backward-euler", system, with_fixed_step(0.1));
  integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 1);
  run_to(*integrator, 1);
  EXPECT_EQ(integrator->counters().steps, 10);
}

TEST(Table, TakesRowsFromOutsideAndRefusesNamesThatAreTaken) {
  const std::size_t before = integrators().size();
  const IntegratorRow* const first = &integrators().front();
  IntegratorRow row = *find_integrator("dopri5");
  ASSERT_FALSE(register_integrator(row).has_value());
  row.name = "auto";
  ASSERT_FALSE(register_integrator(row).has_value());
  row.name = "dopri5-again";
  ASSERT_TRUE(register_integrator(row).has_value());
  EXPECT_EQ(integrators().size(), before + 1);
  EXPECT_EQ(&integrators().front(), first);  // rows are pointed to
  ASSERT_NE(find_integrator("dopri5-again"), nullptr);
  const auto again = register_integrator(row);
  ASSERT_FALSE(again.has_value());
  EXPECT_NE(again.error().front().message.find("'dopri5-again': it is taken"), std::string::npos);
}

}  // namespace
}  // namespace daedalus::testing
