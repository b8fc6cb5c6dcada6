// M, B and G of the constrained form, as numbers at the point that an environment holds.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "core/copied.hpp"
#include "numerics/linear_solver.hpp"
#include "reform/constrained_form.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

// Copies share the program.
class ConstraintMatrices {
 public:
  ConstraintMatrices(const CompiledModel& model, const ConstrainedForm& form);

  void evaluate(std::span<const double> environment);
  // Values of the entries of form.mass, form.input, form.constraint, in their order.
  [[nodiscard]] std::span<const double> mass_values() const;
  [[nodiscard]] std::span<const double> input_values() const;
  [[nodiscard]] std::span<const double> constraint_values() const;
  // The same as dense matrices: for systems of moderate size.
  [[nodiscard]] Eigen::MatrixXd mass() const;
  [[nodiscard]] Eigen::MatrixXd input() const;
  [[nodiscard]] Eigen::MatrixXd constraint() const;
  [[nodiscard]] const ConstrainedForm& form() const { return form_; }
  // Whether each multiplier acts along the gradient of a constraint of its own, as forces of constraint do: B
  // = Gᵀ but for the order and the scale of the multipliers.
  [[nodiscard]] bool multipliers_act_along_constraints() const;

 private:
  const ConstrainedForm& form_;
  Program program_;
  std::vector<double> values_, workspace_;
};

// [ W  C ] [ a ]
// [ G -δ ] [ λ ]   with W = M or I and C = B or Gᵀ: the sparse way to M⁻¹B, to G M⁻¹ B and to projections.
class SaddleSolver {
 public:
  enum class Top { Mass, Identity };
  enum class Right { Input, ConstraintTransposed };
  // δ keeps redundant constraints from breaking the factorisation; relative to the largest entry.
  SaddleSolver(const ConstraintMatrices& matrices, Top top, Right right, double delta);

  // The matrices at a point, of the same form.
  bool factor(const ConstraintMatrices& matrices);
  // rhs: n entries, then ny; becomes the solution.
  void solve(std::span<double> rhs) { solver_->solve(rhs); }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(pattern_.size); }
  void state(Archive& archive) { solver_->state(archive); }

 private:
  struct Place {
    int column = 0;
    int row = 0;
  };
  void build_pattern(int size);

  Top top_;
  Right right_;
  double delta_;
  std::vector<Place> places_;  // of all entries, in the order in which factor() writes them
  std::vector<std::size_t> targets_;
  SparsePattern pattern_;
  Copied<RealSolver> solver_;
  std::vector<double> values_;
};

}  // namespace daedalus
