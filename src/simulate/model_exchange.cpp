#include "simulate/model_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "consistent/initialise.hpp"
#include "consistent/nearest_point.hpp"
#include "stepping/engine_parts.hpp"
#include "stepping/stepper.hpp"

namespace daedalus {
namespace {

// Highest derivatives and multipliers follow, and do not pull.
constexpr double weight_of_others = 1e-6;
// Drift of so many tolerances is taken back: each time costs the integrator a new start.
constexpr double most_drift = 10;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

std::vector<int> ModelExchange::states_of(const LevelSystem& levels) {
  std::vector<int> states;
  for (std::size_t l = 0; l + 1 < levels.levels.size(); ++l) {
    if (levels.levels[l + 1].order != 0) states.push_back(static_cast<int>(l));
  }
  return states;
}

ModelExchange::ModelExchange(Simulation& simulation)
    : simulation_(simulation),
      model_(*simulation.parts_->model),
      levels_(states_of(model_.levels())),
      x_(levels_.size()),
      differences_(model_.dae().relations.size()),
      constrained_(model_.equation_count() > model_.level_count() - static_cast<int>(levels_.size())) {
  std::ranges::copy(simulation.environment(), simulation_.stepper_->environment_.begin());
  simulation_.stepper_->complete_ = true;
  states(x_);
}

void ModelExchange::set_time(double t) {
  Stepper& stepper = *simulation_.stepper_;
  if (t == stepper.t_) return;
  stepper.t_ = t;
  stepper.environment_[at(model_.layout().time)] = t;
  known_ = false;
}

void ModelExchange::set_states(std::span<const double> x) {
  if (std::ranges::equal(x, x_)) return;
  std::ranges::copy(x, x_.begin());
  known_ = false;
}

void ModelExchange::set_slot(int slot, double value) {
  simulation_.stepper_->environment_[at(slot)] = value;
  known_ = false;
}

double ModelExchange::level(int number) const {
  return simulation_.stepper_->environment_[at(model_.layout().levels + number)];
}

std::string ModelExchange::evaluate() {
  if (known_) return {};
  simulation_.fresh_ = false;
  std::vector<double>& environment = simulation_.stepper_->environment_;
  const auto first = environment.begin() + model_.layout().levels;
  NearestProblem problem;
  problem.first.assign(first, first + model_.level_count());
  for (std::size_t s = 0; s < levels_.size(); ++s) problem.first[at(levels_[s])] = x_[s];
  problem.guess = problem.first;
  problem.held.assign(problem.guess.size(), false);
  problem.weight.assign(problem.guess.size(), weight_of_others);
  for (std::size_t l = 0; l < problem.guess.size(); ++l) {
    const double nominal = model_.dae().variables[model_.levels().levels[l].variable.at()].nominal;
    problem.scale.push_back(std::max(nominal, std::abs(problem.guess[l])));
  }
  for (const int l : levels_) {
    problem.weight[at(l)] = 1;
    problem.held[at(l)] = !constrained_;
  }
  const NearestResult found = nearest_point(level_constraints(model_, environment), problem);
  if (found.status != NearestStatus::Ok)
    return fmt::format(
        "the equations have no solution near the states that were set at t = {:.10g}{}", simulation_.time(),
        found.bad_row < 0 ? ""
                          : fmt::format(" ({})", model_.levels().equation_name(
                                                     model_.levels().equations[at(found.bad_row)])));
  std::ranges::copy(found.z, environment.begin() + model_.layout().levels);
  known_ = true;
  return {};
}

void ModelExchange::states(std::span<double> x) const {
  for (std::size_t s = 0; s < levels_.size(); ++s) x[s] = level(levels_[s]);
}

void ModelExchange::derivatives(std::span<double> dx) const {
  for (std::size_t s = 0; s < levels_.size(); ++s) dx[s] = level(levels_[s] + 1);
}

void ModelExchange::indicators(std::span<double> z) {
  Stepper& stepper = *simulation_.stepper_;
  model_.relations.evaluate(stepper.environment_, differences_, workspace_);
  const double beyond = stepper.settings_.tolerances.absolute;
  for (std::size_t r = 0; r < differences_.size(); ++r) {
    const bool holds = stepper.environment_[at(model_.layout().relations) + r] != 0;
    z[r] = differences_[r] + (holds ? beyond : -beyond);
  }
}

double ModelExchange::allowed(std::size_t state, double value) const {
  const Tolerances& tolerances = simulation_.stepper_->settings_.tolerances;
  const VariableId v = model_.levels().levels[at(levels_[state])].variable;
  return (tolerances.relative * std::abs(value)) +
         (tolerances.absolute * model_.dae().variables[v.at()].nominal);
}

bool ModelExchange::drifted() const {
  for (std::size_t s = 0; s < levels_.size(); ++s) {
    const double here = level(levels_[s]);
    if (std::abs(here - x_[s]) > most_drift * allowed(s, here)) return true;
  }
  return false;
}

// Relations whose truth is contradicted by more than half of what their indicators are moved by.
std::vector<int> ModelExchange::crossed() {
  Stepper& stepper = *simulation_.stepper_;
  model_.relations.evaluate(stepper.environment_, differences_, workspace_);
  const double beyond = 0.5 * stepper.settings_.tolerances.absolute;
  std::vector<int> found;
  for (std::size_t r = 0; r < differences_.size(); ++r) {
    const bool holds = stepper.environment_[at(model_.layout().relations) + r] != 0;
    if (stepper.events_.is_time_relation(static_cast<int>(r))) continue;
    if (holds ? differences_[r] < -beyond : differences_[r] > beyond) found.push_back(static_cast<int>(r));
  }
  return found;
}

ModelExchange::Update ModelExchange::update() {
  Update result;
  result.failure = evaluate();
  if (!result.failure.empty()) return result;
  Stepper& stepper = *simulation_.stepper_;
  (void)simulation_.guarded([&] { stepper.handle_event(crossed()); });
  simulation_.fresh_ = false;
  if (stepper.failed()) {
    result.failure = stepper.reason();
    return result;
  }
  result.terminated = stepper.stopped();
  std::vector<double> now(x_.size());
  states(now);
  result.states_changed = now != x_;
  x_ = now;
  stepper.events_.look_anew();
  const double next = stepper.events_.next_time_event(stepper.t_, stepper.latest_step_end());
  if (next > stepper.t_ && next <= stepper.latest_step_end()) result.next_event = next;
  return result;
}

}  // namespace daedalus
