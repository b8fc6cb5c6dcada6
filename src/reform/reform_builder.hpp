// What the formulations have in common when they write their systems down.
#pragma once

#include <optional>
#include <span>

#include "core/options.hpp"
#include "reform/reformulated.hpp"

namespace daedalus {

// Where a matrix of a formulation comes from: an option such as D=GT, D=B or D=[0;1].
struct DenseLiteral {
  int rows = 0;
  int columns = 0;
  std::vector<double> values;  // by rows
};
// "[1,0;0,1]": rows separated by semicolons. `what` names the option in messages, `words` what else it may
// be.
[[nodiscard]] Result<DenseLiteral> parse_matrix(std::string_view text, std::string_view what,
                                                std::string_view words);

class ReformBuilder {
 public:
  explicit ReformBuilder(const ConstrainedForm& form);

  [[nodiscard]] const ConstrainedForm& form() const { return form_; }
  [[nodiscard]] ExprGraph& graph() const { return form_.graph(); }
  [[nodiscard]] int n() const { return form_.n(); }
  [[nodiscard]] int m() const { return form_.order; }

  // Unknowns and equations. ------------------------------------------------------------------------------
  // An algebraic unknown of the formulation's own, in as many copies as asked: name[1], name[2], …
  std::vector<NodeId> own_unknowns(const std::string& name, int count, int index = 2);
  // x^(k), k < m, as unknowns. Rates have leaves of their own: see rate().
  void add_positions();
  // The multipliers y, algebraic, of the given index.
  void add_multipliers(int index);
  // x^(m) as an algebraic unknown (a); otherwise it means the rate of x^(m-1).
  void add_accelerations();
  void use_rates_as_accelerations();
  // Companion unknowns and equations, as they are.
  void add_companions();
  // The leaf of the rate of x_i^(k).
  [[nodiscard]] NodeId rate(int i, int k) const;
  void equation(NodeId residual, std::string name);
  // x_i^(k)' = x_i^(k+1) + correction, for all i; corrections may be empty.
  void kinematics(int k, std::span<const NodeId> correction = {});
  // The dynamics M x^(m) - f + B y = 0 as the user wrote them, plus a term.
  void add_dynamics(std::span<const NodeId> extra = {});
  // Constraint i differentiated k times (k counts from the constraint itself).
  void add_constraint(int i, int k);
  // Index of an unknown that was added: sets its weight and test.
  void weigh(NodeId leaf, int index, bool tested);

  // Expressions. ------------------------------------------------------------------------------------------
  [[nodiscard]] NodeId constant(double value) const { return graph().constant(value); }
  // Σ_rows matrix(row, column) factor[row], by column: Aᵀ factor. Rows without a factor are left out.
  [[nodiscard]] std::vector<NodeId> transposed_times(const SymbolicMatrix& matrix,
                                                     std::span<const NodeId> factor) const;
  [[nodiscard]] std::vector<NodeId> times(const SymbolicMatrix& matrix, std::span<const NodeId> factor) const;
  [[nodiscard]] std::vector<NodeId> literal_times(const DenseLiteral& matrix,
                                                  std::span<const NodeId> factor) const;
  // γ^(power) · … : a leaf that the run sets.
  NodeId held(HeldValue::Role role, int row = 0, int column = 0);

  ReformulatedSystem take() { return std::move(result_); }
  ReformulatedSystem& result() { return result_; }

 private:
  NodeId fresh_leaf();

  const ConstrainedForm& form_;
  ReformulatedSystem result_;
  int next_variable_ = 0;
  std::vector<std::vector<NodeId>> rates_;  // [k][i]
};

// Which constraints are of position level.
[[nodiscard]] std::vector<int> holonomic(const ConstrainedForm& form);

// What each formulation is: see the files of these names.
using Rewrite = Result<ReformulatedSystem> (*)(const ConstrainedForm& form, const Selection& options);
[[nodiscard]] Result<ReformulatedSystem> rewrite_index3(const ConstrainedForm&, const Selection&);
[[nodiscard]] Result<ReformulatedSystem> rewrite_index2(const ConstrainedForm&, const Selection&);
[[nodiscard]] Result<ReformulatedSystem> rewrite_index1(const ConstrainedForm&, const Selection&);
[[nodiscard]] Result<ReformulatedSystem> rewrite_baumgarte(const ConstrainedForm&, const Selection&);
[[nodiscard]] Result<ReformulatedSystem> rewrite_baumgarte_h(const ConstrainedForm&, const Selection&);
[[nodiscard]] Result<ReformulatedSystem> rewrite_trust_region(const ConstrainedForm&, const Selection&);
[[nodiscard]] Result<ReformulatedSystem> rewrite_direct_regularization(const ConstrainedForm&,
                                                                       const Selection&);
[[nodiscard]] Result<ReformulatedSystem> rewrite_ggl(const ConstrainedForm&, const Selection&);
[[nodiscard]] Result<ReformulatedSystem> rewrite_projected_invariants(const ConstrainedForm&,
                                                                      const Selection&);
[[nodiscard]] Result<ReformulatedSystem> rewrite_extended(const ConstrainedForm&, const Selection&);
[[nodiscard]] Result<ReformulatedSystem> rewrite_odae(const ConstrainedForm&, const Selection&);
[[nodiscard]] Result<ReformulatedSystem> rewrite_coordinate_partitioning(const ConstrainedForm&,
                                                                         const Selection&);
[[nodiscard]] Result<ReformulatedSystem> rewrite_tangent_plane(const ConstrainedForm&, const Selection&);
[[nodiscard]] Result<ReformulatedSystem> rewrite_coordinate_state_space(const ConstrainedForm&,
                                                                        const Selection&);
[[nodiscard]] Result<ReformulatedSystem> rewrite_tangent_state_space(const ConstrainedForm&,
                                                                     const Selection&);

// (MᵀM + γI) x^(m) = Mᵀf - MᵀB y (Petzold, Ren, Maly 1997, 4.11) in place of the dynamics.
[[nodiscard]] ConstrainedForm with_regularised_mass(const ConstrainedForm& form, std::optional<double> given);

}  // namespace daedalus
