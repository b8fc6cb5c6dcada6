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

#include "numerics/block_elimination.hpp"
#include "numerics/linear_solver.hpp"
#include "sensitivity/sensitivity_model.hpp"

namespace daedalus {

class SensitivityPoint {
 public:
  SensitivityPoint(const CompiledModel& model, const SensitivityModel& sensitivities);

  // States for this point and those near it. A sentence: why there are none.
  [[nodiscard]] std::string choose(std::span<const double> environment);
  // Others that are good at two points whose by_state() these are, of the present states. False: there are
  // none, or they must be chosen anew.
  [[nodiscard]] bool exchange(const Eigen::MatrixXd& here, const Eigen::MatrixXd& there);
  // δz = by_state δs + by_given, for δg = columns of `given` (rows: leaves, and time, which is zero) and, in
  // one more column, for δt = 1. A sentence: why it cannot be.
  [[nodiscard]] std::string solve(std::span<const double> environment, const Eigen::MatrixXd& given);

  [[nodiscard]] const std::vector<int>& states() const { return states_; }  // levels
  [[nodiscard]] const Eigen::MatrixXd& by_state() const { return by_state_; }
  [[nodiscard]] const Eigen::MatrixXd& by_given() const { return by_given_; }
  // Both, for memory of what they were before.
  void hand_over(Eigen::MatrixXd& by_state, Eigen::MatrixXd& by_given) {
    by_state_.swap(by_state);
    by_given_.swap(by_given);
  }
  // The states are a bad choice where this is their by_state().
  [[nodiscard]] bool worn(const Eigen::MatrixXd& by_state) const;
  // At the last point the levels below the highest follow from constraints alone, and nothing that changes
  // equations of the highest ones moves them.
  [[nodiscard]] bool lower_by_constraints() const { return solved_square_ && highest_are_square_; }
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
  struct Moves;
  [[nodiscard]] static bool take_best(Moves moves, std::vector<int>& chosen);
  [[nodiscard]] Moves moves_of_order(int order, const Eigen::MatrixXd& here,
                                     const Eigen::MatrixXd& there) const;
  [[nodiscard]] bool eliminate(const Eigen::MatrixXd& given);
  void put_solution();
  [[nodiscard]] bool solve_square(const Eigen::MatrixXd& given);
  [[nodiscard]] std::string solve_redundant(const Eigen::MatrixXd& given);
  [[nodiscard]] std::string equation_name(int row) const;
  void set_right_sides(const Eigen::MatrixXd& given);
  void put_right_sides(const Eigen::MatrixXd& given, const auto& place) const;
  [[nodiscard]] Eigen::MatrixXd rows_of(const SparseJacobianProgram& program, int rows,
                                        std::span<const double> environment, const Variations& variations);
  [[nodiscard]] double reach(const Eigen::MatrixXd& by_state) const;

  const CompiledModel& model_;
  const SensitivityModel& sensitivities_;
  int level_count_;
  std::vector<double> values_, workspace_, output_values_, output_workspace_;
  std::vector<int> states_, others_;
  std::vector<bool> open_, highest_;
  bool highest_are_square_ = false;  // as many equations as highest levels have some
  BlockElimination elimination_;
  std::unique_ptr<RealSolver> solver_;
  std::vector<double> entries_;
  Eigen::MatrixXd right_, by_state_, by_given_;
  double chosen_reach_ = 1;
  bool square_ = false, solved_square_ = false, laid_out_ = false;
};

}  // namespace daedalus
