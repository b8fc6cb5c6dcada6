// The rows of the table of integrators, each defined in its method's file, and what they share.
#pragma once

#include "integrate/integrator.hpp"
#include "numerics/linear_solver.hpp"

namespace daedalus {

[[nodiscard]] IntegratorRow bdf_row();
[[nodiscard]] IntegratorRow backward_euler_row();
[[nodiscard]] IntegratorRow radau_row();
[[nodiscard]] IntegratorRow ida_row();

// The option `solver` (auto, dense, klu) and its value.
[[nodiscard]] OptionSpec solver_option();
[[nodiscard]] LinearSolverKind solver_kind(const Selection& selection);

// The settings with every option of the row present; options that do not fit are our caller's bug.
[[nodiscard]] IntegratorSettings with_defaults(IntegratorSettings settings, const IntegratorRow& row);

}  // namespace daedalus
