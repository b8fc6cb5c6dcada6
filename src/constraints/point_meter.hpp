// What the advice measures at one point, with dense matrices: for forms of moderate size.
#pragma once

#include "systems/constraint_matrices.hpp"

namespace daedalus {

struct PointMeasure {
  double mass_condition = 1;
  double obliqueness = 1;
  double stiffness = 0;  // largest |λ| of the motion with frozen constraints
  double slowest = 0;    // smallest |λ| of it; 0: some of it does not move by itself
  double coupling = 0;
  double constraint_speed = 0;
};

class PointMeter {
 public:
  PointMeter(const CompiledModel& model, const ConstrainedForm& form);

  [[nodiscard]] PointMeasure measure(std::span<const double> environment);
  // G, and G M⁻¹ B, at the last point; G Gᵀ in place of the latter where M is singular.
  [[nodiscard]] const Eigen::MatrixXd& constraint() const { return g_; }
  [[nodiscard]] const Eigen::MatrixXd& schur() const { return schur_; }
  [[nodiscard]] bool mass_is_singular() const { return mass_singular_; }
  // M, B, G and what follows from them only.
  void evaluate(std::span<const double> environment);

 private:
  // top (highest levels) + low (states) = 0
  struct Pencil {
    Eigen::MatrixXd top, low;
  };
  [[nodiscard]] Eigen::MatrixXd turning(std::span<const double> environment);
  void scale_dynamics();
  void evaluate_jacobian(std::span<const double> environment);
  [[nodiscard]] Pencil frozen_pencil(const Eigen::MatrixXd& left, const Eigen::MatrixXd& kernel) const;
  [[nodiscard]] Eigen::Index states(Eigen::Index free) const;
  void find_eigenvalues(const Eigen::MatrixXd& left, const Eigen::MatrixXd& kernel,
                        PointMeasure& found) const;

  const CompiledModel& model_;
  const ConstrainedForm& form_;
  ConstraintMatrices matrices_;
  Program turning_;                                 // Ġ, entry by entry
  std::vector<int> dynamics_rows_;                  // of the derivative array
  std::vector<int> companion_rows_;                 // likewise
  std::vector<std::vector<int>> position_levels_;   // [k]: columns of x^(k), k = 0 … m
  std::vector<std::vector<int>> companion_levels_;  // [companion]: columns of z, z', …
  Eigen::MatrixXd mass_, b_, g_, schur_;
  // By which the rows of M and B are multiplied, and the columns of M and G: nominal values of positions.
  Eigen::VectorXd row_scale_, column_scale_;
  bool mass_singular_ = false;
  Eigen::MatrixXd jacobian_;  // of dynamics and companion equations, all levels
  std::vector<double> jacobian_values_, turning_values_, workspace_, jacobian_workspace_;
};

}  // namespace daedalus
