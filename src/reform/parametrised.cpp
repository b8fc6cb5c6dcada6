// Local parametrisations of the constraint manifold (Petzold, Potra 1992, 5.4; Ascher, Petzold 1993 §3.3,
// §4.2):
//
//   Aᵀ(p' - v) = 0,   Âᵀ(v' - a) = 0,   M a + B λ = f,   G a + z = 0,   ġ = 0,   g = 0
//
// (m = 1: Aᵀ(x' - a) = 0, g = 0), with [G; Aᵀ] regular; constraints of velocity take part in Â, not in A, and
// Â = A without them. coordinate-partitioning takes unit vectors for the columns of A, chosen so that [G; Aᵀ]
// is well conditioned and kept until its condition says change; tangent-plane takes a basis of ker G at the
// last point (5.9). A is constant during a step and its entries are values that the run sets, so it can
// change between steps while the vector of unknowns, and with it the integrator's history, stays.
//
// An explicit method integrates u = Aᵀp, w = Âᵀv: the state-space form (001, 4.17; 003 §4.2, 3(i)). The run
// does that on the underlying ODE, by moving the argument of each evaluation onto the constraints without a
// change of u and w (drive/state_space_driver.hpp).
#include "reform/parametrised.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reform/descriptor.hpp"
#include "reform/ggl.hpp"

