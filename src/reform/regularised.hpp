// What the regularisations of Petzold, Ren, Maly 1997 have in common.
#pragma once

#include "reform/reform_builder.hpp"

namespace daedalus {

// The multiplier that acts along the gradient of a constraint, and whether it pushes (+1) or pulls (-1).
struct Partner {
  int multiplier = 0;
  double sign = 1;
};

// One for each constraint, those that act along it most closely first.
[[nodiscard]] std::vector<Partner> partners(const ConstrainedForm& form);

// ε of a constraint, by the options eps and delta.
[[nodiscard]] Result<NodeId> epsilon(ReformBuilder& b, const Selection& options, int constraint);

// Whether constraints are converted stably to index 2 first, by the options of a regularisation. `auto` does
// for m > 2 where ε follows the tolerance: the constraint as it stands would be unstable (trust-region.md).
[[nodiscard]] bool converts_to_index2(const ConstrainedForm& form, const Selection& options);

enum class Regularisation { TrustRegion, Direct };

// Converted stably to index 2 (Ascher, Petzold 1993, 2.18), then regularised as a system of first order
// (Petzold, Ren, Maly 1997, §4).
[[nodiscard]] Result<ReformulatedSystem> regularised_index2(const ConstrainedForm& form,
                                                            const Selection& options, Regularisation kind);

}  // namespace daedalus
