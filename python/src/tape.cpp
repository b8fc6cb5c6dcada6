#include "tape.hpp"

#include <cmath>

#include "model/builder_state.hpp"

namespace daedalus::python {
namespace {

constexpr std::size_t longest_text = 400;

Expr applied(const TapeEntry& entry, const std::vector<Expr>& values) {
  const auto argument = [&](std::size_t k) -> const Expr& {
    return values[static_cast<std::size_t>(entry.args[k])];
  };
  if (entry.op == Op::If) return if_else(argument(0), argument(1), argument(2));
  return info(entry.op).arity == 1 ? apply(entry.op, argument(0)) : apply(entry.op, argument(0), argument(1));
}

Expr value_of(const TapeEntry& entry, const TapeLeaves& leaves, const std::vector<Expr>& values) {
  const auto first = static_cast<std::size_t>(entry.args[0]);
  switch (entry.kind) {
    case TapeKind::Number:
      return entry.value;
    case TapeKind::Time:
      return leaves.time();
    case TapeKind::Initial:
      return leaves.initial();
    case TapeKind::Sample:
      return leaves.sample(entry.value, entry.interval);
    case TapeKind::Variable:
      return leaves.variables[first];
    case TapeKind::Parameter:
      return leaves.parameters[first];
    case TapeKind::Quantity:
      return leaves.quantity(entry.args[0]);
    case TapeKind::Apply:
      return applied(entry, values);
    case TapeKind::Derivative:
      return der(values[first]);
    case TapeKind::Previous:
      return pre(values[first]);
    case TapeKind::NoEvent:
      return no_event(values[first]);
    case TapeKind::Less:
      return values[first] < values[static_cast<std::size_t>(entry.args[1])];
    case TapeKind::LessEqual:
      return values[first] <= values[static_cast<std::size_t>(entry.args[1])];
  }
  return 0;
}

}  // namespace

std::int32_t Tape::append(const TapeEntry& entry) {
  entries.push_back(entry);
  return static_cast<std::int32_t>(entries.size()) - 1;
}

std::string Tape::leaf_name(std::int32_t entry) const {
  const TapeEntry& leaf = entries[static_cast<std::size_t>(entry)];
  const auto which = static_cast<std::size_t>(leaf.args[0]);
  if (leaf.kind == TapeKind::Variable) return variables[which].name;
  if (leaf.kind == TapeKind::Parameter) return parameters[which].name;
  if (leaf.kind == TapeKind::Quantity) return quantities[which];
  return {};
}

std::vector<Expr> play(const Tape& tape, const TapeLeaves& leaves, std::int32_t last) {
  std::vector<Expr> values;
  values.reserve(static_cast<std::size_t>(last) + 1);
  for (std::int32_t k = 0; k <= last; ++k)
    values.push_back(value_of(tape.entries[static_cast<std::size_t>(k)], leaves, values));
  return values;
}

std::string text_of(const Tape& tape, std::int32_t entry) {
  ModelBuilder builder("");
  TapeLeaves leaves;
  for (const DeclaredVariable& variable : tape.variables)
    leaves.variables.push_back(builder.variable(variable.name, {.kind = variable.attributes.kind}));
  // As variables, so that their names are shown.
  for (const DeclaredParameter& parameter : tape.parameters)
    leaves.parameters.push_back(builder.variable(parameter.name, {.kind = VariableKind::Parameter}));
  std::vector<Expr> quantities;
  for (const std::string& name : tape.quantities) quantities.push_back(builder.variable(name));
  leaves.time = [&] { return builder.time(); };
  leaves.initial = [&] { return builder.initial(); };
  leaves.sample = [&](double start, double interval) { return builder.sample(start, interval); };
  leaves.quantity = [&](std::int32_t k) { return quantities[static_cast<std::size_t>(k)]; };
  const Expr value = play(tape, leaves, entry).back();
  BuilderState* state = value.state();
  if (state == nullptr) return std::to_string(value.number());
  const DaeSystem& system = state->system;
  return to_text(
      *system.graph, value.node(*state), [&](NodeId leaf) { return leaf_name(system, leaf); }, longest_text);
}

}  // namespace daedalus::python
