// Projected invariants (paper 003): the underlying ODE v' = a(t, p, v), and a multiplier for each invariant
// that is to be kept.
//
//   pa (4.14)   p' = v + D μ,             v' = a,          0 = g
//   pb (4.16)   p' = v + Gᵀμ,             v' = a + Gᵀτ,    0 = g,  0 = ġ       (descriptor form: paper
//   001, 3.32) pc (4.17)   p' = v + Gᵀμ + Lᵀτ,       v' = a + Gᵀτ,    0 = g,  0 = ġ       (the same τ) m = 1
//   (4.7) x' = a + D μ,             0 = g
//
// A motion constraint is an invariant of velocity level: it has a τ in each variant.
#include "reform/descriptor.hpp"
#include "reform/ggl.hpp"

namespace daedalus {
namespace {

void keep_velocity_level(ReformBuilder& b, int constraint) {
  const int level = b.form().constraints[static_cast<std::size_t>(constraint)].level;
  b.add_constraint(constraint, b.m() - 1 - level);
}

// v' = a + correction, or x' = a + correction when m = 1.
void add_top_rate(ReformBuilder& b, std::span<const NodeId> correction) {
  b.kinematics(b.m() - 1, correction);
}

Result<ReformulatedSystem> first_order(const ConstrainedForm& form, const Selection& options) {
  ReformBuilder b(form);
  add_underlying_ode(b);
  const auto direction = add_projection(b, options);
  if (!direction) return std::unexpected(direction.error());
  add_top_rate(b, *direction);
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
  auto direction = add_projection(b, options);
  if (!direction) return std::unexpected(direction.error());
  // τ for the constraints that are kept at velocity level.
  std::vector<int> kept;
  for (int i = 0; i < form.ny(); ++i) {
    if (variant != "pa" || form.constraints[static_cast<std::size_t>(i)].level > 0) kept.push_back(i);
  }
  const std::vector<NodeId> tau = b.own_unknowns("tau", static_cast<int>(kept.size()));
  std::vector<NodeId> factor(static_cast<std::size_t>(form.ny()));
  for (std::size_t k = 0; k < kept.size(); ++k) factor[static_cast<std::size_t>(kept[k])] = tau[k];
  if (variant == "pc") {
    const std::vector<NodeId> curved = b.transposed_times(form.curvature, factor);
    for (std::size_t i = 0; i < curved.size(); ++i)
      (*direction)[i] = b.graph().add((*direction)[i], curved[i]);
  }
  b.kinematics(0, *direction);
  add_top_rate(b, b.transposed_times(form.constraint, factor));
  for (const int i : holonomic(form)) b.add_constraint(i, 0);
  for (const int i : kept) keep_velocity_level(b, i);
  return b.take();
}

}  // namespace daedalus
