// The states in which trajectories begin.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ensemble/ensemble_run.hpp"

namespace daedalus {

// The states and given values of a kernel where a trajectory begins.
struct TrajectoryStart {
  std::vector<double> states, given;
};

// Where trajectories begin: found once where the inputs do not move the start, else for each by the engine.
class TrajectoryStarts {
 public:
  TrajectoryStarts(const EnsembleRun& run, const TrajectoryKernel& kernel);
  // False: the engine finds no consistent start, and will say why when it runs this trajectory.
  [[nodiscard]] bool find(std::size_t run, TrajectoryStart& start) const;
  [[nodiscard]] bool common() const { return common_; }
  // Of a common start: which given values come from which column.
  [[nodiscard]] const std::vector<std::pair<int, std::size_t>>& given_columns() const { return given_; }

 private:
  [[nodiscard]] bool by_engine(std::size_t run, TrajectoryStart& start) const;
  [[nodiscard]] bool moves_start(const std::string& name) const;
  void connect();

  const EnsembleRun& run_;
  const TrajectoryKernel& kernel_;
  std::vector<int> state_slots_, given_slots_;      // in the engine's environment
  std::vector<std::pair<int, std::size_t>> given_;  // a given value, and the column that it comes from
  bool common_ = false;
  TrajectoryStart first_;
};

}  // namespace daedalus
