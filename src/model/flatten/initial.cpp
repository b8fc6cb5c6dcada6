// Initial equations that can be solved while flattening.
#include <algorithm>

#include "model/flatten/equations.hpp"
#include "model/flatten/evaluate.hpp"

namespace daedalus::flatten {
namespace {

// A scalar parameter with fixed = false that stands alone on a side; invalid otherwise.
VariableId unknown_parameter(Frame& frame, ast::ExprRef ref) {
  const ast::Expr& e = frame.expression(ref);
  if (e.kind != ast::ExprKind::Name) return {};
  const Session::FoundSymbol found = look_up(frame.session, e.parts);
  if (found.symbol < 0) return {};
  const Symbol& symbol = frame.session.symbols[static_cast<std::size_t>(found.symbol)];
  if (symbol.role != Role::Unknown) return {};
  const Value value = evaluate(frame, ref);
  return is_array(value) || !holds_nodes(value.type) ? VariableId{} : variable_of(frame.session, value.node);
}

// The value of an expression of numbers and time at the start of the simulation.
std::optional<double> value_at_start(Frame& frame, ast::ExprRef ref) {
  const Value value = evaluate(frame, ref);
  if (is_array(value) || !holds_nodes(value.type)) return std::nullopt;
  const auto leaves = leaves_of(frame.graph(), value.node);
  const bool only_time =
      std::ranges::all_of(leaves, [&](NodeId leaf) { return frame.graph().node(leaf).op == Op::Time; });
  if (!only_time) return std::nullopt;
  return daedalus::evaluate(frame.graph(), value.node,
                            [&](NodeId) { return frame.session.system.experiment.start_time; });
}

bool solve(Frame& frame, const ast::Statement& statement) {
  for (const auto& [target, source] :
       {std::pair(statement.left, statement.right), std::pair(statement.right, statement.left)}) {
    const VariableId id = unknown_parameter(frame, target);
    if (!id.valid() || frame.session.solved.contains(id.value)) continue;
    const auto value = value_at_start(frame, source);
    if (!value) continue;
    frame.session.solved.emplace(id.value, *value);
    return true;
  }
  return false;
}

}  // namespace

void solve_parameters(Session& session, const ast::Class& model) {
  const bool any =
      std::ranges::any_of(session.symbols, [](const Symbol& s) { return s.role == Role::Unknown; });
  if (!any) return;
  Frame frame{.session = session, .tree = &session.tree, .place = Place::Initial, .events = false};
  // One solved parameter may make another solvable; each round solves at least one.
  for (bool progress = true; progress;) {
    progress = false;
    for (const std::int32_t index : model.sections.initial_equations) {
      const ast::Statement& statement = frame.statement(index);
      if (statement.kind != ast::StatementKind::Equation || session.solved_by.contains(index)) continue;
      try {
        if (!solve(frame, statement)) continue;
        session.solved_by.insert(index);
        progress = true;
      } catch (const ModelError&) {
        frame.ends.clear();  // reported when the equation itself is flattened
      }
    }
  }
}

}  // namespace daedalus::flatten
