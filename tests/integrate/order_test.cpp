// The order of every row of the table, observed on DAEs with known solutions.
#include <gtest/gtest.h>

#include <array>

#include "integrate/drive.hpp"
#include "integrate/test_systems.hpp"

namespace daedalus::testing {
namespace {

// Every way to choose an order: "bdf:order=1" … "bdf:order=5" for a row with that option, else the row.
struct Choice {
  std::string selection;
  int order;
};

std::vector<Choice> choices() {
  std::vector<Choice> all;
  for (const IntegratorRow& row : implicit_rows()) {
    const auto option = std::ranges::find(row.options, std::string_view("order"), &OptionSpec::name);
    if (option == row.options.end()) {
      all.push_back({std::string(row.name), row.order});
      continue;
    }
    for (const std::string_view order : option->choices) {
      if (order != "variable")
        all.push_back(
            {std::string(row.name) + ":order=" + std::string(order), std::stoi(std::string(order))});
    }
    if (!option->choices.empty()) continue;
    for (int order = static_cast<int>(option->min); order <= static_cast<int>(option->max); ++order) {
      all.push_back({std::string(row.name) + ":order=" + std::to_string(order), order});
    }
  }
  return all;
}

// IDA alone has no fixed steps.
bool has_fixed_steps(const Choice& choice) {
  return !choice.selection.starts_with("ida");
}

template <class System>
double error_at_fixed_step(const std::string& selection, System& system, double h, double t_end) {
  const auto integrator = make_integrator(selection, system, with_fixed_step(h));
  integrator->start(0, System::exact(0), System::exact_slope(0), t_end);
  double worst = 0;
  while (integrator->t() < t_end) {
    const StepOutcome outcome = integrator->step(t_end);
    EXPECT_TRUE(outcome.ok()) << outcome.detail;
    if (!outcome.ok()) break;
    worst = std::max(worst, max_difference(integrator->y(), System::exact(integrator->t())));
  }
  return worst;
}

template <class System>
void expect_order(const Choice& choice, System& system) {
  // Halving h divides the error by 2^p; 0.35 is left for the terms of higher order and for the start, the
  // lower steps of high orders being limited by rounding.
  // Radau's errors are so small that its steps must be longer.
  const bool radau = choice.selection.starts_with("radau") && choice.order > 1;
  const double h = radau ? (choice.order == 5   ? 0.2
                            : choice.order == 9 ? 0.75
                                                : 3)
                         : (choice.order <= 2 ? 1.0 / 80 : 1.0 / 20);
  const double t_end = choice.order == 13 ? 12 : 3;
  const double coarse = error_at_fixed_step(choice.selection, system, h, t_end);
  const double fine = error_at_fixed_step(choice.selection, system, h / 2, t_end);
  EXPECT_GT(fine, 1e-13) << choice.selection << ": rounding, not the method";
  const double order = std::log2(coarse / fine);
  if (choice.order == 13) {
    // Between steps too long for the order to show and errors below rounding there is no room in double
    // precision, and of the long steps Newton's iteration cuts some; the tests of the tableau prove the
    // order, and here it shows to be far above 5.
    EXPECT_GE(order, 7) << choice.selection << ": " << coarse << " -> " << fine;
    return;
  }
  EXPECT_NEAR(order, choice.order, choice.order > 5 ? 1.0 : 0.35)
      << choice.selection << ": " << coarse << " -> " << fine;
}

TEST(Order, IsThatOfTheTableOnANonlinearIndexOneDae) {
  for (const Choice& choice : choices()) {
    if (!has_fixed_steps(choice)) continue;
    IndexOne system;
    expect_order(choice, system);
  }
}

TEST(Order, IsThatOfTheTableOnAMildlyStiffEquation) {
  for (const Choice& choice : choices()) {
    if (!has_fixed_steps(choice)) continue;
    StiffLinear system(2);
    expect_order(choice, system);
  }
}

// The numerical formulas of order k add κ_k H_k (y - y0), y - y0 being the difference of order k + 1: the
// leading term of the error is 1 + (k + 1) κ_k H_k times that of the backward ones. κ as in table 1 of
// Shampine and Reichelt (1997). Terms of higher order are left a tenth.
TEST(Order, TheErrorOfNdfIsTheRightPartOfThatOfBdf) {
  constexpr std::array kappa{-0.1850, -1.0 / 9, -0.0823, -0.0415, 0.0};
  double harmonic = 0;
  for (int order = 1; order <= 5; ++order) {
    harmonic += 1.0 / order;
    const double expected = 1 + ((order + 1) * kappa[static_cast<std::size_t>(order - 1)] * harmonic);
    const double h = order <= 2 ? 1.0 / 160 : 1.0 / 40;
    StiffLinear system(2);
    const std::string option = ":order=" + std::to_string(order);
    const double numerical = error_at_fixed_step("ndf" + option, system, h, 3);
    const double backward = error_at_fixed_step("bdf" + option, system, h, 3);
    EXPECT_NEAR(numerical / backward, expected, 0.1 * expected) << order;
  }
}

// Prothero and Robinson at hk = 1e6·h ≫ 1. BDF keeps its order there; for Radau IIA with s stages the order
// falls to the stage order s = 3 but each error is divided by hk (Hairer, Wanner II, section IV.15,
// table 15.1: the global error is O(h^(s+1)/(hk))), so it must be far below h^3. The implicit midpoint rule
// does not damp: y_(n+1) = 2 cos(t_n + h/2) - y_n, and each step adds h²/4 |cos|, with alternating signs.
TEST(Order, NoRowLosesAccuracyOnAVeryStiffEquation) {
  for (const Choice& choice : choices()) {
    if (!has_fixed_steps(choice)) continue;
    StiffLinear system(1e6);
    const double h = 1.0 / 20;
    const double error = error_at_fixed_step(choice.selection, system, h, 3);
    const bool damps = choice.selection != "implicit-midpoint";
    // No error is below rounding, however high the order.
    EXPECT_LE(error, damps ? std::max(1e-12, std::pow(h, choice.order + 1)) : h * h / 2) << choice.selection;
  }
}

// Without fixed steps the order shows in the number of steps: an error E of order p needs N ~ E^(-1/p) of
// them.
TEST(Order, ShowsInTheNumberOfStepsOfEveryAdaptiveRow) {
  for (const Choice& choice : choices()) {
    if (!find_integrator(parse_selection(choice.selection)->name())->adaptive) continue;
    if (choice.order > 5) continue;  // a few steps at any tolerance
    const double loose = choice.order == 1 ? 1e-4 : 1e-5;
    const double tight = choice.order == 1 ? 1e-7 : 1e-10;
    double steps[2];
    double errors[2];
    int k = 0;
    for (const double tolerance : {loose, tight}) {
      IndexOne system;
      const auto integrator = make_integrator(choice.selection, system, with_tolerance(tolerance, tolerance));
      integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 20);
      double worst = 0;
      while (integrator->t() < 20 && integrator->step(20).ok()) {
        worst = std::max(worst, max_difference(integrator->y(), IndexOne::exact(integrator->t())));
      }
      steps[k] = static_cast<double>(integrator->counters().steps);
      errors[k++] = worst;
    }
    const double order = std::log(errors[0] / errors[1]) / std::log(steps[1] / steps[0]);
    EXPECT_GE(order, choice.order - 0.3) << choice.selection;
  }
}

// Adaptive rows: the error follows the tolerance over four decades, neither much above it nor by a lower
// power.
TEST(Order, ErrorFollowsTheTolerance) {
  for (const IntegratorRow& row : implicit_rows()) {
    if (!row.adaptive) continue;
    std::vector<double> errors;
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      IndexOne system;
      const IntegratorSettings settings = with_tolerance(tolerance, tolerance);
      const auto integrator = make_integrator(std::string(row.name), system, settings);
      integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 10);
      run_to(*integrator, 10);
      // Local errors of this damped problem do not add up; ten tolerances are a generous bound.
      EXPECT_LE(in_tolerances(integrator->y(), IndexOne::exact(10), settings.tolerances), 10) << row.name;
      errors.push_back(max_difference(integrator->y(), IndexOne::exact(10)));
    }
    // Proportional would be 1e4; at one point the error's sign may change, so half of the exponent is asked
    // for.
    EXPECT_GE(errors.front() / errors.back(), 1e2) << row.name;
  }
}

}  // namespace
}  // namespace daedalus::testing