namespace daedalus {
namespace {

using Basis = std::vector<std::vector<NodeId>>;  // by row of A, then column

// Aᵀ (rates - next level), one row for each column of A.
void add_projected_rates(ReformBuilder& b, const Basis& basis, int k) {
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

Basis entries_of(ReformBuilder& b, const Parametrisation& parametrisation, int which) {
  const int columns = parametrisation.bases[static_cast<std::size_t>(which)].columns;
  Basis basis(static_cast<std::size_t>(b.n()));
  for (int i = 0; i < b.n(); ++i) {
    for (int c = 0; c < columns; ++c) {
      const auto at = static_cast<std::size_t>((i * columns) + c);
      NodeId entry;
      if (parametrisation.policy == BasisPolicy::Fixed) {
        entry = b.constant(parametrisation.fixed[at]);
      } else {
        entry = b.held(HeldValue::Role::Basis, i, c);
        b.result().held.back().basis = which;
      }
      basis[static_cast<std::size_t>(i)].push_back(entry);
    }
  }
  return basis;
}

Result<Parametrisation> parametrisation_of(const ConstrainedForm& form, BasisPolicy policy,
                                           std::vector<double> fixed) {
  Parametrisation result;
  result.policy = policy;
  result.fixed = std::move(fixed);
  for (int level = 0; level < form.order; ++level) {
    Parametrisation::Rows rows;
    rows.constraints = constraints_up_to(form, level);
    rows.columns = form.n() - static_cast<int>(rows.constraints.size());
    const auto same = [&](const Parametrisation::Rows& other) {
      return other.constraints == rows.constraints;
    };
    const auto found = std::ranges::find_if(result.bases, same);
    result.of_level.push_back(static_cast<int>(found - result.bases.begin()));
    if (found == result.bases.end()) result.bases.push_back(std::move(rows));
  }
  if (result.bases.back().columns <= 0) {
    return fail(
        fmt::format("there are {} constraints for {} unknowns of position: nothing is left to move; if some "
                    "are redundant, "
                    "use trust-region, which takes them as they are",
                    form.ny(), form.n()));
  }
  return result;
}

Result<Parametrisation> parametrisation_by_option(const ConstrainedForm& form, const Selection& options,
                                                  BasisPolicy policy, std::string_view words) {
  if (options.text("A") == "auto") return parametrisation_of(form, policy, {});
  const auto matrix = parse_matrix(options.text("A"), "A", words);
  if (!matrix) return std::unexpected(matrix.error());
  auto result = parametrisation_of(form, BasisPolicy::Fixed, matrix->values);
  if (!result) return result;
  if (result->bases.size() > 1) {
    return fail(
        "one matrix A cannot parametrise positions and velocities of a model with motion constraints, which "
        "leave fewer velocities free than positions; use A=auto");
  }
  const int columns = result->bases.front().columns;
  if (matrix->rows != form.n() || matrix->columns != columns || rank_of(*matrix) < columns) {
    return fail(
        fmt::format("A must be {} by {} of full rank (unknowns of position by degrees of freedom), but is "
                    "{} by {} of rank {}",
                    form.n(), columns, matrix->rows, matrix->columns, rank_of(*matrix)));
  }
  return result;
}

void keep_all(ReformBuilder& b) {
  const ConstrainedForm& form = b.form();
  for (int i = 0; i < form.ny(); ++i) {
    const int levels = form.order - form.constraints[static_cast<std::size_t>(i)].level;
    for (int k = 0; k < levels; ++k) b.result().kept.push_back({.constraint = i, .times = k});
  }
}

}  // namespace

ReformulatedSystem parametrised(const ConstrainedForm& form, Parametrisation parametrisation) {
  ReformBuilder b(form);
  add_underlying_ode(b);
  std::vector<Basis> bases;
  for (int which = 0; which < static_cast<int>(parametrisation.bases.size()); ++which) {
    const bool none = parametrisation.bases[static_cast<std::size_t>(which)].constraints.empty();
    bases.push_back(none ? Basis() : entries_of(b, parametrisation, which));
  }
  for (int k = 0; k < form.order; ++k) {
    // What no constraint says anything of moves freely.
    if (parametrisation.at(k).constraints.empty()) {
      b.kinematics(k);
    } else {
      add_projected_rates(
          b, bases[static_cast<std::size_t>(parametrisation.of_level[static_cast<std::size_t>(k)])], k);
    }
  }
  for (int i = 0; i < form.ny(); ++i) {
    const int levels = form.order - form.constraints[static_cast<std::size_t>(i)].level;
    for (int k = 0; k < levels; ++k) b.add_constraint(i, k);
  }
  b.result().parametrisation = std::move(parametrisation);
  return b.take();
}

Result<ReformulatedSystem> parametrised_by_tangent(const ConstrainedForm& form) {
  auto parametrisation = parametrisation_of(form, BasisPolicy::Tangent, {});
  if (!parametrisation) return std::unexpected(parametrisation.error());
  return parametrised(form, *std::move(parametrisation));
}

Result<ReformulatedSystem> parametrised_by_option(const ConstrainedForm& form, const Selection& options,
                                                  BasisPolicy policy, std::string_view words) {
  auto parametrisation = parametrisation_by_option(form, options, policy, words);
  if (!parametrisation) return std::unexpected(parametrisation.error());
  return parametrised(form, *std::move(parametrisation));
}

Result<ReformulatedSystem> rewrite_coordinate_partitioning(const ConstrainedForm& form,
                                                           const Selection& options) {
  return parametrised_by_option(form, options, BasisPolicy::Coordinates);
}

Result<ReformulatedSystem> rewrite_tangent_plane(const ConstrainedForm& form, const Selection& options) {
  return parametrised_by_option(form, options, BasisPolicy::Tangent);
}

Result<ReformulatedSystem> rewrite_state_space(const ConstrainedForm& form, const Selection& options,
                                               BasisPolicy policy) {
  auto parametrisation = parametrisation_by_option(form, options, policy, "auto");
  if (!parametrisation) return std::unexpected(parametrisation.error());
  ReformBuilder b(form);
  add_underlying_ode(b);
  for (int k = 0; k < form.order; ++k) b.kinematics(k);
  keep_all(b);
  b.result().parametrisation = *std::move(parametrisation);
  return b.take();
}

Result<ReformulatedSystem> rewrite_coordinate_state_space(const ConstrainedForm& form,
                                                          const Selection& options) {
  return rewrite_state_space(form, options, BasisPolicy::Coordinates);
}

Result<ReformulatedSystem> rewrite_tangent_state_space(const ConstrainedForm& form,
                                                       const Selection& options) {
  return rewrite_state_space(form, options, BasisPolicy::Tangent);
}

}  // namespace daedalus
