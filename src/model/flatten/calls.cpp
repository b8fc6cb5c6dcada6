#include "model/flatten/calls.hpp"

#include <algorithm>
#include <array>

#include "model/flatten/evaluate.hpp"
#include "model/flatten/functions.hpp"
#include "model/flatten/implicit.hpp"
#include "model/flatten/library.hpp"
#include "model/flatten/operators.hpp"

namespace daedalus::flatten {
namespace {

using ast::Expr;
using ast::ExprRef;

// Operators of Modelica that a flat model may contain but that are not supported, with the reason.
struct Refusal {
  std::string_view name;
  std::string_view reason;
};
constexpr std::array refusals{
    Refusal{"spatialDistribution", "transport delays are not supported"},
    Refusal{"cardinality", "connections must be flattened before"},
    Refusal{"inStream", "stream connectors must be flattened before"},
    Refusal{"actualStream", "stream connectors must be flattened before"},
    Refusal{"connect", "connections must be flattened before"},
    Refusal{"previous", "clocked equations are not supported"},
    Refusal{"hold", "clocked equations are not supported"},
    Refusal{"Clock", "clocked equations are not supported"},
    Refusal{"subSample", "clocked equations are not supported"},
    Refusal{"superSample", "clocked equations are not supported"},
    Refusal{"shiftSample", "clocked equations are not supported"},
    Refusal{"backSample", "clocked equations are not supported"},
    Refusal{"noClock", "clocked equations are not supported"},
    Refusal{"interval", "clocked equations are not supported"},
    Refusal{"activeState", "state machines are not supported"},
    Refusal{"transition", "state machines are not supported"},
    Refusal{"initialState", "state machines are not supported"},
    Refusal{"assert", "it is an equation of its own, not a value"},
    Refusal{"reinit", "it is an equation of its own inside a when, not a value"},
    Refusal{"terminate", "it is an equation of its own inside a when, not a value"},
};

std::vector<Argument> evaluated_arguments(Frame& frame, const Expr& e) {
  std::vector<Argument> arguments;
  for (const ExprRef child : e.children) {
    arguments.push_back({"", evaluate(frame, child), frame.expression(child).span});
  }
  for (const ast::NamedArgument& named : e.named) {
    arguments.push_back({named.name, evaluate(frame, named.value), frame.expression(named.value).span});
  }
  return arguments;
}

// Type(3): the literal at a position.
Value to_enumeration(Frame& frame, const ClassInfo& info, const Expr& e) {
  if (e.children.size() != 1) raise(e.span, "the conversion to '{}' takes one Integer", info.name);
  const NodeId node = evaluate_scalar(frame, e.children[0], BaseType::Integer, "the position of a literal");
  const auto count = static_cast<double>(info.literals.size());
  if (frame.graph().is_constant(node)) {
    const double position = frame.graph().node(node).value;
    if (position < 1 || position > count)
      raise(e.span, "'{}' has no literal at position {}", info.name, position);
  }
  return scalar({BaseType::Enumeration, &info}, node);
}

Value construct_external(Frame& frame, const ClassInfo& info, const Expr& e) {
  for (const ast::Class& inner : info.node->classes) {
    if (inner.name != "constructor") continue;
    Value made =
        call_function(frame, *frame.session.classes.info(&inner), evaluated_arguments(frame, e), e.span)
            .at(0);
    made.type = {BaseType::External, &info};
    return made;
  }
  raise(e.span, "the external object '{}' has no constructor", info.name);
}

// What a class of the file (or of our library) gives when it is called.
std::vector<Value> call_class(Frame& frame, const ClassInfo& info, const Expr& e) {
  if (!info.literals.empty()) return {to_enumeration(frame, info, e)};
  switch (info.node->kind) {
    case ast::ClassKind::Record:
      return {construct_record(frame, info, evaluated_arguments(frame, e), e.span)};
    case ast::ClassKind::ExternalObject:
      return {construct_external(frame, info, e)};
    case ast::ClassKind::Function:
      return call_function(frame, info, evaluated_arguments(frame, e), e.span);
    default:
      raise(e.span, "'{}' is not a function", info.name);
  }
}

// Puts named arguments into their places.
std::vector<ExprRef> placed_arguments(const Builtin& builtin, const Expr& e) {
  std::vector<ExprRef> arguments = e.children;
  for (const ast::NamedArgument& named : e.named) {
    std::size_t position = 0;
    std::string_view rest = builtin.parameters;
    bool found = false;
    while (!rest.empty() && !found) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      found = rest.substr(0, comma) == named.name;
      if (!found) ++position;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    if (!found) raise(e.span, "'{}' has no argument '{}'", builtin.name, named.name);
    if (arguments.size() <= position) arguments.resize(position + 1, -1);
    arguments[position] = named.value;
  }
  const auto count = static_cast<int>(arguments.size());
  const bool gap = std::ranges::find(arguments, -1) != arguments.end();
  if (count < builtin.least || count > builtin.most || gap) {
    const std::string expected = builtin.least == builtin.most ? fmt::format("{}", builtin.least)
                                 : builtin.most > 1000         ? fmt::format("at least {}", builtin.least)
                                                       : fmt::format("{} to {}", builtin.least, builtin.most);
    raise(e.span, "'{}' takes {} argument(s), but {} are given", builtin.name, expected, count);
  }
  return arguments;
}

// sin(x) and its like, element by element.
Value call_function_of_one(Frame& frame, const OpInfo& function, const Expr& e) {
  if (e.children.size() != 1 || !e.named.empty()) {
    raise(e.span, "'{}' takes 1 argument, but {} are given", function.name,
          e.children.size() + e.named.size());
  }
  const Value argument = evaluate(frame, e.children[0]);
  if (!is_numeric(argument.type))
    raise(e.span, "'{}' needs a number, not {}", function.name, type_text(argument));
  return map_nodes(frame, {BaseType::Real}, argument, function.op);
}

// Modelica.Math.sin is sin.
std::string_view without_library_prefix(std::string_view name) {
  constexpr std::string_view prefix = "Modelica.Math.";
  if (name.starts_with(prefix) && name.find('.', prefix.size()) == std::string_view::npos) {
    return name.substr(prefix.size());
  }
  return name;
}

[[noreturn]] void refuse_unknown(const Frame& frame, std::string_view name, SourceSpan span) {
  for (const Refusal& refusal : refusals) {
    if (refusal.name == name) raise(span, "'{}' cannot be used here: {}", name, refusal.reason);
  }
  if (find_symbol(frame.session, name) >= 0) raise(span, "'{}' is not a function", name);
  std::vector<std::string_view> known = frame.session.classes.names();
  for (const auto table : {event_builtins(), array_builtins(), math_builtins()}) {
    for (const Builtin& row : table) known.push_back(row.name);
  }
  for (const OpInfo& row : all_ops()) known.push_back(row.name);
  if (name.find('.') != std::string_view::npos) {
    for (const std::string_view ours : library_names()) known.push_back(ours);
    raise(
        span,
        "the function '{}' is neither defined in the file nor one of the library's functions that are known "
        "(docs/modelica.md lists them){}",
        name, did_you_mean(name, known));
  }
  raise(span, "unknown function '{}'{}", name, did_you_mean(name, known));
}

}  // namespace

bool has_no_effect(std::string_view function) {
  constexpr std::array names{"print",
                             "Modelica.Utilities.Streams.print",
                             "Modelica.Utilities.Streams.close",
                             "Modelica.Utilities.Files.removeFile",
                             "Modelica.Math.FastFourierTransform.realFFTwriteToFile",
                             "Modelica.Math.Random.Utilities.initializeImpureRandom.setInternalState"};
  return std::ranges::find(names, function) != names.end();
}

const Builtin* find_builtin(std::string_view name) {
  for (const auto table : {event_builtins(), array_builtins(), math_builtins()}) {
    const auto found = std::ranges::find(table, name, &Builtin::name);
    if (found != table.end()) return &*found;
  }
  return nullptr;
}

namespace {

// Functions that search by a while loop over what changes during the simulation: ours go through all
// intervals.
const ClassInfo* find_replacement(Session& session, std::string_view name) {
  if (name != "Modelica.Math.Vectors.interpolate" || session.classes.find(name) == nullptr) return nullptr;
  const auto [slot, fresh] = session.replaced.try_emplace(std::string(name), nullptr);
  if (fresh) slot->second = find_library_function(session, name);
  return slot->second;
}

// Complex.'constructor'.fromReal(re, im) is the record's own constructor.
const ClassInfo* record_of_constructor(const Session& session, std::string_view name) {
  constexpr std::string_view end = ".'constructor'.fromReal";
  if (!name.ends_with(end)) return nullptr;
  const ClassInfo* info = session.classes.find(name.substr(0, name.size() - end.size()));
  const bool is_record =
      info != nullptr && info->node != nullptr && info->node->kind == ast::ClassKind::Record;
  return is_record ? info : nullptr;
}

}  // namespace

namespace {

// A call of a name, whose arguments are values already.
std::vector<Value> call_named(Frame& frame, const std::string& name, std::span<const Argument> arguments,
                              SourceSpan span) {
  if (const ClassInfo* info = find_function(frame.session, name);
      info != nullptr && info->node != nullptr && info->node->kind == ast::ClassKind::Function) {
    return call_function(frame, *info, arguments, span);
  }
  const OpInfo* function = daedalus::find_function(without_library_prefix(name));
  if (function == nullptr || function->arity != 1) refuse_unknown(frame, name, span);
  if (arguments.size() != 1 || !is_numeric(arguments[0].value.type))
    raise(span, "'{}' takes one number", name);
  return {map_nodes(frame, {BaseType::Real}, arguments[0].value, function->op)};
}

Value closure_value(const ClassInfo* info, Closure closure) {
  Value value{.type = {BaseType::Function, info}, .node = {}, .more = std::make_shared<Aggregate>()};
  value.more->closure = std::make_shared<const Closure>(std::move(closure));
  return value;
}

}  // namespace

std::vector<Value> call_closure(Frame& frame, const Closure& closure, std::span<const Argument> arguments,
                                SourceSpan span) {
  std::vector<Argument> all(arguments.begin(), arguments.end());
  for (const auto& [name, value] : closure.bound) all.push_back({name, value, span});
  // What is bound leaves its place to the next one, so positions count only the inputs that are free.
  const ClassInfo* info = find_function(frame.session, closure.name);
  if (info != nullptr && info->node != nullptr) {
    std::size_t next = 0;
    for (const ast::Component& c : info->node->components) {
      if (c.causality != ast::Causality::Input || next >= arguments.size()) continue;
      const bool bound = std::ranges::any_of(closure.bound, [&](const auto& b) { return b.first == c.name; });
      if (bound) continue;
      if (all[next].name.empty()) all[next].name = c.name;
      ++next;
    }
  }
  return call_named(frame, closure.name, all, span);
}

namespace {

// The library searches for f(u) = 0 between u_min and u_max by iteration; here it is an equation.
constexpr std::string_view solver_name = "Modelica.Math.Nonlinear.solveOneNonlinearEquation";

// The same for calls with the same arguments; empty where they are no numbers.
std::string key_of(const Closure& function, NodeId low, NodeId high) {
  std::string key = fmt::format("{} {} {}", function.name, low.value, high.value);
  for (const auto& [name, value] : function.bound) {
    if (!holds_nodes(value.type)) return {};
    key += " " + name;
    for (const NodeId node : nodes_of(value)) key += fmt::format(" {}", node.value);
  }
  return key;
}

Value solved(Frame& frame, std::span<const Argument> arguments, SourceSpan span) {
  constexpr std::array<std::string_view, 4> names{"f", "u_min", "u_max", "tolerance"};
  std::array<const Value*, 4> given{};
  std::size_t next = 0;
  for (const Argument& argument : arguments) {
    std::size_t at = next;
    if (argument.name.empty()) {
      ++next;
    } else {
      at = static_cast<std::size_t>(std::ranges::find(names, argument.name) - names.begin());
    }
    if (at < given.size()) given[at] = &argument.value;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (given[i] == nullptr) raise(span, "the argument '{}' is missing", names[i]);
  }
  const auto is_number = [](const Value& v) { return is_numeric(v.type) && v.node.valid(); };
  if (given[0]->more == nullptr || given[0]->more->closure == nullptr || !is_number(*given[1]) ||
      !is_number(*given[2])) {
    raise(span, "a function and two bounds are needed to solve f(u) = 0");
  }
  const Closure& function = *given[0]->more->closure;
  const auto value = [&](NodeId u) {
    const Argument argument{"", real(u), span};
    const std::vector<Value> outputs = call_closure(frame, function, std::span(&argument, 1), span);
    if (outputs.empty() || !outputs[0].node.valid()) raise(span, "'{}' gives no number", function.name);
    return outputs[0].node;
  };
  return real(solve_equation(frame,
                             {.value = value,
                              .name = function.name,
                              .key = key_of(function, given[1]->node, given[2]->node),
                              .low = given[1]->node,
                              .high = given[2]->node},
                             span));
}

}  // namespace

Value partial_call(Frame& frame, const Expr& e) {
  Closure closure{.name = joined_name(e), .bound = {}};
  for (const ast::NamedArgument& named : e.named)
    closure.bound.emplace_back(named.name, evaluate(frame, named.value));
  const ClassInfo* info = find_function(frame.session, closure.name);
  if (info == nullptr && daedalus::find_function(without_library_prefix(closure.name)) == nullptr)
    refuse_unknown(frame, closure.name, e.span);
  return closure_value(info, std::move(closure));
}

std::optional<Value> named_function(Frame& frame, const std::string& name) {
  const ClassInfo* info = find_function(frame.session, name);
  const bool ours = info != nullptr && info->node != nullptr && info->node->kind == ast::ClassKind::Function;
  if (!ours && daedalus::find_function(without_library_prefix(name)) == nullptr) return std::nullopt;
  return closure_value(ours ? info : nullptr, {.name = name, .bound = {}});
}

std::vector<Value> evaluate_outputs(Frame& frame, ExprRef ref) {
  const Expr& e = frame.expression(ref);
  if (e.kind != ast::ExprKind::Call) return {evaluate(frame, ref)};
  const std::string full = joined_name(e);
  if (frame.locals != nullptr) {
    const Local* local = find_local(*frame.locals, full);
    if (local != nullptr && local->value.more != nullptr && local->value.more->closure != nullptr)
      return call_closure(frame, *local->value.more->closure, evaluated_arguments(frame, e), e.span);
  }
  if (full == solver_name) return {solved(frame, evaluated_arguments(frame, e), e.span)};
  if (const ClassInfo* info = find_replacement(frame.session, full)) return call_class(frame, *info, e);
  if (const ClassInfo* info = frame.session.classes.find(full)) return call_class(frame, *info, e);
  if (const ClassInfo* info = record_of_constructor(frame.session, full)) return call_class(frame, *info, e);
  const std::string_view name = without_library_prefix(full);
  if (const Builtin* builtin = find_builtin(name)) {
    return {builtin->call(frame, e, placed_arguments(*builtin, e))};
  }
  if (const OpInfo* function = daedalus::find_function(name); function != nullptr && function->arity == 1) {
    return {call_function_of_one(frame, *function, e)};
  }
  if (const ClassInfo* info = find_function(frame.session, full)) return call_class(frame, *info, e);
  refuse_unknown(frame, full, e.span);
}

Value evaluate_call(Frame& frame, ExprRef ref) {
  std::vector<Value> outputs = evaluate_outputs(frame, ref);
  if (outputs.empty())
    raise(frame.expression(ref).span, "'{}' gives no value", joined_name(frame.expression(ref)));
  return std::move(outputs.front());
}

}  // namespace daedalus::flatten
