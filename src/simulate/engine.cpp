#include "simulate/engine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "constraints/independent.hpp"
#include "drive/make_driver.hpp"
#include "simulate/amplification.hpp"
#include "simulate/recording.hpp"
#include "simulate/small_values.hpp"
#include "stepping/engine_parts.hpp"
#include "stepping/stepper.hpp"

namespace daedalus {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// What was taken for redundant is not if it moves away by more than this many errors of the integration.
constexpr double moved_away = 100;
// Larger mechanisms are not run once more with all constraints to see whether a change point is one.
constexpr int most_positions_tried = 100;
// Errors of states grow by so much in what follows from them that the run is repeated with more accurate
// ones, whose errors then grow to `amplified_rest` tolerances. At 50, Andrews' squeezer with another spring
// would run twice.
constexpr double amplified = 100;
constexpr double amplified_rest = 10;
// But not by tolerances so much smaller, nor by smaller ones than double precision keeps over a run.
constexpr double sharpest = 1e4;
constexpr double sharpest_rtol = 1e-12;
// A run with nominal values that it found itself takes not many more steps than the one without; where values
// are rounding, it would take any number.
constexpr long times_the_steps = 20;
constexpr long further_steps = 200;
// Where a value is hidden by its errors, they are first made smaller by this; and not more often than so.
constexpr double to_see_more = 100;
constexpr int most_repetitions = 4;
constexpr double worth_another_run = 1.5;
// What nothing was done about is a warning (errors are a third of what is allowed, or less), and what was
// left by another run as soon as it would have been worth one; of large models, whose factors are
// exaggerated, a later one.
constexpr double told_amplification = 300;
constexpr double told_again = 100;
constexpr double told_of_large = 2e4;

double most_accurate(double rtol) {
  return std::min(sharpest, rtol / sharpest_rtol);
}

class StepLimit final : public RunObserver {
 public:
  explicit StepLimit(long most) : most_(most) {}
  bool step(const Progress& progress) override { return progress.steps <= most_; }

 private:
  long most_;
};

std::string names_and_sizes(std::span<const SmallUnknown> small) {
  std::string text;
  for (const SmallUnknown& unknown : small)
    text += fmt::format("{}{} ({:g})", text.empty() ? "" : ", ", unknown.name, unknown.size);
  return text;
}

// Of a mechanism, whose states are a position and a velocity for each way in which it can move: how many
// these are. `states`: how many values can be chosen freely at the start.
int degrees_of_freedom(const RunPlan& plan, int states) {
  const bool mechanism = std::ranges::any_of(plan.system->equations, &Equation::keep);
  if (!mechanism || plan.form == nullptr || plan.form->order != 2) return states;
  if (std::ranges::any_of(plan.form->constraints, [](const FormConstraint& one) { return one.level > 0; }))
    return states;
  const int redundant = (states - plan.levels->plan.degrees_of_freedom) / 2;
  return plan.form->n() - plan.form->ny() + redundant;
}

}  // namespace

Engine::Engine(std::shared_ptr<const EngineParts> parts,
               std::shared_ptr<const SensitivityModel> sensitivities)
    : parts_(std::move(parts)), sensitivities_(std::move(sensitivities)) {}
Engine::~Engine() = default;

const RunPlan& Engine::plan() const {
  return *parts_->plan;
}

const DaeSystem& Engine::system() const {
  return parts_->model->dae();
}

const CompiledModel& Engine::model() const {
  return *parts_->model;
}

std::vector<ProgramSize> Engine::programs() const {
  const CompiledModel& model = *parts_->model;
  std::vector<ProgramSize> list = parts_->driver->programs();
  if (parts_->plan->row->any_dae) {
    list.push_back(size_of("equations of all levels", model.residuals));
    list.push_back({.name = "their Jacobian",
                    .results = model.jacobian().row.size(),
                    .operations = model.jacobian().program().operations(),
                    .back_end = {}});
    list.push_back(size_of("selection of states", model.selection_values));
  }
  if (model.relations.roots() > 0) list.push_back(size_of("relations", model.relations));
  list.push_back(size_of("outputs", model.outputs));
  list.push_back(size_of("check of all equations at output points", model.residuals));
  return list;
}

