#include "constraints/joint_projection.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "support/formed.hpp"

namespace daedalus::testing {
namespace {

using Weights = JointProjection::Weights;

// The bead, with its energy as an output.
Formed with_energy() {
  std::string text = bead_text("  energy = vx^2/2 + 2*vy^2 + 4*g*y;");
  text.replace(text.find(" Real mu;"), 9, " Real energy;");
  for (const char* force : {" - 2*x*mu", " - 2*y*mu"})
    text.erase(text.find(force), std::string(force).size());
  return Formed(from_text(text));
}

const std::vector<KeptConstraint> both{{.constraint = 0, .times = 0}, {.constraint = 0, .times = 1}};

void place(Formed& bead, double x, double y, double u, double v) {
  bead.value("x") = x;
  bead.value("y") = y;
  bead.value("x", 1) = u;
  bead.value("y", 1) = v;
}

double energy(Formed& bead) {
  return (std::pow(bead.value("x", 1), 2) / 2) + (2 * std::pow(bead.value("y", 1), 2)) +
         (4 * 9.81 * bead.value("y"));
}

// The least change of all four numbers: it is a combination of the gradients at the end.
TEST(JointProjection, MovesByTheLeastAmount) {
  Formed bead = with_energy();
  auto made = JointProjection::make(*bead.model, *bead.form, both, {}, Weights::One);
  ASSERT_TRUE(made.has_value());
  place(bead, 0.61, -0.82, 1.1, 0.8);
  const Eigen::Vector4d before(0.61, -0.82, 1.1, 0.8);
  ASSERT_TRUE(made->project(bead.environment));
  const Eigen::Vector4d after(bead.value("x"), bead.value("y"), bead.value("x", 1), bead.value("y", 1));
  EXPECT_NEAR(after.head<2>().norm(), 1, 1e-15);
  EXPECT_NEAR(after.head<2>().dot(after.tail<2>()), 0, 1e-15);
  Eigen::Matrix<double, 4, 2> gradients;
  gradients << after[0], after[2], after[1], after[3], 0, after[0], 0, after[1];
  const Eigen::Vector4d moved = after - before;
  const Eigen::Vector2d factors = gradients.colPivHouseholderQr().solve(moved);
  // Eight steps that converge by the curvature times the way, some hundredths, each.
  EXPECT_LE((moved - gradients * factors).norm(), 1e-9 * moved.norm());
}

TEST(JointProjection, KeepsWhatHasAName) {
  Formed bead = with_energy();
  auto made = JointProjection::make(*bead.model, *bead.form, both, {"energy"}, Weights::Sizes);
  ASSERT_TRUE(made.has_value());
  place(bead, 0.6, -0.8, 1.2, 0.9);
  const double kept = energy(bead);
  made->begin(bead.environment);
  place(bead, 0.61, -0.81, 1.25, 0.93);
  ASSERT_TRUE(made->project(bead.environment));
  EXPECT_NEAR(energy(bead), kept, 1e-13 * std::abs(kept));
  EXPECT_NEAR(std::hypot(bead.value("x"), bead.value("y")), 1, 1e-15);
}

// No unit matters: lengths in millimetres and times in milliseconds are moved as metres and seconds are.
// Positions by 1000, velocities by 1: the sizes follow.
TEST(JointProjection, ItsSizesFollowTheUnits) {
  const auto moved = [](double unit) {
    std::string text = bead_text();
    text.replace(text.find("= 1;\n"), 5, "= " + std::to_string(unit * unit) + ";\n");
    Formed bead(from_text(text));
    auto made = JointProjection::make(*bead.model, *bead.form, both, {}, Weights::Sizes);
    EXPECT_TRUE(made.has_value());
    place(bead, 0.6 * unit, -0.8 * unit, 1.2 * unit, 0.9 * unit);
    made->begin(bead.environment);
    place(bead, 0.61 * unit, -0.81 * unit, 1.25 * unit, 0.93 * unit);
    EXPECT_TRUE(made->project(bead.environment));
    return std::pair(bead.value("x") / unit, bead.value("x", 1) / unit);
  };
  const auto [x, u] = moved(1);
  const auto [x_large, u_large] = moved(1024);
  EXPECT_NEAR(x_large, x, 1e-13);
  EXPECT_NEAR(u_large, u, 1e-13);
}

TEST(JointProjection, TellsWhatTheEquationsChange) {
  Formed bead = with_energy();
  auto made = JointProjection::make(*bead.model, *bead.form, both, {"energy"}, Weights::Sizes);
  ASSERT_TRUE(made.has_value());
  place(bead, 0.6, -0.8, 1.2, 0.9);
  made->begin(bead.environment);
  // x x'' + y y'' + u² + v² = 0 and 4 (y'' + g) x = x'' y: no work but that of gravity.
  const double lambda = ((1.2 * 1.2) + (0.9 * 0.9) + (9.81 * 0.8)) / ((2 * 0.36) + (0.64 / 2));
  bead.value("x", 2) = -2 * 0.6 * lambda;
  bead.value("y", 2) = -9.81 + (0.8 * lambda / 2);
  made->watch(0.1, bead.environment);
  EXPECT_TRUE(made->contradictions(1e-12).empty());
  bead.value("x", 2) -= 1;  // a force against the motion
  made->watch(0.1, bead.environment);
  const auto found = made->contradictions(1e-12);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found.front().find("energy"), std::string::npos);
  EXPECT_NE(found.front().find("-0.12"), std::string::npos) << found.front();  // 0.1 · 1.2
}

TEST(JointProjection, RefusesWhatItCannotKeep) {
  Formed bead = with_energy();
  for (const char* name : {"nothing", "lambda"})
    EXPECT_FALSE(JointProjection::make(*bead.model, *bead.form, both, {name}, Weights::Sizes).has_value())
        << name;
}

}  // namespace
}  // namespace daedalus::testing
