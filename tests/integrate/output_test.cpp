// Values between the steps of implicit methods are as good as the steps, for stiff components too.
#include <gtest/gtest.h>

#include <random>

#include "integrate/output_problems.hpp"

namespace daedalus::testing {
namespace {

constexpr double kAllowed = 100;  // tolerances times the size of the component

std::vector<std::string> adaptive_selections() {
  std::vector<std::string> selections;
  for (const IntegratorRow& row : implicit_rows()) {
    if (row.adaptive) selections.emplace_back(row.name);
  }
  for (const char* order : {"9", "13", "variable"}) selections.push_back(std::string("radau:order=") + order);
  return selections;
}

// The solution at times that go up: exact, or ends of steps of a run with sharp tolerances.
class Reference {
 public:
  explicit Reference(const OutputProblem& problem)
      : problem_(problem),
        system_(problem.make()),
        integrator_(make_integrator("radau:order=13", *system_, with_tolerance(1e-12, 1e-15))) {
    integrator_->start(0, problem.y, problem.yp, problem.t_end);
  }
  std::vector<double> at(double t) {
    if (problem_.exact) return problem_.exact(t);
    if (t > integrator_->t()) run_to(*integrator_, t);
    return {integrator_->y().begin(), integrator_->y().end()};
  }

 private:
  const OutputProblem& problem_;
  std::unique_ptr<ResidualSystem> system_;
  std::unique_ptr<Integrator> integrator_;
};

// Four random times in every step.
double error_between_steps(const OutputProblem& problem, const std::string& selection, double rtol) {
  const auto system = problem.make();
  const auto integrator = make_integrator(selection, *system, with_tolerance(rtol, 1e-3 * rtol));
  integrator->start(0, problem.y, problem.yp, problem.t_end);
  Reference reference(problem);
  std::mt19937 random(5);
  std::vector<double> y(problem.y.size());
  double worst = 0;
  while (integrator->t() < problem.t_end) {
    const StepOutcome outcome = integrator->step(problem.t_end);
    EXPECT_TRUE(outcome.ok()) << outcome.detail;
    if (!outcome.ok()) return std::numeric_limits<double>::infinity();
    std::vector<double> times(4);
    std::uniform_real_distribution<double> anywhere(integrator->t_previous(), integrator->t());
    for (double& t : times) t = anywhere(random);
    std::ranges::sort(times);
    for (const double t : times) {
      integrator->interpolate(t, y, {});
      const std::vector<double> exact = reference.at(t);
      for (std::size_t i = 0; i < y.size(); ++i)
        worst = std::max(worst, std::abs(y[i] - exact[i]) / (rtol * problem.scale[i]));
    }
  }
  return worst;
}

TEST(StiffOutput, OfEveryAdaptiveRowIsAsGoodAsItsSteps) {
  for (const OutputProblem& problem : output_problems()) {
    for (const std::string& selection : adaptive_selections()) {
      for (const double rtol : {1e-4, 1e-6, 1e-8})
        EXPECT_LE(error_between_steps(problem, selection, rtol), kAllowed)
            << problem.name << ", " << selection << ", " << rtol;
    }
  }
}

// x follows a sum of two sines at any rate from 10 to 1e9, and z integrates x: from not stiff to very stiff.
class TwoSines final : public DenseSystem {
 public:
  TwoSines(double rate, double omega, double part)
      : DenseSystem(2), rate_(rate), omega_(omega), part_(part) {}
  [[nodiscard]] std::vector<double> exact(double t) const {
    return {std::sin(omega_ * t) + part_ * std::sin(other() * t),
            (1 - std::cos(omega_ * t)) / omega_ + part_ * (1 - std::cos(other() * t)) / other()};
  }
  [[nodiscard]] std::vector<double> exact_slope(double t) const {
    return {omega_ * std::cos(omega_ * t) + part_ * other() * std::cos(other() * t), exact(t)[0]};
  }

