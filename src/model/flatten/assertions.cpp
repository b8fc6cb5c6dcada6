// assert(condition, message, level).
#include "model/flatten/evaluate.hpp"
#include "model/flatten/functions.hpp"

namespace daedalus::flatten {

std::string message_text(Frame& frame, ast::ExprRef ref) {
  std::string written = frame.session.sources->excerpt(frame.expression(ref).span);
  try {
    const Value value = evaluate(frame, ref);
    return value.type.base == BaseType::String ? text_of(value) : written;
  } catch (const ModelError&) {
    return written;  // it depends on variables
  }
}

namespace {

bool is_warning(Frame& frame, ast::ExprRef ref) {
  const Value level = evaluate(frame, ref);
  return level.type.base == BaseType::Enumeration && frame.graph().is_constant(level.node, 1);
}

}  // namespace

void make_assertion(Frame& frame, const ast::Expr& call, NodeId guard) {
  std::vector<ast::ExprRef> arguments = call.children;
  arguments.resize(3, -1);
  for (const ast::NamedArgument& named : call.named) {
    if (named.name == "condition") arguments[0] = named.value;
    if (named.name == "message") arguments[1] = named.value;
    if (named.name == "level") arguments[2] = named.value;
  }
  if (arguments[0] < 0 || arguments[1] < 0 || call.children.size() > 3) {
    raise(call.span, "assert needs a condition and a message: assert(x > 0, \"x must be positive\")");
  }
  ExprGraph& graph = frame.graph();
  // A condition tested for its own sake needs no event: it is looked at in every step.
  NodeId condition;
  {
    const Scoped<bool> events(frame.events, false);
    condition = evaluate_scalar(frame, arguments[0], BaseType::Boolean, "the condition of an assert");
  }
  if (frame.path.valid()) guard = graph.apply(Op::And, guard, frame.path);
  condition = graph.apply(Op::Or, graph.apply(Op::Not, guard), condition);
  if (graph.is_constant(condition, 1)) return;
  const bool warning = arguments[2] >= 0 && is_warning(frame, arguments[2]);
  std::string message = message_text(frame, arguments[1]);
  if (graph.is_constant(condition)) {
    if (!warning) raise(call.span, "assertion failed: {}", message);
    warn(frame.session, call.span, "assertion failed: " + message);
    return;
  }
  if (!frame.session.asserted.insert(condition).second) return;  // a function called twice says it once
  frame.session.system.assertions.push_back(
      {.condition = condition, .message = std::move(message), .is_error = !warning, .span = call.span});
}

}  // namespace daedalus::flatten
