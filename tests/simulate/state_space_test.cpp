// State-space forms by explicit methods, and parametrisations of models with motion constraints.
#include <fmt/format.h>

#include "simulate/formulation_support.hpp"

namespace daedalus {
namespace {

using testing::difference;
using testing::from_text;
using testing::run;
using testing::Setting;
using testing::signal;

// Masses 1 and 3: M and Gᵀ point into different directions.
constexpr const char* pendulum = R"(model Pendulum
  Real x(start = 0.6, fixed = true), y(start = -0.8), u, v(start = 0.5, fixed = true), lambda, energy;
equation
  der(x) = u; der(y) = v;
  der(u) = -2*lambda*x;
  3*der(v) = -2*lambda*y - 3*9.81;
  x^2 + y^2 = 1;
  energy = u^2/2 + 3*v^2/2 + 3*9.81*y;
end Pendulum;)";

// The same with everything but x and u eliminated by hand: y = -√(1 - x²), v = -x u/y, and from
// x x'' + y y'' + u² + v² = 0 the multiplier: 2λ (x² + y²/3) = u² + v² - 9.81 y.
constexpr const char* by_hand = R"(model ByHand
  Real x(start = 0.6, fixed = true), u(start = 0.5*0.8/0.6, fixed = true), y, v;
equation
  der(x) = u;
  der(u) = -x*(u^2 + v^2 - 9.81*y)/(x^2 + y^2/3);
  y = -sqrt(1 - x^2);
  v = -x*u/y;
end ByHand;)";

// Integrating u = Aᵀp, w = Aᵀv is integrating the ODE that remains, stage by stage: the same numbers at the
// same steps, to the rounding of 64 steps.
TEST(StateSpace, IsTheReducedOdeByTheSameMethod) {
  for (const char* integrator : {"dopri5", "dop853"}) {
    const Setting setting{.integrator = integrator, .until = 0.25, .steps = 64};
    const RunResult reduced = run(from_text(by_hand), "index1", setting);
    EXPECT_GT(std::abs(signal(reduced, "x").back() - 0.6), 0.01);
    for (const char* formulation : {"coordinate-partitioning:A=[1;0]", "tangent-plane:A=[1;0]"}) {
      const RunResult result = run(from_text(pendulum), formulation, setting);
      EXPECT_LE(difference(result, reduced, {"x", "y", "u", "v"}), 1e-13) << integrator << " " << formulation;
    }
    // Another projection is another method: here by the error of a step, 1e-11 and more.
    const RunResult orthogonal = run(from_text(pendulum), "orthogonal-projection",
                                     {.integrator = "dopri5", .until = 0.25, .steps = 8});
    const RunResult partitioned = run(from_text(pendulum), "coordinate-partitioning:A=[1;0]",
                                      {.integrator = "dopri5", .until = 0.25, .steps = 8});
    EXPECT_GT(difference(orthogonal, partitioned, {"x", "y", "u", "v"}), 1e-9);
  }
}

// Once around and around: the coordinates are exchanged on the way, and nothing restarts.
TEST(StateSpace, CoordinatesAreExchangedOnTheWay) {
  std::string text(pendulum);
  text.replace(text.find("start = 0.5"), 11, "start = 12");
  const DaeSystem system = from_text(text);
  const RunResult exact = run(system, "ggl", {.integrator = "radau", .until = 2, .tolerance = 1e-12});
  for (const char* integrator : {"dopri5", "dop853", "taylor"}) {
    const Setting setting{.integrator = integrator, .until = 2, .tolerance = 1e-9};
    for (const char* formulation : {"coordinate-partitioning", "coordinate-partitioning:threshold=5",
                                    "tangent-plane", "tangent-plane:update=condition"}) {
      const RunResult result = run(system, formulation, setting);
      EXPECT_GT(result.summary.pivot_count, 3) << formulation;
      // 2000 tolerances of values up to 12, as in the matrix of formulations; the dependent coordinate errs
      // by up to the threshold times as much as the independent one.
      EXPECT_LE(difference(result, exact, {"x", "y", "u", "v"}), 5 * 2000e-9 * 12)
          << integrator << " " << formulation;
      EXPECT_LE(result.summary.drift.levels[0], 1e-14) << formulation;
      EXPECT_LE(result.summary.drift.levels[1], 1e-12) << formulation;
      EXPECT_TRUE(result.summary.warnings.empty()) << result.summary.warnings.front();
    }
  }
}

