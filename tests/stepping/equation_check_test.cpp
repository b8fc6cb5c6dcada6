// How far a point is from fulfilling the equations, in what the tolerances allow.
#include "stepping/equation_check.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "advise/plan.hpp"
#include "support/model_text.hpp"

namespace daedalus::testing {
namespace {

// y follows from x; `scale` is how the second equation is written, and changes nothing.
std::string square(const std::string& scale) {
  return "model Square Real x(start = 2, fixed = true), y; equation der(x) = -x; " + scale +
         "*(y - x^2) = 0; end Square;";
}

struct Checked {
  std::shared_ptr<const CompiledModel> model;
  std::vector<double> environment;  // at x = 2, y = 4, der(x) = -2

  explicit Checked(const std::string& text) {
    auto planned = plan(from_text(text), {.formulation = Selection("dummy-derivatives")});
    EXPECT_TRUE(planned.has_value());
    model = planned->model != nullptr ? planned->model : *CompiledModel::compile(planned->levels);
    environment.assign(static_cast<std::size_t>(model->layout().size), 0.0);
    level("x", 2);
    level("y", 4);
    level("der(x)", -2);
  }
  void level(const std::string& name, double value) {
    for (int k = 0; k < model->level_count(); ++k) {
      if (model->levels().level_name(k) == name)
        environment[static_cast<std::size_t>(model->layout().levels + k)] = value;
    }
  }
  [[nodiscard]] double worst(const EquationCheck& check) const {
    double most = 0;
    for (const double value : check.in_tolerances()) most = std::max(most, value);
    return most;
  }
};

const Tolerances tolerances{.relative = 1e-6, .absolute = 1e-6};

TEST(EquationCheck, APointThatFulfilsThemIsWithinTheTolerances) {
  const Checked at(square("1"));
  EquationCheck check(*at.model, tolerances);
  check.see(at.environment);
  EXPECT_LT(at.worst(check), 1e-3);  // rounding, 1e-16, against 1e-6
  EXPECT_TRUE(check.holds(at.environment, 1));
}

// y is off by 1000 times its tolerance, 1e-6 (4 + 1). The tolerances of x and y together allow between one
// and a few times that: x's, 1e-6 (2 + 1), counts four times, and displacements are 0.5 to 1.5 tolerances.
TEST(EquationCheck, AnErrorCountsInTolerancesHoweverTheEquationIsWritten) {
  double first = 0;
  for (const char* scale : {"1", "1e9", "1e-9"}) {
    Checked at(square(scale));
    at.level("y", 4 + 5e-3);
    EquationCheck check(*at.model, tolerances);
    check.see(at.environment);
    if (first == 0) first = at.worst(check);
    EXPECT_GT(at.worst(check), 5e-3 / (1.5 * (5e-6 + (4 * 3e-6)))) << scale;
    EXPECT_LT(at.worst(check), 5e-3 / (0.5 * 1e-6)) << scale;
    EXPECT_NEAR(at.worst(check), first, 1e-6 * first) << scale;  // the rounding of residuals of 5e-3
    EXPECT_FALSE(check.holds(at.environment, 10)) << scale;
  }
}

TEST(EquationCheck, TheLargestIsKeptAndResidualsAreThoseOfThePointSeenLast) {
  Checked at(square("1"));
  EquationCheck check(*at.model, tolerances);
  at.level("y", 5);
  check.see(at.environment);
  const double worst = at.worst(check);
  at.level("y", 4);
  check.see(at.environment);
  EXPECT_EQ(at.worst(check), worst);
  for (const double residual : check.residuals()) EXPECT_NEAR(residual, 0, 1e-14);
}

TEST(EquationCheck, WhatIsNotFiniteDoesNotHold) {
  Checked at(square("1"));
  at.level("y", std::nan(""));
  EquationCheck check(*at.model, tolerances);
  EXPECT_FALSE(check.holds(at.environment, 1e300));
}

}  // namespace
}  // namespace daedalus::testing
