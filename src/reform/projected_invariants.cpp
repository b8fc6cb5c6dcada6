// Projected invariants (Ascher, Petzold 1993): the underlying ODE v' = a(t, p, v), and a multiplier for each
// invariant that is to be kept.
//
//   pa (4.14)   p' = v + D μ,             v' = a,          0 = g
//   pb (4.16)   p' = v + Gᵀμ,             v' = a + Gᵀτ,    0 = g,  0 = ġ       (descriptor form: paper
//   001, 3.32) pc (4.17)   p' = v + Gᵀμ + Lᵀτ,       v' = a + Gᵀτ,    0 = g,  0 = ġ       (the same τ) m = 1
//   (4.7) x' = a + D μ,             0 = g
//
// A motion constraint is an invariant of velocity level: it has a τ in each variant.
#include <fmt/format.h>

#include <algorithm>

#include "reform/descriptor.hpp"
#include "reform/ggl.hpp"

namespace daedalus {
namespace {

// pa keeps each constraint where it stands; pb and pc its derivatives, too.
std::vector<int> kept_at(const ConstrainedForm& form, int level, bool alone) {
  std::vector<int> kept = constraints_up_to(form, level);
  if (alone)
    std::erase_if(kept, [&](int i) { return form.constraints[static_cast<std::size_t>(i)].level != level; });
  return kept;
}

Result<ReformulatedSystem> first_order(const ConstrainedForm& form, const Selection& options) {
  ReformBuilder b(form);
  add_underlying_ode(b);
  const auto direction = add_projection(b, options, holonomic(form));
  if (!direction) return std::unexpected(direction.error());
  b.kinematics(0, *direction);
  for (int i = 0; i < form.ny(); ++i) b.add_constraint(i, 0);
  return b.take();
}

}  // namespace

Result<ReformulatedSystem> rewrite_projected_invariants(const ConstrainedForm& form,
                                                        const Selection& options) {
  if (form.order == 1) return first_order(form, options);
  ReformBuilder b(form);
  add_underlying_ode(b);
  const std::string_view variant = options.text("variant");
  const int top = b.m() - 1;
  if (variant == "pc" && b.m() != 2)
    return fail(
        fmt::format("variant pc, with L = ∂ġ/∂p, is of mechanics (m = 2), but the model has order {}; pa and "
                    "pb take any",
                    b.m()));
  auto direction = add_projection(b, options, holonomic(form));
  if (!direction) return std::unexpected(direction.error());
  // The constraints that are kept at level k ≥ 1 have a multiplier there: τ at the highest, with Gᵀ.
  std::vector<std::vector<NodeId>> corrections{*std::move(direction)};
  std::vector<NodeId> factor;
  for (int k = 1; k <= top; ++k) {
    const std::vector<int> kept = kept_at(form, k, variant == "pa");
    const std::vector<NodeId> tau =
        b.own_unknowns(k == top ? "tau" : fmt::format("mu{}", k + 1), static_cast<int>(kept.size()));
    factor.assign(static_cast<std::size_t>(form.ny()), NodeId());
    for (std::size_t i = 0; i < kept.size(); ++i) factor[static_cast<std::size_t>(kept[i])] = tau[i];
    corrections.push_back(b.transposed_times(form.constraint, factor));
  }
  if (variant == "pc") {
    const std::vector<NodeId> curved = b.transposed_times(form.curvature, factor);
    for (std::size_t i = 0; i < curved.size(); ++i)
      corrections[0][i] = b.graph().add(corrections[0][i], curved[i]);
  }
  for (int k = 0; k <= top; ++k) b.kinematics(k, corrections[static_cast<std::size_t>(k)]);
  for (const int i : holonomic(form)) b.add_constraint(i, 0);
  for (int k = 1; k <= top; ++k) {
    for (const int i : kept_at(form, k, variant == "pa"))
      b.add_constraint(i, k - form.constraints[static_cast<std::size_t>(i)].level);
  }
  return b.take();
}

}  // namespace daedalus
