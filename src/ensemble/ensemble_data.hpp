// What is asked of an ensemble and what comes back: plain data.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace daedalus {

struct EnsembleOptions {
  std::optional<double> until, rtol, atol;  // otherwise as the engine was compiled for
  std::vector<std::string> outputs;         // signals; none: all
  std::vector<double> at;                   // ascending times within the run; none: its end
  std::string backend = "auto";             // a name of ensemble_back_ends(), or auto
  std::size_t threads = 0;                  // 0: as many as there are processors
};

struct EnsembleInputs {
  std::vector<std::string> names;  // free parameters, inputs, variables (whose start values they are)
  // By name: one value a run.
  std::vector<std::span<const double>> columns;
  std::size_t runs = 0;
};

enum class TrajectoryStatus : std::uint8_t {
  Ok,
  Failed,   // the scalar engine could not do it either: EnsembleResult::failures says why
  NotDone,  // the ensemble was stopped before
};

struct TrajectoryFailure {
  std::size_t run = 0;
  std::string reason;
};

struct EnsembleResult {
  std::vector<std::string> outputs;
  std::vector<double> times;
  std::vector<double> values;  // [run][time][output]; not a number where there is none
  std::vector<TrajectoryStatus> status;
  std::vector<double> t_end,
      drift;  // drift: the largest residual of constraints of all levels at output points
  std::vector<std::int32_t> steps, rejected, evaluations;
  std::vector<std::uint8_t> scalar;  // 1: the scalar engine did this one
  std::vector<TrajectoryFailure> failures;
  std::size_t done = 0;        // ok or failed
  double compile_seconds = 0;  // of a GPU: its compiler, if it was needed, and the kernel alone
  double device_seconds = 0;

  [[nodiscard]] std::size_t runs() const { return status.size(); }
  [[nodiscard]] std::span<const double> of_run(std::size_t run) const {
    const std::size_t width = times.size() * outputs.size();
    return std::span(values).subspan(run * width, width);
  }
};

// Runs done so far and runs in all; at false no more are begun.
using EnsembleProgress = std::function<bool(std::size_t done, std::size_t runs)>;

}  // namespace daedalus
