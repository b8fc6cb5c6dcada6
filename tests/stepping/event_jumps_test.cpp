// What values become at events: positions stay, velocities change as an impulse changes them, in every
// formulation; constraints that an event brings conserve momentum.
#include <fmt/format.h>

#include <cmath>

#include "reform/formulation.hpp"
#include "stepping/event_support.hpp"

namespace daedalus {
namespace {

using testing::at_end;
using testing::run_hybrid;

// Those that take adaptive steps by default.
std::vector<std::string> adaptive_formulations() {
  std::vector<std::string> names;
  for (const FormulationRow& row : formulations()) {
    if (row.name != "symmetric-projection") names.emplace_back(row.name);
  }
  return names;
}

// Formulations that let constraints drift, or regularise them, are as good as their drift.
double allowed(const std::string& formulation) {
  return formulation.starts_with("baumgarte-h") ? 1e-3 : 1e-5;
}

constexpr const char* pendulum =
    "Real x(start=1), y(start=0,fixed=true), u, v(start=0,fixed=true), l; equation der(x)=u; der(y)=v; "
    "der(u)=-l*x; der(v)=-l*y-9.81; x^2+y^2=1; ";

// To turn the velocity round is to run the motion backwards: at 0.8 the pendulum is where it was at 0, at
// rest.
TEST(EventJumps, AReversedPendulumRunsBackInEveryFormulation) {
  for (const std::string& name : adaptive_formulations()) {
    for (const char* component : {"u", "v"}) {
      const RunResult r = run_hybrid(fmt::format("{} when time > 0.4 then reinit({}, -pre({})); end when;",
                                                 pendulum, component, component),
                                     {.until = 0.8, .formulation = name});
      ASSERT_TRUE(r.ok()) << name << ": " << r.summary.reason;
      EXPECT_NEAR(at_end(r, "x"), 1, allowed(name)) << name << ", " << component;
      EXPECT_NEAR(at_end(r, "y"), 0, allowed(name)) << name << ", " << component;
      EXPECT_NEAR(at_end(r, "v"), 0, 10 * allowed(name)) << name << ", " << component;
    }
  }
}

// A rod of length 1 with masses 1 and m at its ends, at rest along 45°. One end is given the velocity (3, ?):
// the impulse along the rod, S, moves the other end: with d = (1, 1)/√2 from the second to the first mass,
// u1 = 3 by the reinit and w1 = S/√2, (u2, w2) = -(S/m) d, and the length stays: (v1 - v2)·d = 0,
// so 3/√2 + S/2 + S/m = 0 (the x part of S on the first mass is taken up by what reinit does).
TEST(EventJumps, TheImpulseOfAConstraintMovesTheOthers) {
  for (const double m : {0.5, 2.0, 30.0}) {
    for (const std::string& name : adaptive_formulations()) {
      const RunResult r = run_hybrid(
          fmt::format(
              "Real x1(start=0.70710678118654757,fixed=true), y1(start=0.70710678118654757), "
              "x2(start=0,fixed=true), y2(start=0,fixed=true), u1(start=0,fixed=true), w1, "
              "u2(start=0,fixed=true), w2(start=0,fixed=true), l; Real a(start=0,fixed=true), "
              "b(start=0,fixed=true), c(start=0,fixed=true), p(start=0,fixed=true); equation der(x1)=u1; "
              "der(y1)=w1; "
              "der(x2)=u2; der(y2)=w2; der(u1)=l*(x1-x2); der(w1)=l*(y1-y2); {0}*der(u2)=-l*(x1-x2); "
              "{0}*der(w2)=-l*(y1-y2); (x1-x2)^2+(y1-y2)^2=1; der(a)=0; der(b)=0; der(c)=0; der(p)=0; "
              "when time > 0.5 then reinit(u1, 3); elsewhen time > 0.75 then reinit(a, u2); reinit(b, w2); "
              "reinit(c, u1); reinit(p, u1 + {0}*u2); end when;",
              m),
          {.until = 0.500001, .formulation = name});
      ASSERT_TRUE(r.ok()) << name << ": " << r.summary.reason;
      const double s = -3 / std::sqrt(2.0) / (0.5 + (1 / m));
      const double tolerance = 100 * allowed(name);  // a microsecond of rotation and of drift
      EXPECT_NEAR(at_end(r, "u1"), 3, tolerance) << name;
      EXPECT_NEAR(at_end(r, "w1"), s / std::sqrt(2.0), tolerance) << name;
      EXPECT_NEAR(at_end(r, "u2"), -s / m / std::sqrt(2.0), tolerance) << name;
      EXPECT_NEAR(at_end(r, "w2"), -s / m / std::sqrt(2.0), tolerance) << name;
    }
  }
}

// Without constraints a reinit says all there is to say: other states stay, whatever the mass matrix is.
TEST(EventJumps, OtherStatesStay) {
  const RunResult r = run_hybrid(
      "Real a(start=1,fixed=true), b(start=2,fixed=true); equation 2*der(a)+der(b)=0; der(a)+3*der(b)=0; "
      "when "
      "time > 0.5 then reinit(a, 7); end when;");
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  EXPECT_EQ(at_end(r, "a"), 7);
  EXPECT_EQ(at_end(r, "b"), 2);
}

// Momentum, or charge, is what it was; the same with the sides exchanged, scaled, through an auxiliary, with
// the event by time or by a state.
TEST(EventJumps, AClutchThatClosesConservesMomentum) {
  for (const char* clutch :
       {"equation der(w1)=-tau; 2*der(w2)=tau; 0=if time<0.5 then tau else w1-w2;",
        "equation der(w1)=-tau; tau=2*der(w2); (if time<0.5 then tau else w2-w1)=0;",
        "Real s; equation der(w1)=-tau; 2*der(w2)=s; s=tau; 0=if time<0.5 then s else w1-w2;",
        "equation 1e-6*der(w1)=-1e-6*tau; 2e9*der(w2)=1e9*tau; 0=if time<0.5 then tau else 1e6*(w1-w2);",
        "Real x(start=1,fixed=true); Boolean open; equation der(x)=-1; open=x>0.5; der(w1)=-tau; "
        "2*der(w2)=tau; 0=if open then tau else w1-w2;"}) {
    for (const char* integrator : {"radau", "bdf"}) {
      const RunResult r =
          run_hybrid(fmt::format("Real w1(start=1,fixed=true), w2(start=0,fixed=true), tau; {}", clutch),
                     {.integrator = integrator});
      ASSERT_TRUE(r.ok()) << clutch << ": " << r.summary.reason;
      EXPECT_NEAR(at_end(r, "w1"), 1.0 / 3, 1e-7) << clutch;
      EXPECT_NEAR(at_end(r, "w2"), 1.0 / 3, 1e-7) << clutch;
      EXPECT_TRUE(r.summary.warnings.empty()) << r.summary.warnings.front();
    }
  }
}

// Twice closed, once opened, under a torque of 1 on the first wheel: w1 + 2 w2 = 1 + t.
// What an event changes in a constraint is a jump and no drift, however loose the tolerances are: the same
// values as the impulse gives, which has no error of integration.
TEST(EventJumps, JumpsSmallerThanDriftAreJumps) {
  for (const double rtol : {1e-3, 1e-4, 1e-6}) {
    const RunResult clutch = run_hybrid(
        "Real a(start=1,fixed=true), b(start=1.05,fixed=true), tau; "
        "equation der(a)=-tau; 4*der(b)=tau; 0=if time<0.5 then tau else a-b;",
        {.rtol = rtol});
    ASSERT_TRUE(clutch.ok()) << clutch.summary.reason;
    EXPECT_NEAR(at_end(clutch, "a"), 1.04, 1e-12) << rtol;  // (1 + 4 * 1.05) / 5
    EXPECT_NEAR(at_end(clutch, "b"), 1.04, 1e-12) << rtol;
    const RunResult sum = run_hybrid(
        "Real a(start=1,fixed=true), b(start=2), l; "
        "equation der(a)=l; der(b)=-3*l; a+b=if time<0.5 then 3 else 3.05;",
        {.rtol = rtol});
    ASSERT_TRUE(sum.ok()) << sum.summary.reason;
    EXPECT_NEAR(at_end(sum, "a"), 0.975, 1e-12) << rtol;  // δ - 3 δ = 0.05
    EXPECT_NEAR(at_end(sum, "b"), 2.075, 1e-12) << rtol;
  }
}

// A rod that becomes longer at once: its end leaves along the impulse M⁻¹ Gᵀ, that is along the rod.
TEST(EventJumps, ALongerRodIsLongerAtLooseTolerances) {
  for (const double rtol : {1e-3, 1e-4}) {
    const RunResult r = run_hybrid(
        "Real x(start=1), y(start=0), u(start=0), v(start=1), l, r; "
        "equation der(x)=u; der(y)=v; der(u)=-l*x; der(v)=-l*y; r=sqrt(x^2+y^2);"
        "x^2+y^2=if time<0.5 then 1 else 1.04;",
        {.rtol = rtol});
    ASSERT_TRUE(r.ok()) << r.summary.reason;
    // Newton's last step is a thousandth of the tolerances, and the projection holds it.
    EXPECT_NEAR(at_end(r, "r"), std::sqrt(1.04), rtol) << rtol;
    EXPECT_TRUE(r.summary.warnings.empty()) << r.summary.warnings.front();
  }
}

TEST(EventJumps, AClutchMayOpenAndCloseAgain) {
  const RunResult r = run_hybrid(
      "Real w1(start=1,fixed=true), w2(start=0,fixed=true), tau; equation der(w1)=-tau+1; 2*der(w2)=tau; "
      "0=if "
      "time<0.5 or time>1 and time<1.5 then tau else w1-w2;",
      {.until = 2});
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  EXPECT_NEAR(at_end(r, "w1"), 1, 1e-7);
  EXPECT_NEAR(at_end(r, "w2"), 1, 1e-7);
}

// The condition of a when clause is that before its own reinit.
TEST(EventJumps, AReinitDoesNotTakeItsOwnConditionBack) {
  const RunResult r = run_hybrid(
      "Real h(start=1,fixed=true), v(start=0,fixed=true); Integer n(start=0,fixed=true); equation der(h)=v; "
      "der(v)=-9.81; when h<0 and v<0 then reinit(v,-0.8*pre(v)); n=pre(n)+1; end when;",
      {.until = 2});
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  const double fall = std::sqrt(2 / 9.81);
  int bounces = 0;
  for (double t = fall, e = 0.8; t < 2; t += 2 * e * fall, e *= 0.8) ++bounces;
  EXPECT_EQ(at_end(r, "n"), bounces);
}

}  // namespace
}  // namespace daedalus
