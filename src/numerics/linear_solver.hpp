// Direct solution of A x = b for a square A whose pattern stays and whose values change: what Newton's
// method in an integrator needs. Real and complex, dense and sparse.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/archive.hpp"
#include "numerics/sparse_pattern.hpp"

namespace daedalus {

enum class LinearSolverKind { Auto, Dense, Klu };

// A pivot of the factorisation: which equation was used for which unknown, and how small it came out.
struct Pivot {
  int row = -1;         // -1: not known
  int column = -1;      // -1: not known
  double relative = 1;  // against the column's largest entry (dense) or the largest pivot (KLU)

  void state(Archive& archive) { archive(row, column, relative); }
  [[nodiscard]] bool fits(int size) const { return row >= -1 && row < size && column >= -1 && column < size; }
};

template <class Scalar>
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  LinearSolver(const LinearSolver&) = delete;
  LinearSolver& operator=(const LinearSolver&) = delete;

  [[nodiscard]] const SparsePattern& pattern() const { return pattern_; }

  // Factorises the matrix with these values on the pattern. False: a pivot was zero or not finite;
  // weakest_pivot() then says where. After the first call nothing is allocated, unless a sparse matrix has
  // changed so much that its pivots must be chosen anew.
  [[nodiscard]] virtual bool factor(std::span<const Scalar> values) = 0;
  // b := A⁻¹ b. The last factor() has succeeded.
  virtual void solve(std::span<Scalar> b) = 0;
  // The smallest pivot of the last factorisation: where a (nearly) singular matrix is so.
  [[nodiscard]] virtual Pivot weakest_pivot() const = 0;
  [[nodiscard]] virtual std::string_view name() const = 0;  // "dense", "klu", "static-lu"

  // The factorisation, and what later ones are judged by: after reading, solve() and factor() give what they
  // would have given, to the bit.
  virtual void state(Archive& archive) = 0;
  // Another one for the same pattern, not factorised, that shares what was found of the pattern.
  [[nodiscard]] virtual std::unique_ptr<LinearSolver> sibling() const = 0;
  // Another one with the same factorisation.
  [[nodiscard]] std::unique_ptr<LinearSolver> copy() const;

 protected:
  explicit LinearSolver(const SparsePattern& pattern) : pattern_(pattern) {}

  SparsePattern pattern_;
};

using RealSolver = LinearSolver<double>;
using ComplexSolver = LinearSolver<std::complex<double>>;

// A number by which two patterns can be told apart.
[[nodiscard]] std::uint64_t fingerprint(const SparsePattern& pattern);

// What Auto takes for a pattern, by measurement (see the source).
[[nodiscard]] LinearSolverKind choose_linear_solver(const SparsePattern& pattern);

// Scalar is double or std::complex<double>. The pattern is copied.
template <class Scalar>
[[nodiscard]] std::unique_ptr<LinearSolver<Scalar>> make_linear_solver(
    const SparsePattern& pattern, LinearSolverKind kind = LinearSolverKind::Auto);

// The solver for a pattern that may be the one it was made for: then it stays, with its analysis.
template <class Scalar>
void renew_linear_solver(std::unique_ptr<LinearSolver<Scalar>>& solver, const SparsePattern& pattern,
                         LinearSolverKind kind) {
  if (!solver || solver->pattern() != pattern) solver = make_linear_solver<Scalar>(pattern, kind);
}

template <class Scalar>
[[nodiscard]] std::unique_ptr<LinearSolver<Scalar>> make_dense_solver(const SparsePattern& pattern);
template <class Scalar>
[[nodiscard]] std::unique_ptr<LinearSolver<Scalar>> make_klu_solver(const SparsePattern& pattern);

}  // namespace daedalus
