#include "numerics/linear_solver.hpp"

namespace daedalus {

LinearSolverKind choose_linear_solver(const SparsePattern& pattern) {
  constexpr int kCrossover = 40;
  return pattern.size <= kCrossover ? LinearSolverKind::Dense : LinearSolverKind::Klu;
}

template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_linear_solver(const SparsePattern& pattern,
                                                         LinearSolverKind kind) {
  if (kind == LinearSolverKind::Auto) kind = choose_linear_solver(pattern);
  return kind == LinearSolverKind::Dense ? make_dense_solver<Scalar>(pattern)
                                         : make_klu_solver<Scalar>(pattern);
}

template std::unique_ptr<RealSolver> make_linear_solver<double>(const SparsePattern&, LinearSolverKind);
template std::unique_ptr<ComplexSolver> make_linear_solver<std::complex<double>>(const SparsePattern&,
                                                                                 LinearSolverKind);

}  // namespace daedalus
