// Converted stably to index 2, then regularised (Petzold, Ren, Maly 1997, §4: "one can convert stably to a
// singular index-2 system and solve via the methods of section 2"). The stable index-2 system (Ascher,
// Petzold 1993, 2.18) is
//
//   X' = F(X) - 𝔅 Y,   0 = C(X),      X = (x, …, x^(m-1)),   Y = (μ_1, …, μ_(m-1), y),
//   x^(k)' = x^(k+1) - Gᵀμ_(k+1), k < m - 1,   M x^(m) = f - B y,   C = (g, ġ, …, d^(m-1) g/dt^(m-1)),
//
// and section 2 of Petzold, Ren, Maly 1997 makes of it, with r = dC/dt + γ C along X' (2.2),
//
//   y = argmin ½|r|² + ½ε|Y|²:   (∂C/∂X 𝔅)ᵀ r = ε Y      (trust region, 2.10)
//   ∂C/∂X 𝔅 + εI for ∂C/∂X 𝔅:    r = ε Y                 (direct, 2.12)
//
// For mechanics r_1 = ġ - G Gᵀμ + γ g, r_2 = g̈ - L Gᵀμ + γ ġ, and with s = Gᵀ r_1 + Lᵀ r_2 the first line is
// G s = ε μ, Mᵀ w = Gᵀ r_2, Bᵀ w = ε y. Nothing is multiplied out.
#include <fmt/format.h>

#include <algorithm>

#include "expr/derivative.hpp"
#include "reform/descriptor.hpp"
#include "reform/ggl.hpp"
#include "reform/regularised.hpp"

namespace daedalus {
namespace {

// A constraint and its derivatives, each at the level k at which it says something of x^(k).
struct Row {
  int constraint = 0;
  int level = 0;
  NodeId residual;  // r
};

Result<void> check_options(const Selection& options) {
  for (const std::string_view name : {"delta", "gamma0", "gamma1"}) {
    if (options.has(name))
      return fail(
          fmt::format("{} is of the regularisation of the constraint as it stands (convert=none); with "
                      "convert=ggl give gamma and eps",
                      name));
  }
  if (options.text("curvature") == "no")
    return fail(
        "convert=ggl differentiates velocity constraints, so that curvature=no is not defined for it");
  return {};
}

class StableIndexTwo {
 public:
  StableIndexTwo(ReformBuilder& b, NodeId gamma)
      : b_(b), form_(b.form()), gamma_(gamma), gradient_(b.graph(), [](NodeId) { return true; }) {}

  // Unknowns, kinematics and dynamics; r of all constraints at all levels.
  void write() {
    b_.add_positions();
    b_.use_rates_as_accelerations();
    b_.add_multipliers(2);
    for (int k = 0; k + 1 < b_.m(); ++k) add_level(k);
    b_.add_dynamics();
    b_.add_companions();
    for (int level = 0; level < b_.m(); ++level) {
      for (const int i : constraints_up_to(form_, level))
        rows_.push_back({.constraint = i, .level = level, .residual = residual(i, level)});
    }
  }

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  // μ_(level+1) of a constraint.
  [[nodiscard]] NodeId mu(int constraint, int level) const {
    return mu_[static_cast<std::size_t>(level)][static_cast<std::size_t>(constraint)];
  }
  // Σ_rows (∂C_row/∂x^(level))ᵀ factor[row].
  std::vector<NodeId> adjoint(int level, std::span<const NodeId> factor) {
    std::vector<NodeId> sum(static_cast<std::size_t>(b_.n()), b_.constant(0));
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      for_partials(rows_[k].constraint, rows_[k].level, level, [&](int column, NodeId value) {
        NodeId& s = sum[static_cast<std::size_t>(column)];
        s = b_.graph().add(s, b_.graph().mul(value, factor[k]));
      });
    }
    return sum;
  }

 private:
  void add_level(int k) {
    const std::vector<int> kept = constraints_up_to(form_, k);
    const std::vector<NodeId> mu =
        b_.own_unknowns(k == 0 ? "mu" : fmt::format("mu{}", k + 1), static_cast<int>(kept.size()));
    std::vector<NodeId> factor(static_cast<std::size_t>(form_.ny()));
    for (std::size_t i = 0; i < kept.size(); ++i) factor[static_cast<std::size_t>(kept[i])] = mu[i];
    std::vector<NodeId> correction = b_.transposed_times(form_.constraint, factor);
    for (NodeId& c : correction) c = b_.graph().neg(c);
    b_.kinematics(k, correction);
    mu_.push_back(std::move(factor));
    corrections_.push_back(std::move(correction));
  }

  // The constraint's derivative that stands at this level.
  [[nodiscard]] NodeId derivative(int constraint, int level) const {
    const FormConstraint& c = form_.constraints[static_cast<std::size_t>(constraint)];
    return c.derivatives[static_cast<std::size_t>(level - c.level)];
  }

