#include "consistent/initialise.hpp"

#include <algorithm>

#include "consistent/start_problem.hpp"
#include "consistent/start_report.hpp"
#include "consistent/start_search.hpp"

namespace daedalus {
namespace {

constexpr int discrete_rounds = 60;

// Continuous and discrete parts in turn, until the discrete one stays as it is.
class Initialiser {
 public:
  Initialiser(StartProblem& problem, EventHandler& events, Initialisation& out)
      : problem_(problem), events_(events), search_(problem), out_(out) {}

  void run() {
    problem_.put(problem_.posed.guess);
    for (int round = 0; round < discrete_rounds; ++round) {
      const bool changed = events_.initial_pass();
      if (round > 0 && !changed) return iterate_past();
      if (!search_.run()) return explain_failure(problem_, search_.failure(), out_);
    }
    fail("the discrete variables do not settle during initialisation");
  }

 private:
  // The event iteration that follows initialisation: pre() of everything is its value, until nothing changes.
  // What can be a state stays where initialisation has put it.
  void iterate_past() {
    const std::vector<bool> held = problem_.posed.held;
    for (int round = 0; round < discrete_rounds; ++round) {
      if (!events_.restart_pass()) {
        problem_.posed.held = held;
        return explain_start(problem_, search_.values(), out_);
      }
      hold_states();
      if (!search_.run()) return explain_failure(problem_, search_.failure(), out_);
    }
    fail("the discrete variables do not settle after initialisation");
  }

  void hold_states() {
    NearestProblem& posed = problem_.posed;
    for (std::size_t k = 0; k < posed.held.size(); ++k) {
      if (!problem_.matters(k)) continue;
      posed.held[k] = true;
      posed.guess[k] = search_.values()[k];
    }
  }

  void fail(const char* reason) {
    out_.reason = reason;
    out_.status = Initialisation::Status::Failed;
  }

  StartProblem& problem_;
  EventHandler& events_;
  StartSearch search_;
  Initialisation& out_;
};

}  // namespace

Initialisation initialise(const CompiledModel& model, std::span<double> environment, EventHandler& events,
                          const StartValues* starts) {
  Initialisation out;
  out.degrees_of_freedom = model.levels().plan.degrees_of_freedom;
  out.starts = level_starts(model.levels(), out.diagnostics, starts);
  if (!out.diagnostics.empty()) {
    out.status = Initialisation::Status::WrongInput;
    return out;
  }
  StartProblem problem(model, environment, out.starts);
  out.conditions = problem.conditions();
  Initialiser(problem, events, out).run();
  return out;
}

ConstraintFunction level_constraints(const CompiledModel& model, std::span<double> environment) {
  const auto put = [&model, environment](std::span<const double> z) {
    std::ranges::copy(z, environment.begin() + model.layout().levels);
  };
  return {.rows = model.equation_count(),
          .columns = model.level_count(),
          .column_start = model.jacobian().column_start,
          .row = model.jacobian().row,
          .residual =
              [&model, environment, put](std::span<const double> z, std::span<double> c) {
                put(z);
                std::vector<double> workspace;
                model.residuals.evaluate(environment, c, workspace);
              },
          .jacobian =
              [&model, environment, put](std::span<const double> z, std::span<double> values) {
                put(z);
                std::vector<double> workspace;
                model.jacobian().evaluate(environment, values, workspace);
              }};
}

}  // namespace daedalus
