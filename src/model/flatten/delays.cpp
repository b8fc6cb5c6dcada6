#include "model/flatten/delays.hpp"

#include <algorithm>

#include "model/flatten/evaluate.hpp"

namespace daedalus::flatten {
namespace {

// How many changes may be under way at one time. An assertion watches over it.
constexpr std::size_t capacity = 16;
// "Never" as a time.
constexpr double never = 1e60;

// The queue's variables are named by the place of the delay, and do not show in results.
class Queue {
 public:
  Queue(Session& session, NodeId x, double delay, SourceSpan span)
      : session_(session), graph_(session.graph()), x_(x), delay_(delay), span_(span) {}

  NodeId build() {
    const NodeId last = state(0);  // the value at the last event
    const NodeId output = state(0);
    const NodeId lost =
        state(0);  // 1 once a change found no place; it stays, since events settle before anyone looks
    std::vector<NodeId> due(capacity);
    std::vector<NodeId> value(capacity);
    for (NodeId& node : due) node = state(never);
    for (NodeId& node : value) node = state(0);
    const NodeId running = graph_.apply(Op::Not, graph_.initial());
    const NodeId arrived = graph_.apply(
        Op::And, running, relation_node(session_, graph_.sub(graph_.time(), before(due[0])), false, span_));
    const NodeId changed = graph_.apply(Op::And, running, graph_.apply(Op::NotEqual, x_, before(last)));
    NodeId earlier_empty = graph_.constant(0);
    for (std::size_t i = 0; i < capacity; ++i) {
      const bool end = i + 1 == capacity;
      const NodeId time =
          graph_.if_else(arrived, end ? graph_.constant(never) : before(due[i + 1]), before(due[i]));
      const NodeId held =
          graph_.if_else(arrived, end ? graph_.constant(0) : before(value[i + 1]), before(value[i]));
      const NodeId empty = graph_.apply(Op::LessEqual, graph_.constant(never / 2), time);
      const NodeId here =
          graph_.apply(Op::And, changed, graph_.apply(Op::And, empty, graph_.apply(Op::Not, earlier_empty)));
      define(due[i], graph_.if_else(here, graph_.add(graph_.time(), graph_.constant(delay_)), time));
      define(value[i], graph_.if_else(here, x_, held));
      earlier_empty = empty;
    }
    define(last, x_);
    define(output,
           graph_.if_else(graph_.initial(), x_, graph_.if_else(arrived, before(value[0]), before(output))));
    const NodeId full = graph_.apply(Op::And, changed, graph_.apply(Op::Not, earlier_empty));
    define(lost, graph_.if_else(full, graph_.constant(1), before(lost)));
    session_.system.assertions.push_back(
        {.condition = graph_.apply(Op::Equal, lost, graph_.constant(0)),
         .message = fmt::format("a delay holds at most {} changes at a time", capacity),
         .is_error = true,
         .span = span_});
    return output;
  }

 private:
  NodeId state(double start) {
    const VariableId id(session_.system.variables.size());
    Variable variable;
    variable.name = fmt::format("delay #{} of {}", id.value, session_.sources->excerpt(span_, 60));
    variable.kind = VariableKind::DiscreteReal;
    variable.internal = true;
    variable.start = start;
    variable.has_start = true;
    variable.span = span_;
    session_.system.variables.push_back(std::move(variable));
    return graph_.discrete(id);
  }

  [[nodiscard]] NodeId before(NodeId leaf) const { return graph_.pre(variable_of(session_, leaf)); }

  void define(NodeId leaf, NodeId value) {
    session_.discrete_equations.push_back(
        {.left = leaf, .right = value, .type = {BaseType::Real}, .span = span_, .label = {}});
  }

  Session& session_;
  ExprGraph& graph_;
  NodeId x_;
  double delay_;
  SourceSpan span_;
};

}  // namespace

Value call_delay(Frame& frame, const ast::Expr& e, std::span<const ast::ExprRef> arguments) {
  if (frame.place != Place::Equation) raise(e.span, "'delay' can stand only in an equation of the model");
  const Value x = evaluate(frame, arguments[0]);
  const double delay = evaluate_constant(frame, arguments[1], "the time of a delay");
  if (!(delay >= 0)) raise(e.span, "the time of a delay must not be negative, but it is {}", delay);
  if (is_array(x) || !holds_nodes(x.type)) raise(e.span, "'delay' needs a number, not {}", type_text(x));
  if (delay == 0 || frame.graph().is_constant(x.node)) return x;
  if (is_continuous(frame.session, x.node)) {
    raise(e.span,
          "'delay' of a value that changes continuously is not supported; only values that change at events "
          "can be delayed");
  }
  NodeId& known = frame.session.delays[{x.node, delay}];
  if (!known.valid()) known = Queue(frame.session, x.node, delay, e.span).build();
  return scalar(x.type, known);
}

void classify_delayed(Session& session, const ast::Class& model) {
  Frame frame{.session = session, .tree = &session.tree, .place = Place::Equation, .events = false};
  std::unordered_set<std::int32_t> delayed;
  const std::size_t count = session.tree.expressions.size();
  for (std::size_t i = 0; i < count; ++i) {
    const ast::Expr& e = session.tree.expressions[i];
    if (e.kind != ast::ExprKind::Call || e.children.empty() || joined_name(e) != "delay") continue;
    const ast::Expr& argument = frame.expression(e.children[0]);
    if (argument.kind != ast::ExprKind::Name) continue;
    const std::int32_t symbol = look_up(session, argument.parts).symbol;
    if (symbol >= 0) delayed.insert(symbol);
  }
  if (delayed.empty()) return;
  for (const std::int32_t index : model.sections.equations) {
    const ast::Statement& statement = frame.statement(index);
    if (statement.kind != ast::StatementKind::Equation) continue;
    const ast::Expr& left = frame.expression(statement.left);
    if (left.kind != ast::ExprKind::Name || !delayed.contains(look_up(session, left.parts).symbol)) continue;
    try {
      const VariableId id = variable_of(session, evaluate(frame, statement.left).node);
      const Value right = evaluate(frame, statement.right);
      if (!id.valid() || is_array(right) || !holds_nodes(right.type)) continue;
      Variable& variable = session.system.variables[id.at()];
      if (variable.kind == VariableKind::Continuous && !is_continuous(session, right.node))
        variable.kind = VariableKind::DiscreteReal;
    } catch (const ModelError&) {
      frame.ends.clear();  // reported when the equation itself is flattened
    }
  }
}

}  // namespace daedalus::flatten
