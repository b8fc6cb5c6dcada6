// The Jacobian with respect to the highest derivatives, J_ij = ∂f_i/∂x_j^(d_j - c_i), at sample points: is a
// block of it singular, and by which combination of its rows.
#pragma once

#include <optional>
#include <vector>

#include "reform/incidence.hpp"
#include "reform/point.hpp"
#include "reform/raise_order.hpp"
#include "reform/scaled_matrix.hpp"
#include "structure/plan.hpp"

namespace daedalus {

// Σ u_i f_i^(c_i - c_r) holds no highest derivative.
struct RowCombination {
  std::vector<int> equations;
  std::vector<double> factors;  // at one point
  bool constant = true;         // the same factors at every sample point
  // What it was found among: equations, and the variables that they determine.
  std::vector<int> rows, columns;
};

class TopJacobian {
 public:
  static constexpr int witnesses = 2;  // a repair is believed if so many points say the same

  TopJacobian(const RaisedSystem& raised, const Incidence& incidence, const StructuralPlan& plan);

  // A block is singular only if it is so at every sample point where it can be evaluated.
  [[nodiscard]] bool is_singular(const Block& block) const;
  // Why it is singular, among the block and every block whose highest derivatives it uses. Nothing: no
  // combination of rows cancels at all sample points.
  [[nodiscard]] std::optional<RowCombination> find_combination(const Block& block) const;
  // As many variables as there are given equations of a combination, such that the Jacobian of these is
  // regular. Empty: not found.
  [[nodiscard]] std::vector<int> regular_columns(const RowCombination& combination,
                                                 const std::vector<int>& equations) const;
  // Sample points, so many that no branch is forgotten. The first is the start.
  [[nodiscard]] unsigned points() const;
  [[nodiscard]] SamplePoint point(unsigned p) const;

 private:
  struct Entry {
    int equation;
    int variable;
    NodeId value;
  };
  enum class Verdict { Regular, Singular, NotFinite };

  template <class F>
  void for_row(int equation, F&& visit) const {
    for (std::size_t k = row_start_[static_cast<std::size_t>(equation)];
         k < row_start_[static_cast<std::size_t>(equation) + 1]; ++k)
      visit(k);
  }
  [[nodiscard]] const std::vector<RoundedValue>& values(unsigned p) const;
  [[nodiscard]] ScaledMatrix matrix(unsigned p, const std::vector<int>& rows,
                                    const std::vector<int>& columns) const;
  [[nodiscard]] Verdict judge_single(const Block& block, unsigned p) const;
  [[nodiscard]] Verdict judge_dense(const Block& block, unsigned p) const;
  [[nodiscard]] Verdict judge_sparse(const Block& block, unsigned p) const;
  void collect_cone(const Block& block, RowCombination& combination) const;
  [[nodiscard]] std::vector<Eigen::VectorXd> combinations(unsigned p, const RowCombination& cone) const;
  [[nodiscard]] ScaledMatrix part(unsigned p, const RowCombination& combination,
                                  const std::vector<int>& equations) const;
  [[nodiscard]] bool holds(RowCombination& combination) const;

  const RaisedSystem& raised_;
  const StructuralPlan& plan_;
  std::vector<Entry> entries_;
  std::vector<NodeId> roots_;
  std::vector<std::size_t> row_start_;
  Traversal below_;
  bool branches_ = false;
  mutable std::vector<int> place_;                         // by variable: a column, -1 between calls
  mutable std::vector<std::vector<RoundedValue>> values_;  // by sample point; empty: not evaluated yet
};

}  // namespace daedalus