 private:
  [[nodiscard]] double other() const { return 2.7 * omega_; }
  void equations(double t, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    r[0] = yp[0] + rate_ * (y[0] - exact(t)[0]) - exact_slope(t)[0];
    r[1] = yp[1] - y[0];
  }
  void derivatives(double, std::span<const double>, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    dyp(0, 0) = dyp(1, 1) = 1;
    dy(0, 0) = rate_;
    dy(1, 0) = -1;
  }
  double rate_, omega_, part_;
};

TEST(StiffOutput, OfRadauIsGoodAtEveryRate) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const char* selection : {"radau", "radau:order=9", "radau:order=variable"}) {
    for (int run = 0; run < 400; ++run) {
      const double rate = std::pow(10, 1 + 8 * uniform(random));
      const double rtol = std::pow(10, -4 - 4 * uniform(random));
      TwoSines system(rate, std::pow(10, uniform(random)), run % 2 == 0 ? 0 : uniform(random));
      const auto integrator = make_integrator(selection, system, with_tolerance(rtol, rtol));
      integrator->start(0, system.exact(0), system.exact_slope(0), 5);
      std::vector<double> y(2);
      while (integrator->t() < 5) {
        ASSERT_TRUE(integrator->step(5).ok());
        for (int k = 0; k < 4; ++k) {
          const double t = integrator->t_previous() + uniform(random) * integrator->last_step();
          integrator->interpolate(t, y, {});
          ASSERT_LE(max_difference(y, system.exact(t)), kAllowed * rtol) << selection << ", rate " << rate;
        }
      }
    }
  }
}

// Restarts within the last step, as events make them: the step size is kept, up to what a first step may grow
// by. Values in that step, which has none before it to compare with, are looked after all the same: their
// errors have a geometric mean of 0.08 rtol, and of 1.1 rtol if they are not.
TEST(StiffOutput, OfRadauIsGoodInLongFirstSteps) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(0, 1);
  int longer = 0;
  double logarithms = 0;
  int points = 0;
  for (int run = 0; run < 60; ++run) {
    const double rate = std::pow(10, 1 + 6 * uniform(random));
    const double rtol = std::pow(10, -8 - 2 * uniform(random));
    TwoSines system(rate, std::pow(10, uniform(random)), run % 2 == 0 ? 0 : uniform(random));
    const auto integrator = make_integrator("radau", system, with_tolerance(rtol, rtol));
    integrator->start(0, system.exact(0), system.exact_slope(0), 5);
    std::vector<double> y(2);
    bool first = false;
    for (int step = 1; integrator->t() < 5; ++step) {
      ASSERT_TRUE(integrator->step(5).ok());
      for (int k = 0; k < 4 && first; ++k, ++points) {
        const double t = integrator->t_previous() + uniform(random) * integrator->last_step();
        integrator->interpolate(t, y, {});
        logarithms += std::log((max_difference(y, system.exact(t)) / rtol) + 1e-3);
      }
      first = step % 6 == 0 && integrator->t() < 4.5;
      if (!first) continue;
      const double t = integrator->t_previous() + uniform(random) * integrator->last_step();
      const auto cold = make_integrator("radau", system, with_tolerance(rtol, rtol));
      cold->start(t, system.exact(t), system.exact_slope(t), 5);
      integrator->start(t, system.exact(t), system.exact_slope(t), 5);
      EXPECT_GE(integrator->next_step(5), cold->next_step(5));
      EXPECT_LE(integrator->next_step(5), 8.1 * cold->next_step(5));
      if (integrator->next_step(5) > 2 * cold->next_step(5)) ++longer;
    }
  }
  EXPECT_GT(longer, 100);  // otherwise nothing was tested
  EXPECT_LE(std::exp(logarithms / points), 0.4);
}

// Where the ends of the steps limit their size, the steps are about what they were before output was looked
// at: a few more where the estimate between them is doubtful.
TEST(StiffOutput, CostsLittleWhereTheStepsAreShortAnyway) {
  const auto steps = [](const OutputProblem& problem) {
    const auto system = problem.make();
    const auto integrator = make_integrator("radau", *system, with_tolerance(1e-6, 1e-9));
    integrator->start(0, problem.y, problem.yp, problem.t_end);
    run_to(*integrator, problem.t_end);
    return integrator->counters().steps;
  };
  // Counted with the error test of the ends alone.
  const std::vector<std::pair<std::string, long>> before{{"filter", 258}, {"kaps", 59}, {"robertson", 131}};
  for (const OutputProblem& problem : output_problems()) {
    for (const auto& [name, count] : before) {
      if (name != problem.name) continue;
      EXPECT_LE(static_cast<double>(steps(problem)), 1.03 * static_cast<double>(count)) << name;
    }
  }
}

}  // namespace
}  // namespace daedalus::testing