std::vector<std::string> Engine::settable() const {
  std::vector<std::string> names;
  for (const Variable& variable : system().variables) {
    if (is_given(variable.kind) && !variable.internal) names.push_back(variable.name);
  }
  for (const InputCourse& course : input_courses(system())) names.push_back(course.name);
  return names;
}

Result<std::shared_ptr<const Engine>> compile(RunPlan plan) {
  auto spare = std::make_shared<const DaeSystem>(deep_copy(*plan.system));
  auto engine = Engine::make(std::move(plan), std::move(spare));
  if (!engine) return std::unexpected(engine.error());
  (*engine)->rehearse();
  (*engine)->parts_->plan->system->graph->freeze();
  return *std::move(engine);
}

// A start and a step, so that everything that is made when it is first needed is there before the graph is
// frozen; and the system of the method that takes over where equations are stiff.
void Engine::rehearse() const {
  Stepper(*parts_, parts_->settings).rehearse_start();
  Stepper stepper(*parts_, parts_->settings);
  if (!stepper.start({})) return;
  UnobservedSteps nobody;
  stepper.begin(nobody);
  if (stepper.running() && parts_->settings.end > stepper.time())
    stepper.advance(parts_->settings.end, nobody);
  if (stepper.initialised() && !stepper.failed()) stepper.rehearse_stiff();
  RunResult unused;
  stepper.finish(unused);
}

Result<std::shared_ptr<const Engine>> Engine::make(RunPlan plan, std::shared_ptr<const DaeSystem> spare) {
  const auto begin = Clock::now();
  auto parts = std::make_shared<EngineParts>();
  parts->spare = std::move(spare);
  parts->settings = plan.settings;
  parts->options = plan.options;
  parts->plan = std::make_shared<const RunPlan>(std::move(plan));
  if (parts->plan->model != nullptr) {
    parts->model = parts->plan->model;
  } else {
    // Where redundant constraints are left out, their reactions follow from signals that may not be asked
    // for.
    const bool all = parts->plan->independent != nullptr;
    auto model = CompiledModel::compile(parts->plan->levels, parts->options.codegen,
                                        all ? std::vector<std::string>{} : parts->options.vars);
    if (!model) return std::unexpected(model.error());
    // Formulations that rewrite the constrained form have Jacobians of their own.
    if (!parts->plan->row->any_dae) (*model)->spare_jacobian();
    parts->model = *std::move(model);
  }
  std::vector<NodeId> conditions;
  for (const Assertion& assertion : parts->model->dae().assertions) conditions.push_back(assertion.condition);
  parts->assertions = parts->model->compile(conditions);
  parts->events.emplace(*parts->model, std::span<double>{}, 0.0);
  if (parts->plan->independent != nullptr)
    parts->full_model = full_model(*parts->plan->full_form, *parts->plan->independent);
  std::shared_ptr<const SensitivityModel> made;
  if (!parts->options.sensitivities.empty()) {
    auto sensitivities = SensitivityModel::make(*parts->model, *parts->plan, parts->options.sensitivities);
    if (!sensitivities) return std::unexpected(sensitivities.error());
    made = *std::move(sensitivities);
  }
  auto driver =
      make_driver({.model = *parts->model, .plan = *parts->plan, .tolerances = parts->settings.tolerances});
  if (!driver) return std::unexpected(driver.error());
  parts->driver = *std::move(driver);
  parts->seconds_codegen = seconds_since(begin);
  return std::shared_ptr<const Engine>(new Engine(std::move(parts), std::move(made)));
}

Result<RunSettings> Engine::settings_for(const RunRequest& request) const {
  RunOptions options = parts_->options;
  if (request.until) options.until = request.until;
  if (request.rtol) options.rtol = request.rtol;
  if (request.atol) options.atol = request.atol;
  if (request.points) options.points = request.points;
  return run_settings(system(), options);
}

Result<Simulation> Engine::start(const RunRequest& request) const {
  try {
    return start_here(request);
  } catch (const GraphFrozen&) {
    const auto own = own_engine();
    if (!own) return std::unexpected(own.error());
    return (*own)->start_here(request);
  }
}

