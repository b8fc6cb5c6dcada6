// Our linear solvers inside SUNDIALS: a SUNMatrix and a SUNLinearSolver that share one set of values on the
// model's pattern. They live as long as the run; when the equations are exchanged only the inside changes.
#pragma once

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include <memory>
#include <span>
#include <vector>

#include "integrate/counted_system.hpp"
#include "numerics/linear_solver.hpp"

namespace daedalus {

class IdaLinear {
 public:
  IdaLinear(CountedSystem evaluator, LinearSolverKind kind, SUNContext context);
  ~IdaLinear();
  IdaLinear(const IdaLinear&) = delete;
  IdaLinear& operator=(const IdaLinear&) = delete;

  // Reads the pattern anew. Until IDA has set up a new matrix, solve() asks for one.
  void set_pattern();

  // What IDA calls through the handles.
  [[nodiscard]] bool evaluate(double t, double cj, std::span<const double> y, std::span<const double> yp);
  [[nodiscard]] int factor();
  [[nodiscard]] int solve(std::span<double> x);

  [[nodiscard]] SUNMatrix matrix() const { return matrix_; }
  [[nodiscard]] SUNLinearSolver handle() const { return handle_; }
  [[nodiscard]] std::string_view name() const { return solver_->name(); }
  [[nodiscard]] bool singular() const { return singular_; }
  [[nodiscard]] Pivot weakest_pivot() const { return solver_->weakest_pivot(); }

 private:
  CountedSystem evaluator_;
  LinearSolverKind kind_;
  std::unique_ptr<RealSolver> solver_;
  std::vector<double> dy_, dyp_, values_;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver handle_ = nullptr;
  bool stale_ = true;
  bool singular_ = false;
};

}  // namespace daedalus
