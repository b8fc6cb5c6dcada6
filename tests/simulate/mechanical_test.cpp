// The methods made for constrained systems: order, constraints, energy, and what they refuse.
#include <numeric>

#include "integrate/integrator.hpp"
#include "simulate/formulation_support.hpp"

namespace daedalus {
namespace {

using testing::difference;
using testing::from_text;
using testing::refusal;
using testing::run;
using testing::Setting;
using testing::signal;

struct Mechanism {
  const char* name;
  const char* text;
  std::vector<std::string> signals;
};

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> all{
      // Masses 1 and 3.
      {.name = "pendulum",
       .text = R"(model Pendulum
  Real x(start = 0.8, fixed = true), y(start = -0.6), u, v(start = 0.5, fixed = true), lambda, energy;
equation
  der(x) = u; der(y) = v;
  der(u) = -2*lambda*x;
  3*der(v) = -2*lambda*y - 3*9.81;
  x^2 + y^2 = 1;
  energy = u^2/2 + 3*v^2/2 + 3*9.81*y;
end Pendulum;)",
       .signals = {"x", "y", "u", "v"}},
      // A mass matrix that depends on the position, and with it forces quadratic in the velocities.
      {.name = "track",
       .text = R"(model Track "a point on the curve r = 1 + 0.3 cos(phi), in polar coordinates"
  Real r(start = 1.3), phi(start = 0, fixed = true), s, w(start = 1, fixed = true), lambda, energy;
equation
  der(r) = s; der(phi) = w;
  2*der(s) = 2*r*w^2 - 2*9.81*sin(phi) - lambda;
  2*r^2*der(w) = -4*r*s*w - 2*9.81*r*cos(phi) - 0.3*sin(phi)*lambda;
  r - 1 - 0.3*cos(phi) = 0;
  energy = s^2 + (r*w)^2 + 2*9.81*r*sin(phi);
end Track;)",
       .signals = {"r", "phi", "s", "w"}},
      // A constraint that moves with time, and damping.
      {.name = "driven",
       .text = R"(model Driven "a damped pendulum whose length changes with time"
  Real x(start = 0.6, fixed = true), y(start = -0.8), u(start = 0.3, fixed = true), v, lambda;
equation
  der(x) = u; der(y) = v;
  der(u) = -2*lambda*x - 0.4*u;
  der(v) = -2*lambda*y - 0.4*v - 9.81;
  x^2 + y^2 = (1 + 0.1*sin(3*time))^2;
end Driven;)",
       .signals = {"x", "y", "u", "v"}}};
  return all;
}

std::vector<IntegratorRow> mechanical_rows() {
  std::vector<IntegratorRow> rows;
  std::ranges::copy_if(integrators(), std::back_inserter(rows),
                       [](const IntegratorRow& row) { return row.make_mechanical != nullptr; });
  return rows;
}

// Errors at the output points, which are ends of steps, when the step is halved.
TEST(Mechanical, EveryRowHasItsOrderAtConstantStep) {
  for (const Mechanism& mechanism : mechanisms()) {
    const DaeSystem system = from_text(mechanism.text);
    const RunResult exact = run(system, "orthogonal-projection",
                                {.integrator = "dop853", .until = 1, .tolerance = 1e-14, .points = 17});
    for (const IntegratorRow& row : mechanical_rows()) {
      const auto error = [&](int steps) {
        const Setting setting{.integrator = std::string(row.name), .until = 1, .steps = steps, .points = 17};
        return difference(run(system, "orthogonal-projection", setting), exact, mechanism.signals);
      };
      // Short enough for the order to show, and above the error of the reference, some 1e-13.
      const double coarse = error(96);
      const double fine = error(192);
      EXPECT_NEAR(std::log2(coarse / fine), row.order, 0.5)
          << row.name << " on " << mechanism.name << ", " << coarse;
      EXPECT_GE(fine, 1e-12) << row.name << " on " << mechanism.name << ": the reference would be seen";
    }
  }
}

// Multipliers come from the states; index1 projects nothing, so what is seen is the method's own.
TEST(Mechanical, ConstraintsHoldByTheMethodItself) {
  for (const Mechanism& mechanism : mechanisms()) {
    const DaeSystem system = from_text(mechanism.text);
    for (const IntegratorRow& row : mechanical_rows()) {
      const RunResult result =
          run(system, "index1", {.integrator = std::string(row.name), .until = 2, .steps = 256});
      const auto& drift = result.summary.drift.levels;
      if (row.keeps_constraints) {
        EXPECT_LE(drift[0], 1e-13) << row.name << " on " << mechanism.name;
      }
      // Velocities: by rattle and by hem5, up to rounding.
      if (row.name != "generalized-alpha") {
        EXPECT_LE(drift[1], 1e-12) << row.name << " on " << mechanism.name;
      }
    }
  }
}

