// Local state-space forms by a matrix A: see parametrised.cpp.
#pragma once

#include "reform/reform_builder.hpp"

namespace daedalus {

// `fixed`: A by rows, for BasisPolicy::Fixed.
[[nodiscard]] Result<ReformulatedSystem> parametrised(const ConstrainedForm& form, BasisPolicy policy,
                                                      std::vector<double> fixed);
// By the option A: "auto" is the given policy, a matrix fixes it. `words`: what A may be instead, for
// messages.
[[nodiscard]] Result<ReformulatedSystem> parametrised_by_option(const ConstrainedForm& form,
                                                                const Selection& options, BasisPolicy policy,
                                                                std::string_view words = "auto");

}  // namespace daedalus
