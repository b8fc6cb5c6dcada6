// Local state-space forms by a matrix A: see parametrised.cpp.
#pragma once

#include "reform/reform_builder.hpp"

namespace daedalus {

[[nodiscard]] ReformulatedSystem parametrised(const ConstrainedForm& form, Parametrisation parametrisation);
[[nodiscard]] Result<ReformulatedSystem> parametrised_by_tangent(const ConstrainedForm& form);
// By the option A: "auto" is the given policy, a matrix fixes it. `words`: what A may be instead, for
// messages.
[[nodiscard]] Result<ReformulatedSystem> parametrised_by_option(const ConstrainedForm& form,
                                                                const Selection& options, BasisPolicy policy,
                                                                std::string_view words = "auto");

}  // namespace daedalus