// A polynomial of degree p; the projection after each step changes nothing of the order.
TEST(Mechanical, TaylorHasTheOrderThatIsAskedFor) {
  for (const Mechanism& mechanism : mechanisms()) {
    const DaeSystem system = from_text(mechanism.text);
    const RunResult exact = run(system, "orthogonal-projection",
                                {.integrator = "dop853", .until = 1, .tolerance = 1e-14, .points = 17});
    for (const int order : {3, 6, 8}) {
      const auto error = [&](int steps) {
        const Setting setting{
            .integrator = "taylor:order=" + std::to_string(order), .until = 1, .steps = steps, .points = 17};
        return difference(run(system, "orthogonal-projection", setting), exact, mechanism.signals);
      };
      const int steps = order < 5 ? 128 : 32;
      const double coarse = error(steps);
      EXPECT_NEAR(std::log2(coarse / error(2 * steps)), order, 0.7)
          << order << " on " << mechanism.name << ", " << coarse;
    }
  }
}

// A companion with a differential equation of its own, and one that uses accelerations: the work of gravity
// and the integral of the multiplier.
TEST(Mechanical, TaylorTakesCompanions) {
  const DaeSystem system = from_text(R"(model Companions
  Real x(start = 0.8, fixed = true), y(start = -0.6), u, v(start = 0.5, fixed = true), lambda;
  Real work(start = 0, fixed = true), pull(start = 0, fixed = true), up(start = 0, fixed = true);
equation
  der(x) = u; der(y) = v;
  der(u) = -2*lambda*x; der(v) = -2*lambda*y - 9.81;
  x^2 + y^2 = 1;
  der(work) = -9.81*v; der(pull) = lambda; der(up) = der(v)*exp(-time) + atan2(x, 3 - y)^3;
end Companions;)");
  const std::vector<std::string> names{"x", "y", "u", "v", "work", "pull", "up"};
  const RunResult exact =
      run(system, "ggl", {.integrator = "radau", .until = 2, .tolerance = 1e-12, .points = 21});
  const RunResult result = run(system, "orthogonal-projection",
                               {.integrator = "taylor", .until = 2, .tolerance = 1e-11, .points = 21});
  // The reference is of order 5 in the companions that follow the multiplier.
  EXPECT_LE(difference(result, exact, names), 1e-8);
}

TEST(Mechanical, AdaptiveRowsMeetTheirTolerance) {
  for (const Mechanism& mechanism : mechanisms()) {
    const DaeSystem system = from_text(mechanism.text);
    const RunResult exact =
        run(system, "ggl", {.integrator = "radau", .until = 3, .tolerance = 1e-13, .points = 61});
    for (const IntegratorRow& row : integrators()) {
      if (!row.adaptive || (row.make_mechanical == nullptr && row.make_series == nullptr)) continue;
      long before = 0;
      for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
        const RunResult result =
            run(system, "auto",
                {.integrator = std::string(row.name), .until = 3, .tolerance = tolerance, .points = 61});
        EXPECT_LE(difference(result, exact, mechanism.signals), 50 * tolerance)
            << row.name << " on " << mechanism.name << " at " << tolerance;
        EXPECT_LE(result.summary.drift.levels[0], 1e-13);
        // A Taylor method answers a stricter tolerance with its order first.
        if (row.make_series == nullptr) {
          EXPECT_GT(result.summary.counters.steps, before);
        }
        before = result.summary.counters.steps;
      }
    }
  }
}

