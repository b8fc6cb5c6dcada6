// Invariants that the user names, and projections of positions and velocities together.
#include <Eigen/Dense>

#include "simulate/formulation_support.hpp"

namespace daedalus {
namespace {

using testing::final_value;
using testing::from_text;
using testing::refusal;
using testing::run;
using testing::Setting;
using testing::signal;

// A spherical pendulum: energy and the angular momentum about the vertical are invariants.
std::string spherical(const std::string& friction = "") {
  return R"(model Spherical
  Real x(start = 0.6, fixed = true), y(start = 0, fixed = true), z(start = -0.8),
       u(start = 0), v(start = 2, fixed = true), w(start = 0, fixed = true), lambda, energy, momentum, height;
equation
  der(x) = u; der(y) = v; der(z) = w;
  der(u) = -2*lambda*x)" +
         friction + R"(; der(v) = -2*lambda*y; der(w) = -2*lambda*z - 9.81;
  x^2 + y^2 + z^2 = 1;
  energy = (u^2 + v^2 + w^2)/2 + 9.81*z;
  momentum = x*v - y*u;
  height = z + 1;
end Spherical;)";
}

double spread(const RunResult& result, const char* name) {
  const auto values = signal(result, name);
  const auto [low, high] = std::ranges::minmax(values);
  return high - low;
}

const Setting coarse{.integrator = "dopri5", .until = 20, .tolerance = 1e-4};

TEST(NamedInvariants, AreKeptToRounding) {
  const DaeSystem system = from_text(spherical());
  const RunResult plain = run(system, "orthogonal-projection", coarse);
  EXPECT_GT(spread(plain, "energy"), 1e-4);
  const RunResult energy = run(system, "orthogonal-projection:invariants=energy", coarse);
  EXPECT_LE(spread(energy, "energy"), 1e-12);
  EXPECT_GT(spread(energy, "momentum"), 1e-6);
  const RunResult both = run(system, "orthogonal-projection:invariants=[energy,momentum]", coarse);
  EXPECT_LE(spread(both, "energy"), 1e-12);
  EXPECT_LE(spread(both, "momentum"), 1e-12);
  for (const RunResult* result : {&energy, &both}) {
    EXPECT_LE(result->summary.drift.levels[0], 1e-13);
    EXPECT_LE(result->summary.drift.levels[1], 1e-12);
    EXPECT_TRUE(result->summary.warnings.empty()) << result->summary.warnings.front();
  }
}

// The answer itself stays one: as near to the exact one as without, at a sharper tolerance.
TEST(NamedInvariants, LeaveTheMotionRight) {
  const DaeSystem system = from_text(spherical());
  const Setting sharp{.integrator = "dop853", .until = 5, .tolerance = 1e-9};
  const RunResult exact = run(system, "ggl", {.integrator = "radau", .until = 5, .tolerance = 1e-12});
  const RunResult kept = run(system, "orthogonal-projection:invariants=[energy,momentum]", sharp);
  EXPECT_LE(testing::difference(kept, exact, {"x", "y", "z", "u", "v", "w"}), 1e-6);
  const RunResult by_radau = run(system, "orthogonal-projection:invariants=energy",
                                 {.integrator = "radau", .until = 5, .tolerance = 1e-9});
  EXPECT_LE(testing::difference(by_radau, exact, {"x", "y", "z", "u", "v", "w"}), 1e-6);
}

TEST(NamedInvariants, WhatTheEquationsChangeIsSaid) {
  const RunResult result =
      run(from_text(spherical(" - 0.3*u")), "orthogonal-projection:invariants=[energy,momentum]", coarse);
  ASSERT_GE(result.summary.warnings.size(), 1U);
  EXPECT_NE(result.summary.warnings.front().find("energy"), std::string::npos);
  EXPECT_NE(result.summary.warnings.front().find("the equations change it"), std::string::npos);
}

TEST(NamedInvariants, WhatCannotBeKeptIsRefused) {
  const DaeSystem system = from_text(spherical());
  EXPECT_NE(refusal(system, "orthogonal-projection:invariants=enery", coarse).find("no variable 'enery'"),
            std::string::npos);
  const std::string multiplier = refusal(system, "orthogonal-projection:invariants=[energy,lambda]", coarse);
  EXPECT_NE(multiplier.find("'lambda' depends on lambda"), std::string::npos) << multiplier;
}

// Masses 1 and 3, so that directions differ.
constexpr const char* pendulum = R"(model Pendulum
  Real x(start = 0.8, fixed = true), y(start = -0.6), u, v(start = 0.5, fixed = true), lambda;
equation
  der(x) = u; der(y) = v;
  der(u) = -2*lambda*x;
  3*der(v) = -2*lambda*y - 9.81;
  x^2 + y^2 = 1;
end Pendulum;)";

