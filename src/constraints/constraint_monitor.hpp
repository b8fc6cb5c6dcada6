// Watches the rank of G M⁻¹ B along a run (Petzold, Ren, Maly 1997 §3; a constraint that loses rank is a
// singular point).
//
// The singular values are those of D S D, S = G M⁻¹ B, with D_ii = 1/√(largest |S_ii| seen), so that a
// constraint in other units counts alike and one that vanishes shows. The one watched is the smallest that
// belongs to the rank at regular points; a redundant constraint has one that is always zero.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "record/trajectory.hpp"
#include "saddle/make_saddle_system.hpp"
#include "systems/constraint_matrices.hpp"

namespace daedalus {

class ConstraintMonitor {
 public:
  ConstraintMonitor(const CompiledModel& model, const ConstraintMatrices& matrices, double rtol);

  // At the initial values: the rank to begin with.
  void begin(std::span<const double> environment);
  // A step from t0 to t1: each puts the solution at t into the environment, `cheap_interpolation` only about.
  struct StepPath {
    double t0 = 0;
    double t1 = 0;
    std::function<void(double)> load;
    std::function<void(double)> cheap_interpolation;
  };
  // After a step. Leaves the environment at its end.
  void watch(const StepPath& path, std::span<const double> environment);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] double sigma() const { return last_; }
  [[nodiscard]] const std::vector<RankChange>& changes() const { return changes_; }
  // How far from losing rank the constraints are at any point, against what they were at best.
  [[nodiscard]] double singularity_distance(std::span<const double> environment);
  // The same at the end of the step that was watched last.
  [[nodiscard]] double singularity_distance_of_step() const { return singularity_distance_; }
  // The system [1 Gᵀ; G 0] by which the rank is watched, if it can be solved for other right-hand sides; null
  // otherwise. `at_end`: its matrix is that at the end of the step that was watched last.
  struct Watched {
    RegularisedSystem* system = nullptr;
    bool at_end = false;
  };
  [[nodiscard]] Watched constraint_system() {
    const bool kept = pivot_system_ != nullptr && geometric_ && pivot_system_->solves_constraints();
    return {.system = kept ? pivot_system_.get() : nullptr, .at_end = factored_at_end_};
  }
  // The memory of the steps so far; read into a copy of the same monitor.
  void state(Archive& archive);
  // A step has ended so near to a singular point that an explicit method cannot be trusted to get past.
  [[nodiscard]] bool came_close() const { return came_close_; }
  // The constraints behind the smallest singular value at the last point.
  [[nodiscard]] std::vector<std::string> weakest_constraints() const;
  // The constraints that depend on others at the initial point, with the combination.
  [[nodiscard]] const std::vector<std::string>& redundancies() const { return redundancies_; }

 private:
  double measure(std::span<const double> environment, bool vectors);
  void prepare_matrix(std::span<const double> environment);
  void make_saddle();
  void take_pivot_system();
  double measure_dense(bool vectors);
  struct Sample {
    double t = 0;
    double value = 0;
  };
  using Measure = std::function<double()>;  // at the point in the environment
  void search(const Sample& begin, const Sample& end, const Measure& measure_here, const StepPath& path,
              std::span<const double> environment);
  double examine(std::span<const double> environment);
  [[nodiscard]] Eigen::MatrixXd schur() const;  // G M⁻¹ B, or G Gᵀ
  [[nodiscard]] double watched() const;
  double measure_sparse();
  [[nodiscard]] bool large() const;
  void locate(double t0, double t1, const std::function<void(double)>& load,
              std::span<const double> environment);
  void find_redundancies();
  [[nodiscard]] std::unique_ptr<RegularisedSystem> make_pivot_system() const;
  void prepare_pivot_system(std::span<const double> environment);
  void record(double t);
  [[nodiscard]] std::string hint() const;

  const CompiledModel& model_;
  const ConstrainedForm& form_;
  ConstraintMatrices matrices_;
  bool geometric_ = false;  // G Gᵀ stands for G M⁻¹ B
  // pivot_system_ before its first point, for all copies of this monitor: made by the first one that needs
  // it, and not any more once the graph is frozen.
  struct Made {
    std::unique_ptr<const RegularisedSystem> pivot_system;
    bool geometric = false;
  };
  std::shared_ptr<Made> made_ = std::make_shared<Made>();
  // Pivots of G M⁻¹ Gᵀ tell for a tenth of the cost that no singular value can be small.
  Copied<RegularisedSystem> pivot_system_;
  double threshold_;
  Eigen::VectorXd scale_;                    // largest |S_ii| seen
  Eigen::VectorXd singular_values_, peaks_;  // now, and the largest of each so far
  Eigen::VectorXd weakest_;                  // left singular vector of the watched value
  int rank_ = 0;
  Copied<ConstraintSaddle> saddle_;  // for many constraints
  std::vector<double> rhs_;
  Eigen::VectorXd inverse_;  // the vector of the inverse iteration, kept from point to point
  double largest_sigma_ = 0;
  double last_ = 1;
  double singularity_distance_ = 1;
  double regularity_ = 1;  // at the end of the last step
  bool factored_at_end_ = false;
  bool armed_ = true;  // the last passage is over
  bool came_close_ = false;
  int rank_there_ = 0;     // at the point last examined
  bool creeping_ = false;  // the last change is where a step ended; a smallest value found says it better
  double nearest_ = 0;     // σ there
  bool falling_ = false;   // the watched value, at the end of the last step
  std::vector<RankChange> changes_;
  std::vector<std::string> redundancies_;
};

}  // namespace daedalus
