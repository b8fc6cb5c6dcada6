// Consistent starts of a kernel's trajectories where they follow from fixed values: Newton's method on the
// constraints, in numbers, without a simulation of the engine.
#pragma once

#include <span>
#include <vector>

#include "codegen/program.hpp"
#include "ensemble/trajectory_kernel.hpp"

namespace daedalus {

// What one thread computes with.
struct StartWorkspace {
  std::vector<double> environment, steps;
  std::vector<std::vector<double>> registers;
};

class StartSolver {
 public:
  explicit StartSolver(const TrajectoryKernel& kernel);

  [[nodiscard]] bool known() const { return kernel_.start.known; }
  // False: no convergence, the engine may know better.
  [[nodiscard]] bool solve(double t, std::span<const double> given, StartWorkspace& workspace,
                           std::vector<double>& states) const;

 private:
  const TrajectoryKernel& kernel_;
  Program values_;
  std::vector<Program> projections_;
};

}  // namespace daedalus
