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

struct Claim {
  NodeId condition;
  NodeId guard;
  ast::ExprRef message;
  bool warning;
  SourceSpan span;
};

void add_assertion(Frame& frame, const Claim& claim) {
  ExprGraph& graph = frame.graph();
  const NodeId guard = frame.path.valid() ? graph.apply(Op::And, claim.guard, frame.path) : claim.guard;
  const NodeId condition = graph.apply(Op::Or, graph.apply(Op::Not, guard), claim.condition);
  if (graph.is_constant(condition, 1)) return;
  std::string message = message_text(frame, claim.message);
  if (graph.is_constant(condition)) {
    if (!claim.warning) raise(claim.span, "assertion failed: {}", message);
    warn(frame.session, claim.span, "assertion failed: " + message);
    return;
  }
  if (!frame.session.asserted.insert(condition).second) return;  // a function called twice says it once
  frame.session.system.assertions.push_back({.condition = condition,
                                             .message = std::move(message),
                                             .is_error = !claim.warning,
                                             .span = claim.span});
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
  // A condition tested for its own sake needs no event: it is looked at in every step.
  NodeId condition;
  {
    const Scoped<bool> events(frame.events, false);
    condition = evaluate_scalar(frame, arguments[0], BaseType::Boolean, "the condition of an assert");
  }
  const bool warning = arguments[2] >= 0 && is_warning(frame, arguments[2]);
  add_assertion(frame, {condition, guard, arguments[1], warning, call.span});
}

void make_stop(Frame& frame, const ast::Expr& call, NodeId guard) {
  if (call.children.size() != 1) raise(call.span, "'{}' takes a text", joined_name(call));
  add_assertion(frame, {frame.graph().constant(0), guard, call.children[0], false, call.span});
}

}  // namespace daedalus::flatten
