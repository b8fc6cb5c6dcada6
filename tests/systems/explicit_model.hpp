// A model of which the underlying ODE is to be evaluated, with the names of its states.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "reform/formulation.hpp"
#include "support/formed.hpp"
#include "systems/explicit_form.hpp"
#include "values.hpp"

namespace daedalus::testing {

inline ReformulatedSystem rewritten_by(const std::string& formulation, const ConstrainedForm& form) {
  const FormulationRow& row = *find_formulation(formulation);
  auto system = reformulate(row, form, *resolve(Selection(formulation), row.options, row.name), false);
  EXPECT_TRUE(system.has_value()) << formulation;
  return *std::move(system);
}

struct ExplicitModel {
  explicit ExplicitModel(const DaeSystem& system, bool unconstrained = false)
      : formed(system, unconstrained),
        residual(*formed.model, rewritten_by("index1", *formed.form)),
        ode(*formed.form, residual),
        environment(static_cast<std::size_t>(residual.slots()), 0.0) {
    std::ranges::copy(formed.environment, environment.begin());
    residual.bind(environment);
  }
  // Where a state stands in y.
  [[nodiscard]] std::size_t place(const std::string& name, int order) const {
    for (std::size_t i = 0; i < ode.states().size(); ++i) {
      const ReformUnknown& unknown = residual.system().unknowns[static_cast<std::size_t>(ode.states()[i])];
      if (unknown.leaf == formed.leaf(name, order)) return i;
    }
    ADD_FAILURE() << name;
    return 0;
  }
  [[nodiscard]] double value(NodeId leaf) const {
    return environment[static_cast<std::size_t>(residual.slot(leaf))];
  }
  [[nodiscard]] double value(const std::string& name, int order) const {
    return value(formed.leaf(name, order));
  }
  // Of an expression of the formulation, here.
  [[nodiscard]] double expression(NodeId node) const {
    return value_of(formed.form->graph(), node, environment,
                    [this](NodeId leaf) { return residual.slot(leaf); });
  }
  // Some states that are no special ones.
  [[nodiscard]] std::vector<double> some_states(unsigned seed) const {
    std::vector<double> y(static_cast<std::size_t>(ode.size()));
    scatter_numbers(y, seed);
    return y;
  }

  Formed formed;
  ReformedResidual residual;
  ExplicitForm ode;
  std::vector<double> environment;
};

}  // namespace daedalus::testing
