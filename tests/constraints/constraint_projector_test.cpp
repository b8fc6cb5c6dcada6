#include "constraints/constraint_projector.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <utility>

#include "codegen/native.hpp"
#include "constraints/constraint_monitor.hpp"
#include "support/formed.hpp"
#include "support/model_families.hpp"

namespace daedalus::testing {
namespace {

using Norm = ConstraintProjector::Norm;

// The point of the unit circle nearest to p in the norm W: the smallest of a function of the angle, by
// bisection of its derivative between the neighbours of the best of many angles.
Eigen::Vector2d nearest_on_circle(const Eigen::Vector2d& p, const Eigen::Matrix2d& w) {
  const auto point = [](double a) { return Eigen::Vector2d(std::cos(a), std::sin(a)); };
  const auto slope = [&](double a) {
    return Eigen::Vector2d(-std::sin(a), std::cos(a)).dot(w * (point(a) - p));
  };
  const auto distance = [&](double a) { return (point(a) - p).dot(w * (point(a) - p)); };
  constexpr int angles = 1000;
  const double width = 2 * std::numbers::pi / angles;
  double best = 0;
  for (int k = 0; k < angles; ++k) {
    if (distance(k * width) < distance(best)) best = k * width;
  }
  double low = best - width;
  double high = best + width;
  for (int k = 0; k < 80; ++k) {
    const double middle = (low + high) / 2;
    (slope(middle) < 0 ? low : high) = middle;
  }
  return point(low);
}

struct Case {
  Norm norm;
  Eigen::Matrix2d w;  // in the order x, y
};

std::vector<Case> cases() {
  Eigen::Matrix2d mass;
  mass << 1, 0, 0, 4;
  Eigen::Matrix2d given;
  given << 3, 1, 1, 2;
  return {{.norm = Norm::Identity, .w = Eigen::Matrix2d::Identity()},
          {.norm = Norm::Mass, .w = mass},
          {.norm = Norm::Given, .w = given}};
}

const std::vector<KeptConstraint> both_levels{{.constraint = 0, .times = 0}, {.constraint = 0, .times = 1}};

ConstraintProjector projector_of(const Formed& bead, const Case& one,
                                 const std::vector<KeptConstraint>& kept) {
  ConstraintProjector projector(*bead.model, ConstraintMatrices(*bead.model, *bead.form), kept);
  // The form may have its coordinates in another order.
  Eigen::Matrix2d w = one.w;
  if (bead.position("x") == 1) std::swap(w(0, 0), w(1, 1));
  projector.use_norm(one.norm, one.norm == Norm::Given ? Eigen::MatrixXd(w) : Eigen::MatrixXd());
  return projector;
}

// From far away, and then (which goes another way, with compiled steps) from nearby: the point of least
// distance. From far away the iteration ends with Newton's steps after eight of the least-norm ones, which
// converge linearly.
TEST(ConstraintProjector, FindsTheNearestPointInItsNorm) {
  for (const Case& one : cases()) {
    Formed bead(from_text(bead_text()));
    ConstraintProjector projector = projector_of(bead, one, {{.constraint = 0, .times = 0}});
    const auto expect = [&](double x, double y, double tolerance) {
      bead.value("x") = x;
      bead.value("y") = y;
      ASSERT_TRUE(projector.project(bead.environment));
      const Eigen::Vector2d nearest = nearest_on_circle({x, y}, one.w);
      EXPECT_NEAR(bead.value("x"), nearest.x(), tolerance);
      EXPECT_NEAR(bead.value("y"), nearest.y(), tolerance);
      EXPECT_NEAR(std::hypot(bead.value("x"), bead.value("y")), 1, 1e-14);
    };
    expect(0.63, -0.83, 1e-7);
    for (const double angle : {-0.4, 0.9, 2.0, 4.4})  // 1e-5 aside: its square is what Newton's method misses
      expect((1 + 1e-5) * std::cos(angle), (1 + 1e-5) * std::sin(angle), 1e-9);
  }
}

// Δ = -W⁻¹Gᵀ (G W⁻¹ Gᵀ)⁻¹ G v with dense matrices.
TEST(ConstraintProjector, VelocitiesMoveByTheLeastAmountInItsNorm) {
  for (const Case& one : cases()) {
    Formed bead(from_text(bead_text()));
    ConstraintProjector projector = projector_of(bead, one, both_levels);
    for (const double angle : {-0.9, 0.3, 2.5}) {
      const Eigen::RowVector2d g(2 * std::cos(angle), 2 * std::sin(angle));
      const Eigen::Vector2d v(0.7, -1.3);
      const Eigen::Matrix2d inverse = one.w.inverse();
      const Eigen::Vector2d expected =
          v - inverse * g.transpose() * (g * v).value() / (g * inverse * g.transpose()).value();
      bead.value("x") = std::cos(angle);
      bead.value("y") = std::sin(angle);
      bead.value("x", 1) = v.x();
      bead.value("y", 1) = v.y();
      ASSERT_TRUE(projector.project(bead.environment));
      EXPECT_NEAR(bead.value("x", 1), expected.x(), 1e-14);
      EXPECT_NEAR(bead.value("y", 1), expected.y(), 1e-14);
    }
  }
}

// Several points at once: as one by one, to the last bit; and refused where one of them is too far away.
TEST(ConstraintProjector, ProjectsSeveralPointsAtOnce) {
  for (const Case& one : cases()) {
    Formed bead(from_text(bead_text()));
    ConstraintProjector projector = projector_of(bead, one, both_levels);
    EXPECT_FALSE(projector.prepare_lanes());  // there was no first point yet
    const auto place = [&](double angle, double aside) {
      bead.value("x") = (1 + aside) * std::cos(angle);
      bead.value("y") = (1 + aside) * std::sin(angle);
      bead.value("x", 1) = 0.7;
      bead.value("y", 1) = -1.3;
    };
    place(0.2, 0);
    ASSERT_TRUE(projector.project(bead.environment));
    if (!projector.prepare_lanes()) {
      EXPECT_FALSE(native_available());
      continue;
    }
    const std::size_t slots = bead.environment.size();
    std::vector<double> all(lane_count * slots);
    std::array<std::vector<double>, lane_count> expected;
    const auto fill = [&](double farthest) {
      for (std::size_t l = 0; l < lane_count; ++l) {
        place(0.4 + static_cast<double>(l), l == 2 ? farthest : 1e-9 * static_cast<double>(l));
        for (std::size_t k = 0; k < slots; ++k) all[(lane_count * k) + l] = bead.environment[k];
        EXPECT_TRUE(projector.project(bead.environment));
        expected[l].assign(bead.environment.begin(), bead.environment.end());
      }
    };
    fill(1e-6);
    ASSERT_TRUE(projector.project_lanes(all));
    for (std::size_t l = 0; l < lane_count; ++l) {
      for (std::size_t k = 0; k < slots; ++k) EXPECT_EQ(all[(lane_count * k) + l], expected[l][k]);
    }
    fill(0.1);
    EXPECT_FALSE(projector.project_lanes(all));
  }
}

// Only what is kept: positions alone, velocities alone, nothing.
TEST(ConstraintProjector, LeavesOtherLevelsAlone) {
  const Case plain = cases().front();
  for (const int kept : {0, 1, 2}) {
    Formed bead(from_text(bead_text()));
    std::vector<KeptConstraint> list;
    if (kept < 2) list.push_back({.constraint = 0, .times = kept});
    ConstraintProjector projector = projector_of(bead, plain, list);
    EXPECT_EQ(projector.idle(), kept == 2);
    bead.value("x") = 0.61;
    bead.value("x", 1) = 0.3;
    const std::vector<double> before = bead.environment;
    ASSERT_TRUE(projector.project(bead.environment));
    EXPECT_EQ(bead.value("x") == 0.61, kept != 0);
    EXPECT_EQ(bead.value("x", 1) == 0.3, kept != 1);
    EXPECT_EQ(bead.environment == before, kept == 2);
  }
}

// The constraint twice, in other units: the pseudo-inverse takes it as it is.
TEST(ConstraintProjector, RedundantConstraintsProjectAsOne) {
  Formed bead(from_text(bead_text("3*(x^2 + y^2 - 1) = 0;")));
  ConstraintProjector projector(*bead.model, ConstraintMatrices(*bead.model, *bead.form),
                                {{.constraint = 0, .times = 0}, {.constraint = 1, .times = 0}});
  for (const double radius : {1.05, 1.00001}) {
    bead.value("x") = 0.6 * radius;
    bead.value("y") = -0.8 * radius;
    ASSERT_TRUE(projector.project(bead.environment));
    EXPECT_NEAR(bead.value("x"), 0.6, 1e-12);
    EXPECT_NEAR(bead.value("y"), -0.8, 1e-12);
  }
}

// M measures no distance where it is not positive definite: it is said, with what to do.
TEST(ConstraintProjector, AnIndefiniteMassIsNoNorm) {
  Formed bead(from_text(R"(model Indefinite
  Real x(start = 0.6); Real y(start = -0.8); Real vx; Real vy; Real lambda;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) + 2*der(vy) = -2*x*lambda;
  2*der(vx) + der(vy) = -2*y*lambda;
  x^2 + y^2 = 1;
end Indefinite;)"));
  ConstraintProjector projector(*bead.model, ConstraintMatrices(*bead.model, *bead.form),
                                {{.constraint = 0, .times = 0}});
  projector.use_norm(Norm::Mass);
  bead.value("x") = 0.7;
  EXPECT_FALSE(projector.project(bead.environment));
  EXPECT_NE(projector.trouble().find("W=I"), std::string::npos) << projector.trouble();
}

// A softened projection goes where the other goes, up to (δ/(1+δ))² of the way, three times.
TEST(ConstraintProjector, AGentleProjectionIsTheSameFarFromSingularPoints) {
  Formed bead(from_text(bead_text()));
  ConstraintProjector projector = projector_of(bead, cases().front(), both_levels);
  bead.value("x") = 0.6 * (1 + 1e-6);
  bead.value("y") = -0.8 * (1 + 1e-6);
  bead.value("x", 1) = 0.8;
  bead.value("y", 1) = 0.6 + 1e-3;
  ASSERT_TRUE(projector.project_gently(bead.environment));
  EXPECT_NEAR(bead.value("x"), 0.6, 1e-12);
  EXPECT_NEAR(bead.value("y"), -0.8, 1e-12);
  EXPECT_NEAR((bead.value("x") * bead.value("x", 1)) + (bead.value("y") * bead.value("y", 1)), 0, 1e-12);
}

TEST(ConstraintProjector, ACopyProjectsAlikeAndForItself) {
  Formed bead(from_text(bead_text()));
  ConstraintProjector projector = projector_of(bead, cases().front(), both_levels);
  bead.value("x") = 0.61;
  ASSERT_TRUE(projector.project(bead.environment));
  ConstraintProjector copy = projector;
  std::vector<double> elsewhere = bead.environment;
  bead.value("x", 1) = elsewhere[static_cast<std::size_t>(bead.model->slot(bead.leaf("x", 1)))] = 2;
  const std::vector<double> before = bead.environment;
  ASSERT_TRUE(copy.project(elsewhere));
  EXPECT_EQ(bead.environment, before);
  ASSERT_TRUE(projector.project(bead.environment));
  EXPECT_EQ(bead.environment, elsewhere);
}

// Of many particles on rods: the nearest point to the first order in how far they are off, by dense algebra:
// Δ = -W⁻¹Gᵀ(G W⁻¹Gᵀ)⁻¹ c with G at the point found, which is the condition for the least |Δ|_W.
TEST(ConstraintProjector, ManyConstraintsFindTheNearestPoint) {
  for (const int particles : {3, 40}) {  // dense and sparse
    Formed chain(from_text(chain_text(particles)));
    const ConstrainedForm& form = *chain.form;
    std::vector<KeptConstraint> kept;
    for (int i = 0; i < form.ny(); ++i) kept.push_back({.constraint = i, .times = 0});
    ConstraintProjector projector(*chain.model, ConstraintMatrices(*chain.model, form), kept);
    std::mt19937 random(3);
    Eigen::VectorXd before(form.n());
    for (int i = 0; i < form.n(); ++i) {
      double& x = chain.environment[static_cast<std::size_t>(chain.model->slot(form.x(i, 0)))];
      x += 1e-3 * ((static_cast<double>(random()) / 2147483648.0) - 1);
      before(i) = x;
    }
    ASSERT_TRUE(projector.project(chain.environment)) << particles;
    Eigen::VectorXd move(form.n());
    for (int i = 0; i < form.n(); ++i)
      move(i) = chain.environment[static_cast<std::size_t>(chain.model->slot(form.x(i, 0)))] - before(i);
    ConstraintMatrices matrices(*chain.model, form);
    matrices.evaluate(chain.environment);
    const Eigen::MatrixXd g = matrices.constraint();
    // No part of the move is along the constraints but for how much these bend over it: |Δ|².
    const Eigen::VectorXd multipliers = (g * g.transpose()).ldlt().solve(g * move);
    EXPECT_LT((move - g.transpose() * multipliers).norm(), 10 * move.squaredNorm()) << particles;
    for (int k = 1; k <= particles; ++k) {
      const auto at = [&](const char* q, int i) { return i == 0 ? 0 : chain.value(q + std::to_string(i)); };
      EXPECT_NEAR(std::hypot(at("x", k) - at("x", k - 1), at("y", k) - at("y", k - 1)), 1, 1e-13)
          << particles;
    }
  }
}

// Once there, nothing moves any more, by any of the ways.
TEST(ConstraintProjector, OnceMoreChangesNothing) {
  for (const Case& one : cases()) {
    Formed bead(from_text(bead_text()));
    ConstraintProjector projector = projector_of(bead, one, both_levels);
    bead.value("x") = 0.65;
    bead.value("x", 1) = 0.3;
    ASSERT_TRUE(projector.project(bead.environment));
    const std::vector<double> before = bead.environment;
    ASSERT_TRUE(projector.project(bead.environment));
    for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(bead.environment[k], before[k], 4e-16);
  }
}

// The constraint in other units has the same nearest point.
TEST(ConstraintProjector, UnitsOfConstraintsDoNotMatter) {
  std::vector<std::pair<double, double>> found;
  for (const char* factor : {"1", "1e-7", "1e7"}) {
    std::string text = bead_text();
    text.replace(text.find("  x^2 + y^2 = 1;"), 16, "  " + std::string(factor) + "*(x^2 + y^2 - 1) = 0;");
    Formed bead(from_text(text));
    ConstraintProjector projector = projector_of(bead, cases().front(), both_levels);
    bead.value("x") = 0.63;
    bead.value("y") = -0.83;
    bead.value("x", 1) = 0.5;
    ASSERT_TRUE(projector.project(bead.environment)) << factor;
    found.emplace_back(bead.value("x"), bead.value("x", 1));
  }
  for (const auto& [x, u] : found) {
    EXPECT_NEAR(x, found[0].first, 1e-14);
    EXPECT_NEAR(u, found[0].second, 1e-14);
  }
}

// A pivot that moves takes part: onto the circle where it is now, with its velocity.
TEST(ConstraintProjector, TimeIsThatOfTheEnvironment) {
  Formed pivot(from_text(moving_pivot));
  ConstraintProjector projector = projector_of(pivot, cases().front(), both_levels);
  for (const double t : {0.0, 0.7, 2.0}) {
    pivot.time() = t;
    pivot.value("x") = std::sin(t) + 0.61;
    pivot.value("y") = -0.81;
    pivot.value("x", 1) = 0;
    pivot.value("y", 1) = 0;
    ASSERT_TRUE(projector.project(pivot.environment));
    const double dx = pivot.value("x") - std::sin(t);
    const double dy = pivot.value("y");
    EXPECT_NEAR(std::hypot(dx, dy), 1, 1e-14);
    EXPECT_NEAR((dx * (pivot.value("x", 1) - std::cos(t))) + (dy * pivot.value("y", 1)), 0, 1e-14);
    EXPECT_EQ(pivot.time(), t);
  }
}

// Two circles that do not meet: there is no such point, and it is not said that there is.
TEST(ConstraintProjector, ContradictionsAreNotFulfilled) {
  Formed bead(from_text(bead_text("(x - 5)^2 + y^2 = 1;")));
  ConstraintProjector projector(*bead.model, ConstraintMatrices(*bead.model, *bead.form),
                                {{.constraint = 0, .times = 0}, {.constraint = 1, .times = 0}});
  EXPECT_FALSE(projector.project(bead.environment));
  bead.value("x") = std::nan("");
  EXPECT_FALSE(projector.project(bead.environment));
}

// By the rank monitor's system, whose matrix is that of the point: the same for what is as near as ends of
// steps are.
TEST(ConstraintProjector, ALentSystemProjectsAlike) {
  Formed chain(from_text(chain_text(20)));
  const ConstrainedForm& form = *chain.form;
  ConstraintMonitor monitor(*chain.model, ConstraintMatrices(*chain.model, form), 1e-6);
  monitor.begin(chain.environment);
  std::vector<KeptConstraint> kept;
  for (int i = 0; i < form.ny(); ++i) {
    for (const int times : {0, 1}) kept.push_back({.constraint = i, .times = times});
  }
  ConstraintProjector projector(*chain.model, ConstraintMatrices(*chain.model, form), kept);
  ASSERT_TRUE(projector.suits_system());
  RegularisedSystem* system = monitor.constraint_system().system;
  ASSERT_NE(system, nullptr);
  for (int i = 0; i < form.n(); ++i) {
    for (const int level : {0, 1})
      chain.environment[static_cast<std::size_t>(chain.model->slot(form.x(i, level)))] +=
          1e-7 * std::sin(3.0 * i);
  }
  std::vector<double> other = chain.environment;
  ASSERT_TRUE(system->factor_constraints(chain.environment));
  ASSERT_TRUE(projector.project_with(*system, chain.environment));
  ASSERT_TRUE(projector.project(other));
  // Along the gradients here and there: they differ by the square of the distance, times the length of the
  // chain.
  for (std::size_t k = 0; k < other.size(); ++k) EXPECT_NEAR(chain.environment[k], other[k], 1e-11);
  for (int k = 2; k <= 20; ++k) {
    const auto at = [&](const char* q, int i) { return chain.value(q + std::to_string(i)); };
    EXPECT_NEAR(std::hypot(at("x", k) - at("x", k - 1), at("y", k) - at("y", k - 1)), 1, 1e-14);
  }
  // In another norm: not by that system.
  Formed bead(from_text(bead_text()));
  EXPECT_FALSE(projector_of(bead, cases()[1], both_levels).suits_system());
}

// What it has made so far is part of what is saved.
TEST(ConstraintProjector, SavedStateProjectsAlike) {
  Formed bead(from_text(bead_text()));
  ConstraintProjector projector = projector_of(bead, cases().front(), both_levels);
  bead.value("x") = 0.61;
  ASSERT_TRUE(projector.project(bead.environment));
  const auto bytes = to_bytes(projector);
  ASSERT_TRUE(bytes.has_value());
  ConstraintProjector other = projector_of(bead, cases().front(), both_levels);
  ASSERT_TRUE(from_bytes(*bytes, other).has_value());
  bead.value("x") += 1e-7;
  bead.value("y", 1) = 0.4;
  std::vector<double> elsewhere = bead.environment;
  ASSERT_TRUE(projector.project(bead.environment));
  ASSERT_TRUE(other.project(elsewhere));
  EXPECT_EQ(elsewhere, bead.environment);
}

// A millionth before both gradients are equal the constraints ask for the velocity of their own branch, s' =
// 2 x'; a gentle projection leaves what they hardly see.
TEST(ConstraintProjector, AGentleProjectionLeavesTheBranchOpen) {
  const std::string text = R"(model SliderCrank
  Real x(start = 1); Real y(start = 0); Real s(start = 2); Real u; Real v; Real w; Real l1; Real l2;
equation
  der(x) = u; der(y) = v; der(s) = w;
  der(u) = -2*x*l1 + 2*(s - x)*l2;
  der(v) = -9.81 - 2*y*l1 - 2*y*l2;
  der(w) = -2*(s - x)*l2;
  x^2 + y^2 = 1;
  (s - x)^2 + y^2 = 1;
end SliderCrank;)";
  for (const bool gently : {true, false}) {
    Formed crank(from_text(text));
    ConstraintProjector projector(*crank.model, ConstraintMatrices(*crank.model, *crank.form),
                                  {{.constraint = 0, .times = 0},
                                   {.constraint = 1, .times = 0},
                                   {.constraint = 0, .times = 1},
                                   {.constraint = 1, .times = 1}});
    const auto place = [&](double angle) {
      crank.value("x") = std::cos(angle);
      crank.value("y") = std::sin(angle);
      crank.value("s") = 2 * std::cos(angle);
    };
    place(0.5);  // runs begin at regular points
    ASSERT_TRUE(projector.project_gently(crank.environment));
    place((std::numbers::pi / 2) - 1e-6);
    crank.value("x", 1) = -1;
    crank.value("y", 1) = 0;
    crank.value("s", 1) = 0;  // of the other branch
    ASSERT_TRUE(gently ? projector.project_gently(crank.environment) : projector.project(crank.environment));
    const double branch = crank.value("s", 1) - (2 * crank.value("x", 1));
    if (gently) {
      EXPECT_NEAR(branch, 2, 0.02);
    } else {
      EXPECT_NEAR(branch, 0, 1e-6);
    }
    EXPECT_NEAR(crank.value("y", 1), 0, 1e-5) << "what both see is kept";
  }
}

}  // namespace
}  // namespace daedalus::testing