// Pöll, Hafner 2015 §6.1: the nearest (p, v) to (p̂, v̂): p - p̂ = Gᵀμ + Lᵀτ, v - v̂ = Gᵀτ with G = 2(x, y) and
// L = 2(u, v) at the end. (p̂, v̂) is what index1, the same ODE, reaches in the same step.
TEST(JointProjection, GoesToTheNearestPositionsAndVelocitiesTogether) {
  const DaeSystem system = from_text(pendulum);
  const Setting once{.integrator = "backward-euler", .until = 0.125, .steps = 1, .points = 2};
  const auto end = [&](const char* formulation) {
    const RunResult result = run(system, formulation, once);
    return Eigen::Vector4d(final_value(result, "x"), final_value(result, "y"), final_value(result, "u"),
                           final_value(result, "v"));
  };
  const Eigen::Vector4d free = end("index1");
  const Eigen::Vector4d joint = end("orthogonal-projection:levels=jointly");
  const Eigen::Vector4d by_levels = end("orthogonal-projection");
  EXPECT_LE(std::abs(joint.head<2>().squaredNorm() - 1), 1e-14);
  EXPECT_LE(std::abs(joint.head<2>().dot(joint.tail<2>())), 1e-14);
  Eigen::Matrix<double, 4, 2> directions;
  directions << joint[0], joint[2], joint[1], joint[3], 0, joint[0], 0, joint[1];
  const Eigen::Vector4d moved = joint - free;
  const Eigen::Vector2d factors = directions.colPivHouseholderQr().solve(moved);
  EXPECT_GE(moved.norm(), 1e-3);
  EXPECT_LE((moved - directions * factors).norm(), 1e-11);
  EXPECT_LT(moved.norm(), (by_levels - free).norm());
}

// The full direction (Gᵀμ + Lᵀτ, Gᵀτ) is symmetric, too: a step back from the end of a step leads to its
// start, and the energy does not drift. Not on a circle: there the midpoint rule keeps ġ, which is quadratic,
// and τ = 0.
TEST(SymmetricProjection, WithItsFullDirectionKeepsTheEnergyInBounds) {
  std::string text(pendulum);
  text.replace(text.find("x^2 + y^2 = 1"), 13, "x^2 + y^2 + 0.3*x^3 = 1.1536");
  text.insert(text.find("equation"), "  Real energy;\n");
  text.insert(text.find("end Pendulum"), "  energy = u^2/2 + 3*v^2/2 + 9.81*y;\n");
  const DaeSystem system = from_text(text);
  const auto result_of = [&](const char* formulation, double until) {
    return run(system, formulation,
               {.integrator = "implicit-midpoint", .until = until, .steps = static_cast<int>(until * 64)});
  };
  const RunResult brief = result_of("symmetric-projection:direction=full", 4);
  const RunResult lasting = result_of("symmetric-projection:direction=full", 64);
  EXPECT_GT(spread(brief, "energy"), 1e-6);
  EXPECT_LE(spread(lasting, "energy"), 1.5 * spread(brief, "energy"));
  EXPECT_LE(brief.summary.drift.levels[0], 1e-13);
  EXPECT_LE(brief.summary.drift.levels[1], 1e-12);
  // Another method of the same order: the difference is of the size of a step's error, h³ = 4e-6.
  const double between =
      testing::difference(brief, result_of("symmetric-projection", 4), {"x", "y", "u", "v"});
  EXPECT_GT(between, 1e-9);
  EXPECT_LT(between, 1e-2);
}

// At reversible steps by the tolerances, too. Where a component passes through zero within a step its
// tolerance falls to atol there; the search for the step came to no end then, at 12.4 s and 8.9 s of these
// runs.
TEST(SymmetricProjection, FindsReversibleStepsWhereComponentsPassThroughZero) {
  std::string text(pendulum);
  text.insert(text.find("equation"), "  Real energy;\n");
  text.insert(text.find("end Pendulum"), "  energy = u^2/2 + 3*v^2/2 + 9.81*y;\n");
  const DaeSystem system = from_text(text);
  for (const char* formulation : {"symmetric-projection", "symmetric-projection:direction=full"}) {
    for (const double rtol : {1e-4, 1e-5}) {
      const auto energy_over = [&](double until) {
        RunOptions options =
            testing::options_of(formulation, {.integrator = "auto", .until = until, .tolerance = rtol});
        options.atol = 1e-9;
        const auto result = simulate(system, options);
        EXPECT_TRUE(result && result->ok()) << formulation << (result ? result->summary.reason : "refused");
        return result && result->ok() ? spread(*result, "energy") : 0;
      };
      // Bounded over long times.
      const double brief = energy_over(5);
      EXPECT_LE(energy_over(20), 2 * brief) << formulation << " at " << rtol;
      EXPECT_LE(brief, 1e3 * rtol) << formulation;
    }
  }
}

// rattle is the other symmetric method of the table. Its steps begin and end on the constraints: the
// projection's multipliers are zero.
TEST(SymmetricProjection, TakesRattleAsItIs) {
  const DaeSystem system = from_text(std::string(pendulum));
  const Setting setting{.integrator = "rattle", .until = 2, .steps = 256};
  const RunResult alone = run(system, "orthogonal-projection", setting);
  for (const char* formulation : {"symmetric-projection", "symmetric-projection:direction=full"}) {
    const RunResult result = run(system, formulation, setting);
    // To rounding, as output points of the other are projected.
    EXPECT_LE(testing::difference(result, alone, {"x", "y", "u", "v"}), 1e-14) << formulation;
  }
}

}  // namespace
}  // namespace daedalus
