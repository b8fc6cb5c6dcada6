#include "simulate/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "constraints/independent.hpp"
#include "stepping/engine_parts.hpp"
#include "stepping/stepper.hpp"

namespace daedalus {
namespace {

// The level that a variable is, by itself or as an alias of a derivative; -1: none.
struct NamedLevel {
  int level = -1;
  double factor = 1;  // the variable is factor * level
};
NamedLevel level_of(const LevelSystem& levels, VariableId v) {
  const auto alias = std::ranges::find(levels.raised.aliases, v, &LevelAlias::variable);
  const bool is_alias = alias != levels.raised.aliases.end();
  const VariableId target = is_alias ? alias->target : v;
  const int order = is_alias ? alias->order : 0;
  const int j = levels.incidence.column[target.at()];
  if (j < 0 || order > levels.plan.d[static_cast<std::size_t>(j)]) return {};
  return {.level = levels.level_start[static_cast<std::size_t>(j)] + order,
          .factor = is_alias ? alias->factor : 1.0};
}

}  // namespace

Simulation::Simulation(std::shared_ptr<const Engine> engine, std::shared_ptr<const EngineParts> parts,
                       std::unique_ptr<Stepper> stepper)
    : engine_(std::move(engine)), parts_(std::move(parts)), stepper_(std::move(stepper)) {
  const auto& signals = parts_->model->output_signals;
  for (std::size_t k = 0; k < signals.size(); ++k) {
    if (parts_->plan->independent == nullptr || !is_measure(signals[k].name)) shown_.push_back(k);
  }
}

Simulation::Simulation(const Simulation& other)
    : engine_(other.engine_),
      parts_(other.parts_),
      stepper_(std::make_unique<Stepper>(*other.stepper_)),
      shown_(other.shown_),
      values_(other.values_),
      fresh_(other.fresh_) {}

Simulation& Simulation::operator=(const Simulation& other) {
  if (this != &other) *this = Simulation(other);
  return *this;
}

Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

bool Simulation::advance(double duration) {
  return advance_to(stepper_->time() + duration);
}

// What the rehearsal of the engine did not show cannot be made while threads share the graph.
bool Simulation::guarded(const std::function<void()>& work) {
  try {
    work();
  } catch (const GraphFrozen&) {
    stepper_->fail(
        "an expression is needed that the engine was not compiled with; a whole run (Engine::run) can go on "
        "from "
        "here");
  }
  return stepper_->running();
}

bool Simulation::advance_to(double t) {
  return advance_to(t, {});
}

void Simulation::take_up() {
  if (std::string reason = stepper_->take_up_changes(); !reason.empty() && !stepper_->failed())
    stepper_->fail(std::move(reason));
}

bool Simulation::advance_to(double t, const std::function<bool()>& go_on) {
  fresh_ = false;
  return guarded([&] {
    take_up();
    UnobservedSteps nobody;
    while (stepper_->running() && stepper_->time() < t && (!go_on || go_on())) stepper_->advance(t, nobody);
  });
}

bool Simulation::step() {
  fresh_ = false;
  return guarded([this] {
    take_up();
    UnobservedSteps nobody;
    if (stepper_->running()) stepper_->advance(stepper_->latest_step_end(), nobody);
  });
}

double Simulation::time() const {
  return stepper_->time();
}

bool Simulation::ended() const {
  return !stepper_->running();
}

bool Simulation::failed() const {
  return stepper_->failed();
}

std::string Simulation::reason() const {
  return stepper_->reason();
}

long Simulation::steps() const {
  return stepper_->steps();
}

std::vector<std::string> Simulation::names() const {
  std::vector<std::string> names;
  for (const std::size_t k : shown_) names.push_back(parts_->model->output_signals[k].name);
  return names;
}

const std::vector<double>& Simulation::evaluated() {
  if (fresh_) return values_;
  values_.resize(parts_->model->output_signals.size());
  (void)guarded([this] {
    take_up();
    parts_->model->outputs.evaluate(stepper_->output_now(), values_, workspace_);
    if (parts_->plan->independent != nullptr) share_reactions();
    fresh_ = true;
  });
  return values_;
}

void Simulation::share_reactions() {
  std::vector<Signal> signals;
  for (const OutputSignal& signal : parts_->model->output_signals) signals.push_back({.name = signal.name});
  share_at(*parts_->plan->full_form, *parts_->plan->independent, parts_->full_model.get(), signals, time(),
           values_);
}

std::vector<double> Simulation::values() {
  return evaluated();
}

// Parameters that are free, discrete variables, and der(x) where the equations have it.
std::optional<Simulation::Slot> Simulation::slot_of(std::string_view name) const {
  constexpr std::string_view rate = "der(";
  const bool is_rate = name.starts_with(rate) && name.ends_with(")");
  if (is_rate) name = name.substr(rate.size(), name.size() - rate.size() - 1);
  const DaeSystem& system = parts_->model->dae();
  const auto found = std::ranges::find(system.variables, name, &Variable::name);
  if (found == system.variables.end() || found->internal) return std::nullopt;
  const auto v = static_cast<std::size_t>(found - system.variables.begin());
  const Layout& layout = parts_->model->layout();
  if (const int slot = layout.discrete_slot[v]; slot >= 0)
    return is_rate ? std::nullopt : std::optional(Slot{.slot = slot});
  const LevelSystem& levels = parts_->model->levels();
  const auto [level, factor] = level_of(levels, VariableId(v));
  if (level < 0) return std::nullopt;
  const auto wanted = static_cast<std::size_t>(level) + (is_rate ? 1 : 0);
  if (wanted >= levels.levels.size() ||
      levels.levels[wanted].variable != levels.levels[static_cast<std::size_t>(level)].variable)
    return std::nullopt;
  return Slot{.slot = layout.levels + static_cast<int>(wanted), .factor = factor};
}

Result<double> Simulation::value(std::string_view name) {
  if (name == time_name) return time();
  const auto& signals = parts_->model->output_signals;
  const auto found = std::ranges::find_if(shown_, [&](std::size_t k) { return signals[k].name == name; });
  if (found != shown_.end()) return evaluated()[static_cast<std::size_t>(found - shown_.begin())];
  if (const auto at = slot_of(name)) {
    guarded([this] { take_up(); });
    return at->factor * stepper_->output_now()[static_cast<std::size_t>(at->slot)];
  }
  return daedalus::fail(fmt::format("the model has no signal '{}'", name));
}

std::vector<double> Simulation::environment() {
  (void)evaluated();
  const std::span<const double> now = stepper_->output_now();
  std::vector<double> all(now.begin(), now.end());
  all[static_cast<std::size_t>(parts_->model->layout().time)] = time();
  return all;
}

std::vector<double> Simulation::drift() {
  std::vector<double> drift;
  (void)guarded([&] { drift = stepper_->drift(); });
  return drift;
}

Result<void> Simulation::set(std::string_view name, std::function<double(double)> function) {
  fresh_ = false;
  const InputFunction input{.name = std::string(name), .function = std::move(function)};
  return stepper_->take_functions({&input, 1});
}

Result<void> Simulation::set(std::string_view name, double value) {
  fresh_ = false;
  if (stepper_->may_be_function(name)) {
    stepper_->set_input(name, value);
    return {};
  }
  const DaeSystem& system = parts_->model->dae();
  const auto found = std::ranges::find(system.variables, name, &Variable::name);
  if (found == system.variables.end())
    return daedalus::fail(fmt::format(
        "'{}' cannot be set: it is no input, no free parameter and no variable of the model", name));
  const auto v = static_cast<std::size_t>(found - system.variables.begin());
  const int slot = parts_->model->layout().discrete_slot[v];
  if (slot >= 0) {
    stepper_->set_slot(slot, value);
  } else {
    const auto [level, factor] = level_of(parts_->model->levels(), VariableId(v));
    if (level < 0) return daedalus::fail(fmt::format("'{}' cannot be set: it follows from others", name));
    stepper_->set_level(level, value / factor);
  }
  fresh_ = false;
  return {};
}

Result<std::vector<std::byte>> Simulation::save() {
  Archive archive;
  identify(*parts_, archive);
  stepper_->state(archive);
  if (auto outcome = outcome_of(archive); !outcome) return std::unexpected(outcome.error());
  return archive.finish();
}

Result<void> Simulation::make_consistent() {
  std::string reason;
  (void)guarded([&] { reason = stepper_->take_up_changes(); });
  fresh_ = false;
  if (reason.empty() && stepper_->failed()) reason = stepper_->reason();
  return reason.empty() ? Result<void>() : daedalus::fail(reason);
}

}  // namespace daedalus
