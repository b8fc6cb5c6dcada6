// Every formulation with every integrator is planned, or refused with a sentence that says why.
#include "advise/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "models.hpp"
#include "support/model_text.hpp"

namespace daedalus::testing {
namespace {

RunOptions options_for(std::string_view formulation, std::string_view integrator) {
  RunOptions options;
  options.formulation = Selection(std::string(formulation));
  options.integrator = Selection(std::string(integrator));
  options.step = 0.01;
  return options;
}

class Formulations : public ::testing::TestWithParam<std::string> {};

TEST_P(Formulations, ArePlannedWithEveryIntegratorOrRefusedWithASentence) {
  const DaeSystem system = from_text(pendulum);
  int planned = 0;
  for (const IntegratorRow& row : integrators()) {
    const auto made = plan(system, options_for(GetParam(), row.name));
    if (made) {
      ++planned;
      EXPECT_EQ(made->formulation.name(), GetParam());
      EXPECT_EQ(made->integrator.name(), row.name);
      EXPECT_EQ(made->integrator_row, &row);
      ASSERT_NE(made->row, nullptr);
      EXPECT_FALSE(made->row->wrapper);
      EXPECT_TRUE(made->levels != nullptr || made->model != nullptr);
      EXPECT_TRUE(made->row->any_dae || made->form != nullptr);
      EXPECT_TRUE(made->why.empty()) << "nothing was left to auto";
      // Explicit methods need an ODE, at least of the parameters of the state space.
      // rattle is on the constraints by itself, which leaves the ODE.
      EXPECT_TRUE(row.make != nullptr || made->row->ode || made->row->state_space != nullptr ||
                  (made->row->symmetric && row.keeps_constraints))
          << row.name;
      continue;
    }
    ASSERT_FALSE(made.error().empty());
    const std::string& message = made.error().front().message;
    EXPECT_GE(std::ranges::count(message, ' '), 4) << message;
    EXPECT_TRUE(message.find(row.name) != std::string::npos || message.find(GetParam()) != std::string::npos)
        << message;
  }
  EXPECT_GE(planned, 1);
}

std::vector<std::string> all_formulations() {
  std::vector<std::string> names;
  for (const FormulationRow& row : formulations()) names.emplace_back(row.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Table, Formulations, ::testing::ValuesIn(all_formulations()), [](const auto& row) {
  std::string name = row.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Plan, UnknownNamesAreAnErrorThatNamesTheNearest) {
  const DaeSystem system = from_text(pendulum);
  const auto formulation = plan(system, options_for("gll", "radau"));
  ASSERT_FALSE(formulation.has_value());
  EXPECT_NE(formulation.error().front().message.find("'ggl'"), std::string::npos);
  const auto integrator = plan(system, options_for("ggl", "bfd"));
  ASSERT_FALSE(integrator.has_value());
  EXPECT_NE(integrator.error().front().message.find("'bdf'"), std::string::npos);
}

// auto says what it chose and why; exploring ahead is asked for and is the only option.
TEST(Plan, AutoSaysWhy) {
  const DaeSystem system = from_text(pendulum);
  const auto plain = plan(system);
  ASSERT_TRUE(plain.has_value());
  EXPECT_FALSE(plain->why.empty());
  EXPECT_NE(plain->formulation.name(), "auto");
  RunOptions options;
  options.formulation = Selection("auto", {{"explore", "yes"}});
  const auto explored = plan(system, options);
  ASSERT_TRUE(explored.has_value());
  EXPECT_EQ(explored->formulation.name(), plain->formulation.name());
  options.formulation = Selection("auto", {{"explore", "perhaps"}});
  EXPECT_FALSE(plan(system, options).has_value());
  options.formulation = Selection("auto", {{"eps", "1"}});
  EXPECT_FALSE(plan(system, options).has_value());
}

// Of variable order where unknowns are of index 1 and the tolerance is not loose; what is asked for counts.
TEST(Plan, AutoTakesRadauOfVariableOrderForDummyDerivativesAlone) {
  const DaeSystem system = from_text(pendulum);
  const auto order = [&system](const char* formulation, double rtol, Selection integrator) {
    RunOptions options;
    options.formulation = Selection(formulation);
    options.integrator = std::move(integrator);
    options.rtol = rtol;
    const auto made = plan(system, options);
    EXPECT_TRUE(made.has_value());
    return made ? std::string(made->integrator.text("order")) : std::string();
  };
  EXPECT_EQ(order("dummy-derivatives", 1e-6, Selection("auto")), "variable");
  EXPECT_EQ(order("dummy-derivatives", 0.1, Selection("auto")), "5");
  EXPECT_EQ(order("dummy-derivatives", 1e-6, Selection("radau")), "5");
  for (const char* formulation : {"index3", "index2", "ggl", "projected-invariants"})
    EXPECT_EQ(order(formulation, 1e-6, Selection("auto")), "5") << formulation;
}

// The plan has a graph of its own: the model's does not grow.
TEST(Plan, LeavesTheModelAsItIs) {
  const DaeSystem system = from_text(pendulum);
  const std::size_t before = system.graph->size();
  const auto made = plan(system);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(system.graph->size(), before);
  EXPECT_NE(made->system->graph, system.graph);
}

}  // namespace
}  // namespace daedalus::testing
