#include "ensemble/ensemble.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "ensemble/back_ends.hpp"
#include "ensemble/lane_stepper.hpp"

namespace daedalus {
namespace {

// Of the local error, as in integrate/explicit_runge_kutta.cpp: errors of a long run add up.
constexpr double local_part = 0.35;
// More attempts than any run needs that is not stiff: the scalar engine looks after it then.
constexpr double most_steps = 100'000;

EnsembleSettings stepping_of(const TrajectoryKernel& kernel, const RunSettings& settings) {
  const ErkTableau& tableau = *kernel.tableau;
  const double least = 10 * std::numeric_limits<double>::epsilon();
  const double part = std::max(local_part, std::min(1.0, least / settings.tolerances.relative));
  const double order = tableau.order;
  return {.relative = part * settings.tolerances.relative,
          .absolute = part * settings.tolerances.absolute,
          .start = settings.start,
          .end = settings.end,
          .longest_step = kernel.longest_step > 0 ? kernel.longest_step : settings.end - settings.start,
          .most_steps = most_steps,
          .exponent = -((1.0 / order) - (0.75 * tableau.beta)),
          .beta = tableau.beta,
          .min_factor = tableau.min_factor,
          .max_factor = tableau.max_factor,
          .order = order,
          .coarse = tableau.coarse_error.empty() ? 0 : 1,
          .largest_error = kernel.largest_error ? 1 : 0};
}

Result<std::vector<std::string>> outputs_of(const Engine& engine, const std::vector<std::string>& asked) {
  std::vector<std::string> known;
  for (const OutputSignal& signal : engine.model().output_signals) {
    if (!is_measure(signal.name)) known.push_back(signal.name);
  }
  if (asked.empty()) return known;
  for (const std::string& name : asked) {
    if (std::ranges::find(known, name) == known.end())
      return fail(fmt::format("there is no signal '{}' (known: {})", name, fmt::join(known, ", ")));
  }
  return asked;
}

Result<std::vector<double>> times_of(const RunSettings& settings, const std::vector<double>& asked) {
  if (asked.empty()) return std::vector<double>{settings.end};
  double before = settings.start;
  for (const double t : asked) {
    if (!(t >= before && t <= settings.end))
      return fail(fmt::format("the output time {:.10g} is not in its order between {:.10g} and {:.10g}", t,
                              settings.start, settings.end));
    before = t;
  }
  return asked;
}

Result<RunSettings> settings_of(const Engine& engine, const EnsembleOptions& options) {
  RunOptions given = engine.plan().options;
  if (options.until) given.until = options.until;
  if (options.rtol) given.rtol = options.rtol;
  if (options.atol) given.atol = options.atol;
  return run_settings(engine.system(), given);
}

Result<void> choose_backend(EnsembleParts& parts) {
  const std::string& asked = parts.options.backend;
  if (asked != "auto" && asked != "lanes" && asked != "scalar")
    return fail(fmt::format("unknown back end '{}' (known: auto, lanes, scalar)", asked));
  parts.backend = "scalar";
  if (asked == "scalar") return {};
  auto kernel = trajectory_kernel(*parts.engine, parts.outputs);
  if (!kernel) parts.why = kernel.error().front().message;
  if (kernel && !there_are_lanes())
    parts.why = "this build or processor has no machine code for several trajectories at once";
  if (!parts.why.empty()) {
    if (asked != "auto") return fail(fmt::format("{} cannot take this model: {}", asked, parts.why));
    return {};
  }
  parts.kernel = *std::move(kernel);
  parts.stepping = stepping_of(*parts.kernel, parts.settings);
  parts.backend = "lanes";
  return {};
}

}  // namespace

Ensemble::Ensemble(std::unique_ptr<const EnsembleParts> parts) : parts_(std::move(parts)) {}
Ensemble::~Ensemble() = default;

Result<std::shared_ptr<const Ensemble>> Ensemble::make(std::shared_ptr<const Engine> engine,
                                                       const EnsembleOptions& options) {
  auto parts = std::make_unique<EnsembleParts>();
  parts->engine = std::move(engine);
  parts->options = options;
  auto settings = settings_of(*parts->engine, options);
  if (!settings) return std::unexpected(settings.error());
  parts->settings = *settings;
  auto outputs = outputs_of(*parts->engine, options.outputs);
  if (!outputs) return std::unexpected(outputs.error());
  parts->outputs = *std::move(outputs);
  auto times = times_of(parts->settings, options.at);
  if (!times) return std::unexpected(times.error());
  parts->times = *std::move(times);
  parts->threads = options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  if (auto chosen = choose_backend(*parts); !chosen) return std::unexpected(chosen.error());
  return std::shared_ptr<const Ensemble>(new Ensemble(std::move(parts)));
}

Result<EnsembleResult> Ensemble::run(const EnsembleInputs& inputs, const EnsembleProgress& progress) const {
  if (inputs.names.size() != inputs.columns.size())
    return fail("there must be a column of values for each name");
  const std::vector<std::string> settable = parts_->engine->settable();
  const auto& variables = parts_->engine->system().variables;
  for (std::size_t k = 0; k < inputs.names.size(); ++k) {
    const std::string& name = inputs.names[k];
    const bool known = std::ranges::find(settable, name) != settable.end() ||
                       std::ranges::find(variables, name, &Variable::name) != variables.end();
    if (!known)
      return fail(fmt::format("'{}' is neither a free parameter or an input ({}) nor a variable", name,
                              fmt::join(settable, ", ")));
    if (inputs.columns[k].size() != inputs.runs)
      return fail(fmt::format("'{}' has {} values for {} runs", name, inputs.columns[k].size(), inputs.runs));
  }
  EnsembleRun run(*parts_, inputs, progress);
  if (parts_->kernel) {
    const TrajectoryStarts starts(run, *parts_->kernel);
    run_in_lanes(run, starts);
  }
  std::vector<std::size_t> left;
  for (std::size_t k = 0; k < inputs.runs; ++k) {
    if (run.result().status[k] == TrajectoryStatus::NotDone) left.push_back(k);
  }
  run_by_engine(run, left);
  EnsembleResult result = std::move(run.result());
  std::ranges::sort(result.failures, {}, &TrajectoryFailure::run);
  result.done = static_cast<std::size_t>(std::ranges::count_if(
      result.status, [](TrajectoryStatus status) { return status != TrajectoryStatus::NotDone; }));
  return result;
}

std::string_view Ensemble::backend() const {
  return parts_->backend;
}
const std::string& Ensemble::why() const {
  return parts_->why;
}
const std::vector<std::string>& Ensemble::outputs() const {
  return parts_->outputs;
}
const std::vector<double>& Ensemble::times() const {
  return parts_->times;
}

}  // namespace daedalus