TEST(StateSpace, HasTheOrderOfTheMethod) {
  const DaeSystem system = from_text(pendulum);
  const RunResult exact =
      run(system, "ggl", {.integrator = "radau", .until = 1, .tolerance = 1e-13, .points = 17});
  for (const char* formulation : {"coordinate-partitioning", "tangent-plane"}) {
    const auto error = [&](int n) {
      return difference(
          run(system, formulation, {.integrator = "dopri5", .until = 1, .steps = n, .points = 17}), exact,
          {"x", "y", "u", "v"});
    };
    EXPECT_NEAR(std::log2(error(64) / error(128)), 5, 0.75) << formulation;
  }
}

// A skate on a plane that slopes along x: a constraint of velocity, so that positions are free and two of
// three velocities are. Exactly, with φ' = ω and from rest at φ = 0:
// x = g/(2ω²) sin²(ωt), y = g/(2ω²) (ωt - sin(2ωt)/2).
constexpr const char* skate = R"(model Skate
  Real x(fixed = true), y(fixed = true), phi(fixed = true), vx(start = 0, fixed = true), vy,
       omega(start = 2, fixed = true), lambda;
equation
  der(x) = vx; der(y) = vy; der(phi) = omega;
  der(vx) = 3 - lambda*sin(phi); der(vy) = lambda*cos(phi); der(omega) = 0;
  vx*sin(phi) - vy*cos(phi) = 0;
end Skate;)";

TEST(StateSpace, TakesConstraintsOfVelocity) {
  const DaeSystem system = from_text(skate);
  for (const char* integrator : {"dopri5", "dop853", "radau", "bdf"}) {
    for (const char* formulation :
         {"coordinate-partitioning", "tangent-plane", "tangent-plane:update=condition"}) {
      const RunResult result =
          run(system, formulation, {.integrator = integrator, .until = 3, .tolerance = 1e-9, .points = 31});
      const auto x = signal(result, "x");
      const auto y = signal(result, "y");
      for (std::size_t k = 0; k < x.size(); ++k) {
        const double angle = 2 * result.trajectory.times[k];
        EXPECT_NEAR(x[k], 3.0 / 8 * std::pow(std::sin(angle), 2), 1e-6) << integrator << " " << formulation;
        EXPECT_NEAR(y[k], 3.0 / 8 * (angle - std::sin(2 * angle) / 2), 1e-6)
            << integrator << " " << formulation;
      }
      EXPECT_LE(result.summary.drift.levels[1], 1e-12) << integrator << " " << formulation;
    }
  }
}

// A skate whose height follows the slope: a constraint of position and one of velocity, two bases of
// different size.
constexpr const char* skate_with_height = R"(model Skate
  Real x(fixed = true), y(fixed = true), z, phi(fixed = true), vx(start = 0, fixed = true), vy, vz,
       omega(start = 2, fixed = true), lambda, mu;
equation
  der(x) = vx; der(y) = vy; der(z) = vz; der(phi) = omega;
  der(vx) = 3 - lambda*sin(phi) + mu/2; der(vy) = lambda*cos(phi); der(vz) = 1 - mu; der(omega) = 0;
  vx*sin(phi) - vy*cos(phi) = 0;
  z = x/2 + 1;
end Skate;)";

TEST(StateSpace, TakesBothKindsTogether) {
  const DaeSystem system = from_text(skate_with_height);
  const RunResult exact = run(system, "ggl", {.integrator = "radau", .until = 2, .tolerance = 1e-12});
  for (const char* integrator : {"dop853", "radau"}) {
    for (const char* formulation : {"coordinate-partitioning", "tangent-plane"}) {
      const RunResult result =
          run(system, formulation, {.integrator = integrator, .until = 2, .tolerance = 1e-9});
      EXPECT_LE(difference(result, exact, {"x", "y", "z", "vx", "vy", "vz"}), 1e-6)
          << integrator << " " << formulation;
      EXPECT_LE(result.summary.drift.levels[0], 1e-14) << formulation;
      EXPECT_LE(result.summary.drift.levels[1], 1e-12) << formulation;
    }
  }
}

// A multistep method whose past follows the moved ends of its steps.
TEST(StateSpace, BdfTakesProjections) {
  const DaeSystem system = from_text(pendulum);
  const RunResult exact = run(system, "ggl", {.integrator = "radau", .until = 2, .tolerance = 1e-12});
  for (const char* integrator : {"bdf", "ndf"}) {
    const RunResult result =
        run(system, "orthogonal-projection", {.integrator = integrator, .until = 2, .tolerance = 1e-9});
    EXPECT_LE(result.summary.drift.levels[0], 1e-14);
    EXPECT_LE(result.summary.drift.levels[1], 1e-12);
    EXPECT_LE(difference(result, exact, {"x", "y", "u", "v"}), 1e-6) << integrator;
  }
}

}  // namespace
}  // namespace daedalus
