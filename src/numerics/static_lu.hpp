// A = L D W, L unit lower and W unit upper triangular, of a matrix [S B; G 0] whose pattern stays, in an
// order that is found once, without pivoting: StaticLdl for matrices that are symmetric in their pattern
// only, real or complex. Iteration matrices of constrained systems are such: S = M + a D + b K, K the tangent
// stiffness.
//
// The order: the rows of S by minimum degree (AMD) of a graph in which each constraint joins all that it
// constrains, and each constraint as soon as all these are eliminated. Then every leading block is a saddle
// matrix of its own with constraints of full rank, and its pivots exist wherever S is near a positive
// definite matrix. Constraints after all of S, as StaticLdl has them, would meet a full Schur complement.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "numerics/elimination.hpp"
#include "numerics/linear_solver.hpp"
#include "numerics/sparse_pattern.hpp"

namespace daedalus {

// The order above; the first `first` rows are those of S.
[[nodiscard]] std::vector<int> interleaved_saddle_order(const SparsePattern& pattern, int first);

// What is known of a larger system that has a saddle matrix at its heart: which equation is for which
// unknown, and in which turn an unknown is eliminated.
struct EliminationPlan {
  enum class Turn : std::uint8_t {
    Early,  // its equation has one other unknown, `next`: w δp - δv = …, in the order of the list below
    Top,    // by minimum degree
    Constraint,  // after all that it joins
    Late,        // nothing else depends on it
  };
  std::vector<int> equation;  // by unknown
  std::vector<Turn> turn;     // by unknown
  std::vector<int> next;      // by unknown, of early ones
  std::vector<int> early;     // the early ones, in this order
  friend bool operator==(const EliminationPlan&, const EliminationPlan&) = default;
};

// The order of elimination of the unknowns: after the early ones it is that of interleaved_saddle_order for
// what is left, where the columns of an early unknown and of its next one have become one.
[[nodiscard]] std::vector<int> planned_order(const SparsePattern& pattern, const EliminationPlan& plan);

template <class Scalar>
class StaticLu {
 public:
  StaticLu() = default;
  StaticLu(const SparsePattern& pattern, std::span<const int> order);

  // False: a pivot is zero or not finite. Nothing is allocated.
  [[nodiscard]] bool factor(std::span<const Scalar> values);
  // b := A⁻¹ b. The last factor() has succeeded.
  void solve(std::span<Scalar> b);

  [[nodiscard]] int size() const { return static_cast<int>(order_.size()); }
  [[nodiscard]] std::size_t nonzeros() const { return l_.row.size(); }  // of L, and of W
  // 1 over the pivots of the last factor(), in the order of elimination.
  [[nodiscard]] std::span<const Scalar> inverse_pivots() const { return inverse_; }

 private:
  // An entry of L and the one of W at the mirrored place: they are always used together.
  struct Pair {
    Scalar lower{};
    Scalar upper{};
  };
  struct Source {
    int position = 0;  // of the other index
    int lower = -1;    // place in the values of A(k, position), or -1
    int upper = -1;    // of A(position, k)
  };
  void gather(const SparsePattern& pattern);
  void analyse();

  std::vector<int> order_, position_;
  std::vector<int> source_start_;
  std::vector<Source> source_;  // by k: the entries of row and column k with positions up to k
  FilledPattern l_;
  std::vector<Pair> values_, work_;
  std::vector<Scalar> inverse_, rhs_;
};

extern template class StaticLu<double>;
extern template class StaticLu<std::complex<double>>;

// A StaticLu behind the interface of all solvers. Whether it may go without pivoting is tried at the first
// factorisation, and again when a pivot has become smaller by orders of magnitude, by the residual of a
// solution; where it may not, and from the first zero pivot on, the solver that make_linear_solver() takes
// does the work.
template <class Scalar>
[[nodiscard]] std::unique_ptr<LinearSolver<Scalar>> make_saddle_solver(const SparsePattern& pattern,
                                                                       int first);
// The same for a larger system.
template <class Scalar>
[[nodiscard]] std::unique_ptr<LinearSolver<Scalar>> make_planned_solver(const SparsePattern& pattern,
                                                                        const EliminationPlan& plan);

}  // namespace daedalus
