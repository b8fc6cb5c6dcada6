// Formulations that are different equations and the same numbers. Where the papers prove two of them equal
// they agree to rounding here; where they are proved different, they differ.
//
// Newton stops a factor 1e4 below the tolerance 1e-11, so what remains is rounding, summed over 64 steps:
// 64 · 2.2e-16 · (values up to 10) · (a condition number of some tens) < 1e-11.
#include "simulate/formulation_support.hpp"

namespace daedalus {
namespace {

using testing::difference;
using testing::final_value;
using testing::formulation_value;
using testing::from_text;
using testing::problem;
using testing::run;
using testing::Setting;
using testing::signal;

constexpr double rounding = 1e-11;
// Of discretisation: what is not equal differs by the square of the step at least.
constexpr double visible = 1e-5;

// A linear constraint with constant coefficients, everything else as nonlinear and as coupled as can be.
constexpr const char* linear = R"(model Linear
  Real x(start = 0.3, fixed = true), y(start = 0.2, fixed = true), z;
  Real u(start = 1, fixed = true), v(start = -0.5, fixed = true), w, lambda;
equation
  der(x) = u; der(y) = v; der(z) = w;
  2*der(u) + 0.5*der(v) = -4*sin(x) + x*z - 0.3*u*v - lambda;
  0.5*der(u) + (1 + x^2)*der(v) = -y^3 - 0.2*v - 2*lambda;
  3*der(w) = cos(2*time) - z*y + lambda;
  x + 2*y - z = 0;
end Linear;)";
const std::vector<std::string> linear_signals{"x", "y", "z", "u", "v", "w"};

// Gp = r(t): the constraint moves, G does not.
std::string moving(const std::string& mass) {
  return R"(model Moving
  Real x(start = 0.3, fixed = true), y, u(start = 1, fixed = true), v, lambda;
equation
  der(x) = u; der(y) = v;
  )" + mass +
         R"(*der(u) = -4*sin(x) - lambda;
  der(v) = -y^3 - 2*lambda;
  x + 2*y = sin(3*time);
end Moving;)";
}

std::string pendulum(const std::string& mass_of_y) {
  return R"(model Pendulum
  Real x(start = 0.8, fixed = true), y(start = -0.6), u, v(start = 0.5, fixed = true), lambda;
equation
  der(x) = u; der(y) = v;
  der(u) = -2*lambda*x;
  )" + mass_of_y +
         R"(*der(v) = -2*lambda*y - 9.81;
  x^2 + y^2 = 1;
end Pendulum;)";
}
const std::vector<std::string> plane{"x", "y", "u", "v"};

class ByFormula : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static Setting setting(int steps = 64) {
    return {.integrator = GetParam(), .until = 1, .steps = steps};
  }
  // bdf begins with short steps and ends with one, in which μ, a difference quotient, is mostly rounding.
  [[nodiscard]] static bool equal_steps() { return std::string(GetParam()) == "backward-euler"; }
};
INSTANTIATE_TEST_SUITE_P(Formulations, ByFormula,
                         ::testing::Values("backward-euler", "bdf:order=2,newton=1e-6"),
                         [](const auto& formula) {
                           return std::string(formula.param).substr(0, 3) == "bdf" ? "Bdf2" : "BackwardEuler";
                         });

// Petzold, Potra 1992 §1 and §6: with G constant and g = Gp - r, r constant, Gρp = 0 and Gv = 0 leave nothing
// for μ and τ to do, so all formulations that keep constraints are one and the same step; and those that only
// differentiate them do not drift.
TEST_P(ByFormula, ConstantGMakesThemAllTheSameStep) {
  const DaeSystem system = from_text(linear);
  const RunResult reference = run(system, "projected-invariants:variant=pb", setting());
  // The values move, so that equality says something.
  EXPECT_GT(std::abs(final_value(reference, "x") - 0.3), 0.05);
  for (const char* formulation :
       {"odae", "odae:A=tangent", "odae:A=[1,0;0,1;0,0]", "coordinate-partitioning",
        "coordinate-partitioning:A=[1,0;0,0;0,1]", "tangent-plane", "tangent-plane:update=condition",
        "projected-invariants:variant=pa", "projected-invariants:variant=pc", "ggl", "ggl:D=B",
        "ggl:D=[0;0;1]", "extended", "extended:variant=differentiated", "index1", "index2", "baumgarte",
        "baumgarte-h:h=0.1", "dummy-derivatives"}) {
    EXPECT_LE(difference(run(system, formulation, setting()), reference, linear_signals), rounding)
        << formulation;
  }
  if (!equal_steps()) return;
  EXPECT_NEAR(formulation_value(reference, "mu[1]"), 0, rounding);
  EXPECT_NEAR(formulation_value(reference, "tau[1]"), 0, rounding);
}

