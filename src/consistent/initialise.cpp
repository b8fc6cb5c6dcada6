#include "consistent/initialise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "consistent/start_problem.hpp"
#include "consistent/start_report.hpp"
#include "consistent/start_search.hpp"

namespace daedalus {
namespace {

// Of continuous and discrete values in turn. A round switches all that follows from one set of continuous
// values, so that models need as many rounds as switches wait for each other.
constexpr int discrete_rounds = 60;

// Continuous and discrete parts in turn, until the discrete one stays as it is.
class Initialiser {
 public:
  Initialiser(StartProblem& problem, std::span<const double> environment, EventHandler& events,
              Initialisation& out)
      : problem_(problem), environment_(environment), events_(events), search_(problem), out_(out) {}

  void run() {
    problem_.put(problem_.posed.guess);
    bool solved = false;
    for (int round = 0; round < discrete_rounds; ++round) {
      const bool changed = look([this] { return events_.initial_pass(); });
      if (round > 0 && !changed)
        return solved ? iterate_past() : explain_failure(problem_, search_.failure(), out_);
      // Where there is no solution, relations that are as the values found so far say may be others.
      solved = search_.run();
      if (!solved) problem_.put(problem_.posed.first);
    }
    fail("during");
  }

 private:
  // The event iteration that follows initialisation: pre() of everything is its value, and with that past
  // what is discrete and what is continuous in turn until they fit each other; until nothing changes. What
  // can be a state stays where initialisation has put it.
  void iterate_past() {
    const std::vector<bool> held = problem_.posed.held;
    for (int round = 0; round < discrete_rounds; ++round) {
      bool changed = false;
      if (!settle_with_past(changed)) return;
      if (changed) continue;
      problem_.posed.held = held;
      return explain_start(problem_, search_.values(), out_);
    }
    fail("after");
  }

  // False: it has been said why not.
  bool settle_with_past(bool& changed) {
    std::vector<Reinit> reinits;
    for (int pass = 0; pass < discrete_rounds; ++pass) {
      const bool now = look([&] {
        EventHandler::Restart restart = events_.restart_pass(pass);
        reinits = std::move(restart.reinits);
        return restart.changed;
      });
      if (!now) return reinits.empty() || (changed = solve_again(reinits));
      changed = true;
      if (!solve_again({})) return false;
    }
    fail("after");
    return false;
  }

  bool solve_again(const std::vector<Reinit>& reinits) {
    hold_states();
    for (const Reinit& reinit : reinits)
      problem_.posed.guess[static_cast<std::size_t>(reinit.level)] = reinit.value;
    if (search_.run()) return true;
    explain_failure(problem_, search_.failure(), out_);
    return false;
  }

  // A pass over what is discrete; remembers what it changed.
  template <class Pass>
  bool look(Pass&& pass) {
    const std::vector<double> before(environment_.begin(), environment_.end());
    const bool changed = pass();
    unsettled_.clear();
    const DaeSystem& system = problem_.model().dae();
    const Layout& layout = problem_.model().layout();
    for (std::size_t v = 0; v < system.variables.size() && changed; ++v) {
      const int slot = layout.discrete_slot[v];
      if (slot >= 0 && before[static_cast<std::size_t>(slot)] != environment_[static_cast<std::size_t>(slot)])
        unsettled_.push_back(system.variables[v].name);
    }
    return changed;
  }

  void hold_states() {
    NearestProblem& posed = problem_.posed;
    for (std::size_t k = 0; k < posed.held.size(); ++k) {
      if (!problem_.matters(k)) continue;
      posed.held[k] = true;
      posed.guess[k] = search_.values()[k];
    }
  }

  void fail(const char* when) {
    constexpr std::size_t shown = 5;  // names that fit a line
    const std::size_t count = unsettled_.size();
    if (count > shown) unsettled_.resize(shown);
    out_.reason =
        fmt::format("the discrete variables do not settle {} initialisation{}{}{}", when,
                    count > 0 ? ": " : "", fmt::join(unsettled_, ", "),
                    count > shown ? fmt::format(" and {} more", count - shown)
                    : count > 0   ? std::string(count == 1 ? " changes each time" : " change each time")
                                  : std::string());
    out_.status = Initialisation::Status::Failed;
  }

  StartProblem& problem_;
  std::span<const double> environment_;
  EventHandler& events_;
  StartSearch search_;
  Initialisation& out_;
  std::vector<std::string> unsettled_;  // discrete variables that the last pass changed
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
  Initialiser(problem, environment, events, out).run();
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
