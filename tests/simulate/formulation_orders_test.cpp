// Constrained forms of order m = 1, 2, 3 and beyond: what the papers define for any m, against exact
// solutions.
#include "advise/plan.hpp"
#include "model/load.hpp"
#include "simulate/formulation_support.hpp"

namespace daedalus {
namespace {

using testing::from_text;
using testing::refusal;
using testing::run;
using testing::Setting;
using testing::signal;

// x = (cos t, sin t) on the unit circle, y = 1 + t; of order m the equations are x^(m) = f - 2 x y with f so
// that they hold. The circle is kept by f alone, so that y says how well multipliers are found.
std::string circle(int m) {
  const char* text = R"(model Circle
  Real x1(start = 1, fixed = true), x2(start = 0), y;
  %DECLARE%
equation
  %CHAIN%
  %TOP1% = %D1% + 2*cos(time)*(1 + time) - 2*x1*y;
  %TOP2% = %D2% + 2*sin(time)*(1 + time) - 2*x2*y;
  x1^2 + x2^2 = 1;
end Circle;)";
  // The m-th derivatives of cos and sin.
  const char* d1[] = {"cos(time)", "-sin(time)", "-cos(time)", "sin(time)", "cos(time)"};
  const char* d2[] = {"sin(time)", "cos(time)", "-sin(time)", "-cos(time)", "sin(time)"};
  const char* s1[] = {"1", "0", "-1", "0"};
  const char* s2[] = {"0", "1", "0", "-1"};
  std::string declare;
  std::string chain;
  std::string below1 = "x1";
  std::string below2 = "x2";
  for (int k = 1; k < m; ++k) {
    const std::string v1 = "v" + std::to_string(k) + "1";
    const std::string v2 = "v" + std::to_string(k) + "2";
    declare +=
        "Real " + v1 + "(start = " + s1[k % 4] + "), " + v2 + "(start = " + s2[k % 4] + ", fixed = true);\n";
    chain += "der(" + below1 + ") = " + v1 + "; der(" + below2 + ") = " + v2 + ";\n";
    below1 = v1;
    below2 = v2;
  }
  // x1 = 1 is fixed: x2 follows; of the derivatives those along the circle are fixed.
  std::string result = text;
  const auto put = [&result](const std::string& mark, const std::string& value) {
    for (auto at = result.find(mark); at != std::string::npos; at = result.find(mark))
      result.replace(at, mark.size(), value);
  };
  put("x1(start = 1, fixed = true), x2(start = 0)", "x1(start = 1), x2(start = 0, fixed = true)");
  put("%DECLARE%", declare);
  put("%CHAIN%", chain);
  put("%TOP1%", "der(" + below1 + ")");
  put("%TOP2%", "der(" + below2 + ")");
  put("%D1%", d1[m]);
  put("%D2%", d2[m]);
  return result;
}

double error_of(const RunResult& result) {
  double worst = 0;
  const auto x1 = signal(result, "x1");
  const auto x2 = signal(result, "x2");
  for (std::size_t k = 0; k < x1.size(); ++k) {
    const double t = result.trajectory.times[k];
    worst = std::max({worst, std::abs(x1[k] - std::cos(t)), std::abs(x2[k] - std::sin(t))});
  }
  return worst;
}

struct Row {
  const char* formulation;
  const char* integrator;
  int least = 1;  // m
};

const std::vector<Row> rows{
    {"index2", "radau"},
    {"index2:gamma=5", "radau"},
    {"index1", "radau"},
    {"baumgarte:gamma=5", "radau"},
    {"baumgarte:gamma=5", "dopri5"},
    {"trust-region", "radau"},
    {"direct-regularization", "radau"},
    {"ggl", "radau", 2},
    {"ggl:D=B", "radau", 2},
    {"projected-invariants:variant=pa", "radau"},
    {"projected-invariants:variant=pb", "radau"},
    {"projected-invariants:variant=pa,velocity=projected", "radau"},
    {"coordinate-partitioning", "radau"},
    {"tangent-plane", "radau"},
    {"orthogonal-projection", "dop853"},
    {"orthogonal-projection", "radau"},
};

// The rate at which errors of this problem grow is bounded: at tolerance 1e-8 positions are right to 1e-5
// after half a turn, by every formulation that the papers define for the order. The constraint holds as the
// formulation says.
TEST(Orders, EveryFormulationOfAnyOrderFindsTheCircle) {
  for (const int m : {1, 2, 3, 4}) {
    const DaeSystem system = from_text(circle(m));
    for (const Row& row : rows) {
      if (m < row.least) continue;
      SCOPED_TRACE(std::string(row.formulation) + " m = " + std::to_string(m));
      const RunResult result =
          run(system, row.formulation, {.integrator = row.integrator, .until = 3, .tolerance = 1e-8});
      EXPECT_LT(error_of(result), 1e-5);
    }
  }
}

// What keeps all levels keeps them to round-off, at every order.
TEST(Orders, AllLevelsAreKept) {
  for (const int m : {2, 3, 4}) {
    const DaeSystem system = from_text(circle(m));
    for (const Row& row : std::vector<Row>{{"ggl", "radau"},
                                           {"projected-invariants:variant=pb", "radau"},
                                           {"projected-invariants:variant=pa,velocity=projected", "radau"},
                                           {"coordinate-partitioning", "radau"},
                                           {"orthogonal-projection", "dopri5"}}) {
      const RunResult result =
          run(system, row.formulation, {.integrator = row.integrator, .until = 3, .tolerance = 1e-6});
      for (int level = 0; level < m; ++level) {
        ASSERT_LT(static_cast<std::size_t>(level), result.summary.drift.levels.size());
        EXPECT_LT(result.summary.drift.levels[static_cast<std::size_t>(level)], 1e-11)
            << row.formulation << " m = " << m << " level " << level;
      }
    }
  }
}

// (3.11): with γ > 0 the index-2 form forgets violations that d-2 adds up.
TEST(Orders, GammaAtIndexTwoStopsTheDrift) {
  const DaeSystem system = from_text(circle(2));
  const Setting setting{.integrator = "radau", .until = 20, .tolerance = 1e-5};
  const double adds_up = run(system, "index2", setting).summary.drift.levels[0];
  const double forgets = run(system, "index2:gamma=5", setting).summary.drift.levels[0];
  EXPECT_LT(forgets, adds_up / 5);
  // γ is that of the whole polynomial: for m = 3 the same with two roots.
  const DaeSystem third = from_text(circle(3));
  const Setting shorter{.integrator = "radau", .until = 5, .tolerance = 1e-5};
  EXPECT_LT(run(third, "index2:gamma=5", shorter).summary.drift.levels[0],
            run(third, "index2", shorter).summary.drift.levels[0] / 5);
}

// A polynomial of one's own: (τ + γ)² is that of gamma, and one that does not decay is refused.
TEST(Orders, BaumgarteTakesAPolynomial) {
  const DaeSystem system = from_text(circle(2));
  const Setting setting{.integrator = "radau", .until = 1, .tolerance = 1e-7};
  EXPECT_EQ(testing::difference(run(system, "baumgarte:polynomial=[25,10]", setting),
                                run(system, "baumgarte:gamma=5", setting), {"x1", "x2", "y"}),
            0);
  const DaeSystem third = from_text(circle(3));
  EXPECT_EQ(testing::difference(run(third, "baumgarte:polynomial=[125,75,15]", setting),
                                run(third, "baumgarte:gamma=5", setting), {"x1", "x2", "y"}),
            0);
  // τ³ + τ² + τ + 2 has a pair of roots in the right half-plane, although all coefficients are positive.
  EXPECT_NE(refusal(third, "baumgarte:polynomial=[2,1,1]", setting).find("does not decay"),
            std::string::npos);
  EXPECT_NE(refusal(system, "baumgarte:polynomial=[1,0]", setting).find("does not decay"), std::string::npos);
  EXPECT_NE(refusal(system, "baumgarte:polynomial=[1]", setting).find("2 coefficients"), std::string::npos);
}

// ida's past is not ours to change.
TEST(Orders, ProjectedVelocitiesAreNotForIda) {
  EXPECT_NE(refusal(from_text(circle(2)), "projected-invariants:variant=pa,velocity=projected",
                    {.integrator = "ida", .until = 1})
                .find("ida does not take"),
            std::string::npos);
}

// m = 4 on the unit circle, forces that change the accelerations' rates as well.
constexpr const char* fourth = R"(model Fourth
  Real x1(start = 1), x2(start = 0, fixed = true), u1, u2(start = 1, fixed = true), a1(start = -1);
  Real a2(start = 0, fixed = true), b1, b2(start = -1, fixed = true), y;
equation
  der(x1) = u1; der(x2) = u2; der(u1) = a1; der(u2) = a2; der(a1) = b1; der(a2) = b2;
  der(b1) = -3*a1 - b1 - 2*x1*y + (2 + sin(time))*cos(time) + sin(time) - 2*cos(time);
  der(b2) = -a2 - u2 - 2*x2*y + (2 + sin(time))*sin(time) + cos(time);
  x1^2 + x2^2 = 1;
end Fourth;)";