Result<Simulation> Engine::start_here(const RunRequest& request) const {
  const auto settings = settings_for(request);
  if (!settings) return std::unexpected(settings.error());
  auto stepper = std::make_unique<Stepper>(*parts_, *settings);
  if (auto started = stepper->start(request.set, request.inputs); !started)
    return std::unexpected(started.error());
  UnobservedSteps nobody;
  stepper->begin(nobody);
  return Simulation(shared_from_this(), parts_, std::move(stepper));
}

Result<Simulation> Engine::load(std::span<const std::byte> bytes,
                                std::span<const InputFunction> inputs) const {
  try {
    return load_here(bytes, inputs);
  } catch (const GraphFrozen&) {
    const auto own = own_engine();
    if (!own) return std::unexpected(own.error());
    return (*own)->load_here(bytes, inputs);
  }
}

Result<Simulation> Engine::load_here(std::span<const std::byte> bytes,
                                     std::span<const InputFunction> inputs) const {
  auto stepper = std::make_unique<Stepper>(*parts_, parts_->settings);
  if (auto taken = stepper->take_functions(inputs); !taken) return std::unexpected(taken.error());
  Archive archive(bytes);
  if (archive.ok()) identify(*parts_, archive);
  if (archive.ok()) stepper->state(archive);
  archive.require(archive.at_end(), "there is more in it than belongs there");
  if (auto outcome = outcome_of(archive); !outcome) return std::unexpected(outcome.error());
  return Simulation(shared_from_this(), parts_, std::move(stepper));
}

// The values at which a run would begin if one of those that it is given were another one.
Result<std::vector<double>> Engine::start_with(const StartValue& value, const RunRequest& request,
                                               const RunSettings& settings) const {
  std::vector<StartValue> values = request.set;
  std::erase_if(values, [&value](const StartValue& other) { return other.name == value.name; });
  values.push_back(value);
  Stepper stepper(*parts_, settings);
  if (auto started = stepper.start(values, request.inputs); !started) return std::unexpected(started.error());
  UnobservedSteps nobody;
  stepper.begin(nobody);
  if (stepper.failed()) return fail(stepper.reason());
  return std::vector<double>(stepper.environment().begin(), stepper.environment().end());
}

struct Engine::Watched {
  AmplifiedError amplification;
  std::vector<double> sizes;  // by level: the largest values
};

Result<RunResult> Engine::run_once(const RunRequest& request, const RunSettings& settings,
                                   const StateAccuracy& accuracy, Watched* watched) const {
  const auto begin = Clock::now();
  RunResult result;
  RunSettings steps = settings;
  steps.tolerances = {.relative = settings.tolerances.relative / accuracy.sharper,
                      .absolute = settings.tolerances.absolute / accuracy.sharper};
  std::optional<SensitivityCourse> sensitivities;
  if (sensitivities_ != nullptr)
    sensitivities.emplace(*parts_, *sensitivities_, steps, request.set,
                          [&](const StartValue& value) { return start_with(value, request, steps); });
  Stepper stepper(*parts_, steps);
  if (auto started = stepper.start(request.set, request.inputs); !started)
    return std::unexpected(started.error());
  Recording recording(*parts_, settings, stepper.environment(),
                      {.progress = request.progress, .observers = request.observers, .dense = request.dense},
                      accuracy, sensitivities ? &*sensitivities : nullptr);
  const double initialise = seconds_since(begin);
  stepper.begin(recording);
  while (stepper.running() && stepper.time() < settings.end) stepper.advance(settings.end, recording);
  if (stepper.initialised() && !(stepper.running()) && stepper.integrator() != nullptr)
    recording.record_end(stepper);
  const bool initialised = stepper.initialised();
  const double compiling = stepper.compiling();
  stepper.finish(result);
  result.summary.dof = degrees_of_freedom(*parts_->plan, result.summary.dof);
  if (initialised) recording.finish(result);
  if (sensitivities && !sensitivities_->unreported.empty())
    result.summary.warnings.push_back(
        fmt::format("reactions that redundant constraints share have no sensitivities: {}",
                    fmt::join(sensitivities_->unreported, ", ")));
  watched->amplification = recording.amplification();
  watched->sizes.assign(recording.sizes().begin(), recording.sizes().end());
  result.summary.seconds = {{"codegen", parts_->seconds_codegen + compiling},
                            {"initialise", initialise},
                            {"integrate", seconds_since(begin) - initialise - compiling}};
  return result;
}

