// Calls: built-in operators and functions, record constructors, conversions, user functions.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/flatten/frame.hpp"

namespace daedalus::flatten {

[[nodiscard]] Value evaluate_call(Frame& frame, ast::ExprRef ref);
// All outputs of a call, for (a, b) = f(x).
[[nodiscard]] std::vector<Value> evaluate_outputs(Frame& frame, ast::ExprRef ref);

using Arguments = std::span<const ast::ExprRef>;

struct Builtin {
  std::string_view name;
  int least;  // arguments
  int most;
  std::string_view parameters;  // names for named arguments, separated by commas
  Value (*call)(Frame& frame, const ast::Expr& e, Arguments arguments);
};

// The tables of built-in functions.
[[nodiscard]] std::span<const Builtin> event_builtins();
[[nodiscard]] std::span<const Builtin> array_builtins();
[[nodiscard]] std::span<const Builtin> math_builtins();
// The row of a name, or null.
[[nodiscard]] const Builtin* find_builtin(std::string_view name);

// An external function by the name of its C function.
[[nodiscard]] bool is_known_external(std::string_view name);
// The arguments without those that are results; the results in the order of the declaration.
[[nodiscard]] std::vector<Value> call_external(Frame& frame, std::string_view name,
                                               std::span<const Value> arguments, SourceSpan span);

struct External {
  std::string_view name;  // without a trailing version number
  std::size_t least;      // arguments
  std::vector<Value> (*call)(Frame& frame, std::span<const Value> arguments, SourceSpan span);
};
// externals_random.cpp.
[[nodiscard]] std::span<const External> random_externals();
// externals_table2d.cpp.
[[nodiscard]] std::span<const External> table2d_externals();

// Functions that write texts or files, which changes nothing of a simulation.
[[nodiscard]] bool has_no_effect(std::string_view function);

}  // namespace daedalus::flatten