  // use(column, ∂C/∂x_column^(of)).
  template <class Use>
  void for_partials(int constraint, int level, int of, Use&& use) {
    for (const Partial& partial : gradient_(derivative(constraint, level))) {
      if (b_.graph().order_of(partial.leaf) != of) continue;
      const auto found = std::ranges::find(form_.positions, b_.graph().variable_of(partial.leaf));
      if (found != form_.positions.end())
        use(static_cast<int>(found - form_.positions.begin()), partial.value);
    }
  }

  // d/dt C + γ C, with x^(k)' = x^(k+1) + correction below the top.
  NodeId residual(int constraint, int level) {
    ExprGraph& graph = b_.graph();
    NodeId sum =
        graph.add(derivative(constraint, level + 1), graph.mul(gamma_, derivative(constraint, level)));
    for (int k = 0; k <= level && k + 1 < b_.m(); ++k) {
      for_partials(constraint, level, k, [&](int column, NodeId value) {
        sum = graph.add(
            sum,
            graph.mul(value, corrections_[static_cast<std::size_t>(k)][static_cast<std::size_t>(column)]));
      });
    }
    return sum;
  }

  ReformBuilder& b_;
  const ConstrainedForm& form_;
  NodeId gamma_;
  Gradient gradient_;
  std::vector<std::vector<NodeId>> mu_, corrections_;  // by level
  std::vector<Row> rows_;
};

std::string name_of(const ConstrainedForm& form, const Row& row) {
  return fmt::format("{} of level {}", form.constraint_name(row.constraint), row.level);
}

Result<void> add_direct(ReformBuilder& b, const StableIndexTwo& system, const Selection& options) {
  const std::vector<Partner> partner = partners(b.form());
  for (const Row& row : system.rows()) {
    const auto eps = epsilon(b, options, row.constraint);
    if (!eps) return std::unexpected(eps.error());
    const Partner& mine = partner[static_cast<std::size_t>(row.constraint)];
    const bool top = row.level + 1 == b.m();
    const NodeId multiplier = top ? b.graph().mul(b.constant(mine.sign), b.form().y(mine.multiplier))
                                  : system.mu(row.constraint, row.level);
    b.equation(b.graph().sub(row.residual, b.graph().mul(*eps, multiplier)),
               "the regularised constraint " + name_of(b.form(), row));
  }
  return {};
}

Result<void> add_trust_region(ReformBuilder& b, StableIndexTwo& system, const Selection& options) {
  const ConstrainedForm& form = b.form();
  ExprGraph& graph = b.graph();
  const std::vector<Partner> partner = partners(form);
  const std::vector<NodeId> r = b.own_unknowns("r", static_cast<int>(system.rows().size()));
  const int top = b.m() - 1;
  // By level: G s of the constraints there; at the top s is Mᵀ w, and Bᵀ w.
  std::vector<std::vector<NodeId>> pulled;
  for (int level = 0; level <= top; ++level) {
    const std::string name = level == top ? "w" : level == 0 ? "s" : fmt::format("s{}", level + 1);
    const std::vector<NodeId> s = b.own_unknowns(name, b.n());
    const std::vector<NodeId> left = level == top ? b.transposed_times(form.mass, s) : s;
    const std::vector<NodeId> right = system.adjoint(level, r);
    for (std::size_t i = 0; i < s.size(); ++i)
      b.equation(graph.sub(left[i], right[i]), fmt::format("the adjoint equation {}[{}]", name, i + 1));
    pulled.push_back(level == top ? b.transposed_times(form.input, s) : b.times(form.constraint, s));
  }
  for (std::size_t k = 0; k < r.size(); ++k) {
    const Row& row = system.rows()[k];
    const auto eps = epsilon(b, options, row.constraint);
    if (!eps) return std::unexpected(eps.error());
    const int j = partner[static_cast<std::size_t>(row.constraint)].multiplier;
    const NodeId multiplier = row.level == top ? form.y(j) : system.mu(row.constraint, row.level);
    const int at = row.level == top ? j : row.constraint;
    b.equation(graph.sub(row.residual, r[k]), "the linearised constraint " + name_of(form, row));
    b.equation(graph.sub(pulled[static_cast<std::size_t>(row.level)][static_cast<std::size_t>(at)],
                         graph.mul(*eps, multiplier)),
               "the trust region of " + name_of(form, row));
  }
  return {};
}

}  // namespace

Result<ReformulatedSystem> regularised_index2(const ConstrainedForm& form, const Selection& options,
                                              Regularisation kind) {
  if (auto ok = check_options(options); !ok) return std::unexpected(ok.error());
  ReformBuilder b(form);
  const auto gamma = gamma_option(b, options);
  if (!gamma) return std::unexpected(gamma.error());
  StableIndexTwo system(b, *gamma);
  system.write();
  leave_velocities_untested(b, options);
  auto ok =
      kind == Regularisation::Direct ? add_direct(b, system, options) : add_trust_region(b, system, options);
  if (!ok) return std::unexpected(ok.error());
  return b.take();
}

}  // namespace daedalus
