#include "advise/check.hpp"

#include <gtest/gtest.h>

#include "models.hpp"
#include "support/model_text.hpp"

namespace daedalus::testing {
namespace {

// The pendulum of the textbook: index 3, the constraint differentiated twice, two values to be chosen.
TEST(Check, OfAPendulum) {
  const DaeSystem system = from_text(pendulum);
  const auto report = check(system, system);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->model, "Pendulum");
  EXPECT_EQ(report->index, 3);
  EXPECT_EQ(report->dof, 2);
  EXPECT_TRUE(report->sigma_agrees);
  EXPECT_TRUE(report->regular);
  EXPECT_TRUE(report->initialised);
  ASSERT_EQ(report->equations.size(), 5U);
  EXPECT_EQ(report->equations[4].c, 2);
  EXPECT_EQ(report->hidden_constraints.size(), 2U);
  EXPECT_EQ(report->fixed.size(), 2U);
  EXPECT_EQ(report->states.size(), 2U);
  EXPECT_TRUE(report->form.found);
  EXPECT_EQ(report->form.order, 2);
  EXPECT_EQ(report->form.multipliers, (std::vector<std::string>{"lambda"}));
  ASSERT_EQ(report->form.constraints.size(), 1U);
  EXPECT_EQ(report->form.constraints[0].multiplier, "lambda");
  EXPECT_FALSE(report->mechanism.has_value());
  EXPECT_FALSE(report->why.empty());
}

// An ODE has nothing hidden.
TEST(Check, OfAnOde) {
  const DaeSystem system = from_text(R"(model Decay
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
end Decay;)");
  const auto report = check(system, system);
  ASSERT_TRUE(report.has_value());
  EXPECT_LE(report->index, 1);
  EXPECT_EQ(report->dof, 1);
  EXPECT_TRUE(report->hidden_constraints.empty());
  EXPECT_FALSE(report->form.found && !report->form.constraints.empty());
}

}  // namespace
}  // namespace daedalus::testing
