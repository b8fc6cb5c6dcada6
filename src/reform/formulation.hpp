// The formulation family. One row a formulation; help, docs, tests and comparisons walk the table.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/options.hpp"
#include "reform/reform_builder.hpp"

namespace daedalus {

inline constexpr int any_order = 100;  // max_order of those without a limit

struct FormulationRow {
  std::string_view name;
  std::string_view summary;    // one line
  std::string_view reference;  // paper and equation
  int min_order = 1;           // m of the constrained form
  int max_order = any_order;
  std::vector<OptionSpec> options;
  bool ode = false;               // given the states, all else follows: explicit methods can be used
  Rewrite rewrite = nullptr;      // of the constrained form; for projections, to the underlying ODE
  Rewrite state_space = nullptr;  // the underlying ODE and its parametrisation, for explicit methods
  // What it asks of a run. Which driver carries it out is said in drive/make_driver.cpp.
  bool any_dae = false;    // works on the derivative array, without a constrained form
  bool wrapper = false;    // changes the form and hands it to the formulation of its option `then`
  bool projects = false;   // moves the end of each step
  bool symmetric = false;  // for symmetric methods only
  bool redundant = false;  // takes dependent constraints as they are
};

[[nodiscard]] std::span<const FormulationRow> formulations();
// Null when there is no such row.
[[nodiscard]] const FormulationRow* find_formulation(std::string_view name);

// Rewrites the form, after checking that it is of an order that the formulation is defined for.
// `explicit_method`: for such an integrator.
[[nodiscard]] Result<ReformulatedSystem> reformulate(const FormulationRow& row, const ConstrainedForm& form,
                                                     const Selection& options, bool explicit_method);

}  // namespace daedalus
