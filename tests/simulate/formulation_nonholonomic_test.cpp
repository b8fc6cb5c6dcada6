// Motion constraints (Ascher, Petzold 1993, 1.1c): of velocity level from the beginning, each with a
// multiplier.
#include "simulate/formulation_support.hpp"

namespace daedalus {
namespace {

using testing::final_value;
using testing::from_text;
using testing::run;
using testing::Setting;
using testing::signal;

// A knife edge on a slope: it turns at constant speed ω = 2 and moves along its blade only. With the slope's
// a = 3 along x: x = a/(2ω²) sin²ωt, y = a/(2ω²) (ωt - ½ sin 2ωt), and the energy ½v² - ax stays.
constexpr const char* knife = R"(model KnifeEdge
  parameter Real a = 3, w = 2;
  Real x(fixed = true), y(fixed = true), phi(fixed = true), vx, vy, omega(start = w, fixed = true);
  Real lambda, energy, slip;
equation
  der(x) = vx; der(y) = vy; der(phi) = omega;
  der(vx) = a - lambda*sin(phi);
  der(vy) = lambda*cos(phi);
  der(omega) = 0;
  vx*sin(phi) - vy*cos(phi) = 0;
  energy = (vx^2 + vy^2)/2 - a*x;
  slip = vx*sin(phi) - vy*cos(phi);
initial equation
  vx = 0;
end KnifeEdge;)";

double knife_error(const RunResult& result) {
  const double t = result.trajectory.times.back();
  const double x = 3.0 / 8 * std::sin(2 * t) * std::sin(2 * t);
  const double y = 3.0 / 8 * (2 * t - std::sin(4 * t) / 2);
  return std::hypot(final_value(result, "x") - x, final_value(result, "y") - y);
}

double largest(const RunResult& result, const std::string& name) {
  double worst = 0;
  for (const double value : signal(result, name)) worst = std::max(worst, std::abs(value));
  return worst;
}

// Formulations that keep motion constraints, with a method for each.
struct Kept {
  const char* formulation;
  const char* integrator;
};
const std::vector<Kept> keeping{{"ggl", "radau"},
                                {"ggl", "bdf"},
                                {"ggl:D=B", "radau"},
                                {"projected-invariants:variant=pa", "radau"},
                                {"projected-invariants:variant=pb", "radau"},
                                {"projected-invariants:variant=pb", "bdf"},
                                {"projected-invariants:variant=pc", "radau"},
                                {"orthogonal-projection", "dopri5"},
                                {"orthogonal-projection", "dop853"},
                                {"orthogonal-projection:W=M", "radau"},
                                {"extended", "radau"},
                                {"odae", "radau"},
                                {"index2", "radau"},
                                {"index3", "radau"},
                                {"dummy-derivatives", "radau"}};

TEST(Nonholonomic, KnifeEdgeKeepsItsVelocityConstraint) {
  const DaeSystem system = from_text(knife);
  for (const auto& [formulation, integrator] : keeping) {
    const RunResult result =
        run(system, formulation, {.integrator = integrator, .until = 5, .tolerance = 1e-9, .points = 201});
    // Velocities are up to 1.5.
    EXPECT_LE(largest(result, "slip"), 1e-14) << formulation << " by " << integrator;
    // 1e3 tolerances over five turns.
    EXPECT_LE(knife_error(result), 1e-6) << formulation << " by " << integrator;
    EXPECT_LE(largest(result, "energy"), 1e-6) << formulation << " by " << integrator;
    // The motion constraint was measured at the level that it is of.
    ASSERT_GE(result.summary.drift.levels.size(), 1U);
  }
}

// Those that only differentiate or damp it do not keep it to rounding.
TEST(Nonholonomic, DifferentiatedConstraintsAreNotKept) {
  const DaeSystem system = from_text(knife);
  for (const char* formulation : {"index1", "baumgarte"}) {
    const RunResult result = run(system, formulation, {.integrator = "dopri5", .until = 8, .steps = 128});
    EXPECT_GE(largest(result, "slip"), 1e-10) << formulation;
    EXPECT_LE(largest(result, "slip"), 1e-3) << formulation;
  }
}

// Order of the energy's error at constant steps: 1 for backward Euler, 5 for dopri5 and 5 for radau.
TEST(Nonholonomic, EnergyErrorIsOfTheOrderOfTheMethod) {
  const DaeSystem system = from_text(knife);
  struct Case {
    const char* formulation;
    const char* integrator;
    int steps;
    double order;
  };
  for (const auto& [formulation, integrator, steps, order] :
       {Case{"ggl", "backward-euler", 512, 1}, Case{"projected-invariants", "backward-euler", 512, 1},
        Case{"orthogonal-projection", "backward-euler", 512, 1}, Case{"ggl", "radau", 32, 5},
        Case{"projected-invariants", "radau", 64, 5}, Case{"orthogonal-projection", "radau", 32, 5},
        Case{"orthogonal-projection", "dopri5", 64, 5},
        Case{"symmetric-projection", "implicit-midpoint", 128, 2}}) {
    const auto error = [&](int n) {
      const RunResult result =
          run(system, formulation, {.integrator = integrator, .until = 5, .steps = n, .tolerance = 1e-13});
      EXPECT_LE(largest(result, "slip"), 1e-14) << formulation << " by " << integrator;
      return largest(result, "energy");
    };
    const double observed = std::log2(error(steps) / error(2 * steps));
    EXPECT_GE(observed, 0.85 * order) << formulation << " by " << integrator;
  }
}

// A disc that stands upright and rolls on a slope: two motion constraints. (I + mR²) θ'' = m R a cos φ, φ =
// ωt, so θ' = 1 + m R a/((I + mR²) ω) sin ωt.
TEST(Nonholonomic, RollingDisc) {
  const DaeSystem system = from_text(R"(model RollingDisc
  parameter Real m = 2, R = 0.5, I = 0.25, a = 3, w = 2;
  Real x(fixed = true), y(fixed = true), theta(fixed = true), phi(fixed = true);
  Real vx, vy, spin(start = 1, fixed = true), turn(start = w, fixed = true), l1, l2, slip1, slip2;
equation
  der(x) = vx; der(y) = vy; der(theta) = spin; der(phi) = turn;
  m*der(vx) = m*a - l1;
  m*der(vy) = -l2;
  I*der(spin) = R*(l1*cos(phi) + l2*sin(phi));
  der(turn) = 0;
  vx - R*cos(phi)*spin = 0;
  vy - R*sin(phi)*spin = 0;
  slip1 = vx - R*cos(phi)*spin;
  slip2 = vy - R*sin(phi)*spin;
end RollingDisc;)");
  for (const auto& [formulation, integrator] : keeping) {
    const RunResult result =
        run(system, formulation, {.integrator = integrator, .until = 5, .tolerance = 1e-9, .points = 201});
    EXPECT_LE(largest(result, "slip1"), 1e-14) << formulation << " by " << integrator;
    EXPECT_LE(largest(result, "slip2"), 1e-14) << formulation << " by " << integrator;
    const double spin = 1 + 2 * 0.5 * 3 / ((0.25 + 2 * 0.25) * 2) * std::sin(2 * 5.0);
    EXPECT_NEAR(final_value(result, "spin"), spin, 1e-6) << formulation << " by " << integrator;
    EXPECT_EQ(result.summary.dof, 8 - 2) << formulation;
  }
}

// A position constraint and a motion constraint in one model: a sledge on a curved track of height z = x²/2.
TEST(Nonholonomic, TogetherWithPositionConstraints) {
  const DaeSystem system = from_text(R"(model Sledge
  Real x(fixed = true), y(fixed = true), z, phi(fixed = true), vx, vy, vz, w(start = 1, fixed = true);
  Real lambda, mu, energy, slip, gap, climb;
equation
  der(x) = vx; der(y) = vy; der(z) = vz; der(phi) = w;
  der(vx) = -lambda*sin(phi) - mu*x + 1;
  der(vy) = lambda*cos(phi);
  der(vz) = mu - 9.81;
  der(w) = 0;
  vx*sin(phi) - vy*cos(phi) = 0;
  z = x^2/2;
  energy = (vx^2 + vy^2 + vz^2)/2 + 9.81*z - x;
  slip = vx*sin(phi) - vy*cos(phi);
  gap = z - x^2/2;
  climb = vz - x*vx;
initial equation
  vx = 0.5;
end Sledge;)");
  const RunResult exact =
      run(system, "dummy-derivatives", {.integrator = "radau", .until = 3, .tolerance = 1e-12});
  for (const auto& [formulation, integrator] : keeping) {
    const std::string name(formulation);
    const RunResult result =
        run(system, formulation, {.integrator = integrator, .until = 3, .tolerance = 1e-9});
    EXPECT_LE(largest(result, "slip"), 1e-14) << name << " by " << integrator;
    if (name != "index2") {
      EXPECT_LE(largest(result, "gap"), 1e-14) << name << " by " << integrator;
    }
    if (name != "index3" && name != "projected-invariants:variant=pa") {
      EXPECT_LE(largest(result, "climb"), 1e-14) << name << " by " << integrator;
    }
    EXPECT_LE(testing::difference(result, exact, {"x", "y", "z", "vx", "vy"}), 1e-5)
        << name << " by " << integrator;
    EXPECT_NEAR(final_value(result, "energy"), 0.125, 1e-6) << name << " by " << integrator;
  }
}

// α is the rate at which a violated motion constraint decays: with α = β = γ it is that of `gamma`.
TEST(Nonholonomic, AlphaAndBetaReachMotionConstraints) {
  const DaeSystem system = from_text(knife);
  const Setting setting{.integrator = "radau", .until = 1, .tolerance = 1e-6};
  const RunResult pair = run(system, "baumgarte:alpha=3,beta=3", setting);
  const RunResult gamma = run(system, "baumgarte:gamma=3", setting);
  EXPECT_EQ(testing::difference(pair, gamma, {"x", "y", "vx", "vy"}), 0);
  const RunResult other = run(system, "baumgarte:alpha=5,beta=3", setting);
  EXPECT_GT(testing::difference(other, gamma, {"lambda"}), 0);
}

// ε by tolerance counts the levels that a motion constraint has: a regular knife edge is no impasse, and its
// constraint is violated no more than the tolerance explains.
TEST(Nonholonomic, RegularisationsAreAsGoodAsTheToleranceAllows) {
  const DaeSystem system = from_text(knife);
  for (const char* formulation : {"trust-region", "direct-regularization"}) {
    for (const double rtol : {1e-1, 1e-2, 1e-3, 1e-4, 1e-6}) {
      const RunResult result =
          run(system, formulation, {.integrator = "radau", .until = 1, .tolerance = rtol});
      EXPECT_LT(knife_error(result), 10 * rtol) << formulation << " at " << rtol;
      EXPECT_LT(largest(result, "slip"), 10 * rtol) << formulation << " at " << rtol;
    }
  }
}

// Where the constraints have full rank a smooth motion always goes on: loose tolerances are no impasse, by
// whatever method. Two turns of the knife edge.
TEST(Nonholonomic, LooseTolerancesAreNoImpasse) {
  const DaeSystem system = from_text(knife);
  for (const char* formulation : {"trust-region", "trust-region:convert=none", "direct-regularization"}) {
    for (const char* integrator : {"radau", "bdf", "ida", "dopri5"}) {
      for (const double rtol : {1e-1, 3e-2, 1e-2}) {
        const RunResult result =
            run(system, formulation, {.integrator = integrator, .until = 2, .tolerance = rtol});
        EXPECT_LT(largest(result, "slip"), 10 * rtol)
            << formulation << " by " << integrator << " at " << rtol;
      }
    }
  }
}

}  // namespace
}  // namespace daedalus
