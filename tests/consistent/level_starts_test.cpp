#include "consistent/level_starts.hpp"

#include <gtest/gtest.h>

#include "consistent/support.hpp"

namespace daedalus {
namespace {

using testing::Asked;

TEST(LevelStarts, AVariableThatIsADerivativeSpeaksForIt) {
  const Asked m("Real x(start=2), v(start=7,fixed=true); equation der(x)=v; der(v)=-x;");
  const auto v = m.unknown("v");
  const LevelStart& start = m.problem->starts()[v];
  EXPECT_EQ(start.value, 7);
  EXPECT_TRUE(start.given);
  EXPECT_TRUE(start.fixed);
  EXPECT_EQ(start.scale, 7);
}

TEST(LevelStarts, NominalIsTheScaleUnlessTheValueIsLarger) {
  const Asked m("Real a(start=3,nominal=0.5), b(nominal=2), c; equation der(a)=1; der(b)=1; der(c)=1;");
  EXPECT_EQ(m.problem->starts()[m.unknown("a")].scale, 3);
  EXPECT_EQ(m.problem->starts()[m.unknown("b")].scale, 2);
  EXPECT_EQ(m.problem->starts()[m.unknown("c")].scale, 1);
  EXPECT_FALSE(m.problem->starts()[m.unknown("b")].given);
}

// For one run a value can be given from outside; it counts as written.
TEST(LevelStarts, ValuesOfARunOverruleTheModels) {
  const Asked m("Real x(start=2); equation der(x)=-x;");
  StartValues values = start_values(*m.model, m.environment);
  ASSERT_EQ(values.value.size(), m.model->dae().variables.size());
  for (std::size_t v = 0; v < values.value.size(); ++v) {
    if (m.model->dae().variables[v].name == "x") {
      EXPECT_EQ(values.value[v], 2);
      values.value[v] = -4;
      values.given[v] = 1;
    }
  }
  Diagnostics contradictions;
  const auto starts = level_starts(m.model->levels(), contradictions, &values);
  EXPECT_TRUE(contradictions.empty());
  EXPECT_EQ(starts[m.unknown("x")].value, -4);
  EXPECT_TRUE(starts[m.unknown("x")].given);
}

}  // namespace
}  // namespace daedalus