// A coordinate that is no longer a good one amplifies rounding and Newton's errors in each of the m
// equations.
TEST(Orders, ALooseThresholdDoesNotStallHighOrders) {
  const DaeSystem system = from_text(fourth);
  const Setting setting{.integrator = "bdf", .until = 2, .tolerance = 1e-9};
  const RunResult loose = run(system, "coordinate-partitioning:threshold=5", setting);
  const RunResult plane = run(system, "tangent-plane", setting);
  EXPECT_LT(loose.summary.counters.steps, 3 * plane.summary.counters.steps);
  EXPECT_LT(error_of(loose), 1e-6);
}

// A Taylor series goes far beyond what a coordinate describes, here past the point at which it describes
// nothing: the end of a step is moved in coordinates that are good there, and points within it by the least
// change. The third derivative was off by 4 at rtol 1e-3 near x1 = 0.
TEST(Orders, LongStepsOfASeriesPassWhereCoordinatesEnd) {
  const DaeSystem system = from_text(fourth);
  for (const char* formulation : {"coordinate-partitioning:threshold=5", "tangent-plane:update=condition"}) {
    const RunResult result =
        run(system, formulation, {.integrator = "taylor", .until = 2, .tolerance = 1e-3});
    EXPECT_LT(error_of(result), 0.1) << formulation;
    const auto third = signal(result, "b1");
    for (std::size_t k = 0; k < third.size(); ++k)
      EXPECT_NEAR(third[k], std::sin(result.trajectory.times[k]), 0.1) << formulation;
  }
}

