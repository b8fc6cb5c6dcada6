// M, B and G of the constrained form, as numbers at the point that an environment holds.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "reform/constrained_form.hpp"
#include "simulate/compiled_model.hpp"

namespace daedalus {

class ConstraintMatrices {
 public:
  ConstraintMatrices(const CompiledModel& model, const ConstrainedForm& form);

  void evaluate(std::span<const double> environment);
  [[nodiscard]] const Eigen::MatrixXd& mass() const { return mass_; }
  [[nodiscard]] const Eigen::MatrixXd& input() const { return input_; }
  [[nodiscard]] const Eigen::MatrixXd& constraint() const { return constraint_; }

 private:
  const ConstrainedForm& form_;
  Program program_;
  std::vector<double> values_, workspace_;
  Eigen::MatrixXd mass_, input_, constraint_;
};

}  // namespace daedalus
