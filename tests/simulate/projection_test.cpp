// Projection methods: the underlying ODE by any one-step method, moved onto the constraints after each step.
#include <fmt/format.h>

#include <Eigen/Dense>

#include "simulate/formulation_support.hpp"

namespace daedalus {
namespace {

using testing::difference;
using testing::final_value;
using testing::from_text;
using testing::run;
using testing::Setting;
using testing::signal;

// Masses 1 and 3, so that W = I and W = M are different projections.
constexpr const char* pendulum = R"(model Pendulum
  Real x(start = 0.8, fixed = true), y(start = -0.6), u, v(start = 0.5, fixed = true), lambda, energy;
equation
  der(x) = u; der(y) = v;
  der(u) = -2*lambda*x;
  3*der(v) = -2*lambda*y - 9.81;
  x^2 + y^2 = 1;
  energy = u^2/2 + 3*v^2/2 + 9.81*y;
end Pendulum;)";
const std::vector<std::string> plane{"x", "y", "u", "v"};

struct Method {
  const char* name;
  bool adaptive;
  int steps;       // at a constant step
  double allowed;  // error against a sharp solution at tolerance 1e-10, or at the step
};

class OneStep : public ::testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Projection, OneStep,
                         ::testing::Values(Method{"dopri5", true, 0, 1e-7}, Method{"dop853", true, 0, 1e-7},
                                           Method{"radau", true, 0, 1e-7},
                                           // Errors of order h and h²: |x''| about 30, e^(L t) about 10.
                                           Method{"backward-euler", false, 16384, 3e-2},
                                           Method{"implicit-midpoint", false, 4096, 1e-4}),
                         [](const auto& method) {
                           std::string name = method.param.name;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(OneStep, KeepsTheConstraintsInEveryNorm) {
  const Method& method = GetParam();
  const DaeSystem system = from_text(pendulum);
  const RunResult exact = run(system, "ggl", {.integrator = "radau", .until = 2, .tolerance = 1e-12});
  const Setting setting{
      .integrator = method.name, .until = 2, .steps = method.steps, .tolerance = 1e-10, .points = 101};
  for (const char* norm : {"I", "M", "[2,1;1,3]"}) {
    const RunResult result = run(system, std::string("orthogonal-projection:W=") + norm, setting);
    // The distances from circle and tangent, computed here: a few units of rounding.
    const auto x = signal(result, "x");
    const auto y = signal(result, "y");
    const auto u = signal(result, "u");
    const auto v = signal(result, "v");
    for (std::size_t k = 0; k < x.size(); ++k) {
      EXPECT_LE(std::abs(x[k] * x[k] + y[k] * y[k] - 1), 1e-14) << norm;
      EXPECT_LE(std::abs(x[k] * u[k] + y[k] * v[k]), 1e-14 * (1 + std::abs(u[k]) + std::abs(v[k]))) << norm;
    }
    EXPECT_LE(result.summary.drift.levels[0], 1e-14) << norm;
    EXPECT_LE(result.summary.drift.levels[1], 1e-13) << norm;
    EXPECT_LE(difference(result, exact, plane), method.allowed) << norm;
  }
}

TEST(Projection, ConvergesWithTheOrderOfTheMethod) {
  const DaeSystem system = from_text(pendulum);
  const RunResult exact =
      run(system, "ggl", {.integrator = "radau", .until = 1, .tolerance = 1e-13, .points = 17});
  struct Order {
    const char* integrator;
    int steps;
    double order;
  };
  for (const auto& [integrator, steps, order] :
       {Order{"backward-euler", 2048, 1}, Order{"implicit-midpoint", 256, 2}, Order{"dopri5", 64, 5},
        Order{"dop853", 16, 8}}) {
    // Over the whole way, since at single points the error changes its sign.
    const auto error = [&](int n) {
      const Setting setting{
          .integrator = integrator, .until = 1, .steps = n, .tolerance = 1e-12, .points = 17};
      return difference(run(system, "orthogonal-projection:W=M", setting), exact, plane);
    };
    EXPECT_NEAR(std::log2(error(steps) / error(2 * steps)), order, 0.15 * order) << integrator;
  }
}

// The point of the constraint nearest in the norm W: W (p - p̂) is along G(p)ᵀ, and W (v - v̂) along G(p)ᵀ. p̂
// is what index1, the same ODE, reaches in the same step.
TEST(Projection, GoesToTheNearestPoint) {
  const DaeSystem system = from_text(pendulum);
  const Setting once{.integrator = "backward-euler", .until = 0.125, .steps = 1, .points = 2};
  const RunResult free = run(system, "index1", once);
  const Eigen::Vector2d p_free(final_value(free, "x"), final_value(free, "y"));
  const Eigen::Vector2d v_free(final_value(free, "u"), final_value(free, "v"));
  struct Norm {
    const char* name;
    Eigen::Matrix2d w;
  };
  const std::vector<Norm> norms{{"I", Eigen::Matrix2d::Identity()},
                                {"M", Eigen::Vector2d(1, 3).asDiagonal()},
                                {"[2,1;1,3]", (Eigen::Matrix2d() << 2, 1, 1, 3).finished()}};
  for (const auto& [name, w] : norms) {
    const RunResult result = run(system, std::string("orthogonal-projection:W=") + name, once);
    const Eigen::Vector2d p(final_value(result, "x"), final_value(result, "y"));
    const Eigen::Vector2d v(final_value(result, "u"), final_value(result, "v"));
    const Eigen::Vector2d across(-p.y(), p.x());  // to Gᵀ
    EXPECT_GE((p - p_free).norm(), 1e-3) << name;
    EXPECT_LE(std::abs(across.dot(w * (p - p_free))), 1e-12) << name;
    EXPECT_LE(std::abs(across.dot(w * (v - v_free))), 1e-12) << name;
    EXPECT_LE(std::abs(p.squaredNorm() - 1), 1e-14) << name;
  }
}

TEST(Projection, OntoTheConstraintsAloneLetsVelocitiesGo) {
  const Setting setting{.integrator = "dopri5", .until = 2, .steps = 64, .tolerance = 1e-10};
  const DaeSystem system = from_text(pendulum);
  const RunResult result = run(system, "orthogonal-projection:levels=position", setting);
  EXPECT_LE(result.summary.drift.levels[0], 1e-14);
  EXPECT_GE(result.summary.drift.levels[1], 1e-9);
}

// Symmetric: the step back leads to where it came from, so errors of the energy do not add up (Hairer,
// Lubich, Wanner, XI.1), unlike those of the same method with the plain projection, which is not symmetric.
// A chain of massless links between n points: of many constraints one factorisation at the end of a step
// serves positions and velocities, whose matrix is another by then. Coarse tolerances, so that both move
// much.
TEST(Projection, OfManyConstraintsLeavesRoundingAtEveryLevel) {
  const int n = 24;
  std::string text = fmt::format(
      "model Chain\n  parameter Integer n = {};\n  Real x[n], y[n], u[n], v[n], f[n];\ninitial equation\n",
      n);
  for (int i = 1; i <= n; ++i) text += fmt::format("  y[{}] = {}; u[{}] = 0;\n", i, -0.1 * (i % 3), i);
  text += "equation\n";
  for (int i = 1; i <= n; ++i) {
    const auto at = [&](const char* name, int k) {
      return k == 0 ? std::string("0") : fmt::format("{}[{}]", name, k);
    };
    text += fmt::format("  der(x[{0}]) = u[{0}]; der(y[{0}]) = v[{0}];\n", i);
    std::string forces[2];
    int part = 0;
    for (const char* name : {"x", "y"}) {
      forces[part] = fmt::format("f[{}]*({} - {})", i, at(name, i - 1), at(name, i));
      if (i < n) forces[part] += fmt::format(" + f[{}]*({} - {})", i + 1, at(name, i + 1), at(name, i));
      ++part;
    }
    text += fmt::format("  der(u[{0}]) = {1};\n  der(v[{0}]) = {2} - 9.81;\n", i, forces[0], forces[1]);
    text += fmt::format("  ({} - {})^2 + ({} - {})^2 = 1;\n", at("x", i), at("x", i - 1), at("y", i),
                        at("y", i - 1));
  }
  text += "end Chain;";
  const DaeSystem system = from_text(text);
  for (const double tolerance : {1e-3, 1e-6}) {
    const RunResult result = run(system, "orthogonal-projection",
                                 {.integrator = "dop853", .until = 2, .tolerance = tolerance, .points = 37});
    ASSERT_EQ(result.summary.linear_solver, "condensed");
    double largest = 0;
    double fastest = 0;
    for (int i = 1; i <= n; ++i) {
      const auto of = [&](const char* name, int k) {
        return k == 0 ? std::vector<double>(37, 0.0) : signal(result, fmt::format("{}[{}]", name, k));
      };
      const auto x = of("x", i), x0 = of("x", i - 1), y = of("y", i), y0 = of("y", i - 1);
      const auto u = of("u", i), u0 = of("u", i - 1), v = of("v", i), v0 = of("v", i - 1);
      for (std::size_t k = 0; k < x.size(); ++k) {
        const double dx = x[k] - x0[k];
        const double dy = y[k] - y0[k];
        largest = std::max(largest, std::abs(dx * dx + dy * dy - 1));
        fastest = std::max(fastest, std::abs(dx * (u[k] - u0[k]) + dy * (v[k] - v0[k])));
      }
    }
    // Positions reach 24 and velocities about as much: some units of their rounding, 3e-15.
    EXPECT_LT(largest, 3e-14) << tolerance;
    EXPECT_LT(fastest, 3e-13) << tolerance;
  }
}

TEST(SymmetricProjection, ConvergesWithOrderTwo) {
  const DaeSystem system = from_text(pendulum);
  const RunResult exact =
      run(system, "ggl", {.integrator = "radau", .until = 1, .tolerance = 1e-13, .points = 2});
  std::vector<double> errors;
  for (const int steps : {64, 128, 256}) {
    const RunResult result =
        run(system, "symmetric-projection",
            {.integrator = "implicit-midpoint", .until = 1, .steps = steps, .points = 2});
    EXPECT_LE(result.summary.drift.levels[0], 1e-14);
    EXPECT_LE(result.summary.drift.levels[1], 1e-13);
    errors.push_back(std::hypot(final_value(result, "x") - final_value(exact, "x"),
                                final_value(result, "u") - final_value(exact, "u")));
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.1);
}

// The motion backwards: t → T - t, velocities turned. After the way there and back everything is where it
// was, up to rounding and what Newton leaves; for the plain projection up to the error of the method.
TEST(SymmetricProjection, GoesBackTheWayItCame) {
  const auto started = [](double x, double y, double u, double v) {
    return from_text(
        "model P Real x(start = " + fmt::format("{:.17g}", x) + "), y(start = " + fmt::format("{:.17g}", y) +
        "), u(start = " + fmt::format("{:.17g}", u) + "), v(start = " + fmt::format("{:.17g}", v) +
        "), lambda; equation der(x) = u; der(y) = v; der(u) = -2*lambda*x; 3*der(v) = -2*lambda*y - "
        "9.81; x^2 + y^2 = 1; end P;");
  };
  const Setting setting{.integrator = "implicit-midpoint", .until = 2, .steps = 64, .points = 2};
  const auto distance_after = [&](const char* formulation) {
    const RunResult there = run(started(0.6, -0.8, 0.8, 0.6), formulation, setting);
    const RunResult back = run(started(final_value(there, "x"), final_value(there, "y"),
                                       -final_value(there, "u"), -final_value(there, "v")),
                               formulation, setting);
    return std::max(std::abs(final_value(back, "x") - 0.6), std::abs(final_value(back, "u") + 0.8));
  };
  EXPECT_LE(distance_after("symmetric-projection"), 1e-10);
  EXPECT_GE(distance_after("orthogonal-projection"), 1e-5);
}

TEST(SymmetricProjection, KeepsTheEnergyInTheLongRun) {
  const DaeSystem system = from_text(pendulum);
  const auto largest = [&](const char* formulation, double until) {
    const Setting setting{
        .integrator = "implicit-midpoint", .until = until, .steps = static_cast<int>(until) * 32};
    const auto energy = signal(run(system, formulation, setting), "energy");
    double worst = 0;
    for (const double e : energy) worst = std::max(worst, std::abs(e - energy.front()));
    return worst;
  };
  const double early = largest("symmetric-projection", 16);
  const double late = largest("symmetric-projection", 256);
  EXPECT_GE(early, 1e-4);        // h² is visible
  EXPECT_LE(late, 1.1 * early);  // and no more
  EXPECT_GE(largest("orthogonal-projection", 256), 2 * late);
}

// At steps that vary, by the tolerances: from near the top the pendulum is slow there and fast below.
TEST(SymmetricProjection, KeepsTheEnergyAtReversibleSteps) {
  const DaeSystem system = from_text(
      "model Swing Real x(start = 0.05, fixed = true), y(start = 1), u(start = 0, fixed = true), v, lambda, "
      "energy; equation der(x) = u; der(y) = v; der(u) = -lambda*x; der(v) = -lambda*y - 9.81; x^2 + y^2 = "
      "1; "
      "energy = (u^2 + v^2)/2 + 9.81*y; end Swing;");
  const auto largest = [&](const char* formulation, double until) {
    const RunResult result =
        run(system, formulation, {.integrator = "auto", .until = until, .tolerance = 1e-4, .points = 2001});
    EXPECT_LE(result.summary.drift.levels[0] + result.summary.drift.levels[1], 1e-13);
    const auto energy = signal(result, "energy");
    double worst = 0;
    for (const double e : energy) worst = std::max(worst, std::abs(e - energy.front()));
    return worst;
  };
  for (const char* formulation : {"symmetric-projection", "symmetric-projection:direction=full"}) {
    const double early = largest(formulation, 5);
    EXPECT_GE(early, 1e-3);
    EXPECT_LE(largest(formulation, 80), 1.1 * early);
  }
}

}  // namespace
}  // namespace daedalus
