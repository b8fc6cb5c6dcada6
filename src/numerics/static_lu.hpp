// A = L D W, L unit lower and W unit upper triangular, of a matrix [S B; G 0] whose pattern stays, in an
// order that is found once, without pivoting: StaticLdl for matrices that are symmetric in their pattern
// only, real or complex. Iteration matrices of constrained systems are such: S = M + a D + b K, K the tangent
// stiffness.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "numerics/linear_solver.hpp"
#include "numerics/panel_structure.hpp"
#include "numerics/saddle_order.hpp"
#include "numerics/sparse_pattern.hpp"

namespace daedalus {

// What real and complex factorisations of one pattern share. Early unknowns are eliminated one by one: of
// such an equation, d δe + o δn = r, follows δe = s + R δ(root), where s is r/d less what of it comes from
// next ones, and root is the first unknown in the chain of next ones that is not early. In the other
// equations the column of e joins that of its root, R times, and s goes to the right-hand side. What is left,
// the core, is eliminated by panels.
struct LuStructure {
  struct Early {
    int unknown = 0;
    int equation = 0;
    int diagonal = -1;  // d, by entry of the pattern
    int other = -1;     // o
    int next = -1;      // among the early ones, or -1: the next unknown is the root
    int root = 0;       // position in the core
  };
  // An entry of the pattern that goes into one of the core.
  struct Load {
    int from = 0;  // entry of the pattern
    int entry = 0;
    int side = 0;    // 0: of L or on the diagonal, 1: of W
    int early = -1;  // times its R
    int row = 0;     // position in the core
  };
  // Rows and columns in the given order; the equation of an unknown is `equation[unknown]` (empty: the one of
  // the same number). The first unknowns of the order are early ones, with these next ones (by unknown).
  LuStructure(const SparsePattern& pattern, std::span<const int> order, std::span<const int> equation = {},
              std::size_t early_count = 0, std::span<const int> next = {});

  PanelStructure panels;         // of the core
  std::vector<Early> early;      // each after its next one
  std::vector<Load> plain;       // of the columns of the core
  std::vector<Load> joined;      // of early columns
  std::vector<int> equation_at;  // by position in the core
  std::vector<int> unknown_at;
};
using SharedLu = std::shared_ptr<const LuStructure>;

template <class Scalar>
class StaticLu {
 public:
  explicit StaticLu(SharedLu structure);

  // False: a pivot is zero or not finite. Nothing is allocated.
  [[nodiscard]] bool factor(std::span<const Scalar> values);
  // b := A⁻¹ b. The last factor() has succeeded.
  void solve(std::span<Scalar> b);

  [[nodiscard]] int pivots() const { return static_cast<int>(early_inverse_.size() + rhs_.size()); }
  [[nodiscard]] std::size_t nonzeros() const { return structure_->panels.nonzeros; }  // of L, and of W
  // The square of 1 over a pivot of the last factor(): those of early unknowns, and then those of the core.
  [[nodiscard]] double inverse_pivot_square(int k) const;
  // The factors.
  void state(Archive& archive);
  [[nodiscard]] const SharedLu& structure() const { return structure_; }

 private:
  using Algebra = std::conditional_t<std::is_same_v<Scalar, double>, RealPairAlgebra, ComplexPairAlgebra>;
  using Number = typename Algebra::Scalar;
  bool factor_early(std::span<const Scalar> values);
  [[nodiscard]] Number inverse(int place) const {
    return Algebra::lower(values_[static_cast<std::size_t>(place)]);
  }

  SharedLu structure_;
  std::vector<PanelPart<Algebra>> runs_;
  std::vector<typename Algebra::Entry> values_, scratch_;
  std::vector<Number> rhs_;
  std::vector<Number> early_inverse_, other_, ratio_, part_;  // by early unknown: 1/d, o/d, R, s
  std::vector<Number> coupling_;                              // by Load of `joined`: the entry
};

extern template class StaticLu<double>;
extern template class StaticLu<std::complex<double>>;

// A StaticLu behind the interface of all solvers. Whether it may go without pivoting is tried at the first
// factorisation, and again when a pivot has become smaller by orders of magnitude, by the residual of a
// solution; where it may not, and from the first zero pivot on, the solver that make_linear_solver() takes
// does the work.
template <class Scalar>
[[nodiscard]] std::unique_ptr<LinearSolver<Scalar>> make_static_solver(const SparsePattern& pattern,
                                                                       SharedLu structure);
// For a saddle matrix of which the first `first` rows are those of S, and for a larger system.
[[nodiscard]] SharedLu saddle_structure(const SparsePattern& pattern, int first);
[[nodiscard]] SharedLu planned_structure(const SparsePattern& pattern, const EliminationPlan& plan);

}  // namespace daedalus
