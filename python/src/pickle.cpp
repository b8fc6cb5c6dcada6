#include "pickle.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace daedalus::python {
namespace {

using Optional = std::optional<double>;
using Ids = std::vector<std::int32_t>;
using EntryState = std::tuple<int, int, std::array<std::int32_t, 3>, double, double>;
using AttributesState =
    std::tuple<int, Optional, bool, double, double, Optional, int, std::string, std::string>;
using VariableState = std::tuple<std::string, AttributesState>;
using ParameterState = std::tuple<std::string, double, AttributesState>;
using EquationState = std::tuple<std::int32_t, std::int32_t, std::string>;
using ActionState = std::tuple<int, std::int32_t, std::int32_t, std::string>;
using WhenState = std::tuple<std::int32_t, std::vector<ActionState>>;
using AssertionState = std::tuple<std::int32_t, std::string>;
using ConstraintState = std::tuple<std::int32_t, std::string, bool>;
using LagrangianState = std::tuple<Ids, Ids, std::int32_t, std::int32_t, std::vector<ConstraintState>>;
using ExperimentState = std::tuple<double, Optional, Optional, Optional>;

template <class State, class Items, class F>
std::vector<State> states(const Items& items, F&& state) {
  std::vector<State> out;
  out.reserve(items.size());
  for (const auto& item : items) out.push_back(state(item));
  return out;
}

template <class State, class Item, class F>
std::vector<Item> items(nb::handle given, F&& item) {
  std::vector<Item> out;
  for (const State& state : nb::cast<std::vector<State>>(given)) out.push_back(item(state));
  return out;
}

AttributesState attributes_state(const Attributes& a) {
  return {static_cast<int>(a.kind),         a.start, a.fixed,      a.min, a.max, a.nominal,
          static_cast<int>(a.state_select), a.unit,  a.description};
}

Attributes attributes_in(const AttributesState& state) {
  const auto& [kind, start, fixed, min, max, nominal, select, unit, description] = state;
  return {.kind = static_cast<VariableKind>(kind),
          .start = start,
          .fixed = fixed,
          .min = min,
          .max = max,
          .nominal = nominal,
          .state_select = static_cast<StateSelect>(select),
          .unit = unit,
          .description = description};
}

std::vector<EquationState> equation_states(const std::vector<RecipeEquation>& equations) {
  return states<EquationState>(equations, [](const RecipeEquation& e) -> EquationState {
    return {e.left, e.right, e.label};
  });
}

std::vector<RecipeEquation> equations_in(nb::handle given) {
  return items<EquationState, RecipeEquation>(given, [](const EquationState& s) -> RecipeEquation {
    return {.left = std::get<0>(s), .right = std::get<1>(s), .label = std::get<2>(s)};
  });
}

WhenState when_state(const RecipeWhen& when) {
  return {when.condition, states<ActionState>(when.actions, [](const RecipeAction& a) -> ActionState {
            return {static_cast<int>(a.kind), a.target, a.value, a.message};
          })};
}

RecipeWhen when_in(const WhenState& state) {
  RecipeWhen when{.condition = std::get<0>(state), .actions = {}};
  for (const auto& [kind, target, value, message] : std::get<1>(state)) {
    when.actions.push_back(
        {.kind = static_cast<ActionKind>(kind), .target = target, .value = value, .message = message});
  }
  return when;
}

LagrangianState lagrangian_state(const RecipeLagrangian& l) {
  return {l.coordinates, l.forces, l.kinetic, l.potential,
          states<ConstraintState>(l.constraints, [](const RecipeConstraint& c) -> ConstraintState {
            return {c.residual, c.name, c.of_velocity};
          })};
}

RecipeLagrangian lagrangian_in(const LagrangianState& state) {
  const auto& [coordinates, forces, kinetic, potential, constraints] = state;
  RecipeLagrangian out{.coordinates = coordinates,
                       .forces = forces,
                       .kinetic = kinetic,
                       .potential = potential,
                       .constraints = {}};
  for (const auto& [residual, name, of_velocity] : constraints)
    out.constraints.push_back({.residual = residual, .name = name, .of_velocity = of_velocity});
  return out;
}

}  // namespace

nb::tuple state_of(const Tape& tape) {
  return nb::make_tuple(
      states<EntryState>(
          tape.entries,
          [](const TapeEntry& e) -> EntryState {
            return {static_cast<int>(e.kind), static_cast<int>(e.op), e.args, e.value, e.interval};
          }),
      states<VariableState>(tape.variables,
                            [](const DeclaredVariable& v) -> VariableState {
                              return {v.name, attributes_state(v.attributes)};
                            }),
      states<ParameterState>(tape.parameters,
                             [](const DeclaredParameter& p) -> ParameterState {
                               return {p.name, p.value, attributes_state(p.attributes)};
                             }),
      tape.quantities);
}

Tape tape_in(const nb::tuple& state) {
  Tape tape;
  tape.entries = items<EntryState, TapeEntry>(state[0], [](const EntryState& s) -> TapeEntry {
    return {.kind = static_cast<TapeKind>(std::get<0>(s)),
            .op = static_cast<Op>(std::get<1>(s)),
            .args = std::get<2>(s),
            .value = std::get<3>(s),
            .interval = std::get<4>(s)};
  });
  tape.variables =
      items<VariableState, DeclaredVariable>(state[1], [](const VariableState& s) -> DeclaredVariable {
        return {std::get<0>(s), attributes_in(std::get<1>(s))};
      });
  tape.parameters =
      items<ParameterState, DeclaredParameter>(state[2], [](const ParameterState& s) -> DeclaredParameter {
        return {std::get<0>(s), std::get<1>(s), attributes_in(std::get<2>(s))};
      });
  tape.quantities = nb::cast<std::vector<std::string>>(state[3]);
  return tape;
}

nb::tuple state_of(const Recipe& r) {
  const Experiment& e = r.experiment;
  return nb::make_tuple(r.name, r.tape, equation_states(r.equations), equation_states(r.initial_equations),
                        equation_states(r.assignments), states<WhenState>(r.whens, when_state),
                        states<AssertionState>(r.assertions,
                                               [](const RecipeAssertion& a) -> AssertionState {
                                                 return {a.condition, a.message};
                                               }),
                        states<LagrangianState>(r.lagrangians, lagrangian_state),
                        ExperimentState(e.start_time, e.stop_time, e.tolerance, e.interval), r.rate_guesses);
}

Recipe recipe_in(const nb::tuple& state) {
  Recipe r;
  r.name = nb::cast<std::string>(state[0]);
  r.tape = nb::cast<std::shared_ptr<Tape>>(state[1]);
  r.equations = equations_in(state[2]);
  r.initial_equations = equations_in(state[3]);
  r.assignments = equations_in(state[4]);
  r.whens = items<WhenState, RecipeWhen>(state[5], when_in);
  r.assertions =
      items<AssertionState, RecipeAssertion>(state[6], [](const AssertionState& s) -> RecipeAssertion {
        return {std::get<0>(s), std::get<1>(s)};
      });
  r.lagrangians = items<LagrangianState, RecipeLagrangian>(state[7], lagrangian_in);
  const auto [start, stop, tolerance, interval] = nb::cast<ExperimentState>(state[8]);
  r.experiment = {.start_time = start, .stop_time = stop, .tolerance = tolerance, .interval = interval};
  r.rate_guesses = nb::cast<std::vector<double>>(state[9]);
  return r;
}

}  // namespace daedalus::python
