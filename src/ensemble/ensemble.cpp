#include "ensemble/ensemble.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <thread>

#include "ensemble/back_ends.hpp"
#include "ensemble/cuda_device.hpp"
#include "ensemble/lane_stepper.hpp"
#include "ensemble/stepping_settings.hpp"

namespace daedalus {
namespace {

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

// `auto` takes the GPU where there is one; whoever wants to know what is missing asks for it by name.
Result<void> choose_backend(EnsembleParts& parts) {
  const std::string& asked = parts.options.backend;
  constexpr std::array known{"auto", "cuda", "lanes", "scalar"};
  if (std::ranges::find(known, asked) == known.end())
    return fail(fmt::format("unknown back end '{}' (known: {})", asked, fmt::join(known, ", ")));
  parts.backend = "scalar";
  if (asked == "scalar") return {};
  auto kernel = trajectory_kernel(*parts.engine, parts.outputs);
  if (!kernel) parts.why = kernel.error().front().message;
  std::string backend = "lanes";
  if (kernel && asked != "lanes") {
    const auto device = CudaDevice::get();
    if (device) backend = "cuda";
    if (!device && asked == "cuda") parts.why = device.error().front().message;
  }
  if (kernel && backend == "lanes" && parts.why.empty() && !there_are_lanes())
    parts.why = "this build or processor has no machine code for several trajectories at once";
  if (!parts.why.empty()) {
    if (asked != "auto") return fail(fmt::format("back end {} cannot take this model: {}", asked, parts.why));
    return {};
  }
  parts.kernel = *std::move(kernel);
  parts.stepping = stepping_settings(*parts.kernel, parts.settings);
  parts.backend = backend;
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
    if (parts_->backend == "cuda") {
      if (auto done = run_on_gpu(run, starts); !done) return std::unexpected(done.error());
    } else {
      run_in_lanes(run, starts);
    }
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
