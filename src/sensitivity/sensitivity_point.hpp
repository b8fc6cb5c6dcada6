// How everything depends on states and parameters at one point of a run, on the manifold of all constraints:
//
//   J_u δu = -J_s δs - J_g δg,     s: as many levels as the model has degrees of freedom, u: all others,
//
// for given variations δg of parameters, discrete variables and time. J_u is square where no constraint is
// redundant, and sparse; else the least squares solution is taken, which exists where the redundant
// constraints are so for neighbouring parameters, too.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "numerics/linear_solver.hpp"
#include "sensitivity/sensitivity_model.hpp"

namespace daedalus {

class SensitivityPoint {
 public:
  SensitivityPoint(const CompiledModel& model, const SensitivityModel& sensitivities);

  // States for this point and those near it. A sentence: why there are none.
  [[nodiscard]] std::string choose(std::span<const double> environment);
  // δz = by_state δs + by_given, for δg = columns of `given` (rows: leaves, and time, which is zero) and, in
  // one more column, for δt = 1. A sentence: why it cannot be.
  [[nodiscard]] std::string solve(std::span<const double> environment, const Eigen::MatrixXd& given);

  [[nodiscard]] const std::vector<int>& states() const { return states_; }  // levels
  [[nodiscard]] const Eigen::MatrixXd& by_state() const { return by_state_; }
  [[nodiscard]] const Eigen::MatrixXd& by_given() const { return by_given_; }
  // The states have become a bad choice.
  [[nodiscard]] bool worn() const;
  // Rows of ∂/∂z δz + ∂/∂g δg of the outputs and of the relations' differences. NaN: it depends on what
  // equations leave open where constraints are redundant.
  struct Variations {
    const Eigen::MatrixXd& levels;
    const Eigen::MatrixXd& given;
  };
  [[nodiscard]] Eigen::MatrixXd outputs(std::span<const double> environment, const Variations& variations);
  [[nodiscard]] Eigen::MatrixXd relations(std::span<const double> environment, const Variations& variations);

 private:
  void evaluate(std::span<const double> environment);
  void lay_out();
  [[nodiscard]] bool solve_square();
  [[nodiscard]] std::string solve_redundant(const Eigen::MatrixXd& given);
  [[nodiscard]] std::string equation_name(int row) const;
  void set_right_sides(const Eigen::MatrixXd& given);
  [[nodiscard]] Eigen::MatrixXd rows_of(const SparseJacobianProgram& program, int rows,
                                        std::span<const double> environment, const Variations& variations);
  [[nodiscard]] double reach() const;

  const CompiledModel& model_;
  const SensitivityModel& sensitivities_;
  int level_count_;
  std::vector<double> values_, workspace_, output_values_, output_workspace_;
  std::vector<int> states_, others_;
  std::vector<int> other_of_;  // by level: its place among the others, or -1
  std::vector<bool> open_, highest_;
  std::unique_ptr<RealSolver> solver_;
  std::vector<double> entries_;
  Eigen::MatrixXd right_, by_state_, by_given_;
  double chosen_reach_ = 1;
  bool square_ = false;
};

}  // namespace daedalus
