// How well the equations hold along a run, in units that do not depend on how they are written: a residual
// counts against what a change of every unknown by its tolerance makes of it. 1 is what the tolerances allow.
#pragma once

#include <span>
#include <vector>

#include "integrate/integrator.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

class EquationCheck {
 public:
  EquationCheck(const CompiledModel& model, const Tolerances& tolerances);

  // The residuals of all level equations at this point. Whether they allow something is computed anew only
  // where one of them has grown, since it takes further evaluations.
  void see(std::span<const double> environment);
  // Several points at once (core/lanes.hpp), with their residuals. False: one of them has residuals that are
  // to be measured, so that see() is for them.
  [[nodiscard]] bool see_lanes(const double* environments, const double* residuals);
  // A point that is not on record: whether every residual is finite and within `limit` tolerances.
  [[nodiscard]] bool holds(std::span<const double> environment, double limit);

  // Of the point seen last.
  [[nodiscard]] std::span<const double> residuals() const { return residuals_; }
  // By level equation: the largest so far, in tolerances.
  [[nodiscard]] std::span<const double> in_tolerances() const { return in_tolerances_; }

 private:
  void see_sizes(std::span<const double> environment);
  void allow(std::span<const double> environment);

  const CompiledModel& model_;
  Tolerances tolerances_;
  std::vector<double> nominal_;  // by level
  std::vector<double> size_;     // by level: the largest value so far
  std::vector<double> residuals_, looked_at_, allowed_, in_tolerances_;
  std::vector<double> moved_, moved_residuals_, workspace_;
};

}  // namespace daedalus
