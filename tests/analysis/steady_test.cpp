#include "analysis/steady.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/linearise.hpp"
#include "support.hpp"

namespace daedalus {
namespace {

using testing::stand;

double value(const SteadyState& steady, std::string_view name) {
  const auto found = std::ranges::find(steady.names, name);
  EXPECT_NE(found, steady.names.end()) << name;
  return steady.values[static_cast<std::size_t>(found - steady.names.begin())];
}

TEST(Steady, ATankFillsUntilAsMuchFlowsOut) {
  auto s = stand(R"(model Tank parameter Real A = 2, k = 0.5, q = 1.5; Real h(start = 0.1, fixed = true);
    equation A*der(h) = q - k*sqrt(h); end Tank;)");
  const SteadyState steady = find_steady_state(*s.engine, s.simulation);
  ASSERT_TRUE(steady.found) << steady.reason;
  EXPECT_NEAR(value(steady, "h"), 9, 1e-11);
  EXPECT_EQ(steady.free_directions, 0);
  EXPECT_FALSE(steady.moved);
}

// Level it cannot be moved by its weight to first order.
TEST(Steady, APendulumHangs) {
  auto s = stand(R"(model P Real x(start = 1, fixed = true), y(start = 0), vx, vy(start = 0, fixed = true), l;
    equation der(x) = vx; der(y) = vy; 2*der(vx) = -l*x; 2*der(vy) = -l*y - 2*9.81; x^2 + y^2 = 1; end P;)");
  const SteadyState steady = find_steady_state(*s.engine, s.simulation);
  ASSERT_TRUE(steady.found) << steady.reason;
  EXPECT_TRUE(steady.moved);
  EXPECT_NEAR(value(steady, "x"), 0, 1e-12);
  EXPECT_NEAR(std::abs(value(steady, "y")), 1, 1e-12);
  EXPECT_NEAR(value(steady, "l") * value(steady, "y"), -2 * 9.81, 1e-10);
  const auto l = linearise_at(s.engine->model(), steady.environment);
  ASSERT_TRUE(l.has_value());
  // Stable below, unstable above, with the same rate.
  EXPECT_NEAR(std::abs(l->modes[0].eigenvalue), std::sqrt(9.81), 1e-10);
}

TEST(Steady, WhereItRestsAnywhereTheFreeUnknownIsNamed) {
  auto s = stand(R"(model Cart Real x(start = 3, fixed = true), v(start = 1, fixed = true);
    equation der(x) = v; der(v) = -v; end Cart;)");
  const SteadyState steady = find_steady_state(*s.engine, s.simulation);
  ASSERT_TRUE(steady.found) << steady.reason;
  EXPECT_EQ(steady.free_directions, 1);
  EXPECT_EQ(steady.free_names, (std::vector<std::string>{"x"}));
  EXPECT_DOUBLE_EQ(value(steady, "x"), 3);
}

TEST(Steady, RelationsSwitchOnTheWay) {
  auto s = stand(
      R"(model S Real x(start = 0, fixed = true); equation der(x) = (if x < 1 then 2 else 3) - x; end S;)");
  const SteadyState steady = find_steady_state(*s.engine, s.simulation);
  ASSERT_TRUE(steady.found) << steady.reason;
  EXPECT_NEAR(value(steady, "x"), 3, 1e-12);
}

// Full Newton steps run away from 5; damping or continuation does not.
TEST(Steady, FlatEquationsAreNoProblem) {
  auto s = stand("model A Real x(start = 5, fixed = true); equation der(x) = -atan(x - 0.25); end A;");
  const SteadyState steady = find_steady_state(*s.engine, s.simulation);
  ASSERT_TRUE(steady.found) << steady.reason;
  EXPECT_NEAR(value(steady, "x"), 0.25, 1e-12);
}

TEST(Steady, NoEquilibriumNamesTheEquation) {
  auto s = stand("model N Real x(start = 0, fixed = true); equation der(x) = 1 + x^2; end N;");
  const SteadyState steady = find_steady_state(*s.engine, s.simulation);
  EXPECT_FALSE(steady.found);
  EXPECT_NE(steady.reason.find("1 + x^2"), std::string::npos) << steady.reason;
}

}  // namespace
}  // namespace daedalus
