// What a caller asks of a run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/back_end.hpp"
#include "core/options.hpp"
#include "record/dense_output.hpp"
#include "record/observer.hpp"

namespace daedalus {

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
  // All of them follow the run.
  std::vector<std::shared_ptr<RunObserver>> observers;
  // The signals that are computed and recorded, by name; "der(x)" for a derivative. Empty: all.
  std::vector<std::string> vars;
  // Not null: the course of all signals is written here step by step, before `progress` is called.
  std::shared_ptr<DenseOutput> dense;
};

}  // namespace daedalus
