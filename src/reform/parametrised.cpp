// Local parametrisations of the constraint manifold (paper 001, 5.4; paper 003 §3.3):
//
//   Aᵀ(p' - v) = 0,   Aᵀ(v' - a) = 0,   M a + B λ = f,   G a + z = 0,   ġ = 0,   g = 0
//
// (m = 1: Aᵀ(x' - a) = 0, g = 0), with [G; Aᵀ] regular. coordinate-partitioning takes unit vectors for the
// columns of A, chosen so that [G; Aᵀ] is well conditioned and kept until its condition says change;
// tangent-plane takes a basis of ker G at the last point (5.9). A is constant during a step and its entries
// are values that the run sets, so it can change between steps while the vector of unknowns, and with it the
// integrator's history, stays.
#include "reform/parametrised.hpp"

#include <fmt/format.h>

#include "reform/descriptor.hpp"
#include "reform/ggl.hpp"

namespace daedalus {
namespace {

// Aᵀ (rates - next level), one row for each column of A.
void add_projected_rates(ReformBuilder& b, const std::vector<std::vector<NodeId>>& basis, int k) {
  const auto columns = basis.empty() ? 0 : basis.front().size();
  for (std::size_t c = 0; c < columns; ++c) {
    NodeId sum = b.constant(0);
    for (int i = 0; i < b.n(); ++i) {
      const NodeId defect = b.graph().sub(b.rate(i, k), b.form().x(i, k + 1));
      sum = b.graph().add(sum, b.graph().mul(basis[static_cast<std::size_t>(i)][c], defect));
    }
    b.equation(sum, fmt::format("the motion along column {} of A", c + 1));
  }
}

}  // namespace

Result<ReformulatedSystem> parametrised(const ConstrainedForm& form, BasisPolicy policy,
                                        std::vector<double> fixed) {
  const auto motion = static_cast<std::size_t>(form.ny()) - holonomic(form).size();
  if (motion > 0)
    return fail(
        "a parametrisation of the positions does not exist for a model with motion constraints; use "
        "projected-invariants, ggl or orthogonal-projection");
  const int columns = form.n() - form.ny();
  if (columns <= 0) {
    return fail(
        fmt::format("there are {} constraints for {} unknowns of position: nothing is left to move; if some "
                    "are redundant, "
                    "use trust-region, which takes them as they are",
                    form.ny(), form.n()));
  }
  ReformBuilder b(form);
  add_underlying_ode(b);
  std::vector<std::vector<NodeId>> basis(static_cast<std::size_t>(form.n()));
  for (int i = 0; i < form.n(); ++i) {
    for (int c = 0; c < columns; ++c) {
      const int at = (i * columns) + c;
      basis[static_cast<std::size_t>(i)].push_back(policy == BasisPolicy::Fixed
                                                       ? b.constant(fixed[static_cast<std::size_t>(at)])
                                                       : b.held(HeldValue::Role::Basis, i, c));
    }
  }
  for (int k = 0; k < form.order; ++k) add_projected_rates(b, basis, k);
  for (int i = 0; i < form.ny(); ++i) {
    for (int k = 0; k < form.order; ++k) b.add_constraint(i, k);
  }
  b.result().basis = policy;
  b.result().basis_columns = columns;
  b.result().fixed_basis = std::move(fixed);
  return b.take();
}

Result<ReformulatedSystem> parametrised_by_option(const ConstrainedForm& form, const Selection& options,
                                                  BasisPolicy policy, std::string_view words) {
  if (options.text("A") == "auto") return parametrised(form, policy, {});
  const auto matrix = parse_matrix(options.text("A"), "A", words);
  if (!matrix) return std::unexpected(matrix.error());
  const int columns = form.n() - form.ny();
  if (matrix->rows != form.n() || matrix->columns != columns || rank_of(*matrix) < columns) {
    return fail(
        fmt::format("A must be {} by {} of full rank (unknowns of position by degrees of freedom), but is "
                    "{} by {} of rank {}",
                    form.n(), columns, matrix->rows, matrix->columns, rank_of(*matrix)));
  }
  return parametrised(form, BasisPolicy::Fixed, matrix->values);
}

Result<ReformulatedSystem> rewrite_coordinate_partitioning(const ConstrainedForm& form,
                                                           const Selection& options) {
  return parametrised_by_option(form, options, BasisPolicy::Coordinates);
}

Result<ReformulatedSystem> rewrite_tangent_plane(const ConstrainedForm& form, const Selection& options) {
  return parametrised_by_option(form, options, BasisPolicy::Tangent);
}

}  // namespace daedalus
