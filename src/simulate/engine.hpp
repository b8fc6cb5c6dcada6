// A model made ready to run: plan, programs, patterns, orders of elimination, names. An Engine does not
// change once it is made, and any number of threads may start and run simulations of it at once.
//
//   auto plan = daedalus::plan(*model, {.rtol = 1e-8});
//   const auto engine = daedalus::compile(*std::move(plan));
//   auto sim = (*engine)->start();                  // step by step
//   const auto result = (*engine)->run({.until = 10});  // or all at once
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "advise/plan.hpp"
#include "record/run_options.hpp"
#include "record/trajectory.hpp"
#include "simulate/simulation.hpp"

namespace daedalus {

struct SensitivityModel;

struct AmplifiedError;

// What may differ from run to run of one engine. What is not given is as the engine was compiled for.
struct RunRequest {
  std::optional<double> until;
  std::optional<double> rtol;
  std::optional<double> atol;
  std::optional<int> points;
  std::vector<StartValue> set;  // free parameters, inputs, start values
  // Inputs as functions of time, instead of those that the engine was compiled with: of RunOptions::inputs.
  std::vector<InputFunction> inputs;
  std::function<bool(const Progress&)> progress;
  std::vector<std::shared_ptr<RunObserver>> observers;
  std::shared_ptr<DenseOutput> dense;
};

class Engine : public std::enable_shared_from_this<Engine> {
 public:
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] const RunPlan& plan() const;
  [[nodiscard]] const DaeSystem& system() const;
  // The derivative array that runs, compiled: Simulation::environment() is laid out by it.
  [[nodiscard]] const CompiledModel& model() const;
  // What runs: the programs of the model and of the formulation.
  [[nodiscard]] std::vector<ProgramSize> programs() const;
  // Names of what start() and run() may set: free parameters and inputs.
  [[nodiscard]] std::vector<std::string> settable() const;

  // A simulation at consistent initial values. Names that are not known and contradictions are errors.
  [[nodiscard]] Result<Simulation> start(const RunRequest& request = {}) const;
  // A simulation that was saved, by this engine or by one of the same model and plan. Bytes that are not such
  // are an error.
  // Functions of time are not saved: they are given again.
  [[nodiscard]] Result<Simulation> load(std::span<const std::byte> bytes,
                                        std::span<const InputFunction> inputs = {}) const;
  // A whole run: start() and all steps, recorded. Where `auto` decides and the constraints lose rank on the
  // way, it begins anew with a formulation that passes.
  [[nodiscard]] Result<RunResult> run(const RunRequest& request = {}) const;

 private:
  friend Result<std::shared_ptr<const Engine>> compile(RunPlan plan);
  friend Result<RunResult> simulate(const DaeSystem& system, const RunOptions& options);
  // Without a rehearsal, for one run.
  [[nodiscard]] static Result<std::shared_ptr<const Engine>> make(
      RunPlan plan, std::shared_ptr<const DaeSystem> spare = nullptr);
  void rehearse() const;
  [[nodiscard]] Result<RunResult> run_here(const RunRequest& request) const;
  [[nodiscard]] Result<Simulation> load_here(std::span<const std::byte> bytes,
                                             std::span<const InputFunction> inputs) const;
  [[nodiscard]] Result<Simulation> start_here(const RunRequest& request) const;
  Engine(std::shared_ptr<const EngineParts> parts, std::shared_ptr<const SensitivityModel> sensitivities);
  [[nodiscard]] Result<RunSettings> settings_for(const RunRequest& request) const;
  // The states `sharper` times as accurate as the settings ask.
  [[nodiscard]] Result<RunResult> run_once(const RunRequest& request, const RunSettings& settings,
                                           double sharper, AmplifiedError* amplification) const;
  // As accurate as the settings ask also in what follows from the states with larger errors, or with a
  // warning.
  [[nodiscard]] Result<RunResult> run_accurately(const RunRequest& request,
                                                 const RunSettings& settings) const;
  [[nodiscard]] Result<std::vector<double>> start_with(const StartValue& value, const RunRequest& request,
                                                       const RunSettings& settings) const;
  // Engines for where this one cannot go on.
  enum class Another { Fallback, OfIndependent, Integrator };
  // A run by one of them, which is made when it is first needed. An error: it cannot be made, or not run.
  [[nodiscard]] Result<RunResult> run_by(Another which, const DaeSystem& system, const RunOptions& options,
                                         const std::function<Result<RunResult>(const Engine&)>& run) const;
  [[nodiscard]] std::optional<RunResult> with_other_integrator(const RunRequest& request,
                                                               const RunResult& first) const;
  [[nodiscard]] std::optional<RunResult> second_attempt(const RunRequest& request, const RunResult& first,
                                                        bool independent) const;

  // Where constraints that were kept lost rank: the run with all of them, if these lose it less often.
  [[nodiscard]] std::optional<RunResult> without_false_changes(const RunRequest& request,
                                                               const RunResult& first) const;

  // An engine for one run, with a graph that may grow.
  [[nodiscard]] Result<std::shared_ptr<const Engine>> own_engine() const;

  std::shared_ptr<const EngineParts> parts_;
  std::shared_ptr<const SensitivityModel> sensitivities_;  // null: none were asked for
  mutable std::mutex making_others_;
  mutable std::array<std::shared_ptr<const Engine>, 3> others_;  // by Another
};

// A plan is compiled once: the engine takes it over.
[[nodiscard]] Result<std::shared_ptr<const Engine>> compile(RunPlan plan);

}  // namespace daedalus
