// User functions are executed symbolically: their variables hold expressions, an `if` that cannot be
// decided runs both branches and merges what they assigned, loops run over known ranges.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/flatten/frame.hpp"

namespace daedalus::flatten {

struct Local {
  std::string name;
  const ast::Component* declaration = nullptr;
  ResolvedType declared;
  std::optional<Shape> shape;  // unless it has an open dimension [:]
  Value value;
};

struct LocalScope {
  std::vector<Local> locals;
};

[[nodiscard]] inline Local* find_local(LocalScope& scope, std::string_view name) {
  for (Local& local : scope.locals) {
    if (local.name == name) return &local;
  }
  return nullptr;
}

struct Argument {
  std::string_view name;  // empty: positional
  Value value;
  SourceSpan span;
};

// The values of all outputs.
[[nodiscard]] std::vector<Value> call_function(Frame& caller, const ClassInfo& function,
                                               std::span<const Argument> arguments, SourceSpan span);
// calls.cpp. A function that was given as an argument.
[[nodiscard]] std::vector<Value> call_closure(Frame& frame, const Closure& closure,
                                              std::span<const Argument> arguments, SourceSpan span);
// R(a, b, field = c): a record with defaults for what is not given.
[[nodiscard]] Value construct_record(Frame& caller, const ClassInfo& definition,
                                     std::span<const Argument> arguments, SourceSpan span);

// The value as something declared with this type, or an error that says what does not fit. `what` names the
// thing that takes the value.
[[nodiscard]] Value converted(Value value, const Type& type, const std::optional<Shape>& shape,
                              SourceSpan span, std::string_view what);

// The shape that a declaration's dimensions give; nullopt when one of them is ':'.
[[nodiscard]] std::optional<Shape> declared_shape(Frame& frame, const ast::Component& component,
                                                  const ResolvedType& type);

// What a message says, as far as it is known now; otherwise as it was written.
[[nodiscard]] std::string message_text(Frame& frame, ast::ExprRef ref);

// assert(condition, message, level), in an equation section or an algorithm. `guard`: it counts only there.
void make_assertion(Frame& frame, const ast::Expr& call, NodeId guard);
// Modelica.Utilities.Streams.error(message): an assertion that fails wherever it is met.
void make_stop(Frame& frame, const ast::Expr& call, NodeId guard);

}  // namespace daedalus::flatten