// By how much more accurate states are worth another run; 1: by none.
double Engine::sharper_for(const AmplifiedError& worst, double sharper, double rtol) const {
  const bool automatic =
      parts_->options.formulation.name() == "auto" && parts_->options.integrator.name() == "auto";
  if (!automatic || is_large(*parts_->model) || worst.factor <= amplified) return 1;
  const double wanted = worst.hidden ? to_see_more : worst.factor / amplified_rest;
  return std::max(1.0, std::min(wanted, most_accurate(rtol) / sharper));
}

Result<RunResult> Engine::run_accurately(const RunRequest& request, const RunSettings& settings,
                                         Watched* watched) const {
  auto result = run_once(request, settings, {}, watched);
  const double rtol = settings.tolerances.relative;
  double sharper = 1;
  AmplifiedError cause = watched->amplification;
  const std::vector<double> first_sizes = watched->sizes;
  for (int again = 0; again < most_repetitions && result && result->ok(); ++again) {
    const double times = sharper_for(watched->amplification, sharper, rtol);
    if (times <= worth_another_run) break;
    Watched next;
    StateAccuracy accuracy{.sharper = sharper * times, .sizes_before = first_sizes};
    accuracy.sharpest = accuracy.sharper * worth_another_run > most_accurate(rtol);
    auto second = run_once(request, settings, accuracy, &next);
    if (!second || !second->ok()) {
      result =
          run_once(request, settings, {.sharper = sharper}, watched);  // observers have seen the other one
      break;
    }
    if (!watched->amplification.hidden) cause = watched->amplification;
    sharper *= times;
    *watched = std::move(next);
    result = std::move(second);
  }
  if (!result || !result->ok()) return result;
  const auto name = [this](const AmplifiedError& error) {
    return parts_->model->levels().level_name(error.level);
  };
  if (sharper > 1)
    result->summary.why +=
        fmt::format("; states are integrated with rtol {:.2g}, since {} follows from them with {}",
                    rtol / sharper, name(cause),
                    cause.hidden ? std::string("errors that may be larger than it")
                                 : fmt::format("errors {:.2g} times as large", cause.factor));
  const AmplifiedError& left = watched->amplification;
  const double told = is_large(*parts_->model) ? told_of_large
                      : sharper > 1            ? told_again
                                               : told_amplification;
  if (left.factor > told)
    result->summary.warnings.push_back(
        fmt::format("{} follows from the states with errors that are up to {:.2g} times as large, and may be "
                    "off by as many "
                    "times what rtol and atol allow; use a smaller rtol",
                    name(left), left.factor));
  return result;
}

// The first run is alone and makes what is made when it is first needed; then the graph is frozen, and any
// number of threads may follow.
Result<RunResult> Engine::run_by(Another which, const DaeSystem& system, const RunOptions& options,
                                 const std::function<Result<RunResult>(const Engine&)>& run) const {
  std::unique_lock lock(making_others_);
  std::shared_ptr<const Engine>& made = others_[static_cast<std::size_t>(which)];
  if (made == nullptr) {
    auto plan = daedalus::plan(system, options);
    if (!plan) return std::unexpected(plan.error());
    auto engine = make(*std::move(plan));
    if (!engine) return std::unexpected(engine.error());
    (*engine)->rehearse();
    auto result = run(**engine);
    made = *std::move(engine);
    made->parts_->plan->system->graph->freeze();
    return result;
  }
  const std::shared_ptr<const Engine> other = made;
  lock.unlock();
  return run(*other);
}