// The mean of the energy's error over a part of the run: what does not drift stays where it was.
double mean_error(const std::vector<double>& energy, std::size_t begin, std::size_t end) {
  return std::accumulate(energy.begin() + static_cast<std::ptrdiff_t>(begin),
                         energy.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
             static_cast<double>(end - begin) -
         energy.front();
}

// A symplectic method of order 2 has an energy error of size h², and none that grows: over ten thousand
// periods a drift of a hundredth of the error itself would show.
TEST(Mechanical, RattleHasNoEnergyDriftInTenThousandPeriods) {
  const DaeSystem system = from_text(mechanisms()[0].text);
  // The period is a little above 2; steps and output points are binary fractions, so that every output point
  // is the end of a step.
  const RunResult result =
      run(system, "index1", {.integrator = "rattle", .until = 24576, .steps = 24576 * 16, .points = 12289});
  const std::vector<double> energy = signal(result, "energy");
  const std::size_t part = energy.size() / 10;
  const auto [least, most] = std::ranges::minmax(energy);
  const double swing = most - least;
  EXPECT_LE(swing, 1);     // of an energy of 59 from top to bottom
  EXPECT_GE(swing, 1e-4);  // else the test would not see a drift
  EXPECT_LE(std::abs(mean_error(energy, 0, part) - mean_error(energy, energy.size() - part, energy.size())),
            0.01 * swing);
  EXPECT_LE(result.summary.drift.levels[0], 1e-13);
  EXPECT_LE(result.summary.drift.levels[1], 1e-12);
}

TEST(Mechanical, RattleKeepsTheEnergyWithAMassMatrixThatVaries) {
  const DaeSystem system = from_text(mechanisms()[1].text);
  const RunResult result =
      run(system, "index1", {.integrator = "rattle", .until = 500, .steps = 25000, .points = 5001});
  const std::vector<double> energy = signal(result, "energy");
  const auto [least, most] = std::ranges::minmax(energy);
  EXPECT_LE(std::abs(mean_error(energy, 0, 500) - mean_error(energy, energy.size() - 500, energy.size())),
            0.02 * (most - least));
}

// A stiff spring along the track: ρ says what is left of it after a step; 1 keeps the energy of the fast
// motion, less than that takes it out.
TEST(Mechanical, GeneralizedAlphaDampsFastMotionAsAsked) {
  const DaeSystem system = from_text(R"(model Spring
  Real x(start = 1, fixed = true), y(start = 0), u(start = 0, fixed = true), v, z(start = 0.01, fixed = true),
       w(start = 0, fixed = true), lambda;
equation
  der(x) = u; der(y) = v; der(z) = w;
  der(u) = -x; der(v) = -lambda; der(w) = -1e8*z;
  y = 0;
end Spring;)");
  const auto left = [&](const char* integrator) {
    const RunResult result = run(system, "index1", {.integrator = integrator, .until = 1, .steps = 100});
    const auto z = signal(result, "z");
    const auto x = signal(result, "x");
    EXPECT_NEAR(x.back(), std::cos(1.0), 1e-3) << integrator;  // the slow motion stays, to order h²
    return std::abs(z.back()) + std::abs(z[z.size() - 2]);
  };
  EXPECT_LE(left("generalized-alpha:rho=0.5"), 1e-9);
  EXPECT_GE(left("generalized-alpha:rho=1"), 1e-3);
}

// Rods joined by pins, with springs and dampers at the joints: large enough for sparse matrices.
DaeSystem stiff_chain() {
  return from_text(R"(model Chain
  parameter Integer n = 30;
  parameter Real k = 2e4, d = 40;
  Real x[n](start = {i - 0.5 for i in 1:n}), y[n](each start = 0), phi[n](each start = 0, each fixed = true);
  Real u[n], v[n](each start = 0), w[n](each start = 0, each fixed = true), fx[n], fy[n];
equation
  for i in 1:n loop
    der(x[i]) = u[i]; der(y[i]) = v[i]; der(phi[i]) = w[i];
  end for;
  for i in 1:n-1 loop
    der(u[i]) = fx[i] - fx[i+1]; der(v[i]) = fy[i] - fy[i+1] - 9.81;
    der(w[i])/12 = 0.5*sin(phi[i])*(fx[i] + fx[i+1]) - 0.5*cos(phi[i])*(fy[i] + fy[i+1])
      - k*(phi[i] - (if i > 1 then phi[max(i-1,1)] else 0)) - d*(w[i] - (if i > 1 then w[max(i-1,1)] else 0))
      + k*(phi[i+1] - phi[i]) + d*(w[i+1] - w[i]);
  end for;
  der(u[n]) = fx[n]; der(v[n]) = fy[n] - 9.81;
  der(w[n])/12 = 0.5*sin(phi[n])*fx[n] - 0.5*cos(phi[n])*fy[n] - k*(phi[n] - phi[n-1]) - d*(w[n] - w[n-1]);
  x[1] - 0.5*cos(phi[1]) = 0; y[1] - 0.5*sin(phi[1]) = 0;
  for i in 2:n loop
    x[i] - 0.5*cos(phi[i]) - x[i-1] - 0.5*cos(phi[i-1]) = 0;
    y[i] - 0.5*sin(phi[i]) - y[i-1] - 0.5*sin(phi[i-1]) = 0;
  end for;
end Chain;)");
}

// Two routes through the same iteration matrices: the static elimination down to the saddle, and KLU's
// pivoting. Rounding is all that they may differ by, and a Newton iteration forgets it.
TEST(Mechanical, ImplicitMethodsUseTheSaddleAndGetTheSame) {
  const DaeSystem system = stiff_chain();
  const std::vector<std::string> names{"x[1]", "x[30]", "y[30]", "phi[7]", "w[30]"};
  for (const std::string row : {"radau", "radau:order=variable", "bdf"}) {
    const std::string formulation = row == "bdf" ? "index1" : "orthogonal-projection";
    Setting setting{.integrator = row, .until = 0.5, .tolerance = 1e-6, .points = 11};
    const RunResult saddle = run(system, formulation, setting);
    EXPECT_EQ(saddle.summary.linear_solver, "static-lu") << row;
    setting.integrator += row.find(':') == std::string::npos ? ":solver=klu" : ",solver=klu";
    const RunResult pivoted = run(system, formulation, setting);
    EXPECT_EQ(pivoted.summary.linear_solver, "klu") << row;
    EXPECT_EQ(saddle.summary.counters.steps, pivoted.summary.counters.steps) << row;
    EXPECT_LE(difference(saddle, pivoted, names), 1e-8) << row;
  }
}

// auto begins explicitly, finds the boundary of stability, and goes over: for fewer steps than the explicit
// method would take to the end, and with the same solution.
TEST(Mechanical, AutoGoesOverToRadauOfVariableOrder) {
  const DaeSystem system = stiff_chain();
  const Setting setting{.integrator = "auto", .until = 1, .tolerance = 1e-5, .points = 11};
  const RunResult result = run(system, "auto", setting);
  EXPECT_EQ(result.summary.integrator.name(), "radau");
  EXPECT_NE(result.summary.why.find("stiff"), std::string::npos) << result.summary.why;
  const RunResult whole = run(system, "orthogonal-projection",
                              {.integrator = "dop853", .until = 1, .tolerance = 1e-9, .points = 11});
  EXPECT_LE(difference(result, whole, {"x[30]", "y[30]", "phi[7]", "w[30]"}), 50 * 1e-5);
  EXPECT_LE(result.summary.counters.steps, whole.summary.counters.steps / 3);
}

TEST(Mechanical, RefusesWhatIsNotForIt) {
  const DaeSystem pendulum = from_text(mechanisms()[0].text);
  EXPECT_NE(refusal(pendulum, "ggl", {.integrator = "hem5"}).find("orthogonal-projection"),
            std::string::npos);
  EXPECT_NE(refusal(pendulum, "auto", {.integrator = "rattle"}).find("--step"), std::string::npos);
  const DaeSystem first_order = from_text(R"(model Index2
  Real x(start = 1, fixed = true), y(start = 0), z;
equation
  der(x) = -y*z; der(y) = x*z - 1 + x; x^2 + y^2 = 1;
end Index2;)");
  EXPECT_NE(refusal(first_order, "auto", {.integrator = "hem5"}).find("order 1"), std::string::npos);
  const DaeSystem skate = from_text(R"(model Skate "a constraint of velocities alone"
  Real x(start = 0, fixed = true), y(start = 0, fixed = true), phi(start = 0, fixed = true),
       u(start = 1, fixed = true), v, w(start = 1, fixed = true), lambda;
equation
  der(x) = u; der(y) = v; der(phi) = w;
  der(u) = lambda*sin(phi); der(v) = -lambda*cos(phi) ; der(w) = 0;
  u*sin(phi) - v*cos(phi) = 0;
end Skate;)");
  EXPECT_NE(refusal(skate, "auto", {.integrator = "rattle", .steps = 10}).find("velocities"),
            std::string::npos);
  // hem5 takes it: the constraint stands at the level that it works on. Speed 1, turning rate 1: a circle.
  const RunResult circle =
      run(skate, "auto", {.integrator = "hem5", .until = 3, .tolerance = 1e-9, .points = 31});
  EXPECT_NEAR(signal(circle, "x").back(), std::sin(3.0), 1e-8);
  EXPECT_NEAR(signal(circle, "y").back(), 1 - std::cos(3.0), 1e-8);
}

}  // namespace
}  // namespace daedalus
