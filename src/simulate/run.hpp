// A whole run: from a DaeSystem to a trajectory and a summary.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "codegen/back_end.hpp"
#include "core/options.hpp"
#include "model/dae_system.hpp"
#include "simulate/dense_output.hpp"
#include "simulate/trajectory.hpp"

namespace daedalus {

struct Progress {
  double t = 0;
  double t_start = 0;
  double t_end = 0;
  double step = 0;
  int order = 0;
  long steps = 0;
};

struct RunOptions {
  std::optional<double> until;  // default: the experiment's StopTime, else 1
  std::optional<double> rtol;   // default: the experiment's Tolerance, else 1e-6
  std::optional<double> atol;   // default: 1e-9, or rtol if that is smaller
  std::optional<double> step;   // of fixed-step methods
  std::optional<int> points;  // output points, both ends included; default: by Interval, else 2001 (fewer for
                              // very many signals)
  Selection formulation{"auto"};
  Selection integrator{"auto"};
  CodegenOptions codegen = {};  // how expressions are evaluated, and by how many threads
  // Called after every step; false ends the run with what was computed.
  std::function<bool(const Progress&)> progress;
  // Not null: the course of all signals is written here step by step, before `progress` is called.
  std::shared_ptr<DenseOutput> dense;
};

// The model without aliases (load_model's default). Wrong input (an unbalanced model, an unknown option,
// contradictory initial values) comes back as Diagnostics; a run whose numerics fail is a RunResult with
// status "failed", the reason, and what was computed up to then.
[[nodiscard]] Result<RunResult> simulate(const DaeSystem& system, const RunOptions& options = {});

}  // namespace daedalus
