// Trajectories in the lanes of the processor's vector registers, lane_count at once (core/lanes.hpp): each
// with a step size, a status and counters of its own. A lane whose trajectory has ended takes the next one.
#pragma once

#include "codegen/back_end.hpp"

namespace daedalus {

struct EnsembleSettings;
struct EnsembleTerm;

// A program bound to the memory of one thread.
struct BoundLanes {
  MachineCode code = nullptr;
  double* registers = nullptr;
};

struct LaneProjection {
  BoundLanes program;  // the steps, then, of the first one, the regularity
  const int* states = nullptr;
  int count = 0;
  bool linear = false;
};

// A pair of Runge-Kutta methods, its rows one after the other: the stages, the errors, the dense output.
struct FlatTableau {
  const double* nodes = nullptr;
  const int* begins = nullptr;  // by row, and where the last one ends
  const EnsembleTerm* terms = nullptr;
  const double* shares = nullptr;  // by row
  int stage_count = 0;             // of a step; all_stages: with those of dense output
  int all_stages = 0;
  int error_row = 0;
  int dense_row = 0;
  int dense_rows = 0;
  bool early = false;  // the estimate of the error uses the slope at the end
};

struct LaneKernel {
  int size = 0;
  int positions = 0;
  int given = 0;
  int results = 0;                // of an output point
  int constraints = 0;            // how many of the last of these are residuals
  double* environment = nullptr;  // time, states, given values, lane_count each
  double* memory = nullptr;       // lane_memory() numbers
  const double* nominal = nullptr;
  BoundLanes rates, record;
  const LaneProjection* projections = nullptr;
  int levels = 0;
  FlatTableau tableau;
};

// How much memory the steps need.
[[nodiscard]] inline unsigned long lane_memory(const LaneKernel& kernel) {
  const int rows = 5 + kernel.tableau.all_stages + 1 + 4 + kernel.tableau.dense_rows;
  return 4UL * (static_cast<unsigned long>(rows) * static_cast<unsigned long>(kernel.size) +
                static_cast<unsigned long>(kernel.results) + 8);
}

struct LaneOutcome {
  int status = 0;
  double t = 0;
  double steps = 0;
  double rejected = 0;
  double evaluations = 0;
  double drift = 0;
};

// Where trajectories come from and go to.
class LaneSource {
 public:
  LaneSource() = default;
  LaneSource(const LaneSource&) = delete;
  LaneSource& operator=(const LaneSource&) = delete;
  virtual ~LaneSource() = default;
  // The next trajectory: its states and given values at every lane_count-th place. False: there is none.
  virtual bool next(int lane, double* states, double* given) = 0;
  // The time of an output point of this lane's trajectory, from 0 on; beyond the last: infinity.
  virtual double output_time(int lane, int number) = 0;
  // Its values, at every lane_count-th place.
  virtual void record(int lane, int number, const double* values) = 0;
  virtual void done(int lane, const LaneOutcome& outcome) = 0;
  // False: no more trajectories, and those on their way are given up.
  virtual bool go_on() = 0;
};

// Needs a processor with AVX2; there_are_lanes() says whether it is there.
void run_lanes(const LaneKernel& kernel, const EnsembleSettings& settings, LaneSource& source);
[[nodiscard]] bool there_are_lanes();

}  // namespace daedalus
