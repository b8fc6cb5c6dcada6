#include "stepping/stepper.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "core/float_mode.hpp"

namespace daedalus {
namespace {

Counters sum_of(Counters a, const Counters& b) {
  for (const auto count : {&Counters::steps, &Counters::rejected, &Counters::residual_evals,
                           &Counters::jacobian_evals, &Counters::factorizations, &Counters::newton_iterations,
                           &Counters::newton_failures, &Counters::error_test_failures})
    a.*count += b.*count;
  return a;
}

}  // namespace

Stepper::Stepper(const EngineParts& parts, const RunSettings& settings)
    : parts_(parts),
      model_(*parts.model),
      settings_(settings),
      row_(parts.plan->integrator_row),
      stiff_row_(parts.plan->stiff_row),
      environment_(model_.fresh_environment()),
      driver_(parts.driver->copy()),
      events_(*parts.events),
      inputs_(model_, settings.end - settings.start, settings.tolerances.relative),
      t_(settings.start),
      last_crossing_(-std::numeric_limits<double>::infinity()),
      search_(model_, events_.courses()) {
  const RunPlan& plan = *parts.plan;
  summary_.formulation = plan.formulation;
  summary_.integrator = plan.integrator;
  summary_.why = plan.why;
  summary_.index = plan.levels->index();
  summary_.dof = plan.levels->plan.degrees_of_freedom;
  for (const Repair& repair : plan.levels->repairs) summary_.warnings.push_back(repair.text);
  summary_.codegen = model_.residuals.back_end();
  integrator_settings_.tolerances = settings.tolerances;
  integrator_settings_.fixed_step = parts.options.step;
  integrator_settings_.selection = parts.plan->integrator;
  environment_.resize(static_cast<std::size_t>(driver_->slots()), 0.0);
  environment_[static_cast<std::size_t>(model_.layout().time)] = settings.start;
  output_.resize(environment_.size());
  events_.set_hysteresis(settings.tolerances.absolute);
  bind(environment_);
  y_.resize(static_cast<std::size_t>(driver_->size()));
  yp_.resize(y_.size());
}

Stepper::Stepper(const Stepper& other)
    : parts_(other.parts_),
      model_(other.model_),
      settings_(other.settings_),
      integrator_settings_(other.integrator_settings_),
      row_(other.row_),
      stiff_row_(other.stiff_row_),
      environment_(other.environment_),
      output_(other.output_),
      driver_(other.driver_->copy()),
      events_(other.events_),
      inputs_(other.inputs_),
      summary_(other.summary_),
      initialised_(other.initialised_),
      numerics_failed_(other.numerics_failed_),
      near_singular_(other.near_singular_),
      earlier_(other.earlier_),
      compiling_(other.compiling_),
      t_(other.t_),
      failed_(other.failed_),
      stopped_(other.stopped_),
      restarted_(other.restarted_),
      restart_due_(other.restart_due_),
      complete_(other.complete_),
      last_crossing_(other.last_crossing_),
      chatter_(other.chatter_),
      accumulation_(other.accumulation_),
      search_(other.search_),
      headway_(other.headway_),
      crossed_(other.crossed_),
      y_(other.y_),
      yp_(other.yp_),
      changed_(other.changed_),
      changed_levels_(other.changed_levels_) {
  bind(environment_);
  if (other.integrator_ == nullptr) return;
  integrator_ = other.integrator_->clone_on(driver_->system());
  if (integrator_ != nullptr) return;
  // Its memory is in a foreign library: the copy begins anew from here.
  integrator_ = driver_->make_integrator(*row_, integrator_settings_);
  earlier_ = sum_of(earlier_, other.integrator_->counters());
  if (!complete_) {
    other.integrator_->interpolate(t_, y_, yp_);
    driver_->scatter(t_, y_, yp_);
    complete_ = true;
  }
  restarted_ = false;
  if (running() && other.restarted_) restart();
}

void Stepper::bind(std::vector<double>& environment) {
  driver_->bind(environment);
  events_.bind(environment);
}

void Stepper::fail_at(double t, std::string reason) {
  failed_ = true;
  summary_.status = "failed";
  summary_.reason = std::move(reason);
  summary_.t_end = t;
}

void Stepper::fail(std::string reason) {
  fail_at(t_, std::move(reason));
}

// Free parameters and inputs first: start values of others may follow from them.
Result<void> Stepper::give(std::span<const StartValue> values) {
  const DaeSystem& dae = model_.dae();
  std::vector<std::pair<std::size_t, double>> variables;
  for (const StartValue& value : values) {
    if (inputs_.has(value.name) && std::isfinite(value.value)) {
      inputs_.hold(value.name, value.value, environment_);
      continue;
    }
    const auto found = std::ranges::find(dae.variables, value.name, &Variable::name);
    if (found == dae.variables.end())
      return daedalus::fail(fmt::format(
          "'{}' cannot be set: it is no input, no variable, and no parameter that was declared free",
          value.name));
    const auto v = static_cast<std::size_t>(found - dae.variables.begin());
    if (!std::isfinite(value.value))
      return daedalus::fail(fmt::format("'{}' cannot be set to {}", value.name, value.value));
    if (found->kind != VariableKind::FreeParameter && found->kind != VariableKind::Input) {
      variables.emplace_back(v, value.value);
      continue;
    }
    for (const int slot : {model_.layout().discrete_slot[v], model_.layout().pre_slot[v]}) {
      if (slot >= 0) environment_[static_cast<std::size_t>(slot)] = value.value;
    }
  }
  starts_ = start_values(model_, environment_);
  for (const auto& [v, value] : variables) {
    starts_.value[v] = value;
    starts_.given[v] = 1;
  }
  for (std::size_t v = 0; v < dae.variables.size(); ++v) {
    const VariableKind kind = dae.variables[v].kind;
    if (kind == VariableKind::Continuous || kind == VariableKind::FreeParameter ||
        kind == VariableKind::Input)
      continue;
    for (const int slot : {model_.layout().discrete_slot[v], model_.layout().pre_slot[v]}) {
      if (slot >= 0) environment_[static_cast<std::size_t>(slot)] = starts_.value[v];
    }
  }
  return {};
}

Result<void> Stepper::start(std::span<const StartValue> values, std::span<const InputFunction> inputs) {
  if (auto taken = take_functions(parts_.options.inputs); !taken) return taken;
  if (auto given = give(values); !given) return given;
  if (auto taken = take_functions(inputs); !taken) return taken;
  if (std::string trouble = inputs_.begin(t_, settings_.end, environment_); !trouble.empty())
    return daedalus::fail(std::move(trouble));
  changed_ = false;
  const Initialisation outcome = initialise(model_, environment_, events_, &starts_);
  if (outcome.status == Initialisation::Status::WrongInput) return std::unexpected(outcome.diagnostics);
  summary_.initialisation = outcome.lines;
  summary_.warnings.insert(summary_.warnings.end(), outcome.warnings.begin(), outcome.warnings.end());
  if (outcome.status == Initialisation::Status::Failed) {
    fail_at(settings_.start, "initialisation failed: " + outcome.reason);
    return {};
  }
  initialised_ = true;
  events_.begin(settings_.start);
  if (std::string reason = driver_->begin(); !reason.empty()) {
    numerics_failed_ = true;
    fail_at(t_, std::move(reason));
    return {};
  }
  integrator_ = driver_->make_integrator(*row_, integrator_settings_);
  summary_.unknowns = driver_->size();
  return {};
}

void Stepper::begin(StepObserver& observer) {
  if (failed_) return;
  const FloatMode mode(FloatMode::tiny_is_zero());
  if (events_.next_time_event(t_, latest_step_end()) <= t_) handle_event({});
  if (failed_) return;
  if (std::string reason = observer.event_done(*this); !reason.empty()) return fail(std::move(reason));
  if (running()) restart_after_event();
}

void Stepper::advance(double stop, StepObserver& observer) {
  const FloatMode mode(FloatMode::tiny_is_zero());
  if (restart_due_) restart();
  double known = latest_step_end();
  if (inputs_.active()) {
    // Relations may read inputs, which are known as far as they are followed.
    stop = step_limit(stop);
    if (failed_) return;
    known = std::min(known, inputs_.end());
    events_.look_anew();
  }
  double time_event = events_.next_time_event(t_, known);
  // It was handled already, or rounding hides it: then it is found like any other crossing.
  if (time_event <= t_) time_event = std::numeric_limits<double>::infinity();
  stop = std::min({stop, time_event, std::max(events_.known_until(), std::nextafter(t_, stop))});
  driver_->before_step(*integrator_, stop);
  complete_ = false;  // the integrator writes into the environment
  const StepOutcome outcome = driver_->step(*integrator_, stop);
  if (!outcome.ok()) return explain_failure(outcome);
  std::string end = driver_->check_step(*integrator_);
  numerics_failed_ = !end.empty();
  if (numerics_failed_) return fail(std::move(end));
  double reached = integrator_->t();
  const bool crossing = locate_crossing(reached, reached >= time_event);
  if (failed_) return;
  const std::string jump = inputs_.active() ? inputs_.breaking(reached) : std::string();
  const bool event = crossing || reached >= time_event || !jump.empty();
  if (std::string reason = observer.step_done(*this, reached, event); !reason.empty())
    return fail(std::move(reason));
  t_ = reached;
  integrator_->interpolate(reached, y_, yp_);
  event ? driver_->scatter(reached, y_, yp_) : driver_->place(reached, y_, yp_);
  complete_ = event;
  // What the crossing was located with.
  if (crossing && reached < integrator_->t() && events_.courses()->any(RelationCourses::Kind::Solved))
    (void)driver_->complete_output();
  if (event) {
    if (std::string reason = jump.empty() ? jump : pass_break(); !reason.empty())
      return fail(std::move(reason));
    handle_event(crossing ? crossed_ : std::vector<int>{}, jump);
    if (!running()) return;
    search_.after_event(crossing ? crossed_ : std::vector<int>{}, environment_,
                        settings_.tolerances.absolute);
    watch_chattering(crossing);
    if (failed_) return;
    if (std::string reason = observer.event_done(*this); !reason.empty()) return fail(std::move(reason));
    restart_after_event();
  } else if (std::string reason = driver_->after_step(*integrator_); !reason.empty()) {
    numerics_failed_ = true;
    return fail(std::move(reason));
  }
  if (stiff_row_ != nullptr && integrator_->stiff() && t_ != settings_.end) go_over_to_stiff();
  const Progress progress{.t = t_,
                          .t_start = settings_.start,
                          .t_end = settings_.end,
                          .step = integrator_->last_step(),
                          .order = integrator_->order(),
                          .steps = integrator_->counters().steps};
  watch_headway(event);
  if (!observer.go_on(progress)) fail(fmt::format("interrupted at t = {:.10g}", t_));
}

// The equations are stiff: an implicit method goes on from here. Its vector is another one, with the
// algebraic unknowns in it.
void Stepper::go_over_to_stiff() {
  load(t_);
  summary_.why += fmt::format("; {} from t = {:.6g} on: the equations are stiff there", stiff_row_->name, t_);
  earlier_ = sum_of(earlier_, integrator_->counters());
  row_ = std::exchange(stiff_row_, nullptr);
  const Selection& given = integrator_settings_.selection;
  if (given.has("max_step") && given.number("max_step") > 0)
    integrator_settings_.max_step = given.number("max_step");
  lanes_.clear();
  integrator_settings_.selection = stiff_integrator(*row_, settings_.tolerances.relative);
  const auto begin = std::chrono::steady_clock::now();
  integrator_ = driver_->make_integrator(*row_, integrator_settings_);
  compiling_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  y_.resize(static_cast<std::size_t>(driver_->size()));
  yp_.resize(y_.size());
  summary_.integrator = integrator_settings_.selection;
  summary_.unknowns = driver_->size();
  restarted_ = false;
  restart();
}

void Stepper::rehearse_start() {
  model_.prepare_start();
  (void)model_.jacobian();  // what is set later, and what events move, is made consistent by it
}

void Stepper::rehearse_stiff() {
  if (stiff_row_ != nullptr && running() && restarted_) go_over_to_stiff();
}

// Puts the interpolated solution at time t into the environment.
void Stepper::load(double t) {
  integrator_->interpolate(t, y_, yp_);
  driver_->scatter(t, y_, yp_);
}

// Starts the integrator at the consistent values in the environment.
void Stepper::restart() {
  driver_->start_values(restarted_ ? integrator_.get() : nullptr, y_, yp_);
  restarted_ = true;
  restart_due_ = false;
  integrator_->start(t_, y_, yp_, latest_step_end());
}

// At the end of a run nothing follows, most likely; a simulation may go on.
void Stepper::restart_after_event() {
  restart_due_ = t_ >= settings_.end;
  if (!restart_due_) restart();
}

void Stepper::explain_failure(const StepOutcome& outcome) {
  t_ = integrator_->t();
  std::string reason = fmt::format("the integration stopped at t = {:.10g}: {}", t_, outcome.detail);
  if (outcome.component >= 0 && outcome.component < driver_->size())
    reason += fmt::format("; most trouble comes from {}", driver_->component_name(outcome.component));
  load(t_);
  numerics_failed_ = true;
  if (const std::string more = driver_->explain_failure(); !more.empty()) {
    near_singular_ = true;
    reason = more + "; " + reason;
  }
  fail(std::move(reason));
}

// Where the next step shall end at the latest, so that all inputs are known until then.
double Stepper::step_limit(double stop) {
  std::string trouble = inputs_.follow(t_, integrator_->next_step(stop), stop, environment_);
  if (!trouble.empty()) fail(std::move(trouble));
  return std::min(stop, inputs_.end());
}

// An input jumps or bends: what is not a state follows.
std::string Stepper::pass_break() {
  if (std::string trouble = inputs_.begin(t_, settings_.end, environment_); !trouble.empty()) return trouble;
  return make_consistent({});
}

void Stepper::state(Archive& archive) {
  archive.section("run", 4);
  std::string row(row_->name);
  std::string selection = integrator_settings_.selection.to_text();
  bool begun = integrator_ != nullptr;
  archive(settings_.start, settings_.end, settings_.points, settings_.tolerances, row, selection, begun);
  archive(integrator_settings_.max_step);
  archive.sized(environment_.size(), environment_);
  archive(t_, initialised_, numerics_failed_, near_singular_, failed_, stopped_, restarted_, complete_,
          last_crossing_);
  archive(chatter_, accumulation_, headway_, earlier_, changed_);
  search_.state(archive);
  archive(summary_.status, summary_.reason, summary_.t_end, summary_.why, summary_.unknowns);
  archive(summary_.events, summary_.event_count, summary_.initialisation, summary_.warnings);
  archive(changed_levels_);
  for (const Reinit& reinit : changed_levels_)
    archive.require(reinit.level >= 0 && reinit.level < model_.level_count(), "a level that there is not");
  events_.state(archive);
  inputs_.state(archive);
  if (!archive.ok()) return;
  if (archive.reading()) {
    const IntegratorRow* const known = find_integrator(row);
    const auto parsed = parse_selection(selection);
    archive.require(known != nullptr && parsed.has_value(), "an unknown integrator");
    if (!archive.ok()) return;
    if (known != row_) stiff_row_ = nullptr;
    row_ = known;
    integrator_settings_.tolerances = settings_.tolerances;
    integrator_settings_.selection = *parsed;
    summary_.integrator = *parsed;
  }
  driver_->state(archive);
  if (!archive.ok() || !begun) return;
  if (archive.reading()) {
    integrator_ = driver_->make_integrator(*row_, integrator_settings_);
    y_.resize(static_cast<std::size_t>(driver_->size()));
    yp_.resize(y_.size());
  }
  integrator_->state(archive);
}

void Stepper::finish(RunResult& result) {
  if (integrator_ != nullptr && restarted_) {
    summary_.counters = sum_of(earlier_, integrator_->counters());
    summary_.linear_solver = integrator_->linear_solver();
  }
  if (!failed_) summary_.t_end = t_;
  if (initialised_) {
    driver_->finish(summary_);
  }
  result.summary = std::move(summary_);
  result.numerics_failed = numerics_failed_;
  result.near_singular = near_singular_;
}

}  // namespace daedalus