// A constraint that moves, g = Gp - r(t), is no longer without μ and τ: ρr ≠ r'. Then pb and tangent-plane
// are still one step (both leave residuals in range Gᵀ), the ssf-solution only with M = I (its residual of
// the dynamics lies in M⁻¹ range Gᵀ), and coordinate partitioning not at all (ker Aᵀ).
TEST_P(ByFormula, ConstantGThatMoves) {
  for (const char* mass : {"1", "5"}) {
    const DaeSystem system = from_text(moving(mass));
    const RunResult pb = run(system, "projected-invariants:variant=pb", setting());
    EXPECT_LE(difference(run(system, "tangent-plane", setting()), pb, plane), rounding);
    EXPECT_LE(difference(run(system, "odae:A=tangent", setting()), pb, plane), rounding);
    const double ssf = difference(run(system, "odae", setting()), pb, plane);
    const double partitioned = difference(run(system, "coordinate-partitioning", setting()), pb, plane);
    if (std::string(mass) == "1") {
      EXPECT_LE(ssf, rounding);
    } else {
      EXPECT_GE(ssf, visible);
    }
    EXPECT_GE(partitioned, visible);
  }
}

// Petzold, Potra 1992 §5, §6: the A-ssf solution of the overdetermined DAE is the parametrisation by A.
TEST_P(ByFormula, ASsfSolutionIsTheParametrisation) {
  const DaeSystem system = from_text(pendulum("3"));
  const RunResult tangent = run(system, "tangent-plane", setting());
  EXPECT_LE(difference(run(system, "odae:A=tangent", setting()), tangent, plane), rounding);
  const Setting brief{.integrator = GetParam(), .until = 0.25, .steps = 16};  // A must stay regular
  const RunResult fixed = run(system, "coordinate-partitioning:A=[0;1]", brief);
  EXPECT_LE(difference(run(system, "odae:A=[0;1]", brief), fixed, plane), rounding);
  EXPECT_LE(difference(run(system, "tangent-plane:A=[0;1]", brief), fixed, plane), rounding);
  EXPECT_GE(difference(run(system, "coordinate-partitioning", setting()), tangent, plane), visible);
}

// (5.10): for range A = ker G(p_c) the residuals ρp - v and ρv - a lie in range G(p_c)ᵀ, p_c being the last
// point: projected invariants with the projection of the last point. By hand from the trajectory of backward
// Euler.
TEST(Formulations, TangentPlaneLeavesResidualsInTheRangeOfTheLastG) {
  const int steps = 64;
  const double h = 1.0 / steps;
  const RunResult result = run(from_text(pendulum("3")), "tangent-plane",
                               {.integrator = "backward-euler", .until = 1, .steps = steps});
  const auto x = signal(result, "x");
  const auto y = signal(result, "y");
  const auto u = signal(result, "u");
  const auto v = signal(result, "v");
  double largest = 0;
  double across = 0;
  for (std::size_t n = 1; n < x.size(); ++n) {
    // λ from  -2λ (x² + y²/3) + u² + v² - 9.81 y/3 = 0,  which is g̈/2 with a = (-2λx, (-2λy - 9.81)/3).
    const double lambda =
        (u[n] * u[n] + v[n] * v[n] - 9.81 * y[n] / 3) / (2 * (x[n] * x[n] + y[n] * y[n] / 3));
    const double position[] = {(x[n] - x[n - 1]) / h - u[n], (y[n] - y[n - 1]) / h - v[n]};
    const double velocity[] = {(u[n] - u[n - 1]) / h + 2 * lambda * x[n],
                               (v[n] - v[n - 1]) / h + (2 * lambda * y[n] + 9.81) / 3};
    for (const auto& r : {position, velocity}) {
      largest = std::max(largest, std::abs(r[0] * x[n - 1] + r[1] * y[n - 1]));
      across = std::max(across, std::abs(r[1] * x[n - 1] - r[0] * y[n - 1]));
    }
  }
  EXPECT_GE(largest, 1e-3);         // there is a residual
  EXPECT_LE(across, rounding / h);  // and it is along Gᵀ = (x, y) of the last point
}