// The integrator was left to auto, and ended at a singular point or gave up.
std::optional<RunResult> Engine::with_other_integrator(const RunRequest& request,
                                                       const RunResult& first) const {
  const RunPlan& plan = *parts_->plan;
  const bool passes = plan.passing_row != nullptr && first.near_singular;
  const IntegratorRow* row = passes ? plan.passing_row : first.numerics_failed ? plan.other_row : nullptr;
  if (row == nullptr) return std::nullopt;
  RunOptions options = parts_->options;
  options.integrator = Selection(std::string(row->name));
  auto result = run_by(Another::Integrator, *plan.system, options,
                       [&request](const Engine& other) { return other.run_here(request); });
  if (!result || (passes && result->summary.t_end < first.summary.t_end)) return std::nullopt;
  if (!passes && result->summary.reason == first.summary.reason) return std::nullopt;
  result->summary.seconds.erase(result->summary.seconds.begin());  // of the structure: ours is told
  // Who watches has seen its rows, so it is its end that is told, and the other one beside it.
  if (!passes && !result->ok())
    result->summary.reason +=
        fmt::format("; before that {} gave up: {}", plan.integrator_row->name, first.summary.reason);
  result->summary.why =
      passes
          ? fmt::format(
                "{}: {} ended at t = {:.6g}, where the constraints are nearly singular, and Newton's method "
                "of {} takes the matrix of the end of its step",
                row->name, plan.integrator_row->name, first.summary.t_end, row->name)
          : fmt::format("{}: {} gave up at t = {:.6g} ({})", row->name, plan.integrator_row->name,
                        first.summary.t_end, first.summary.reason);
  return *std::move(result);
}

// auto took a formulation, and it could not go on: another one passes, or holds the constraints on both
// sides.
std::optional<RunResult> Engine::second_attempt(const RunRequest& request, const RunResult& first,
                                                bool independent) const {
  RunOptions options = parts_->options;
  options.formulation = Selection(parts_->plan->fallback);
  const bool part = independent && parts_->plan->independent != nullptr;
  const auto settings = settings_for(request);
  Watched watched;
  auto result =
      run_by(independent ? Another::OfIndependent : Another::Fallback,
             part ? parts_->plan->independent->system : *parts_->plan->system, options,
             [&](const Engine& other) { return other.run_accurately(request, *settings, &watched); });
  if (!result || result->summary.t_end < first.summary.t_end) return std::nullopt;
  const std::string how = fmt::format(
      "{}: {} ended at t = {:.6g} ({}), and this formulation takes constraints that lose rank",
      parts_->plan->fallback, first.summary.formulation.name(), first.summary.t_end,
      !first.summary.reason.empty()        ? first.summary.reason
      : first.summary.rank_changes.empty() ? "constraints that seemed redundant were not"
                                           : "the constraints that were kept lose rank where all do not");
  result->summary.why = result->summary.why.empty() ? how : how + "; " + result->summary.why;
  return *std::move(result);
}

std::optional<RunResult> Engine::without_false_changes(const RunRequest& request,
                                                       const RunResult& first) const {
  const RunPlan& plan = *parts_->plan;
  if (plan.independent == nullptr || first.summary.rank_changes.empty() ||
      plan.full_form->n() > most_positions_tried)
    return std::nullopt;
  // Nobody is to see it before it is known to be better.
  RunRequest trial = request;
  trial.observers.clear();
  trial.dense = nullptr;
  auto tried = second_attempt(trial, first, false);
  if (!tried || tried->summary.rank_changes.size() >= first.summary.rank_changes.size()) return std::nullopt;
  if (request.observers.empty() && request.dense == nullptr) return tried;
  return second_attempt(request, first, false);
}

Result<RunResult> Engine::run(const RunRequest& request) const {
  try {
    return run_here(request);
  } catch (const GraphFrozen&) {
    // Something is needed that the rehearsal did not show: an engine of its own for this run.
    const auto own = own_engine();
    if (!own) return std::unexpected(own.error());
    return (*own)->run_here(request);
  }
}

Result<std::shared_ptr<const Engine>> Engine::own_engine() const {
  auto plan =
      daedalus::plan(parts_->spare != nullptr ? *parts_->spare : *parts_->plan->system, parts_->options);
  if (!plan) return std::unexpected(plan.error());
  return make(*std::move(plan));
}

