// The driver of rewritten forms: the values it holds during a step, the kind of system that each method gets,
// what it says of drift, rank and impasses, and copies on the way.
#include "drive/reform_driver.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "driven.hpp"

namespace daedalus::testing {
namespace {

// A driver that shows what it holds.
class OpenDriver final : public ReformDriver {
 public:
  using ReformDriver::ReformDriver;
  using ReformDriver::residual;
  // By role and, of A, by entry; of ε by constraint.
  [[nodiscard]] double held(HeldValue::Role role, int row = 0, int column = 0) {
    for (const HeldValue& value : residual().system().held) {
      if (value.role == role && value.row == row && value.column == column)
        return environment()[static_cast<std::size_t>(residual().slot(value.leaf))];
    }
    ADD_FAILURE() << "nothing is held";
    return 0;
  }
};

Driven opened(Driven driven) {
  auto system = reformulate(*driven.plan->row, *driven.plan->form, driven.plan->row_options,
                            driven.plan->integrator_row->make == nullptr);
  EXPECT_TRUE(system.has_value());
  driven.driver = std::make_unique<OpenDriver>(driven.setting(), *std::move(system));
  return driven;
}

struct Opened {
  explicit Opened(Driven made, double angle = usual_angle)
      : run(opened(std::move(made)), angle), driver(dynamic_cast<OpenDriver&>(*run.driven.driver)) {}
  Stepped run;
  OpenDriver& driver;
};

Driven adaptive(const std::string& formulation, const std::string& integrator) {
  return {from_text(bead_text()), run_options(formulation, integrator)};
}

// G M⁻¹ Gᵀ of the bead, masses 1 and 4.
double schur_of_bead(double angle) {
  return (4 * std::cos(angle) * std::cos(angle)) + (std::sin(angle) * std::sin(angle));
}
double multiplier_of_bead(double angle) {
  return ((initial_speed * initial_speed) - (bead_gravity * std::sin(angle))) / schur_of_bead(angle) * 2;
}

// γ = 1/h at a fixed step is one over that step.
TEST(ReformDriver, HoldsAFixedStep) {
  Opened opened(Driven("baumgarte-h", "radau", 0.03));
  opened.run.go(3);
  EXPECT_EQ(opened.driver.held(HeldValue::Role::Step), 0.03);
}

// At an adaptive step it follows within a factor of two, and never below a ten-thousandth of the run.
TEST(ReformDriver, FollowsAnAdaptiveStepWithinAFactorOfTwo) {
  Opened opened(adaptive("baumgarte-h", "radau"));
  const double floor = 1e-4 * far;
  int changes = 0;
  double before = opened.driver.held(HeldValue::Role::Step);
  for (int k = 0; k < 25; ++k) {
    const double h = std::max(opened.run.begun.integrator->next_step(far), floor);
    ASSERT_EQ(opened.run.step(), "");
    const double held = opened.driver.held(HeldValue::Role::Step);
    EXPECT_GE(h, held);
    EXPECT_LT(h, 2 * held);
    if (held != before) ++changes;
    before = held;
  }
  EXPECT_GE(changes, 1);
  EXPECT_LT(changes, 25);
}

// ε = ((γ₁ + γ₀) tol / 2Δ)², Δ ten times the multipliers at the start: with it multipliers of size Δ violate
// the constraint by the tolerance (trust-region.md). Converted to index 2 each level has γ alone.
TEST(ReformDriver, EpsilonFollowsTheToleranceAndTheMultipliers) {
  struct Row {
    const char* options;
    double gamma1, gamma0;
  };
  for (const Row& row : {Row{"", 200, 20000}, Row{":gamma=3", 6, 18}, Row{":gamma0=7,gamma1=5", 5, 7},
                         Row{":convert=ggl", 100, 0}, Row{":convert=ggl,gamma=3", 3, 0}}) {
    for (const double rtol : {1e-4, 1e-8}) {
      RunOptions options = run_options(std::string("trust-region") + row.options, "radau");
      options.rtol = rtol;
      Opened opened(Driven(from_text(bead_text()), options));
      ASSERT_EQ(opened.run.step(), "");
      const double radius = 10 * multiplier_of_bead(usual_angle);
      const double expected = std::pow((row.gamma1 + row.gamma0) * rtol / (2 * radius), 2);
      EXPECT_NEAR(opened.driver.held(HeldValue::Role::Epsilon) / expected, 1, 1e-12) << row.options;
    }
  }
}

// The radius δ: (h⁴/2) λ² ≤ δ. Of one constraint S² λ/(S² + ε) is the multiplier, so that ε is known by hand:
// none to speak of where the radius is far, and S² (λ/λ_max - 1) where it is near.
TEST(ReformDriver, EpsilonOfARadiusIsTheSmallestThatKeepsIt) {
  constexpr double h = 0.05;
  const double s = schur_of_bead(usual_angle);
  const double lambda = multiplier_of_bead(usual_angle);
  for (const double part : {0.2, 0.7, 0.99, 1.01, 30.0}) {
    const double most = part * lambda;
    const double delta = std::pow(h, 4) / 2 * most * most;
    Opened opened(Driven(fmt::format("trust-region:delta={:.17g}", delta), "radau", h));
    opened.driver.before_step(*opened.run.begun.integrator, far);
    const double epsilon = opened.driver.held(HeldValue::Role::Epsilon);
    if (part > 1) {
      EXPECT_LT(epsilon, 1e-12 * s * s) << part;
    } else {
      // Bisection to 1e-6 of ε, and δ was read from its shortest text.
      EXPECT_NEAR(epsilon / (s * s * ((lambda / most) - 1)), 1, 2e-6) << part;
    }
  }
}

// It holds at the end of every step, by one part in a hundred.
TEST(ReformDriver, StepsAreTakenAgainUntilTheRadiusHolds) {
  constexpr double h = 0.02;
  const double most = 0.8 * multiplier_of_bead(usual_angle);
  const double delta = std::pow(h, 4) / 2 * most * most;
  Opened opened(Driven(fmt::format("trust-region:delta={:.17g}", delta), "radau", h));
  double nearest = 0;
  for (int k = 0; k < 10; ++k) {
    ASSERT_EQ(opened.run.step(), "");
    opened.run.load_end();
    // h is what the method took, which may be shorter than what was asked for.
    const double used = std::pow(opened.run.begun.integrator->last_step(), 4) / 2 *
                        std::pow(opened.run.at("lambda"), 2) / delta;
    EXPECT_LE(used, 1.01);
    nearest = std::max(nearest, used);
  }
  EXPECT_GT(nearest, 0.9) << "it was reached";
}

// The columns of A in the basis of the tangent plane are orthonormal, and G A = 0 at the end of each step.
TEST(ReformDriver, TheTangentPlaneTurnsWithTheConstraint) {
  Opened opened(Driven("tangent-plane", "radau"));
  for (int k = 0; k < 5; ++k) {
    opened.run.go(1);
    opened.run.load_end();
    const double ax = opened.driver.held(HeldValue::Role::Basis, 0, 0);
    const double ay = opened.driver.held(HeldValue::Role::Basis, 1, 0);
    EXPECT_NEAR((ax * ax) + (ay * ay), 1, 1e-14);
    // (x, y) is on the circle to the tolerance of a fixed step.
    EXPECT_NEAR((opened.run.at("x") * ax) + (opened.run.at("y") * ay), 0, 1e-9);
  }
  EXPECT_EQ(opened.run.finished().pivot_count, 5);
}

// A coordinate is a unit vector, exchanged in the step in which the other one has become twice as good.
TEST(ReformDriver, CoordinatesAreExchangedAtTheThreshold) {
  Opened opened(Driven("coordinate-partitioning", "radau"), -0.5);
  const auto coordinate = [&] {
    const double ax = opened.driver.held(HeldValue::Role::Basis, 0, 0);
    const double ay = opened.driver.held(HeldValue::Role::Basis, 1, 0);
    EXPECT_EQ(ax + ay, 1);
    EXPECT_EQ(ax * ay, 0);
    return ax == 1 ? 'x' : 'y';
  };
  EXPECT_EQ(coordinate(), 'y');
  double ratio = 0;
  for (int k = 0; k < 60 && coordinate() == 'y'; ++k) {
    EXPECT_LE(ratio, 2);
    opened.run.go(1);
    opened.run.load_end();
    ratio = std::abs(opened.run.at("y") / opened.run.at("x"));
  }
  EXPECT_EQ(coordinate(), 'x');
  EXPECT_GT(ratio, 2);
  EXPECT_EQ(opened.run.finished().pivot_count, 1);
}

// A given A is never changed.
TEST(ReformDriver, AGivenBasisStays) {
  Stepped run("coordinate-partitioning:A=[0;1]", "radau", -0.5);
  run.go(20);
  EXPECT_EQ(run.finished().pivot_count, 0);
}

// Methods are handed what they ask for.
TEST(ReformDriver, EachMethodGetsTheSystemOfItsKind) {
  struct Row {
    const char* integrator;
    bool implicit, mechanical, series;
  };
  for (const Row& row : {Row{"radau", true, false, false}, Row{"bdf", true, false, false},
                         Row{"dopri5", false, false, false}, Row{"hem5", false, true, false},
                         Row{"rattle", false, true, false}, Row{"taylor", false, false, true}}) {
    const Stepped run("index1", row.integrator);
    const SystemReference system = run.driven.driver->system();
    EXPECT_EQ(system.as<ResidualSystem>() != nullptr, row.implicit) << row.integrator;
    EXPECT_EQ(system.as<OdeSystem>() != nullptr, !row.implicit) << row.integrator;
    EXPECT_EQ(system.as<MechanicalSystem>() != nullptr, row.mechanical) << row.integrator;
    EXPECT_EQ(system.as<SeriesSystem>() != nullptr, row.series) << row.integrator;
    EXPECT_EQ(run.driven.driver->reads_rates(), row.implicit) << row.integrator;
    if (!row.implicit) {
      EXPECT_EQ(run.driven.driver->size(), 4) << "positions and velocities";
    }
  }
}

// Power series need rates that follow linearly; a companion whose rate stands in a cube is none.
TEST(ReformDriver, TaylorRefusesNonlinearRates) {
  std::string text = bead_text("der(z)^3 + der(z) = x;");
  text.replace(text.find(" Real mu;"), 9, " Real z(start = 0, fixed = true);");
  for (std::size_t at = 0; (at = text.find("*mu", at)) != std::string::npos;) text.replace(at, 3, "*0");
  const Driven driven(from_text(text), run_options("index1", "taylor"));
  std::vector<double> environment = driven.initialised();
  driven.driver->bind(environment);
  const std::string why = driven.driver->begin();
  EXPECT_NE(why.find("taylor needs equations that are linear in rates and multipliers"), std::string::npos)
      << why;
}

// What a formulation allows to drift is said when it is more than the tolerance explains, and only then.
TEST(ReformDriver, SaysWhatItLetsDrift) {
  struct Row {
    const char* formulation;
    const char* says;  // null: nothing
  };
  for (const Row& row : {Row{"baumgarte-h:gamma=2", "formulation baumgarte-h:gamma=2"},
                         Row{"trust-region:curvature=no", "is violated by"},
                         Row{"trust-region:eps=10", "is violated by"}, Row{"trust-region", nullptr},
                         Row{"baumgarte", nullptr}, Row{"index1", nullptr}, Row{"ggl", nullptr}}) {
    Stepped run(row.formulation, "radau", usual_angle, 0.02);
    run.go(30);
    const Summary summary = run.finished();
    if (row.says == nullptr) {
      EXPECT_TRUE(summary.warnings.empty()) << row.formulation << ": " << summary.warnings.front();
      continue;
    }
    ASSERT_EQ(summary.warnings.size(), 1U) << row.formulation;
    EXPECT_NE(summary.warnings[0].find(row.says), std::string::npos) << summary.warnings[0];
    EXPECT_NE(summary.warnings[0].find("x^2 + y^2 = 1"), std::string::npos) << summary.warnings[0];
  }
}

TEST(ReformDriver, WarnsOfErrorTestsWithoutVelocitiesAndOfGammaThatFollowsTheStep) {
  const auto warnings = [](Driven driven) {
    Stepped run(std::move(driven), usual_angle);
    run.go(1);
    std::string all;
    for (const std::string& one : run.finished().warnings) all += one;
    return all;
  };
  EXPECT_NE(warnings(Driven("baumgarte:errortest=positions", "radau")).find("errortest=positions"),
            std::string::npos);
  EXPECT_NE(warnings(adaptive("baumgarte-h", "radau")).find("γ = 1/h under error control"),
            std::string::npos);
  EXPECT_EQ(warnings(Driven("baumgarte-h", "radau")).find("under error control"), std::string::npos);
}

// The same constraint twice: one freedom less is taken, at both of its levels, and the combination is named.
TEST(ReformDriver, RedundantConstraintsTakeNoFreedom) {
  const DaeSystem twice = from_text(bead_text("3*x^2 + 3*y^2 = 3;"));
  Stepped run(twice, run_options("trust-region", "radau"));
  run.go(3);
  const Summary summary = run.finished();
  EXPECT_EQ(summary.dof, 2);
  const auto said = std::ranges::find_if(summary.warnings, [](const std::string& warning) {
    return warning.starts_with("redundant constraints: ");
  });
  ASSERT_NE(said, summary.warnings.end());
  EXPECT_NE(said->find("3*x^2 + 3*y^2 = 3"), std::string::npos) << *said;
  Stepped once("trust-region", "radau");
  EXPECT_EQ(once.finished().dof, 0) << "added to what the structure counts";
}

// The formulation's own unknowns are zero at the start and reported at the end, by name.
TEST(ReformDriver, OwnUnknownsBeginAtZeroAndAreReported) {
  struct Row {
    const char* formulation;
    std::vector<std::string> names;
  };
  for (const Row& row :
       {Row{"ggl", {"mu[1]"}}, Row{"projected-invariants", {"mu[1]", "tau[1]"}}, Row{"index2", {}}}) {
    Stepped run(row.formulation, "radau");
    std::vector<std::string> names;
    for (const auto& [name, value] : run.finished().formulation_values) {
      names.push_back(name);
      EXPECT_EQ(value, 0) << name;
    }
    EXPECT_EQ(names, row.names) << row.formulation;
    run.go(3);
    run.complete();
    // The constraints hold, so they stay small beside velocities of 1 to 4 and accelerations of 10 to 40.
    for (const auto& [name, value] : run.finished().formulation_values)
      EXPECT_LT(std::abs(value), 1e-3) << name;
  }
}

// Those of a trust region follow from the others: S r = ε λ at consistent values, and M w = Gᵀ r.
TEST(ReformDriver, TheTrustRegionBeginsAtItsLeastSquares) {
  Opened opened(Driven("trust-region", "radau"));
  const double epsilon = opened.driver.held(HeldValue::Role::Epsilon);
  const double r = epsilon * multiplier_of_bead(usual_angle) / schur_of_bead(usual_angle);
  const std::vector<std::pair<std::string, double>> expected{
      {"r[1]", r}, {"w[1]", 2 * std::cos(usual_angle) * r}, {"w[2]", 2 * std::sin(usual_angle) * r / 4}};
  const auto values = opened.run.finished().formulation_values;
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_EQ(values[k].first, expected[k].first);
    // ε moves λ by its own order.
    EXPECT_NEAR(values[k].second / expected[k].second, 1, 1e-6) << values[k].first;
  }
}

// start_values() of what scatter() wrote is what it wrote.
TEST(ReformDriver, VectorsComeBackFromTheEnvironment) {
  for (const char* formulation :
       {"index2", "ggl", "trust-region", "tangent-plane", "orthogonal-projection"}) {
    Stepped run(formulation, "radau");
    RunDriver& driver = *run.driven.driver;
    const std::vector<double> y = run.begun.y;
    const std::vector<double> yp = run.begun.yp;
    const std::vector<double> before = run.begun.environment;
    driver.scatter(0, y, yp);
    std::vector<double> again(y.size());
    std::vector<double> slopes(y.size());
    driver.start_values(nullptr, again, slopes);
    EXPECT_EQ(again, y) << formulation;
    EXPECT_EQ(slopes, yp) << formulation;
    EXPECT_EQ(run.begun.environment, before) << formulation;
  }
}

// A copy of driver and integrator in the middle of a run goes on with the same bits.
TEST(ReformDriver, CopiesInTheMiddleOfARunGoOnAlike) {
  for (const auto& [formulation, integrator] :
       std::initializer_list<std::pair<const char*, const char*>>{{"orthogonal-projection", "dop853"},
                                                                  {"orthogonal-projection", "hem5"},
                                                                  {"orthogonal-projection", "taylor"},
                                                                  {"ggl", "bdf"},
                                                                  {"baumgarte-h", "radau"},
                                                                  {"coordinate-partitioning", "radau"}}) {
    Stepped run(formulation, integrator);
    run.go(4);
    const std::unique_ptr<RunDriver> copy = run.driven.driver->copy();
    std::vector<double> memory = run.begun.environment;
    copy->bind(memory);
    const std::unique_ptr<Integrator> clone = run.begun.integrator->clone_on(copy->system());
    ASSERT_NE(clone, nullptr) << formulation;
    std::vector<double> y = run.begun.y;
    std::vector<double> yp = run.begun.yp;
    for (int k = 0; k < 4; ++k) {
      copy->before_step(*clone, far);
      ASSERT_TRUE(copy->step(*clone, far).ok());
      clone->interpolate(clone->t(), y, yp);
      copy->place(clone->t(), y, yp);
      ASSERT_EQ(copy->after_step(*clone), "");
    }
    run.go(4);
    EXPECT_EQ(clone->t(), run.begun.integrator->t()) << formulation;
    EXPECT_EQ(y, run.begun.y) << formulation << " " << integrator;
    EXPECT_EQ(memory, run.begun.environment) << formulation << " " << integrator;
  }
}

// Where rank is lost: passed with softened multipliers, or handed to the fallback, or said.
TEST(ReformDriver, PassesHandsOverOrSays) {
  Stepped soft = slider_crank("orthogonal-projection", "dop853", true, "trust-region");
  EXPECT_EQ(soft.go_until(1.2), "");
  const Summary passed = soft.finished();
  ASSERT_EQ(passed.rank_changes.size(), 1U);
  EXPECT_NEAR(passed.rank_changes[0].t, dead_centre, 1e-3);
  EXPECT_TRUE(passed.warnings.empty()) << passed.warnings.front();
  // On the branch on which it came: theta2 = pi - theta1.
  soft.complete();
  EXPECT_NEAR(soft.at("theta1") + soft.at("theta2"), std::acos(-1.0), 1e-3);

  Stepped hands_over = slider_crank("orthogonal-projection", "dop853", false, "trust-region");
  EXPECT_EQ(hands_over.go_until(1.2), rank_loss_reason);
  EXPECT_LT(hands_over.begun.integrator->t_previous(), dead_centre + 1e-3);

  Stepped says = slider_crank("index2", "radau", false, "");
  (void)says.go_until(1.2);
  const Summary untreated = says.finished();
  ASSERT_FALSE(untreated.rank_changes.empty());
  ASSERT_FALSE(untreated.warnings.empty());
  EXPECT_EQ(untreated.warnings.back(), passed_untreated(untreated.rank_changes[0].t, "index2"));
}

// Near that point a failure is explained by it and by the constraint; far from it there is nothing to say.
TEST(ReformDriver, ExplainsAFailureByTheRank) {
  Stepped run = slider_crank("index1", "dop853", false, "");
  EXPECT_EQ(run.go_until(0.5), "");
  EXPECT_EQ(run.driven.driver->explain_failure(), "");
  EXPECT_EQ(run.go_until(dead_centre - 0.01), "");
  const std::string why = run.driven.driver->explain_failure();
  EXPECT_NE(why.find("nearly singular"), std::string::npos) << why;
  EXPECT_NE(why.find("cos(theta1)"), std::string::npos) << why;
}

// 1.5 cos(th1) + cos(th2) = 0 has a solution only while |cos(th1)| ≤ 2/3; th1 = 2 + 0.6 t leaves that at
// t* = (acos(-2/3) - 2)/0.6. It is told when the violation is 3000 tolerances of the terms, 0.003·2 of an
// angle that is turned by 0.6: some 0.01 later, and up to a step.
TEST(ReformDriver, EndsAtAnImpasse) {
  Stepped run(from_text(R"(model Lock
  Real th1(start = 2), th2(start = 1), l1, l2, w1, w2;
equation
  der(th1) = w1;  der(th2) = w2;
  der(w1) = l1 + 1.5*sin(th1)*l2;
  der(w2) = sin(th2)*l2 - sin(th2);
  th1 = 2.0 + 0.6*time;
  1.5*cos(th1) + cos(th2) = 0;
end Lock;)"),
              run_options("trust-region", "radau"));
  const std::string why = run.go_until(1);
  EXPECT_NE(why.find("impasse at t = "), std::string::npos) << why;
  EXPECT_NE(why.find("1.5*cos(th1) + cos(th2) = 0"), std::string::npos) << why;
  EXPECT_NEAR(run.begun.integrator->t(), (std::acos(-2.0 / 3) - 2) / 0.6, 0.03);
}

}  // namespace
}  // namespace daedalus::testing
