// Whoever follows a run while it goes on: a result file that grows, a progress bar, a live page.
#pragma once

#include <span>
#include <vector>

#include "record/trajectory.hpp"

namespace daedalus {

struct Progress {
  double t = 0;
  double t_start = 0;
  double t_end = 0;
  double step = 0;
  int order = 0;
  long steps = 0;
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  RunObserver() = default;
  RunObserver(const RunObserver&) = delete;
  RunObserver& operator=(const RunObserver&) = delete;

  // Before the first row. `columns` are the signals of every row, in its order. A run that begins anew with
  // another formulation calls it again: what came before is void.
  virtual void begin(std::span<const Signal> /*columns*/, std::span<const ParameterValue> /*parameters*/) {}
  // An output point.
  virtual void row(double /*t*/, std::span<const double> /*values*/) {}
  // After every accepted step; false ends the run with what was computed.
  virtual bool step(const Progress& /*progress*/) { return true; }
};

}  // namespace daedalus
