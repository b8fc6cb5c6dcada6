#include "integrate/half_explicit.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {

HalfExplicitStages::HalfExplicitStages(MechanicalSystem& system)
    : system_(system),
      n_(static_cast<std::size_t>(system.positions())),
      end_(2 * n_),
      rhs_(n_ + static_cast<std::size_t>(system.constraints())) {}

bool HalfExplicitStages::slope(const Stage& stage, std::span<double> k) {
  const std::span<double> top = std::span(rhs_).first(n_);
  const std::span<double> bottom = std::span(rhs_).subspan(n_);
  // V_i takes part in P̂_i.
  for (std::size_t i = 0; i < n_; ++i) end_[i] += stage.weight * stage.y[n_ + i];
  if (!system_.load_dynamics(stage.t, stage.y) || !system_.forces(stage.t, stage.y, top)) return false;
  if (!system_.load_constraints(stage.t_end, end_)) return false;
  if (!system_.velocity_constraints(stage.t_end, end_, bottom)) return false;
  for (double& c : bottom) c /= -stage.weight;
  if (!system_.factor()) return false;
  system_.solve(rhs_);
  double sum = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    k[i] = stage.y[n_ + i];
    k[n_ + i] = rhs_[i];
    sum += 0.0 * rhs_[i];
  }
  return sum == 0;
}

void HalfExplicitStages::project_error(std::span<double> error) {
  std::ranges::fill(rhs_, 0.0);
  system_.add_constraints_times(error.subspan(n_), std::span(rhs_).subspan(n_));
  system_.solve(rhs_);
  for (std::size_t i = 0; i < n_; ++i) error[n_ + i] -= rhs_[i];
}

}  // namespace daedalus
