// The linear algebra behind sensitivities, at a point where all of it is known by hand.
#include "sensitivity/sensitivity_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

#include "model/load.hpp"
#include "sensitivity/sensitivity_course.hpp"
#include "sensitivity/sensitivity_model.hpp"
#include "simulate/engine.hpp"

namespace daedalus {
namespace {

struct Standing {
  std::shared_ptr<const Engine> engine;
  std::shared_ptr<const SensitivityModel> sensitivities;
  std::vector<double> environment;
};

Standing stand(std::string_view text, const std::vector<std::string>& names) {
  auto sources = std::make_shared<SourceMap>();
  const auto file = sources->add("m.mo", std::string(text));
  auto system = load_model(sources, file, {.free = names});
  EXPECT_TRUE(system.has_value());
  auto engine = compile(*plan(*system));
  EXPECT_TRUE(engine.has_value());
  auto made = SensitivityModel::make((*engine)->model(), (*engine)->plan(), names);
  EXPECT_TRUE(made.has_value());
  return {*engine, *made, (*engine)->start()->environment()};
}

int level(const Standing& s, const std::string& name) {
  const LevelSystem& levels = s.engine->model().levels();
  for (int l = 0; l < s.engine->model().level_count(); ++l) {
    if (levels.level_name(l) == name) return l;
  }
  ADD_FAILURE() << name;
  return 0;
}

constexpr std::string_view pendulum = R"(model P
    parameter Real L = 1;
    Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 0, fixed = true), vy, l;
  equation
    der(x) = vx; der(y) = vy; der(vx) = -l*x; der(vy) = -l*y - 10;
    x^2 + y^2 = L^2;
  end P;)";

// x² + y² = L² with y = -0.8: δx x + δy y = L δL, whichever of x and y is the state.
TEST(SensitivityPoint, StatesAndParametersMoveAlongTheConstraints) {
  const Standing s = stand(pendulum, {"L"});
  SensitivityPoint point(s.engine->model(), *s.sensitivities);
  ASSERT_EQ(point.choose(s.environment), "");
  ASSERT_EQ(point.states().size(), 2U);  // one position and its velocity
  Eigen::MatrixXd given(2, 1);
  given << 1, 0;  // δL, and time
  ASSERT_EQ(point.solve(s.environment, given), "");
  const auto& t = point.by_state();
  const auto& q = point.by_given();
  const int x = level(s, "x");
  const int y = level(s, "y");
  EXPECT_NEAR((0.6 * q(x, 0)) - (0.8 * q(y, 0)), 1, 1e-14);
  for (Eigen::Index k = 0; k < t.cols(); ++k) EXPECT_NEAR((0.6 * t(x, k)) - (0.8 * t(y, k)), 0, 1e-14);
  EXPECT_FALSE(point.worn());
}

// At rest l = 10*0.8/L²: with y held, ∂l/∂L = -2*8/L³.
TEST(SensitivityPoint, MultipliersFollow) {
  const Standing s = stand(pendulum, {"L"});
  SensitivityPoint point(s.engine->model(), *s.sensitivities);
  ASSERT_EQ(point.choose(s.environment), "");
  Eigen::MatrixXd given(2, 1);
  given << 1, 0;
  ASSERT_EQ(point.solve(s.environment, given), "");
  const Eigen::MatrixXd levels = point.by_given().leftCols(1);
  const double dy = levels(level(s, "y"), 0);
  EXPECT_NEAR(levels(level(s, "l"), 0), (-10 * dy) - 16, 1e-12);  // l = -10 y/L²
  const Eigen::MatrixXd outputs = point.outputs(s.environment, {.levels = levels, .given = given});
  EXPECT_EQ(outputs.rows(), static_cast<Eigen::Index>(s.engine->model().output_signals.size()));
}

TEST(SensitivityModel, NamesColumnsAndUnits) {
  const Standing s = stand(R"(model U
    parameter Real k(unit = "1/s") = 1;
    Real x(start = 1, fixed = true, unit = "m");
  equation
    der(x) = -k*x;
  end U;)",
                           {"k"});
  ASSERT_EQ(s.sensitivities->signals.size(), 1U);
  EXPECT_EQ(s.sensitivities->signals[0].name, "d(x)/d(k)");
  EXPECT_EQ(s.sensitivities->signals[0].unit, "m/(1/s)");
}

}  // namespace
}  // namespace daedalus
