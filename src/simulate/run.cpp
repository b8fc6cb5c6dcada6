#include "simulate/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "advise/choice.hpp"
#include "consistent/accumulation.hpp"
#include "consistent/initialise.hpp"
#include "core/float_mode.hpp"
#include "drive/make_driver.hpp"
#include "simulate/horizon.hpp"
#include "simulate/recorder.hpp"

namespace daedalus {
namespace {

constexpr std::size_t records_kept = 1000;  // of events in the summary; counters go on
// Chattering: so many crossings in a row, each sooner after the last one than this part of the run.
constexpr int chatter_limit = 15;
constexpr double chatter_spacing = 1e-9;

class Stopwatch {
 public:
  explicit Stopwatch(Summary& summary) : summary_(summary) {}
  void lap(std::string name) {
    const auto now = Clock::now();
    summary_.seconds.emplace_back(std::move(name), std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }
  // Part of the last lap belongs to another one.
  void move(double seconds, std::string_view name) {
    for (auto& [lap, sum] : summary_.seconds) {
      if (lap == name) sum += seconds;
    }
    summary_.seconds.back().second -= seconds;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Summary& summary_;
  Clock::time_point last_ = Clock::now();
};

Counters sum_of(const Counters& a, const Counters& b) {
  return {.steps = a.steps + b.steps,
          .rejected = a.rejected + b.rejected,
          .residual_evals = a.residual_evals + b.residual_evals,
          .jacobian_evals = a.jacobian_evals + b.jacobian_evals,
          .factorizations = a.factorizations + b.factorizations,
          .newton_iterations = a.newton_iterations + b.newton_iterations,
          .newton_failures = a.newton_failures + b.newton_failures,
          .error_test_failures = a.error_test_failures + b.error_test_failures};
}

// The loop of a run. Everything in it is allocated before it starts.
class Run {
 public:
  Run(const CompiledModel& model, const Horizon& horizon, RunPlan& choice, const RunOptions& options,
      RunResult& result)
      : model_(model),
        horizon_(horizon),
        choice_(choice),
        options_(options),
        result_(result),
        environment_(model.fresh_environment()),
        events_(model, environment_, horizon.tolerances.absolute),
        recorder_(model, horizon.start, horizon.end, horizon.points) {
    settings_.tolerances = horizon.tolerances;
    settings_.fixed_step = options.step;
    settings_.selection = choice.integrator;
    row_ = choice.integrator_row;
    if (options.dense != nullptr) options.dense->begin(recorder_.signals());
  }

  // The formulation: lengthens the environment by what it needs. Wrong options are an error.
  Result<void> formulate() {
    auto driver = make_driver(
        {.model = model_, .environment = environment_, .choice = choice_, .tolerances = horizon_.tolerances});
    if (!driver) return std::unexpected(driver.error());
    driver_ = *std::move(driver);
    output_environment_ = environment_;
    const auto n = static_cast<std::size_t>(driver_->size());
    y_.resize(n);
    yp_.resize(n);
    return {};
  }

  // Wrong input is an error; numerical failure is in the result.
  Result<void> initialise_model() {
    const Initialisation outcome = initialise(model_, environment_, events_);
    if (outcome.status == Initialisation::Status::WrongInput) return std::unexpected(outcome.diagnostics);
    result_.summary.initialisation = outcome.lines;
    if (outcome.status == Initialisation::Status::Failed) {
      fail_run(horizon_.start, "initialisation failed: " + outcome.reason);
      return {};
    }
    events_.begin(horizon_.start);
    return {};
  }

  // What is made once, at the initial values.
  void prepare() {
    if (failed_) return;
    t_ = horizon_.start;
    if (std::string reason = driver_->begin(); !reason.empty()) {
      result_.numerics_failed = true;
      fail_run(t_, std::move(reason));
      return finish();
    }
    integrator_ = driver_->make_integrator(*row_, settings_);
    result_.summary.unknowns = driver_->size();
  }

  // Seconds of integrate() in which programs for a second method were compiled.
  [[nodiscard]] double compiling() const { return compiling_; }

  void integrate() {
    if (failed_) return;
    const FloatMode mode(FloatMode::tiny_is_zero());
    if (events_.next_time_event(t_) <= t_) handle_event({});
    if (!failed_ && recorder_.next() <= t_) record_at(t_);
    if (!failed_ && t_ < horizon_.end) restart();
    while (!failed_ && !stopped_ && t_ < horizon_.end) advance();
    finish();
  }

 private:
  void fail_run(double t, std::string reason) {
    failed_ = true;
    result_.summary.status = "failed";
    result_.summary.reason = std::move(reason);
    result_.summary.t_end = t;
  }

  // One step of the integrator and all that follows from it.
  void advance() {
    double time_event = events_.next_time_event(t_);
    // It was handled already, or rounding hides it: then it is found like any other crossing.
    if (time_event <= t_) time_event = std::numeric_limits<double>::infinity();
    const double stop = std::min(horizon_.end, time_event);
    driver_->before_step(*integrator_, stop);
    const StepOutcome outcome = driver_->step(*integrator_, stop);
    if (!outcome.ok()) return explain_failure(outcome);
    double reached = integrator_->t();
    const bool crossing = locate_crossing(reached);
    record_until(reached);
    if (failed_) return;
    if (options_.dense != nullptr) record_course(reached);
    t_ = reached;
    const bool event = crossing || reached >= time_event;
    integrator_->interpolate(reached, y_, yp_);
    event ? driver_->scatter(reached, y_, yp_) : driver_->place(reached, y_, yp_);
    if (event) {
      handle_event(crossing ? crossed_ : std::vector<int>{});
      if (failed_ || stopped_) return;
      watch_chattering(crossing);
      if (!failed_ && recorder_.next() <= t_) record_at(t_);
      if (!failed_ && t_ < horizon_.end) restart();
    } else if (std::string reason = driver_->after_step(*integrator_); !reason.empty()) {
      result_.numerics_failed = true;
      return fail_run(t_, std::move(reason));
    }
    if (choice_.stiff_row != nullptr && integrator_->stiff() && t_ < horizon_.end) go_over();
    report_progress();
  }

  // The equations are stiff: an implicit method goes on from here. Its vector is another one, with the
  // algebraic unknowns in it.
  void go_over() {
    load(t_);
    result_.summary.why +=
        fmt::format("; {} from t = {:.6g} on: the equations are stiff there", choice_.stiff_row->name, t_);
    earlier_ = sum_of(earlier_, integrator_->counters());
    choice_.integrator_row = std::exchange(choice_.stiff_row, nullptr);
    choice_.integrator = settings_.selection =
        stiff_integrator(*choice_.integrator_row, horizon_.tolerances.relative);
    row_ = choice_.integrator_row;
    const auto begin = std::chrono::steady_clock::now();
    integrator_ = driver_->make_integrator(*row_, settings_);
    compiling_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    y_.resize(static_cast<std::size_t>(driver_->size()));
    yp_.resize(y_.size());
    result_.summary.integrator = choice_.integrator;
    result_.summary.unknowns = driver_->size();
    restarted_ = false;
    restart();
  }

  // Puts the interpolated solution at time t into the environment.
  void load(double t) {
    integrator_->interpolate(t, y_, yp_);
    driver_->scatter(t, y_, yp_);
  }

  // The end of a step fulfils all equations as it is.
  void load_for_relations(double t) {
    load(t);
    if (events_.reads_algebraic() && t < integrator_->t()) driver_->complete_output(environment_);
  }

  // The first time in the last step at which a relation differs from the truth held; bisection on the
  // dense output down to rounding. Fills crossed_ and sets t.
  bool locate_crossing(double& t) {
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
    const double resolution =
        4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(high), std::abs(low));
    while (high - low > std::max(resolution, 1e-14 * integrator_->last_step())) {
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

  void handle_event(const std::vector<int>& crossed) {
    const EventReport report =
        events_.handle(t_, crossed, [this](const std::vector<Reinit>& reinits) { return settle(reinits); });
    ++result_.summary.event_count;
    if (result_.summary.events.size() < records_kept) {
      result_.summary.events.push_back({.t = t_, .what = fmt::format("{}", fmt::join(report.what, "; "))});
    }
    if (!report.ok) return fail_run(t_, report.failure);
    if (!report.warning.empty() && result_.summary.warnings.size() < records_kept)
      result_.summary.warnings.push_back(report.warning);
    if (report.terminated) {
      stopped_ = true;
      result_.summary.reason = fmt::format("terminated by the model at t = {:.10g}: {}", t_, report.message);
    }
  }

  // Consistent values after an event; empty string when they were found.
  std::string settle(const std::vector<Reinit>& reinits) {
    const auto& states = driver_->states();
    bool all_states = true;
    for (const Reinit& reinit : reinits)
      all_states = all_states && std::ranges::binary_search(states, reinit.level);
    if (!all_states) return settle_nearest(reinits);
    for (const Reinit& reinit : reinits) {
      const int slot = model_.layout().levels + reinit.level;
      environment_[static_cast<std::size_t>(slot)] = reinit.value;
    }
    if (driver_->settle(environment_)) return {};
    // The states may not be a good choice any more on the other side of the event.
    return settle_nearest(reinits);
  }

  std::string settle_nearest(const std::vector<Reinit>& reinits) {
    const auto first = environment_.begin() + model_.layout().levels;
    NearestProblem problem;
    problem.guess.assign(first, first + model_.level_count());
    problem.held.assign(problem.guess.size(), false);
    problem.weight.assign(problem.guess.size(), 1e-6);
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
    const std::string worst = found.bad_row >= 0
                                  ? model_.levels().equation_name(
                                        model_.levels().equations[static_cast<std::size_t>(found.bad_row)])
                                  : "";
    const std::string why =
        found.status == NearestStatus::NotFinite ? "has no finite value there" : "could not be fulfilled";
    return fmt::format("no consistent values were found after the event at t = {:.10g}{}", t_,
                       worst.empty() ? std::string(": the equations are singular there")
                                     : fmt::format("; {} {}", worst, why));
  }

  void watch_chattering(bool crossing) {
    // Crossings that follow each other at once, or that never get away from zero by more than rounding and
    // hysteresis.
    const bool at_once = t_ - last_crossing_ < chatter_spacing * (horizon_.end - horizon_.start);
    const bool shallow = crossing_depth_ < 100 * horizon_.tolerances.absolute;
    const bool by_state =
        std::ranges::any_of(crossed_, [this](int r) { return !events_.is_time_relation(r); });
    chatter_ = crossing && by_state && (at_once || shallow) ? chatter_ + 1 : 0;
    if (crossing) last_crossing_ = t_;
    if (crossing) accumulation_.crossed(t_, crossed_);
    if (chatter_ < chatter_limit) return;
    std::vector<std::string> names;
    for (const int r : crossed_) names.push_back(relation_text(model_.dae(), r));
    fail_run(t_, fmt::format("chattering at t = {:.10g}: {} switches back and forth without end; make the "
                             "switch smooth, add hysteresis, or use noEvent()",
                             t_, fmt::join(names, ", ")));
  }

  void warn_of_accumulation() {
    for (const AccumulationWatch::Found& found : accumulation_.found(t_)) {
      result_.summary.warnings.push_back(
          fmt::format("events accumulate at t = {:.6g}: {} changes ever faster and then no more, so what "
                      "follows is not the "
                      "motion that the model means; end the run there, or give the model a state of rest",
                      found.t, relation_text(model_.dae(), found.relation)));
    }
  }

  // Starts the integrator at the consistent values in the environment.
  void restart() {
    driver_->start_values(restarted_ ? integrator_.get() : nullptr, y_, yp_);
    restarted_ = true;
    integrator_->start(t_, y_, yp_, horizon_.end);
  }

  // Output rows strictly before t (and at t when nothing happens there): interpolated, then made consistent.
  void record_until(double t) {
    while (recorder_.next() < t && !failed_) record_at(recorder_.next());
    const bool event_here = t >= events_.next_time_event(t_);
    if (!failed_ && recorder_.next() <= t && !event_here && crossed_.empty()) record_at(recorder_.next());
  }

  void record_at(double t) {
    if (integrator_ != nullptr && restarted_ && t >= integrator_->t_previous() && t <= integrator_->t() &&
        t != t_) {
      integrator_->interpolate(t, y_, yp_);
      output_environment_ = environment_;
      environment_.swap(output_environment_);
      driver_->scatter(t, y_, yp_);
      driver_->complete_output(environment_);
      environment_.swap(output_environment_);
    } else {
      output_environment_ = environment_;
    }
    const std::string failure = recorder_.check_assertions(output_environment_, result_.summary.warnings);
    recorder_.record(output_environment_);
    if (!failure.empty()) fail_run(t, failure);
  }

  // The step up to `reached`, before anything happens there.
  void record_course(double reached) {
    course_.clear();
    const std::vector<double> nodes = DenseOutput::nodes(t_, reached, integrator_->order());
    for (const double t : nodes) {
      output_environment_ = environment_;
      environment_.swap(output_environment_);
      load(t);
      driver_->complete_output(environment_);
      recorder_.append_signals(environment_, course_);
      environment_.swap(output_environment_);
    }
    options_.dense->add(nodes, course_);
  }

  void report_progress() {
    if (!options_.progress || failed_) return;
    const Progress progress{.t = t_,
                            .t_start = horizon_.start,
                            .t_end = horizon_.end,
                            .step = integrator_->last_step(),
                            .order = integrator_->order(),
                            .steps = integrator_->counters().steps};
    if (!options_.progress(progress)) fail_run(t_, fmt::format("interrupted at t = {:.10g}", t_));
  }

  void explain_failure(const StepOutcome& outcome) {
    t_ = integrator_->t();
    std::string reason = fmt::format("the integration stopped at t = {:.10g}: {}", t_, outcome.detail);
    if (outcome.component >= 0 && outcome.component < driver_->size())
      reason += fmt::format("; most trouble comes from {}", driver_->component_name(outcome.component));
    load(t_);
    result_.numerics_failed = true;
    if (const std::string more = driver_->explain_failure(); !more.empty()) reason = more + "; " + reason;
    fail_run(t_, std::move(reason));
  }

  void finish() {
    if (integrator_ != nullptr && restarted_) {
      result_.summary.counters = sum_of(earlier_, integrator_->counters());
      result_.summary.linear_solver = integrator_->linear_solver();
      if (failed_ || stopped_) recorder_.record_end(t_, environment_);
    }
    if (!failed_) result_.summary.t_end = t_;
    warn_of_accumulation();
    driver_->finish(result_.summary);
    recorder_.finish(result_);
  }

  const CompiledModel& model_;
  Horizon horizon_;
  RunPlan& choice_;
  const RunOptions& options_;
  RunResult& result_;
  std::vector<double> environment_;
  std::vector<double> output_environment_;
  EventHandler events_;
  std::unique_ptr<RunDriver> driver_;
  Recorder recorder_;
  IntegratorSettings settings_;
  const IntegratorRow* row_ = nullptr;
  std::unique_ptr<Integrator> integrator_;
  Counters earlier_;  // of the integrator before this one
  double compiling_ = 0;
  double t_ = 0;
  bool failed_ = false;
  bool stopped_ = false;
  bool restarted_ = false;
  double last_crossing_ = -std::numeric_limits<double>::infinity();
  int chatter_ = 0;
  double crossing_depth_ = 0;
  AccumulationWatch accumulation_;
  std::vector<int> crossed_, trial_crossed_, candidates_;
  std::vector<double> y_, yp_;
  std::vector<double> course_;  // rows of the step being recorded
};

}  // namespace

namespace {

// One run by one choice.
Result<RunResult> simulate_by(RunPlan& choice, const Horizon& horizon, const RunOptions& options) {
  RunResult result;
  Stopwatch watch(result.summary);
  result.summary.formulation = choice.formulation;
  result.summary.integrator = choice.integrator;
  result.summary.why = choice.why;
  result.summary.index = choice.levels.index();
  result.summary.dof = choice.levels.plan.degrees_of_freedom;
  for (const Repair& repair : choice.levels.repairs) result.summary.warnings.push_back(repair.text);
  auto model = CompiledModel::compile(std::move(choice.levels), options.codegen);
  if (!model) return std::unexpected(model.error());
  result.summary.codegen = (*model)->residuals.back_end();
  // Formulations that rewrite the constrained form have Jacobians of their own.
  if (choice.row->kind != FormulationKind::DummyDerivatives) (*model)->spare_jacobian();
  Run run(**model, horizon, choice, options, result);
  if (auto formulated = run.formulate(); !formulated) return std::unexpected(formulated.error());
  watch.lap("codegen");
  if (auto begun = run.initialise_model(); !begun) return std::unexpected(begun.error());
  run.prepare();
  watch.lap("initialise");
  run.integrate();
  watch.lap("integrate");
  watch.move(run.compiling(), "codegen");
  return result;
}

// auto took dummy derivatives, and they could not go on: with singular constraints trust-region can.
std::optional<RunResult> second_attempt(const DaeSystem& system, const Horizon& horizon, RunOptions options,
                                        const RunResult& first) {
  options.formulation = Selection("trust-region");
  auto choice = choose(system, options);
  if (!choice) return std::nullopt;
  auto result = simulate_by(*choice, horizon, options);
  if (!result || result->summary.t_end < first.summary.t_end) return std::nullopt;
  const std::string how = fmt::format(
      "trust-region: {} ended at t = {:.6g} ({}), and this formulation takes constraints that lose rank",
      first.summary.formulation.name(), first.summary.t_end,
      first.summary.reason.empty() ? "constraints that seemed redundant were not" : first.summary.reason);
  result->summary.why = result->summary.why.empty() ? how : how + "; " + result->summary.why;
  return *std::move(result);
}

}  // namespace

Result<RunResult> simulate(const DaeSystem& system, const RunOptions& options) {
  const auto horizon = horizon_of(system, options);
  if (!horizon) return std::unexpected(horizon.error());
  const auto begin = std::chrono::steady_clock::now();
  auto choice = choose(system, options);
  if (!choice) return std::unexpected(choice.error());
  const std::chrono::duration<double> structure = std::chrono::steady_clock::now() - begin;
  auto result = simulate_by(*choice, *horizon, options);
  if (!result) return result;
  const bool singular = choice->fallback && result->numerics_failed;
  if (singular) {
    const DaeSystem* again = &system;
    if (const auto& independent = choice->independent) again = &independent->system;
    if (auto second = second_attempt(*again, *horizon, options, *result)) result = *std::move(second);
  }
  if (choice->independent != nullptr) {
    if (options.dense != nullptr)
      settle_course(*choice->full_form, *choice->independent, *result, *options.dense);
    const double off = settle_redundant(*choice->full_form, *choice->independent, *result);
    // What was taken for redundant is not: it moves away by more than an error of the integration.
    constexpr double moved_away = 100;
    if (off > moved_away * (horizon->tolerances.relative + horizon->tolerances.absolute)) {
      if (auto second = second_attempt(system, *horizon, options, *result)) result = *std::move(second);
    }
  }
  result->summary.seconds.insert(result->summary.seconds.begin(), {"structure", structure.count()});
  return result;
}

}  // namespace daedalus
