// Every row of the table of formulations makes a driver, which can be copied.
#include "drive/make_driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "drive/driver.hpp"
#include "drive/dummy_driver.hpp"
#include "drive/projection_driver.hpp"
#include "drive/reform_driver.hpp"
#include "drive/run_plan.hpp"
#include "driven.hpp"

namespace daedalus::testing {
namespace {

std::vector<std::string> driven() {
  std::vector<std::string> names;
  for (const FormulationRow& row : formulations()) {
    if (!row.wrapper) names.emplace_back(row.name);
  }
  return names;
}

class Drivers : public ::testing::TestWithParam<std::string> {};

TEST_P(Drivers, AreOfTheKindThatTheTableSays) {
  const Driven driven(GetParam());
  RunDriver* driver = driven.driver.get();
  EXPECT_EQ(dynamic_cast<DummyDriver*>(driver) != nullptr, GetParam() == "dummy-derivatives");
  EXPECT_EQ(dynamic_cast<OrthogonalProjectionDriver*>(driver) != nullptr,
            GetParam() == "orthogonal-projection");
  EXPECT_EQ(dynamic_cast<SymmetricProjectionDriver*>(driver) != nullptr,
            GetParam() == "symmetric-projection");
  EXPECT_EQ(dynamic_cast<ReformDriver*>(driver) != nullptr, GetParam() != "dummy-derivatives");
  EXPECT_GE(driver->slots(), driven.model->layout().size);
}

// From consistent values: a vector that holds them, of which every component has a name, and back.
TEST_P(Drivers, StartFromTheEnvironmentAndWriteToIt) {
  const Driven driven(GetParam());
  Begun begun(driven, *driven.driver, -0.9);
  const auto x = static_cast<std::size_t>(driven.slot_of("x", 0));
  EXPECT_TRUE(std::ranges::count(begun.y, std::cos(-0.9)) > 0 ||
              std::ranges::count(begun.y, std::sin(-0.9)) > 0);
  for (int k = 0; k < driven.driver->size(); ++k) EXPECT_FALSE(driven.driver->component_name(k).empty());
  EXPECT_FALSE(driven.driver->states().empty());
  begun.environment[x] = 7;
  driven.driver->scatter(0.5, begun.y, begun.yp);
  driven.driver->complete_output();
  EXPECT_NEAR(begun.environment[x], std::cos(-0.9), 1e-9);
  EXPECT_EQ(begun.environment[static_cast<std::size_t>(driven.model->layout().time)], 0.5);
}

// A copy, bound to memory of its own, starts with the same bits, and writes nothing into that of the first.
TEST_P(Drivers, CopiesAreIndependent) {
  const Driven driven(GetParam());
  const std::unique_ptr<RunDriver> copy = driven.driver->copy();
  ASSERT_EQ(copy->slots(), driven.driver->slots());
  Begun first(driven, *driven.driver, -0.9);
  const std::vector<double> before = first.environment;
  const Begun other(driven, *copy, -0.9);
  EXPECT_EQ(first.environment, before);
  EXPECT_EQ(first.y, other.y);
  EXPECT_EQ(first.yp, other.yp);
  copy->scatter(0.5, std::vector<double>(other.y.size(), 0.3), other.yp);
  EXPECT_EQ(first.environment, before);
  std::vector<double> y(first.y.size());
  std::vector<double> yp(first.y.size());
  driven.driver->start_values(nullptr, y, yp);
  EXPECT_EQ(y, first.y);
}

INSTANTIATE_TEST_SUITE_P(Table, Drivers, ::testing::ValuesIn(driven()), [](const auto& row) {
  std::string name = row.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

// The option W of orthogonal-projection is checked against the model.
TEST(MakeDriver, OptionsThatDoNotFitAreAnError) {
  Driven driven("orthogonal-projection");
  driven.plan->row_options = Selection("orthogonal-projection", {{"W", "[1,2,3]"}, {"levels", "all"}});
  const auto made = make_driver(driven.setting());
  ASSERT_FALSE(made.has_value());
  EXPECT_FALSE(made.error().front().message.empty());
}

}  // namespace
}  // namespace daedalus::testing