// The ssf-solution (3.13), (3.14): the residuals of p' = v and of the dynamics are (Gᵀμ + Lᵀτ, Gᵀτ).
TEST(Formulations, OdaeLeavesResidualsInTheRangeOfTheConstraints) {
  const int steps = 64;
  const double h = 1.0 / steps;
  const Setting setting{.integrator = "backward-euler", .until = 1, .steps = steps};
  const RunResult result = run(from_text(pendulum("3")), "odae", setting);
  const auto x = signal(result, "x");
  const auto y = signal(result, "y");
  const auto u = signal(result, "u");
  const auto v = signal(result, "v");
  double largest = 0;
  double wrong = 0;
  for (std::size_t n = 1; n < x.size(); ++n) {
    const double lambda =
        (u[n] * u[n] + v[n] * v[n] - 9.81 * y[n] / 3) / (2 * (x[n] * x[n] + y[n] * y[n] / 3));
    const double r1 = (u[n] - u[n - 1]) / h + 2 * lambda * x[n];
    const double r2 = 3 * (v[n] - v[n - 1]) / h + 2 * lambda * y[n] + 9.81;
    // -(r1, r2) = τ (2x, 2y); then -(ρp - v) - τ L is along G, L = (2u, 2v).
    const double tau = -(r1 * x[n] + r2 * y[n]) / 2;
    const double q1 = (x[n] - x[n - 1]) / h - u[n] + 2 * tau * u[n];
    const double q2 = (y[n] - y[n - 1]) / h - v[n] + 2 * tau * v[n];
    largest = std::max(largest, std::abs(tau));
    wrong = std::max({wrong, std::abs(r2 * x[n] - r1 * y[n]), std::abs(q2 * x[n] - q1 * y[n])});
  }
  EXPECT_GE(largest, 1e-3);
  EXPECT_LE(wrong, rounding / h);
  // The square system with these residuals as unknowns is Petzold, Potra 1992 (3.17).
  EXPECT_LE(difference(run(from_text(pendulum("3")), "extended:variant=algebraic", setting), result, plane),
            rounding);
}

TEST_P(ByFormula, GglIsPbWhenTheMassIsOne) {
  const DaeSystem system = from_text(pendulum("1"));
  const RunResult ggl = run(system, "ggl", setting());
  EXPECT_LE(difference(run(system, "projected-invariants:variant=pb", setting()), ggl, plane), rounding);
  const DaeSystem turning = problem("ascher_petzold_4.mo", {{"nu", "7"}});
  const std::vector<std::string> names{"p1", "p2", "v1", "v2"};
  EXPECT_LE(difference(run(turning, "projected-invariants:variant=pb", setting()),
                       run(turning, "ggl", setting()), names),
            rounding);
  const DaeSystem heavy = from_text(pendulum("3"));
  EXPECT_GE(difference(run(heavy, "projected-invariants:variant=pb", setting()), run(heavy, "ggl", setting()),
                       plane),
            visible);
}

// Ascher, Petzold 1993 §3.3: x_n with Rx_n integrated and Cx_n + r = 0 is x_n with a μ along D, RD = 0.
TEST_P(ByFormula, StateSpaceFormIsPaWithRDZero) {
  const std::vector<std::string> names{"x1", "x2"};
  for (const char* file : {"ascher_petzold_1.mo", "ascher_petzold_2.mo"}) {
    const DaeSystem system = problem(file, {{"nu", "5"}});
    const RunResult first = run(system, "coordinate-partitioning:A=[1;0]", setting());
    EXPECT_LE(difference(run(system, "projected-invariants:D=[0;1]", setting()), first, names), rounding)
        << file;
    const RunResult mixed = run(system, "coordinate-partitioning:A=[1;2]", setting());
    EXPECT_LE(difference(run(system, "projected-invariants:D=[-2;1]", setting()), mixed, names), rounding)
        << file;
    EXPECT_GE(difference(first, mixed, names), visible) << file;
  }
}

