#include "integrate/ida_linear.hpp"

#include <nvector/nvector_serial.h>

#include <algorithm>

#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

IdaLinear& inside(SUNLinearSolver handle) {
  return *static_cast<IdaLinear*>(handle->content);
}

int solve_in_place(SUNLinearSolver handle, SUNMatrix /*matrix*/, N_Vector x, N_Vector b,
                   realtype /*tolerance*/) {
  const auto n = static_cast<std::size_t>(NV_LENGTH_S(x));
  const std::span<double> solution(NV_DATA_S(x), n);
  copy_values(std::span<const double>(NV_DATA_S(b), n), solution);
  return inside(handle).solve(solution);
}

}  // namespace

IdaLinear::IdaLinear(CountedSystem evaluator, LinearSolverKind kind, SUNContext context)
    : evaluator_(evaluator), kind_(kind) {
  matrix_ = SUNMatNewEmpty(context);
  matrix_->content = this;
  matrix_->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
  matrix_->ops->zero = [](SUNMatrix) { return SUNMAT_SUCCESS; };  // evaluate() writes every value
  handle_ = SUNLinSolNewEmpty(context);
  handle_->content = this;
  handle_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
  handle_->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
  handle_->ops->initialize = [](SUNLinearSolver) { return SUNLS_SUCCESS; };
  handle_->ops->setup = [](SUNLinearSolver solver, SUNMatrix) { return inside(solver).factor(); };
  handle_->ops->solve = solve_in_place;
}

IdaLinear::~IdaLinear() {
  SUNLinSolFreeEmpty(handle_);
  SUNMatFreeEmpty(matrix_);
}

void IdaLinear::set_pattern() {
  const SparsePattern& pattern = evaluator_.system.pattern();
  renew_linear_solver(solver_, pattern, kind_);
  const auto entries = static_cast<std::size_t>(pattern.nonzeros());
  dy_.assign(entries, 0);
  dyp_.assign(entries, 0);
  values_.assign(entries, 0);
  stale_ = true;
}

bool IdaLinear::evaluate(double t, double cj, std::span<const double> y, std::span<const double> yp) {
  if (!evaluator_.jacobian(t, y, yp, dy_, dyp_)) return false;
  for (std::size_t p = 0; p < values_.size(); ++p) values_[p] = dy_[p] + cj * dyp_[p];
  return true;
}

int IdaLinear::factor() {
  ++evaluator_.counters.factorizations;
  singular_ = !solver_->factor(values_);
  if (singular_) return SUNLS_LUFACT_FAIL;
  stale_ = false;
  return SUNLS_SUCCESS;
}

int IdaLinear::solve(std::span<double> x) {
  // A recoverable failure with an old matrix makes IDA set up a new one and begin the iteration again: so a
  // change of the equations is noticed without a restart.
  if (stale_) return SUNLS_PACKAGE_FAIL_REC;
  solver_->solve(x);
  return SUNLS_SUCCESS;
}

}  // namespace daedalus
