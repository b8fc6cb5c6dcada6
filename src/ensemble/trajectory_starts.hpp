// The states in which trajectories begin.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ensemble/ensemble_run.hpp"
#include "ensemble/start_solver.hpp"

namespace daedalus {

// The states and given values of a kernel where a trajectory begins.
struct TrajectoryStart {
  std::vector<double> states, given;
  StartWorkspace workspace = {};
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
  [[nodiscard]] bool by_solver(std::size_t run, TrajectoryStart& start) const;
  [[nodiscard]] bool solver_agrees() const;
  // Runs at which it is checked what is assumed of all.
  [[nodiscard]] std::size_t checked(std::size_t k) const;
  [[nodiscard]] bool moves_start(const std::string& name) const;
  void connect();

  const EnsembleRun& run_;
  const TrajectoryKernel& kernel_;
  std::vector<int> state_slots_, given_slots_;      // in the engine's environment
  std::vector<std::pair<int, std::size_t>> given_;  // a given value, and the column that it comes from
  StartSolver solver_;
  bool common_ = false;
  bool solved_ = false;  // by solver_
  TrajectoryStart first_;
};

}  // namespace daedalus