TEST_P(ByFormula, OnlyTheRangeOfDMatters) {
  const DaeSystem second = problem("ascher_petzold_3.mo", {{"nu", "3"}});
  const std::vector<std::string> names{"p1", "p2", "v1", "v2"};
  for (const char* formulation :
       {"ggl:D=", "projected-invariants:variant=pa,D=", "projected-invariants:variant=pb,D="}) {
    const RunResult one = run(second, std::string(formulation) + "[1;2]", setting());
    const RunResult ten = run(second, std::string(formulation) + "[-10;-20]", setting());
    EXPECT_LE(difference(one, ten, names), rounding) << formulation;
    EXPECT_GE(difference(one, run(second, std::string(formulation) + "[0;1]", setting()), names), visible)
        << formulation;
    if (!equal_steps()) continue;
    const double mu = formulation_value(one, "mu[1]");
    EXPECT_GT(std::abs(mu), 1e-5) << formulation;
    EXPECT_NEAR(formulation_value(ten, "mu[1]"), -mu / 10, rounding * setting().steps) << formulation;
  }
  // M = I: D = M⁻¹Gᵀ is Gᵀ.
  const DaeSystem unit = problem("ascher_petzold_4.mo", {{"nu", "3"}});
  EXPECT_LE(difference(run(unit, "ggl:D=B", setting()), run(unit, "ggl:D=GT", setting()), names), rounding);
}

// Petzold, Ren, Maly 1997 (2.5): g + h(Gx' + g_t) = 0 is what Baumgarte's equation with γ = 1/h says at the
// end of a step. Where G is constant and g_tt = 0 that is 2g(t_n) = g(t_(n-1)): the direct step, on which g =
// 0. Where the constraint turns, the two are different, and the first has a residual of second order in h.
TEST(Formulations, BaumgarteCoupledToTheStepIsTheLinearisedConstraint) {
  const int steps = 64;
  const double h = 1.0 / steps;
  const Setting setting{.integrator = "backward-euler", .until = 1, .steps = steps};
  const std::string text = R"(model Straight
  Real x(start = 1, fixed = true), y, lambda;
equation
  der(x) = -x*y + 3*lambda; der(y) = sin(x) - y + lambda;
  x + 2*y = 2 + 0.5*time;
end Straight;)";
  const DaeSystem straight = from_text(text);
  EXPECT_LE(
      difference(run(straight, "baumgarte:gamma=1/h", setting), run(straight, "index2", setting), {"x", "y"}),
      rounding);
  const DaeSystem turning = problem("ascher_petzold_1.mo", {{"nu", "7"}});
  const RunResult coupled = run(turning, "baumgarte:gamma=1/h", setting);
  const auto x1 = signal(coupled, "x1");
  const auto x2 = signal(coupled, "x2");
  double wrong = 0;
  double g_largest = 0;
  for (std::size_t n = 1; n < x1.size(); ++n) {
    const double t = coupled.trajectory.times[n];
    const double s = std::sin(7 * t);
    const double c = std::cos(7 * t);
    const double g = s * (x1[n] - std::exp(t)) + c * (x2[n] - std::exp(t));
    const double g_t = 7 * (c * (x1[n] - std::exp(t)) - s * (x2[n] - std::exp(t))) - (s + c) * std::exp(t);
    const double g_x = s * (x1[n] - x1[n - 1]) / h + c * (x2[n] - x2[n - 1]) / h;
    wrong = std::max(wrong, std::abs(g + h * (g_x + g_t)));
    g_largest = std::max(g_largest, std::abs(g));
  }
  EXPECT_LE(wrong, rounding);
  EXPECT_GE(g_largest, 1e-4);
  EXPECT_LE(g_largest, 50 * h * h * std::exp(1.0) * 2);  // ½ h² |g''| and more, |g''| about 49 e √2
  EXPECT_GE(difference(coupled, run(turning, "index2", setting), {"x1", "x2"}), visible);
}

// Ascher, Petzold 1993, (4.18)-(4.22): a step of the underlying ODE, then the projection of the positions in
// the norm W, is pa with D = W⁻¹Cᵀ where the acceleration does not depend on the position, and not otherwise:
// in pa the acceleration is taken at the projected positions. (Projecting the velocities, too, is no pa.)
TEST(Formulations, StepThenProjectIsPaWhereTheAccelerationDoesNotDependOnPosition) {
  const Setting setting{.integrator = "backward-euler", .until = 1, .steps = 64};
  const std::vector<std::string> names{"p1", "p2", "v1", "v2"};
  const DaeSystem third = problem("ascher_petzold_3.mo", {{"nu", "3"}});
  const DaeSystem fourth = problem("ascher_petzold_4.mo", {{"nu", "3"}});
  struct Pair {
    const char* norm;
    const char* direction;
  };
  for (const auto& [norm, direction] : {Pair{"I", "GT"}, Pair{"M", "B"}}) {
    const std::string projection = std::string("orthogonal-projection:levels=position,W=") + norm;
    const std::string invariants = std::string("projected-invariants:variant=pa,D=") + direction;
    const RunResult projected = run(third, projection, setting);
    EXPECT_LE(difference(projected, run(third, invariants, setting), names), rounding) << norm;
    EXPECT_GE(difference(projected, run(third, "index1", setting), names), visible) << norm;
    EXPECT_GE(difference(run(fourth, projection, setting), run(fourth, invariants, setting), names), visible)
        << norm;
  }
  // A norm given by numbers: W⁻¹Cᵀ = [2,1;1,3]⁻¹ (1, 2)ᵀ is along (1, 3).
  const DaeSystem driven = from_text(R"(model Driven
  Real p1(start = 0.3, fixed = true), p2, v1(start = 1, fixed = true), v2, lambda;
equation
  der(p1) = v1; der(p2) = v2;
  5*der(v1) = -v1*v2 - lambda;
  der(v2) = -sin(v2) - 2*lambda;
  p1 + 2*p2 = sin(3*time);
end Driven;)");
  EXPECT_LE(difference(run(driven, "orthogonal-projection:levels=position,W=[2,1;1,3]", setting),
                       run(driven, "projected-invariants:variant=pa,D=[1;3]", setting), names),
            rounding);
}

