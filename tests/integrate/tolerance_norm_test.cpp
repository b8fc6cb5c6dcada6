#include "integrate/tolerance_norm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace daedalus {
namespace {

const Tolerances kTolerances{.relative = 1e-2, .absolute = 1e-3};

TEST(ToleranceNorm, MeasuresInUnitsOfTheTolerance) {
  const std::vector<Component> components(2);
  ToleranceNorm norm(kTolerances, NormKind::Max);
  norm.set_components(components);
  norm.set_solution(std::vector<double>{-5, 0});
  EXPECT_DOUBLE_EQ(norm.error(std::vector<double>{0.051, 0}), 1);
  EXPECT_DOUBLE_EQ(norm.error(std::vector<double>{0, 0.002}), 2);
}

TEST(ToleranceNorm, ScalesTheAbsoluteToleranceByTheNominalValue) {
  const std::vector<Component> components{{.nominal = 1000}};
  ToleranceNorm norm(kTolerances, NormKind::Max);
  norm.set_components(components);
  norm.set_solution(std::vector<double>{0});
  EXPECT_DOUBLE_EQ(norm.error(std::vector<double>{1}), 1);
}

TEST(ToleranceNorm, WeightsHighIndexComponentsByPowersOfTheStep) {
  const std::vector<Component> components{{.index = 1}, {.index = 2}, {.index = 3}};
  ToleranceNorm norm(kTolerances, NormKind::Max);
  norm.set_components(components);
  norm.set_solution(std::vector<double>{0, 0, 0});
  norm.set_step(0.1);
  EXPECT_DOUBLE_EQ(norm.newton(std::vector<double>{0.001, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(norm.newton(std::vector<double>{0, 0.01, 0}), 1);
  EXPECT_NEAR(norm.error(std::vector<double>{0, 0, 0.1}), 1, 1e-14);
  norm.set_step(10);  // a long step makes nothing stricter than an index-1 component
  EXPECT_DOUBLE_EQ(norm.newton(std::vector<double>{0, 0, 0.001}), 1);
}

TEST(ToleranceNorm, LeavesUntestedComponentsOutOfTheErrorOnly) {
  const std::vector<Component> components{{.error_tested = true}, {.error_tested = false}};
  ToleranceNorm norm(kTolerances, NormKind::Rms);
  norm.set_components(components);
  norm.set_solution(std::vector<double>{0, 0});
  const std::vector<double> v{0.001, 1};
  EXPECT_DOUBLE_EQ(norm.error(v), 1);  // the mean is over the one component that is tested
  EXPECT_NEAR(norm.newton(v), 1000 / std::sqrt(2.0), 1e-3);
  EXPECT_EQ(norm.worst_newton(v), 1);
  EXPECT_EQ(norm.worst_error(v), 0);
}

TEST(ToleranceNorm, StaysFiniteWithoutAbsoluteTolerance) {
  const std::vector<Component> components(1);
  ToleranceNorm norm({.relative = 1e-6, .absolute = 0}, NormKind::Rms);
  norm.set_components(components);
  norm.set_solution(std::vector<double>{0});
  EXPECT_TRUE(std::isfinite(norm.error(std::vector<double>{1})));
}

}  // namespace
}  // namespace daedalus