// Values of which the absolute tolerance allows any error, and nobody said how small they are: once more with
// nominal values.
std::optional<RunResult> Engine::with_found_units(const RunRequest& request, const RunResult& first,
                                                  std::span<const SmallUnknown> small) const {
  auto plan = daedalus::plan(with_nominal_values(*parts_->plan->system, small), parts_->options);
  if (!plan) return std::nullopt;
  const auto engine = make(*std::move(plan));
  if (!engine) return std::nullopt;
  // Nobody is to see it before it is known to be possible.
  RunRequest trial = request;
  trial.dense = nullptr;
  trial.observers = {
      std::make_shared<StepLimit>(times_the_steps * first.summary.counters.steps + further_steps)};
  Watched watched;
  auto tried = (*engine)->run_in_given_units(trial, &watched);
  if (!tried || !tried->ok()) return std::nullopt;
  if (request.observers.empty() && request.dense == nullptr) return *std::move(tried);
  auto result = (*engine)->run_in_given_units(request, &watched);
  if (!result) return std::nullopt;
  return *std::move(result);
}

Result<RunResult> Engine::run_here(const RunRequest& request) const {
  Watched watched;
  auto result = run_in_given_units(request, &watched);
  if (!result || !(result->ok() || result->numerics_failed) || request.atol || parts_->options.atol ||
      watched.sizes.empty() || !parts_->plan->integrator_row->adaptive)
    return result;
  const Tolerances tolerances = settings_for(request)->tolerances;
  const std::vector<SmallUnknown> small = small_unknowns(*parts_->model, watched.sizes, tolerances);
  if (small.empty()) return result;
  // What stays near 0 in a constrained motion may be what errors make of 0: all that is out of a plane
  // mechanism's plane. There only a start value says what is meant.
  const auto& form = parts_->plan->form;
  const bool motion = form != nullptr && form->order > 1 && form->ny() > 0;
  if (motion && std::ranges::none_of(small, &SmallUnknown::given)) return result;
  if (auto better = with_found_units(request, *result, small)) {
    result = *std::move(better);
    result->summary.why += fmt::format(
        "; without a nominal value, but measured by the size of their values: {}", names_and_sizes(small));
  } else if (result->ok() && std::ranges::any_of(small, &SmallUnknown::given)) {
    result->summary.warnings.push_back(
        fmt::format("values stay so small that atol = {:g} allows errors of many rtol: {}; give nominal "
                    "values, or a smaller atol",
                    tolerances.absolute, names_and_sizes(small)));
  }
  return result;
}

Result<RunResult> Engine::run_in_given_units(const RunRequest& request, Watched* watched) const {
  const auto settings = settings_for(request);
  if (!settings) return std::unexpected(settings.error());
  auto result = run_accurately(request, *settings, watched);
  if (!result) return result;
  const RunPlan& plan = *parts_->plan;
  bool all_constraints = false;
  if (!plan.fallback.empty() && result->numerics_failed) {
    // With all constraints: what was left out may be what holds the mechanism there. A change point is one
    // where the rank of all of them falls.
    auto second = second_attempt(request, *result, false);
    all_constraints = second.has_value();
    if (!second && plan.independent != nullptr) second = second_attempt(request, *result, true);
    if (second) result = *std::move(second);
  } else if (auto passed = with_other_integrator(request, *result)) {
    result = *std::move(passed);
  } else if (auto second = without_false_changes(request, *result)) {
    all_constraints = true;
    result = *std::move(second);
  }
  if (plan.independent != nullptr && !all_constraints) {
    if (request.dense != nullptr)
      share_along_run(*plan.full_form, *plan.independent, parts_->full_model.get(), *result, *request.dense);
    // A formulation that lets constraints drift lets those that depend on them drift, too.
    const auto& drift = result->summary.drift.levels;
    const double kept = drift.empty() ? 0 : drift.front();
    const double off =
        share_among_redundant(*plan.full_form, *plan.independent, parts_->full_model.get(), *result);
    const Tolerances& tolerances = settings->tolerances;
    if (off > moved_away * (tolerances.relative + tolerances.absolute + kept)) {
      auto second = plan.fallback.empty() ? std::nullopt : second_attempt(request, *result, false);
      if (second) {
        result = *std::move(second);
      } else if (result->ok()) {
        result->summary.status = "failed";
        result->summary.reason = fmt::format(
            "constraints that followed from the others at the start were left out and do not hold (open by "
            "{:.2g}): {}; the parts do not fit together there, or trust-region takes all of them as they are",
            off, fmt::join(plan.independent->names, ", "));
      }
    }
  }
  result->summary.seconds.insert(result->summary.seconds.begin(), {"structure", plan.seconds});
  return result;
}

}  // namespace daedalus
