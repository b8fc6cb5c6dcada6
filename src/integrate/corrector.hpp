// Newton's iteration for one implicit step: find e with
//     F(t, y0 + e, y0' + cj e) = 0,
// the iteration matrix being ∂F/∂y + cj ∂F/∂y'. BDF of any order and backward Euler are of this form.
//
// Convergence is judged afresh in every step: the rate is measured from this step's own corrections, so
// the first correction is accepted alone only if it is negligible. This is the rule of DASSL before May
// 1989. Its successors carry the rate over from earlier steps and accept the first iterate on it, which on
// DAEs at sharp tolerances costs up to twelve times as many steps. Here a rate is carried over only where
// the method asks for it, for some steps with the very matrix that it was measured with, and with a margin.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "integrate/counted_system.hpp"
#include "integrate/tolerance_norm.hpp"
#include "numerics/linear_solver.hpp"

namespace daedalus {

// Stalled: gaining no more, but with corrections below the tolerance: at round-off, if the matrix is new.
enum class NewtonStatus { Converged, Stalled, Slow, Singular, NotFinite };

struct NewtonOutcome {
  NewtonStatus status = NewtonStatus::Converged;
  int component = -1;  // the worst one, on failure
  int row = -1;        // the equation without a pivot, if singular and known
  [[nodiscard]] bool ok() const { return status == NewtonStatus::Converged; }
};

struct ImplicitStage {
  double t = 0;  // the end of the step
  double cj = 0;
  std::span<const double> y0;   // predicted
  std::span<const double> yp0;  // predicted
};

struct CorrectorOptions {
  LinearSolverKind solver = LinearSolverKind::Auto;
  double tolerance = 0.03;  // of the estimated error after the last correction, in the tolerance norm
  int max_iterations = 4;
  // Steps of one iteration on the rate of an earlier one, before the rate is measured again.
  int carried_steps = 0;
  // An iteration that gains no more, with a correction below this, has met rounding and is accepted.
  double stalled = 0;
};

class Corrector {
 public:
  Corrector(CountedSystem evaluator, CorrectorOptions options);

  // Reads the pattern anew: at the start, and when the equations have been exchanged.
  void set_pattern();
  NewtonOutcome solve(const ImplicitStage& stage, const ToleranceNorm& norm);

  // Of the last solve(): the correction and the solution.
  [[nodiscard]] std::span<const double> e() const { return e_; }
  [[nodiscard]] std::span<const double> y() const { return y_; }
  [[nodiscard]] std::span<const double> yp() const { return yp_; }
  [[nodiscard]] std::string_view linear_solver() const { return solver_->name(); }

  void state(Archive& archive);

 private:
  enum class Renewal { None, Matrix, Jacobian };

  void resize();
  [[nodiscard]] Renewal needed(double cj) const;
  NewtonOutcome renew(const ImplicitStage& stage, Renewal renewal);
  NewtonOutcome iterate(const ImplicitStage& stage, const ToleranceNorm& norm);
  [[nodiscard]] NewtonOutcome explain(const NewtonOutcome& outcome) const;
  [[nodiscard]] bool converged_at_once(double cj, double size);
  NewtonOutcome correct(const ImplicitStage& stage, const ToleranceNorm& norm, double* size);

  CountedSystem evaluator_;
  CorrectorOptions options_;
  std::unique_ptr<RealSolver> solver_;
  std::vector<double> dy_, dyp_, matrix_;  // on the pattern
  std::vector<double> e_, y_, yp_, delta_;
  double matrix_cj_ = 0;  // the cj of the factorised matrix
  double rate_ = -1;      // measured with this matrix, for rate_cj_; negative: not yet
  double rate_cj_ = 0;
  int carried_ = 0;              // steps since then
  bool have_jacobian_ = false;   // dy_, dyp_ hold values
  bool have_matrix_ = false;     // the matrix is factorised
  bool jacobian_tired_ = false;  // the last iteration was slow, and the Jacobian is to blame
  bool matrix_tired_ = false;    // the last iteration was slow, and the matrix's cj is to blame
};

}  // namespace daedalus
