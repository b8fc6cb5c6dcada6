// Projection onto the constraints, level by level (paper 003, 4.18-4.22; paper 002 §6.1): x^(l) moves by the
// least amount in the norm W that makes the constraints of level l hold, the levels below being fixed
// already.
//
//   min |Δ|_W  with  c_l(x^(l) + Δ) = 0:    Δ = -W⁻¹Gᵀ (G W⁻¹ Gᵀ)⁺ c_l,   repeated until it is round-off.
//
// The pseudo-inverse takes redundant constraints as they are.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reform/reformulated.hpp"
#include "saddle/make_saddle_system.hpp"
#include "systems/constraint_matrices.hpp"

namespace daedalus {

class ConstraintProjector {
 public:
  enum class Norm { Identity, Mass, Given };

  // `kept`: which constraints, differentiated how often, hold afterwards.
  ConstraintProjector(const CompiledModel& model, const ConstraintMatrices& matrices,
                      const std::vector<KeptConstraint>& kept);
  void use_norm(Norm norm, Eigen::MatrixXd given = {});
  // Instead of the least change, x^(level) moves along the columns of N, as many as it has constraints:
  // Δ = -N (G N)⁻¹ c. What Aᵀ N = 0 holds for, Aᵀx^(level), stays as it is.
  void use_directions(int level, Eigen::MatrixXd directions);

  [[nodiscard]] bool idle() const { return levels_.empty(); }
  // Moves the levels in the environment. False: the constraints could not be fulfilled there.
  bool project(std::span<double> environment);
  // The same by a system [1 Gᵀ; G 0] with its matrix at this point: moves are so small that the matrix need
  // not follow them. False: they are not, or something is not finite; what was moved is nearer than before.
  bool project_with(RegularisedSystem& system, std::span<double> environment);
  // Whether that is possible at all.
  [[nodiscard]] bool suits_system() const;
  // The same near a point where constraints lose rank and the motion could go on in several ways: what the
  // constraints hardly see any more stays as it is, since they would ask for the velocity of another branch.
  bool project_gently(std::span<double> environment);
  // project() for several environments at once (core/lanes.hpp). Whether that is possible here:
  // prepare_lanes(), after the first project(). False: not all of them came near enough, and none is to be
  // used.
  [[nodiscard]] bool prepare_lanes();
  [[nodiscard]] bool project_lanes(std::span<double> environments);
  // What projections so far have made; read into a copy of the same projector.
  void state(Archive& archive);
  // Level by level: the constraints that hold after a projection.
  [[nodiscard]] std::vector<ProgramSize> programs() const;
  // Why not, if more can be said.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  struct LevelRows {
    int level = 0;
    std::vector<int> constraints;
    std::vector<int> row_of;  // by constraint: its place among them, or -1
    Program residuals;
    std::vector<NodeId> constraint_nodes;
    std::vector<int> slots;  // of x^(level)
    bool linear = false;     // derivatives of constraints, linear in x^(level)
    bool all = false;        // all constraints, in their order
    Copied<RegularisedSystem> fast;
    // What all copies of this projector share.
    struct Made {
      std::unique_ptr<const RegularisedSystem> fast;  // before its first point
      std::once_flag lanes_once;
      std::optional<Program> lanes;  // a step for several environments; none: it is not to be had
    };
    std::shared_ptr<Made> made = std::make_shared<Made>();
    bool fast_tried = false;
    Eigen::MatrixXd directions;  // N; empty: the least change
    std::vector<double> lane_steps, lane_workspace;
  };
  [[nodiscard]] static bool project_lanes(LevelRows& rows, std::span<double> environments);
  struct WithEachMatrix;
  struct WithOneMatrix;
  struct OfLeastNorm;
  bool sparse_step(const Eigen::VectorXd& b, Eigen::VectorXd& step);
  bool oblique_step(const Eigen::MatrixXd& g, const Eigen::MatrixXd& directions, const Eigen::VectorXd& b,
                    Eigen::VectorXd& step);
  bool least_step(const LevelRows& rows, const Eigen::VectorXd& b, Eigen::VectorXd& step);
  void add_constraint_times(const LevelRows& rows, const Eigen::VectorXd& v, Eigen::VectorXd& sum) const;
  bool project_level(LevelRows& rows, std::span<double> environment);
  [[nodiscard]] std::vector<SymbolicEntry> norm_entries() const;
  [[nodiscard]] std::unique_ptr<RegularisedSystem> make_fast(const LevelRows& rows) const;
  void take_fast(LevelRows& rows);
  void make_saddle();
  void prepare_fast(LevelRows& rows, std::span<const double> environment);
  static void move_by(std::span<const double> step, const LevelRows& rows, std::span<double> environment);
  [[nodiscard]] static double relative_size(std::span<const double> step, const LevelRows& rows,
                                            std::span<const double> environment);
  bool project_with(LevelRows& rows, RegularisedSystem& system, std::span<double> environment, double* moved);
  bool project_fast(LevelRows& rows, std::span<double> environment);
  bool project_gently(LevelRows& rows, std::span<double> environment);

  const CompiledModel& model_;
  const ConstrainedForm& form_;
  ConstraintMatrices matrices_;
  std::vector<LevelRows> levels_;    // ascending
  Copied<ConstraintSaddle> saddle_;  // for many constraints
  Norm norm_ = Norm::Identity;
  Eigen::MatrixXd given_;
  std::vector<double> residuals_, workspace_;
  std::string trouble_;
};

}  // namespace daedalus
