// The fast way to accelerations and multipliers against A z = b, whose entries the graph's interpreter gives,
// by dense algebra; when solutions are looked after; how implicit methods can eliminate.
#include "systems/linear_rates.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <set>

#include "explicit_model.hpp"
#include "support/model_families.hpp"

namespace daedalus::testing {
namespace {

struct Family {
  const char* name;
  DaeSystem system;
  bool unconstrained = false;
};

std::vector<Family> families() {
  return {{"bead", from_text(bead_text())},
          {"chain of 3", from_text(chain_text(3))},
          {"chain of 20", from_text(chain_text(20))},
          {"moving pivot", from_text(moving_pivot)},
          {"sled", from_text(sled)},
          {"skew bead", from_text(skew_bead)},
          {"arms", from_text(arms), true},
          {"decay", from_text("model D Real x(start = 1); equation der(x) = -x*time; end D;"), true},
          {"slider crank", problem("slider_crank.mo")},
          {"four bars", problem("n_four_bar.mo")},
          {"seven bodies", problem("andrews.mo")},
          {"first order", problem("petzold_linear.mo")}};
}

// A z - b at the point in the environment, and what z is by dense algebra.
struct Dense {
  explicit Dense(const ExplicitModel& model, const LinearCore& core) {
    const auto n = static_cast<Eigen::Index>(core.unknowns.size());
    a = Eigen::MatrixXd::Zero(n, n);
    b = Eigen::VectorXd::Zero(n);
    found = b;
    for (const SymbolicEntry& entry : core.matrix.entries)
      a(entry.row, entry.column) += model.expression(entry.value);
    for (Eigen::Index k = 0; k < n; ++k) {
      b(k) = model.expression(core.rhs[static_cast<std::size_t>(k)]);
      found(k) = model.value(core.unknowns[static_cast<std::size_t>(k)]);
    }
  }
  // Of the solution that was found: |A z - b| against |A| |z| + |b|.
  [[nodiscard]] double backward_error() const {
    if (b.size() == 0) return 0;
    const double size = (a.cwiseAbs() * found.cwiseAbs() + b.cwiseAbs()).maxCoeff();
    return size > 0 ? (a * found - b).cwiseAbs().maxCoeff() / size : 0;
  }
  Eigen::MatrixXd a;
  Eigen::VectorXd b, found;
};

// Of solutions by elimination without pivoting, which is replaced where its backward error is above 1e-12 and
// looked at only now and then.
constexpr double backward_error = 1e-10;

// Near consistent starts, where matrices are as in runs.
std::vector<double> near_start(const ExplicitModel& model, unsigned seed) {
  std::vector<double> y(static_cast<std::size_t>(model.ode.size()));
  model.ode.gather(y);
  std::vector<double> noise = model.some_states(seed);
  for (std::size_t k = 0; k < y.size(); ++k) y[k] += 0.1 * noise[k];
  return y;
}

TEST(LinearRates, SolveTheLinearCoreOfEveryFamily) {
  std::set<std::string> methods;
  for (const Family& family : families()) {
    ExplicitModel model(family.system, family.unconstrained);
    LinearRates* linear = model.ode.linear();
    ASSERT_NE(linear, nullptr) << family.name;
    for (unsigned seed = 1; seed <= 3; ++seed) {
      model.ode.place(0.2, near_start(model, seed));
      ASSERT_TRUE(model.ode.complete_here()) << family.name;
      const Dense dense(model, linear->core());
      EXPECT_LT(dense.backward_error(), backward_error) << family.name;
      // Assignments hold as well: rates of positions, companions, watched values.
      for (const LinearCore::Assignment& assignment : linear->core().assignments)
        EXPECT_NEAR(model.value(assignment.leaf), model.expression(assignment.value),
                    1e-12 * (1 + std::abs(model.value(assignment.leaf))))
            << family.name;
    }
    methods.insert(std::string(linear->method()));
  }
  // Nothing to solve, written out, eliminated in panels or condensed, and with pivoting.
  EXPECT_TRUE(methods.contains("none"));
  EXPECT_TRUE(methods.contains("straight-line"));
  EXPECT_TRUE(methods.contains("condensed") || methods.contains("ldl"));
  EXPECT_TRUE(methods.contains("dense"));
}

// What integrators ask for, y' alone, is what rates() puts into the environment.
TEST(LinearRates, DerivativesAreThoseOfTheEnvironment) {
  for (const Family& family : families()) {
    ExplicitModel model(family.system, family.unconstrained);
    for (unsigned seed = 1; seed <= 6; ++seed) {
      const std::vector<double> y = near_start(model, seed);
      std::vector<double> yp(y.size());
      ASSERT_TRUE(model.ode.derivative(0.2, y, yp)) << family.name;
      ASSERT_TRUE(model.ode.complete(0.2, y)) << family.name;
      std::vector<double> gathered(y.size());
      model.ode.gather_rates(gathered);
      double largest = 0;
      for (const double rate : gathered) largest = std::max(largest, std::abs(rate));
      // Two orders of the same sums; conditions of up to 1e4.
      for (std::size_t k = 0; k < y.size(); ++k)
        EXPECT_NEAR(yp[k], gathered[k], 1e-11 * (1 + largest)) << family.name;
    }
  }
}

// x' = v for the first half of the states of mechanics, and for none of an equation of first order.
TEST(LinearRates, PositionsAreTheFirstHalf) {
  for (const Family& family : families()) {
    ExplicitModel model(family.system, family.unconstrained);
    const ConstrainedForm& form = *model.formed.form;
    EXPECT_EQ(model.ode.linear()->positions(), form.order == 2 ? form.n() : 0) << family.name;
  }
}

// The 1st, 4th, 16th, … solution is looked at, from the 1024th on every 1024th.
TEST(LinearRates, SolutionsAreLookedAtNowAndThen) {
  ExplicitModel model(from_text(bead_text()));
  LinearRates& linear = *model.ode.linear();
  model.ode.place(0, near_start(model, 1));
  std::set<int> looked;
  for (int k = 1; k <= 3100; ++k) {
    if (linear.will_look()) looked.insert(k);
    ASSERT_TRUE(linear.rates(model.environment));
  }
  EXPECT_EQ(looked, (std::set<int>{1, 4, 16, 64, 256, 1024, 2048, 3072}));
}

// For several right-hand sides: A^-1 b, by the factors of one point.
TEST(LinearRates, FactorsServeAnyRightHandSide) {
  for (const Family& family : families()) {
    ExplicitModel model(family.system, family.unconstrained);
    LinearRates& linear = *model.ode.linear();
    model.ode.place(0.2, near_start(model, 4));
    ASSERT_TRUE(linear.rates(model.environment));
    ASSERT_TRUE(linear.factor(model.environment)) << family.name;
    const Dense dense(model, linear.core());
    for (unsigned seed = 11; seed <= 12; ++seed) {
      std::vector<double> z(static_cast<std::size_t>(dense.b.size()));
      scatter_numbers(z, seed);
      const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(z.data(), dense.b.size());
      linear.solve_factored(z);
      const Eigen::VectorXd solution = Eigen::Map<const Eigen::VectorXd>(z.data(), dense.b.size());
      const double size = z.empty() ? 1 : dense.a.cwiseAbs().maxCoeff() * solution.cwiseAbs().maxCoeff() + 1;
      EXPECT_LT(z.empty() ? 0 : (dense.a * solution - b).cwiseAbs().maxCoeff(), backward_error * size)
          << family.name;
    }
  }
}

// Every unknown and every equation once; x before x' among the early ones; no plan where A is not symmetric.
TEST(LinearRates, TheOrderOfEliminationIsAPermutation) {
  using Turn = EliminationPlan::Turn;
  int planned = 0;
  for (const Family& family : families()) {
    ExplicitModel model(family.system, family.unconstrained);
    const auto plan = model.ode.linear()->elimination();
    if (std::string_view(family.name) == "skew bead") {
      EXPECT_FALSE(plan.has_value());
    }
    if (!plan) continue;
    ++planned;
    const auto n = static_cast<std::size_t>(model.residual.size());
    ASSERT_EQ(plan->equation.size(), n) << family.name;
    std::set<int> equations(plan->equation.begin(), plan->equation.end());
    EXPECT_EQ(equations.size(), n) << family.name;
    EXPECT_EQ(*equations.begin(), 0) << family.name;
    EXPECT_EQ(*equations.rbegin(), static_cast<int>(n) - 1) << family.name;
    EXPECT_EQ(std::ranges::count(plan->turn, Turn::Constraint), model.formed.form->ny()) << family.name;
    EXPECT_EQ(std::ranges::count(plan->turn, Turn::Early), std::ssize(plan->early)) << family.name;
    std::set<int> eliminated;
    for (const int k : plan->early) {
      EXPECT_FALSE(eliminated.contains(plan->next[static_cast<std::size_t>(k)]))
          << "x' is eliminated after x";
      eliminated.insert(k);
    }
    EXPECT_EQ(eliminated.size(), plan->early.size()) << family.name;
  }
  EXPECT_GE(planned, 5);
}

// How far from a loss of rank: 1 where there is nothing to lose, less and less on the way there.
TEST(LinearRates, RegularityFallsTowardsASingularPoint) {
  ExplicitModel free(from_text(arms), true);
  free.ode.place(0, near_start(free, 1));
  ASSERT_TRUE(free.ode.complete_here());
  EXPECT_GT(free.ode.linear()->regularity(free.environment), 0.1);
  ExplicitModel crank(problem("slider_crank.mo"));
  const auto at = [&](double angle) {
    std::vector<double> y(static_cast<std::size_t>(crank.ode.size()), 0.0);
    y[crank.place("theta1", 0)] = angle;
    y[crank.place("theta2", 0)] = std::acos(-1.0) - angle;
    crank.ode.place(0, y);
    EXPECT_TRUE(crank.ode.linear()->rates(crank.environment));
    return crank.ode.linear()->regularity(crank.environment);
  };
  double before = at(0.8);
  EXPECT_GT(before, 0.1);
  for (const double angle : {0.4, 0.1, 0.03, 0.01}) {
    const double now = at(angle);
    EXPECT_LT(now, before) << angle;
    EXPECT_GT(now, 0) << angle;
    before = now;
  }
  EXPECT_LT(before, 1e-3);  // G ~ angle, and G M⁻¹ Gᵀ ~ its square
}

// δ of softened multipliers moves a regular solution by its own size only, and keeps one where rank is lost.
TEST(LinearRates, SoftenedRatesGoThroughASingularPoint) {
  ExplicitModel crank(problem("slider_crank.mo"));
  const auto rates = [&](double angle, std::vector<double>& yp) {
    std::vector<double> y(static_cast<std::size_t>(crank.ode.size()), 0.0);
    y[crank.place("theta1", 0)] = angle;
    y[crank.place("theta2", 0)] = std::acos(-1.0) - angle;
    y[crank.place("theta1", 1)] = 1;
    y[crank.place("theta2", 1)] = -1;
    yp.resize(y.size());
    return crank.ode.derivative(0, y, yp);
  };
  std::vector<double> exact;
  ASSERT_TRUE(rates(0.7, exact));
  constexpr double part = 1e-9;
  ASSERT_TRUE(crank.ode.soften(part));
  std::vector<double> softened;
  ASSERT_TRUE(rates(0.7, softened));
  for (std::size_t k = 0; k < exact.size(); ++k)
    EXPECT_NEAR(softened[k], exact[k], 1e3 * part * (1 + std::abs(exact[k])));
  std::vector<double> there;
  EXPECT_TRUE(rates(0, there));
  for (const double rate : there) EXPECT_LT(std::abs(rate), 1e3);
}

// With pivoting there is no δ to go through singular points with, and it is not said that there were.
TEST(LinearRates, SystemsThatAreNotSymmetricCannotBeSoftened) {
  ExplicitModel model(from_text(skew_bead));
  model.ode.place(0, near_start(model, 1));
  ASSERT_TRUE(model.ode.complete_here());
  EXPECT_FALSE(model.ode.soften(1e-9));
  EXPECT_EQ(model.ode.linear()->regularity(model.environment), 0) << "not known";
}

// What was found on the way goes on in a system that reads it: the same bits, and the same time to look.
TEST(LinearRates, SavedStateGoesOnAlike) {
  for (const Family& family : families()) {
    ExplicitModel model(family.system, family.unconstrained);
    std::vector<double> yp(static_cast<std::size_t>(model.ode.size()));
    for (unsigned seed = 1; seed <= 5; ++seed)
      ASSERT_TRUE(model.ode.derivative(0.2, near_start(model, seed), yp));
    Archive writing;
    model.ode.state(writing);
    const std::vector<std::byte> bytes = writing.finish();
    ExplicitModel other(family.system, family.unconstrained);
    Archive reading(bytes);
    other.ode.state(reading);
    ASSERT_TRUE(reading.ok()) << family.name << ": " << reading.error();
    other.environment = model.environment;
    other.residual.bind(other.environment);
    for (unsigned seed = 6; seed <= 20; ++seed) {
      const std::vector<double> y = near_start(model, seed);
      std::vector<double> of_other(y.size());
      EXPECT_EQ(model.ode.linear()->will_look(), other.ode.linear()->will_look()) << family.name;
      ASSERT_TRUE(model.ode.derivative(0.3, y, yp));
      ASSERT_TRUE(other.ode.derivative(0.3, y, of_other));
      EXPECT_EQ(yp, of_other) << family.name;
    }
  }
}

// What is told of the work that a solution takes, beside what is done in numbers: as many results as there
// are unknowns of A z = b, and what follows from them.
TEST(LinearRates, TellTheirPrograms) {
  for (const Family& family : families()) {
    ExplicitModel model(family.system, family.unconstrained);
    LinearRates* linear = model.ode.linear();
    ASSERT_NE(linear, nullptr) << family.name;
    const std::vector<ProgramSize> programs = linear->programs();
    const std::size_t unknowns = linear->core().unknowns.size();
    ASSERT_EQ(programs.size(), unknowns > 0 ? 2U : 1U) << family.name;
    EXPECT_EQ(programs.back().name, "rates that follow");
    if (unknowns == 0) continue;
    EXPECT_EQ(programs.front().results, unknowns) << family.name;
    EXPECT_GT(programs.front().operations, 0U) << family.name;
    EXPECT_NE(programs.front().name.find(std::string(linear->method())), std::string::npos) << family.name;
  }
}

}  // namespace
}  // namespace daedalus::testing
