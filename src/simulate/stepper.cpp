#include "simulate/stepper.hpp"

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

constexpr std::size_t records_kept = 1000;  // of events in the summary; counters go on
// Chattering: so many crossings in a row, each sooner after the last one than this part of the run.
constexpr int chatter_limit = 15;
constexpr double chatter_spacing = 1e-9;
// A crossing that goes no deeper than this many times atol has not got away from zero.
constexpr double shallow_depth = 100;
// Bisection for a crossing ends at this part of the step, or at the rounding of t.
constexpr double crossing_resolution = 1e-14;
constexpr double time_rounding = 4 * std::numeric_limits<double>::epsilon();
// Of levels that are no states when values are made consistent after an event, against 1 for states: they
// follow, and do not pull.
constexpr double weight_of_others = 1e-6;

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
      t_(settings.start),
      last_crossing_(-std::numeric_limits<double>::infinity()) {
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
      summary_(other.summary_),
      initialised_(other.initialised_),
      numerics_failed_(other.numerics_failed_),
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
      crossing_depth_(other.crossing_depth_),
      accumulation_(other.accumulation_),
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

Result<void> Stepper::start(std::span<const StartValue> values) {
  if (auto given = give(values); !given) return given;
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
  if (events_.next_time_event(t_) <= t_) handle_event({});
  if (failed_) return;
  if (std::string reason = observer.event_done(*this); !reason.empty()) return fail(std::move(reason));
  if (running()) restart_after_event();
}

void Stepper::advance(double stop, StepObserver& observer) {
  const FloatMode mode(FloatMode::tiny_is_zero());
  if (restart_due_) restart();
  double time_event = events_.next_time_event(t_);
  // It was handled already, or rounding hides it: then it is found like any other crossing.
  if (time_event <= t_) time_event = std::numeric_limits<double>::infinity();
  stop = std::min(stop, time_event);
  driver_->before_step(*integrator_, stop);
  complete_ = false;  // the integrator writes into the environment
  const StepOutcome outcome = driver_->step(*integrator_, stop);
  if (!outcome.ok()) return explain_failure(outcome);
  std::string end = driver_->check_step(*integrator_);
  numerics_failed_ = !end.empty();
  if (numerics_failed_) return fail(std::move(end));
  double reached = integrator_->t();
  const bool crossing = locate_crossing(reached);
  const bool event = crossing || reached >= time_event;
  if (std::string reason = observer.step_done(*this, reached, event); !reason.empty())
    return fail(std::move(reason));
  t_ = reached;
  integrator_->interpolate(reached, y_, yp_);
  event ? driver_->scatter(reached, y_, yp_) : driver_->place(reached, y_, yp_);
  complete_ = event;
  if (event) {
    handle_event(crossing ? crossed_ : std::vector<int>{});
    if (!running()) return;
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
  if (!observer.go_on(progress)) fail(fmt::format("interrupted at t = {:.10g}", t_));
}

// The equations are stiff: an implicit method goes on from here. Its vector is another one, with the
// algebraic unknowns in it.
void Stepper::go_over_to_stiff() {
  load(t_);
  summary_.why += fmt::format("; {} from t = {:.6g} on: the equations are stiff there", stiff_row_->name, t_);
  earlier_ = sum_of(earlier_, integrator_->counters());
  row_ = std::exchange(stiff_row_, nullptr);
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

// The end of a step fulfils all equations as it is.
void Stepper::load_for_relations(double t) {
  load(t);
  if (events_.reads_algebraic() && t < integrator_->t()) (void)driver_->complete_output();
}

// The first time in the last step at which a relation differs from the truth held; bisection on the
// dense output down to rounding. Fills crossed_ and sets t.
bool Stepper::locate_crossing(double& t) {
  crossed_.clear();
  if (!events_.has_relations()) return false;
  double low = integrator_->t_previous();
  double high = integrator_->t();
  // A few points inside catch relations that cross twice within the step; methods of high order take long
  // steps, over which relations turn more often.
  const int probes = std::max(4, 2 * integrator_->order());
  const double begin = low;
  const double end = high;
  bool found = false;
  for (int k = 1; k <= probes && !found; ++k) {
    const double probe = k == probes ? end : begin + ((end - begin) * k / probes);
    load_for_relations(probe);
    found = events_.find_crossings(crossed_, EventHandler::Depth::Hysteresis);
    (found ? high : low) = probe;
  }
  if (!found) return false;
  candidates_ = crossed_;
  crossing_depth_ = 0;
  for (const int r : candidates_) crossing_depth_ = std::max(crossing_depth_, events_.depth_of(r));
  const double resolution = time_rounding * std::max(std::abs(high), std::abs(low));
  while (high - low > std::max(resolution, crossing_resolution * integrator_->last_step())) {
    const double middle = low + ((high - low) / 2);
    if (middle <= low || middle >= high) break;
    load_for_relations(middle);
    // Of the relations found, the one that passed zero first; others that rest near zero do not count.
    (void)events_.find_crossings(trial_crossed_, EventHandler::Depth::Zero);
    std::erase_if(trial_crossed_,
                  [&](int r) { return std::ranges::find(candidates_, r) == candidates_.end(); });
    if (!trial_crossed_.empty()) {
      high = middle;
      crossed_ = trial_crossed_;
    } else {
      low = middle;
    }
  }
  t = high;
  return true;
}

void Stepper::handle_event(const std::vector<int>& crossed) {
  const EventReport report = events_.handle(
      t_, crossed, [this](const std::vector<Reinit>& reinits) { return make_consistent(reinits); });
  complete_ = true;
  ++summary_.event_count;
  if (summary_.events.size() < records_kept) {
    summary_.events.push_back({.t = t_, .what = fmt::format("{}", fmt::join(report.what, "; "))});
  }
  if (!report.ok) return fail(report.failure);
  if (!report.warning.empty() && summary_.warnings.size() < records_kept)
    summary_.warnings.push_back(report.warning);
  if (report.terminated) {
    stopped_ = true;
    summary_.reason = fmt::format("terminated by the model at t = {:.10g}: {}", t_, report.message);
  }
}

// Consistent values after an event; empty string when they were found.
std::string Stepper::make_consistent(const std::vector<Reinit>& reinits) {
  const auto& states = driver_->states();
  bool all_states = true;
  for (const Reinit& reinit : reinits)
    all_states = all_states && std::ranges::binary_search(states, reinit.level);
  if (!all_states) return make_nearest(reinits);
  for (const Reinit& reinit : reinits) {
    const int slot = model_.layout().levels + reinit.level;
    environment_[static_cast<std::size_t>(slot)] = reinit.value;
  }
  if (driver_->make_consistent()) return {};
  // The states may not be a good choice any more on the other side of the event.
  return make_nearest(reinits);
}

std::string Stepper::make_nearest(const std::vector<Reinit>& reinits) {
  const auto first = environment_.begin() + model_.layout().levels;
  NearestProblem problem;
  problem.guess.assign(first, first + model_.level_count());
  problem.held.assign(problem.guess.size(), false);
  problem.weight.assign(problem.guess.size(), weight_of_others);
  for (const double value : problem.guess) problem.scale.push_back(std::max(1.0, std::abs(value)));
  for (const int s : driver_->states()) problem.weight[static_cast<std::size_t>(s)] = 1;
  for (const Reinit& reinit : reinits) {
    problem.guess[static_cast<std::size_t>(reinit.level)] = reinit.value;
    problem.held[static_cast<std::size_t>(reinit.level)] = true;
  }
  const ConstraintFunction constraints = level_constraints(model_, environment_);
  const NearestResult found = nearest_point(constraints, problem);
  std::ranges::copy(found.z, environment_.begin() + model_.layout().levels);
  if (found.status == NearestStatus::Ok) return {};
  const std::string worst =
      found.bad_row >= 0
          ? model_.levels().equation_name(model_.levels().equations[static_cast<std::size_t>(found.bad_row)])
          : "";
  const std::string why =
      found.status == NearestStatus::NotFinite ? "has no finite value there" : "could not be fulfilled";
  return fmt::format(
      "no consistent values were found after the event at t = {:.10g}{}", t_,
      worst.empty() ? std::string(": the equations are singular there") : fmt::format("; {} {}", worst, why));
}

void Stepper::watch_chattering(bool crossing) {
  // Crossings that follow each other at once, or that never get away from zero by more than rounding and
  // hysteresis.
  const bool at_once = t_ - last_crossing_ < chatter_spacing * (settings_.end - settings_.start);
  const bool shallow = crossing_depth_ < shallow_depth * settings_.tolerances.absolute;
  const bool by_state = std::ranges::any_of(crossed_, [this](int r) { return !events_.is_time_relation(r); });
  chatter_ = crossing && by_state && (at_once || shallow) ? chatter_ + 1 : 0;
  if (crossing) last_crossing_ = t_;
  if (crossing) accumulation_.crossed(t_, crossed_);
  if (chatter_ < chatter_limit) return;
  std::vector<std::string> names;
  for (const int r : crossed_) names.push_back(relation_text(model_.dae(), r));
  fail(
      fmt::format("chattering at t = {:.10g}: {} switches back and forth without end; make the "
                  "switch smooth, add hysteresis, or use noEvent()",
                  t_, fmt::join(names, ", ")));
}

void Stepper::warn_of_accumulation() {
  for (const AccumulationWatch::Found& found : accumulation_.found(t_)) {
    summary_.warnings.push_back(
        fmt::format("events accumulate at t = {:.6g}: {} changes ever faster and then no more, so what "
                    "follows is not the "
                    "motion that the model means; end the run there, or give the model a state of rest",
                    found.t, relation_text(model_.dae(), found.relation)));
  }
}

// Starts the integrator at the consistent values in the environment.
void Stepper::restart() {
  driver_->start_values(restarted_ ? integrator_.get() : nullptr, y_, yp_);
  restarted_ = true;
  restart_due_ = false;
  integrator_->start(t_, y_, yp_, horizon());
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
  if (const std::string more = driver_->explain_failure(); !more.empty()) reason = more + "; " + reason;
  fail(std::move(reason));
}

std::span<const double> Stepper::output_at(double t) {
  const bool within = integrator_ != nullptr && restarted_ && t >= integrator_->t_previous() &&
                      t <= integrator_->t() && t != t_;
  if (within) return course_at(t);
  output_ = environment_;
  output_trouble_.clear();
  return output_;
}

std::span<const double> Stepper::course_at(double t) {
  output_ = environment_;
  const std::span<double> rates = driver_->reads_rates() ? std::span<double>(yp_) : std::span<double>();
  integrator_->interpolate(t, y_, rates);
  bind(output_);
  driver_->place(t, y_, rates);
  output_trouble_ = driver_->complete_output();
  bind(environment_);
  return output_;
}

std::span<const double> Stepper::output_now() {
  if (!complete_ && integrator_ != nullptr && restarted_) return course_at(t_);
  output_ = environment_;
  output_trouble_.clear();
  return output_;
}

void Stepper::set_slot(int slot, double value) {
  environment_[static_cast<std::size_t>(slot)] = value;
  changed_ = true;
}

void Stepper::set_level(int level, double value) {
  std::erase_if(changed_levels_, [level](const Reinit& reinit) { return reinit.level == level; });
  changed_levels_.push_back({.level = level, .value = value});
  changed_ = true;
}

std::string Stepper::take_up_changes() {
  if (!changed_ || failed_) return {};
  const FloatMode mode(FloatMode::tiny_is_zero());
  changed_ = false;
  if (restarted_ && !complete_) load(t_);
  if (std::string reason = make_consistent(std::exchange(changed_levels_, {})); !reason.empty())
    return reason;
  handle_event({});
  if (failed_) return summary_.reason;
  if (integrator_ != nullptr) restart();
  return {};
}

double Stepper::horizon() const {
  return t_ < settings_.end ? settings_.end : t_ + std::max(settings_.end - settings_.start, 1.0);
}

std::vector<double> Stepper::drift() {
  std::vector<double> residuals(static_cast<std::size_t>(model_.equation_count()));
  std::vector<double> workspace, largest;
  model_.residuals.evaluate(output_now(), residuals, workspace);
  const LevelSystem& levels = model_.levels();
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    const LevelEquation& equation = levels.equations[k];
    if (levels.plan.c[static_cast<std::size_t>(equation.equation)] == 0) continue;
    const auto level = static_cast<std::size_t>(levels.constraint_level(equation));
    if (largest.size() <= level) largest.resize(level + 1, 0.0);
    largest[level] = std::max(largest[level], std::abs(residuals[k]));
  }
  return largest;
}

void Stepper::state(Archive& archive) {
  archive.section("run", 1);
  std::string row(row_->name);
  std::string selection = integrator_settings_.selection.to_text();
  bool begun = integrator_ != nullptr;
  archive(settings_.start, settings_.end, settings_.points, settings_.tolerances, row, selection, begun);
  archive.sized(environment_.size(), environment_);
  archive(t_, initialised_, numerics_failed_, failed_, stopped_, restarted_, complete_, last_crossing_);
  archive(chatter_, crossing_depth_, accumulation_, earlier_, changed_);
  archive(summary_.status, summary_.reason, summary_.t_end, summary_.why, summary_.unknowns);
  archive(summary_.events, summary_.event_count, summary_.initialisation, summary_.warnings);
  archive(changed_levels_);
  for (const Reinit& reinit : changed_levels_)
    archive.require(reinit.level >= 0 && reinit.level < model_.level_count(), "a level that there is not");
  events_.state(archive);
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
    warn_of_accumulation();
    driver_->finish(summary_);
  }
  result.summary = std::move(summary_);
  result.numerics_failed = numerics_failed_;
}

}  // namespace daedalus
