// What follows from the states with larger errors is as accurate as was asked, or there is a warning.
#include "simulate/amplification.hpp"

#include <fmt/format.h>

#include "reform/level_system.hpp"
#include "simulate/formulation_support.hpp"

namespace daedalus::testing {
namespace {

// x1 = cos t, x2 = sin t + eps sin 3t, l = cos t - sin t, in which the hidden constraint puts rate/2 times
// what x2 is off by.
std::string stiff_multiplier(double rate, double unit) {
  return fmt::format(
      "model M Real x1(start = 1), x2(start = 0), l(nominal = {1:g}); equation der(x1) = -x1 + l/{1:g}; "
      "der(x2) = cos(time) - {0:g}*(x2 - sin(time)) + l/{1:g} - cos(time) + sin(time); "
      "x1 + x2 + 0.1*x1^3 = cos(time) + sin(time) + 0.1*cos(time)^3; end M;",
      rate, unit);
}

// The same for a multiplier of index 3: q1 = 2 + 0.2 cos t, q2 = sin t.
std::string stiff_mechanism(double rate, double unit) {
  return fmt::format(
      "model M Real q1(start = 2.2), q2(start = 0), u1(start = 0), u2(start = 1), l(nominal = {1:g}); "
      "equation "
      "der(q1) = u1; der(q2) = u2; "
      "der(u1) = -0.2*cos(time) + 2*(2 + 0.2*cos(time))*(cos(time) - sin(time)) - 2*q1*l/{1:g}; "
      "der(u2) = -sin(time) - {0:g}*(u2 - cos(time)) + 2*sin(time)*(cos(time) - sin(time)) - 2*q2*l/{1:g}; "
      "q1^2 + q2^2 = (2 + 0.2*cos(time))^2 + sin(time)^2; end M;",
      rate, unit);
}

double multiplier_error(const RunResult& result, double unit) {
  double worst = 0;
  const std::size_t l = column_of(result.trajectory, "l");
  for (std::size_t row = 0; row < result.trajectory.rows(); ++row) {
    const double t = result.trajectory.times[row];
    worst = std::max(
        worst, std::abs(result.trajectory.at(row, l) / unit - std::cos(t) + std::sin(t)) / std::sqrt(2));
  }
  return worst;
}

RunResult run_with(const std::string& text, double rtol, const std::string& integrator = "auto",
                   const std::string& formulation = "auto") {
  const DaeSystem system = from_text(text);
  RunOptions options;
  options.until = 3;
  options.rtol = rtol;
  options.points = 101;
  options.integrator = Selection(integrator);
  options.formulation = Selection(formulation);
  auto result = simulate(system, options);
  EXPECT_TRUE(result.has_value() && result->ok()) << text;
  return result ? *std::move(result) : RunResult{};
}

bool tells(const RunResult& result) {
  return std::ranges::any_of(result.summary.warnings, [](const std::string& warning) {
    return warning.find("follows from the states") != std::string::npos;
  });
}

TEST(Amplified, MultipliersAreAsAccurateAsAskedFor) {
  for (const double rate : {3e3, 3e4}) {
    for (const double unit : {1.0, 1e-9, 1e7}) {
      for (const double rtol : {1e-4, 1e-6, 1e-8}) {
        for (const std::string& text : {stiff_multiplier(rate, unit), stiff_mechanism(rate, unit)}) {
          const RunResult result = run_with(text, rtol);
          EXPECT_TRUE(multiplier_error(result, unit) <= 100 * rtol || tells(result))
              << rate << " " << unit << " " << rtol << ": " << multiplier_error(result, unit) / rtol << "\n"
              << text;
        }
      }
    }
  }
}

// A method that was named is taken as it is: its error is told.
TEST(Amplified, AMethodThatWasNamedIsWarnedOf) {
  for (const char* integrator : {"radau", "bdf", "ndf", "ida"}) {
    for (const char* formulation : {"auto", "dummy-derivatives", "ggl"}) {
      const RunResult result = run_with(stiff_mechanism(3e5, 1), 1e-6, integrator, formulation);
      EXPECT_TRUE(tells(result)) << integrator << " " << formulation;
    }
  }
}

TEST(Amplified, WhereNothingIsStiffThereIsOneRun) {
  const RunResult result = run_with(stiff_multiplier(1, 1), 1e-6, "auto", "dummy-derivatives");
  EXPECT_EQ(result.summary.why.find("follows from them"), std::string::npos) << result.summary.why;
  EXPECT_FALSE(tells(result));
}

// An unknown that is small beside its errors is not taken for zero: at rtol 1e-4 an error of x by its
// tolerance is 100 of y, whose values are of order 1. What is zero is left alone, and nobody is warned of it.
TEST(Amplified, WhatItsErrorsHideIsFound) {
  for (const double rate : {1e6, 1e8}) {
    for (const double rtol : {1e-3, 1e-4}) {
      const RunResult result = run_with(stiff_multiplier(rate, 1), rtol);
      EXPECT_TRUE(multiplier_error(result, 1) <= 100 * rtol || tells(result))
          << rate << " " << rtol << ": " << multiplier_error(result, 1) / rtol;
    }
  }
}

TEST(Amplified, WhatIsZeroIsNoReasonForAWarning) {
  // x is sin t, and y is its residual times 1e5.
  const RunResult result = run_with(
      "model M Real x(start = 0, fixed = true), y; equation der(x) = cos(time); "
      "y = 1e5*(x - sin(time)); end M;",
      1e-6);
  EXPECT_FALSE(tells(result));
}

// More than 200 unknowns are looked at in every quarter of the run, and only told.
TEST(Amplified, OfALargeModelItIsTold) {
  const std::string text =
      "model M parameter Integer n = 120; Real x[n](each start = 0, each fixed = true), l; equation "
      "for i in 1:n loop der(x[i]) = cos(time) - 1e-3*i*(x[i] - sin(time)); end for; "
      "l = 1e9*(x[1] - sin(time)) + cos(time); end M;";
  EXPECT_TRUE(tells(run_with(text, 1e-6)));
}

// y = k (x - sin t) with x - sin t = 1e-3: an error of x by its tolerance is one of y by 1e3 of its own.
TEST(Amplification, IsTheRatioOfErrorsInTolerances) {
  for (const double k : {1.0, 1e6}) {
    const DaeSystem system =
        from_text(fmt::format("model M Real x(start = 1e-3, fixed = true), y; equation der(x) = cos(time); "
                              "y = {:g}*(x - sin(time)); end M;",
                              k));
    auto made = make_level_system(system);
    ASSERT_TRUE(made.has_value());
    const auto model = CompiledModel::compile(std::make_shared<const LevelSystem>(*std::move(made)), {});
    ASSERT_TRUE(model.has_value());
    Amplification amplification(**model, {.relative = 1e-6, .absolute = 1e-12}, {});
    EXPECT_EQ(amplification.worst().level, -1);
    std::vector<double> environment(static_cast<std::size_t>((*model)->layout().size), 0.0);
    const LevelSystem& levels = (*model)->levels();
    for (int n = 0; n <= 10; ++n) {
      const double t = 0.1 * n;
      environment[static_cast<std::size_t>((*model)->layout().time)] = t;
      for (std::size_t level = 0; level < levels.levels.size(); ++level) {
        const std::string name = levels.level_name(static_cast<int>(level));
        environment[static_cast<std::size_t>((*model)->layout().levels) + level] =
            name == "x"        ? std::sin(t) + 1e-3
            : name == "der(x)" ? std::cos(t)
                               : k * 1e-3;
      }
      amplification.see(environment, n == 10);
    }
    // x is at most 0.84, and y is 1e-3 k all the time.
    EXPECT_NEAR(amplification.worst().factor, 842, 200) << k;
  }
}

}  // namespace
}  // namespace daedalus::testing