// A constraint that is an alias, x1 = x2, is a constraint for formulations by name: two masses that are held
// together.
TEST(Orders, ConstraintsThatAreAliasesAreKept) {
  const std::string text = R"(model Held
  Real x1(start = 1, fixed = true), x2, v1(start = 0, fixed = true), v2, y;
equation
  der(x1) = v1; der(x2) = v2;
  der(v1) = -x1 + y; 2*der(v2) = -5*x2 - y;
  x1 = x2;
end Held;)";
  // Together 3 x'' = -6 x; the force between them is y = -x.
  for (const char* formulation :
       {"ggl", "index2", "index1", "baumgarte", "trust-region", "orthogonal-projection"}) {
    const auto sources = std::make_shared<SourceMap>();
    const auto file = sources->add("held", text);
    const auto system = load_for(Selection(formulation), [&](bool keep) {
      return load_model(sources, file, {.keep_constraints = keep});
    });
    ASSERT_TRUE(system);
    const RunResult result =
        run(*system, formulation, {.integrator = "radau", .until = 2, .tolerance = 1e-8});
    EXPECT_NEAR(testing::final_value(result, "x2"), std::cos(std::sqrt(2.0) * 2), 1e-6) << formulation;
    EXPECT_NEAR(testing::final_value(result, "y"), -std::cos(std::sqrt(2.0) * 2), 1e-5) << formulation;
  }
}

// r = const is put into the other equations, and constraints that depend on it say nothing any more: auto
// then takes them all as they were written, with as many multipliers.
TEST(Orders, RedundancyBesideAConstantIsRunByAuto) {
  // The pendulum in polar coordinates. What is dependent: the rod's length twice, as a velocity, and by two
  // constraints of another coordinate; or an angle that is held at another one twice.
  const std::string polar = "r*der(w) + 2*vr*w = -9.81*sin(phi); ";
  struct Dependent {
    const char* what;
    std::string declared, equations;
  };
  const Dependent models[] = {
      {"doubled", "a, b", "der(vr) = r*w^2 + 9.81*cos(phi) - a - b; r = 1; 2*r = 2; "},
      {"a constraint of velocity", "a, b", "der(vr) = r*w^2 + 9.81*cos(phi) - a - b; r = 1; vr = 0; "},
      {"dependent on two", "a, b, c, s(start = 1), vs",
       "der(vr) = r*w^2 + 9.81*cos(phi) - a - c; der(s) = vs; der(vs) = -b + c; r = 1; s = 1; r - s = 0; "},
      {"nonlinear", "a, b", "der(vr) = r*w^2 + 9.81*cos(phi) - a - b; r = 1; r^2 + r = 2; "},
  };
  for (const Dependent& row : models) {
    const std::string text =
        "model Polar Real r(start = 1), phi(start = 1, fixed = true), vr, "
        "w(start = 0, fixed = true), " +
        row.declared + "; equation der(r) = vr; der(phi) = w; " + polar + row.equations + "end Polar;";
    const auto sources = std::make_shared<SourceMap>();
    const auto file = sources->add("polar", text);
    const auto system = load_for(
        Selection("auto"), [&](bool keep) { return load_model(sources, file, {.keep_constraints = keep}); });
    ASSERT_TRUE(system) << row.what;
    const RunResult result = run(*system, "auto", {.integrator = "auto", .until = 2, .tolerance = 1e-8});
    const auto phi = signal(result, "phi");
    const auto w = signal(result, "w");
    const auto r = signal(result, "r");
    for (std::size_t k = 0; k < phi.size(); ++k) {
      // Energy is kept: a few tolerances of terms of size 10.
      EXPECT_NEAR(w[k] * w[k] / 2 - 9.81 * std::cos(phi[k]), -9.81 * std::cos(1.0), 1e-5) << row.what;
      EXPECT_NEAR(r[k], 1, 1e-7) << row.what;
    }
  }
}

