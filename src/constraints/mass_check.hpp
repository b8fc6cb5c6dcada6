// How far the wrapper singular-mass bends the motion: its accelerations, put into the equations as they were
// before MᵀM + γI took M's place.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reform/constrained_form.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

class MassCheck {
 public:
  MassCheck(const CompiledModel& model, const ConstrainedForm& original);

  // At the point in the environment: a sentence if γ is no small perturbation there, else nothing.
  [[nodiscard]] std::string warning(std::span<const double> environment, double rtol);

 private:
  std::vector<std::string> names_;  // of the dynamics
  Program values_;                  // residual and M x^(m), equation by equation
  std::vector<double> results_;
  std::vector<double> workspace_;
};

}  // namespace daedalus