// The order and the sides in which a user writes the equations of motion are nothing that a formulation may
// depend on.
TEST(Formulations, DoNotDependOnHowTheEquationsOfMotionAreWritten) {
  const Setting setting{.integrator = "backward-euler", .until = 1, .steps = 64};
  const auto written = [](const std::string& first, const std::string& second) {
    return from_text(
        "model P Real x(start = 0.8, fixed = true), y(start = -0.6), u, v(start = 0.5, fixed = true), "
        "lambda; equation der(x) = u; der(y) = v; x^2 + y^2 = 1; " +
        first + second + " end P;");
  };
  const std::string for_u = "der(u) = -2*lambda*x;";
  const std::string for_v = "3*der(v) = -2*lambda*y - 9.81;";
  const DaeSystem ordered = written(for_u, for_v);
  const DaeSystem swapped = written(for_v, "-2*lambda*x = der(u);");
  for (const FormulationRow& row : formulations()) {
    const bool symmetric = row.symmetric;
    Setting mine = setting;
    if (symmetric) mine.integrator = "implicit-midpoint";
    std::string name(row.name);
    if (name == "trust-region" || name == "direct-regularization") name += ":eps=1e-9";
    EXPECT_LE(difference(run(ordered, name, mine), run(swapped, name, mine), plane), rounding) << name;
  }
  for (const char* name : {"orthogonal-projection:W=M", "ggl:D=B", "extended:variant=differentiated"})
    EXPECT_LE(difference(run(ordered, name, setting), run(swapped, name, setting), plane), rounding) << name;
}

// Petzold, Ren, Maly 1997, theorem 3.1: with a redundant constraint of constant rank the error of both
// regularisations is O(ε). x'' written twice: the reference is the same model with the constraint once.
TEST(Formulations, RegularisationsConvergeLikeEpsilonForConstantRankDeficiency) {
  const Setting setting{.integrator = "radau", .until = 1, .tolerance = 1e-12};
  const auto pendulum_with = [](const std::string& force, const std::string& constraints) {
    return from_text(
        "model P Real x(start = 0.8, fixed = true), y(start = -0.6), u, v(start = 0.5, fixed = true); " +
        std::string("Real l1, l2; equation der(x) = u; der(y) = v; der(u) = -") + force + "*x; der(v) = -" +
        force + "*y - 9.81; " + constraints + " end P;");
  };
  const DaeSystem once = pendulum_with("(l1 + 2*l2)", "x^2 + y^2 = 1; l2 = 0;");
  const DaeSystem twice = pendulum_with("(l1 + 2*l2)", "x^2 + y^2 = 1; 2*x^2 + 2*y^2 = 2;");
  const RunResult exact = run(once, "ggl", setting);
  for (const char* method : {"trust-region", "direct-regularization"}) {
    std::vector<double> errors;
    for (const char* eps : {"1e-2", "1e-3", "1e-4"}) {
      const RunResult result = run(twice, std::string(method) + ":eps=" + eps, setting);
      errors.push_back(difference(result, exact, plane));
    }
    // A tenth of ε, a tenth of the error; second-order terms are visible at 1e-2.
    EXPECT_NEAR(std::log10(errors[0] / errors[1]), 1, 0.1) << method;
    EXPECT_NEAR(std::log10(errors[1] / errors[2]), 1, 0.1) << method;
    EXPECT_GT(errors[2], 1e-9) << method;
  }
}

}  // namespace
}  // namespace daedalus