// Where auto takes an explicit method with projection for redundant constraints, an implicit integrator by
// name gets what it can solve: a doubled constraint of velocity (a knife edge that turns at the rate 2).
TEST(Orders, RedundantMotionConstraintsRunWithEveryIntegrator) {
  const DaeSystem system = from_text(R"(model Knife
  Real x(fixed = true), y(fixed = true), phi(fixed = true), vx(start = 0, fixed = true), vy,
       w(start = 2, fixed = true), a, b;
equation
  der(x) = vx; der(y) = vy; der(phi) = w; der(w) = 0;
  der(vx) = 3 - (a + 2*b)*sin(phi); der(vy) = (a + 2*b)*cos(phi);
  vx*sin(phi) - vy*cos(phi) = 0; 2*vx*sin(phi) - 2*vy*cos(phi) = 0;
end Knife;)");
  for (const char* integrator : {"auto", "radau", "bdf", "ida", "dop853", "backward-euler"}) {
    const bool fixed = std::string_view(integrator) == "backward-euler";
    const RunResult result = run(
        system, "auto",
        {.integrator = integrator, .until = 2, .steps = fixed ? 1024 : 0, .tolerance = 1e-6, .points = 41});
    const auto x = signal(result, "x");
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double exact = 3.0 / 8 * std::pow(std::sin(2 * result.trajectory.times[k]), 2);
      // Backward Euler errs by some h = 1/512.
      EXPECT_NEAR(x[k], exact, fixed ? 2e-2 : 1e-4) << integrator;
    }
  }
}

// What a regularisation cannot follow is no impasse where the constraints have full rank, and is told as what
// it is: of order 3 the constraint as it stands is unstable at this tolerance.
TEST(Orders, WhatARegularisationCannotFollowIsNoImpasse) {
  const DaeSystem system = from_text(R"(model Third
  Real x(start = 1), z(start = 0, fixed = true), u, v(start = 0.5, fixed = true), a, b(start = 0, fixed = true), y;
equation
  der(x) = u; der(z) = v; der(u) = a; der(v) = b;
  der(a) = -u - 2*x*y; der(b) = -v + sin(time) - 2*(z + 0.2)*y;
  x^2 + (z + 0.2)^2 = 1.04;
end Third;)");
  const Setting loose{.integrator = "radau", .until = 2, .tolerance = 1e-4};
  const auto stands = simulate(system, testing::options_of("trust-region:convert=none", loose));
  ASSERT_TRUE(stands);
  EXPECT_FALSE(stands->ok());
  EXPECT_EQ(stands->summary.reason.find("impasse"), std::string::npos) << stands->summary.reason;
  EXPECT_NE(stands->summary.reason.find("full rank"), std::string::npos) << stands->summary.reason;
  const RunResult converted = run(system, "trust-region", loose);
  const RunResult exact =
      run(system, "orthogonal-projection", {.integrator = "dop853", .until = 2, .tolerance = 1e-10});
  EXPECT_LE(testing::difference(converted, exact, {"x", "z"}), 1e-2);
}

// ε of a tolerance takes part of a constraint's force away, and (d/dt + γ)³ g with less of its lower terms
// is unstable; converted to index 2 each level decays by itself. Seen as an impasse at rtol 1e-4.
TEST(Orders, RegularisationsOfHigherOrderAreStableAtLooseTolerances) {
  for (const int order : {3, 4}) {
    const DaeSystem system = from_text(circle(order));
    for (const char* formulation : {"trust-region", "direct-regularization"}) {
      for (const double rtol : {1e-3, 1e-4, 1e-6}) {
        const RunResult result =
            run(system, formulation, {.integrator = "radau", .until = 2, .tolerance = rtol});
        const auto x1 = signal(result, "x1");
        for (std::size_t k = 0; k < x1.size(); ++k)
          EXPECT_NEAR(x1[k], std::cos(result.trajectory.times[k]), 100 * rtol) << formulation << " " << order;
      }
    }
  }
}

}  // namespace
}  // namespace daedalus
