// M, B and G of the constrained form, as numbers at the point that an environment holds.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "reform/constrained_form.hpp"
#include "saddle/saddle_matrix.hpp"
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
  // By constraint: the diagonal of G M⁻¹ Gᵀ with the diagonal of M in its place, the acceleration that a unit
  // of its multiplier makes; without M that of G Gᵀ. Never zero.
  enum class Norm { Mass, Identity };
  void schur_diagonal(Norm norm, std::span<double> out) const;
  // The same as dense matrices: for systems of moderate size.
  [[nodiscard]] Eigen::MatrixXd mass() const;
  [[nodiscard]] Eigen::MatrixXd input() const;
  [[nodiscard]] Eigen::MatrixXd constraint() const;
  [[nodiscard]] const ConstrainedForm& form() const { return form_; }
  // Whether each multiplier acts along the gradient of a constraint of its own (saddle/pairing.hpp), as
  // forces of constraint do: B = Gᵀ but for the order and the scale of the multipliers.
  [[nodiscard]] bool multipliers_act_along_constraints() const;

 private:
  const ConstrainedForm& form_;
  Program program_;
  std::vector<double> values_, workspace_;
};

// [ W  C ] [ a ]
// [ G -δ ] [ λ ]   with W = M or I and C = B or Gᵀ: the sparse way to M⁻¹B, to G M⁻¹ B and to projections. δ
// (RankPolicy::not_zero) keeps redundant constraints from breaking the factorisation.
class ConstraintSaddle {
 public:
  using Top = ConstraintMatrices::Norm;
  enum class Right { Input, ConstraintTransposed };
  ConstraintSaddle(const ConstrainedForm& form, Top top, Right right);

  // The matrices at a point, of the same form.
  [[nodiscard]] bool factor(const ConstraintMatrices& matrices);
  // rhs: n entries, then ny; becomes the solution.
  void solve(std::span<double> rhs) { matrix_.solve(rhs); }
  [[nodiscard]] std::size_t size() const { return matrix_.size(); }
  void state(Archive& archive) { matrix_.state(archive); }

 private:
  Top top_;
  Right right_;
  std::vector<double> ones_;   // of the identity
  std::vector<double> delta_;  // by constraint
  SaddleMatrix matrix_;
};

}  // namespace daedalus
