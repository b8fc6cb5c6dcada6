// The operations of the expression graph. Everything that is known of one (its text, its value, its
// derivative, whether it keeps finite values finite) stands in one row of the table in op_rows.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/index.hpp"

namespace daedalus {

class ExprGraph;

// clang-format off
enum class Op : std::uint8_t {
  // Leaves.
  Constant,  // a number
  Time,
  Variable,  // x_v^(order): a continuous unknown or one of its derivatives
  Discrete,  // the value of a discrete variable (Boolean, Integer, discrete Real), held between events
  Pre,       // pre(v)
  Relation,  // the truth of a relation that makes events, held between events
  Sample,    // true at the ticks of a sample(start, interval)
  Initial,   // true during initialisation
  // Arithmetic.
  Add, Sub, Mul, Div, Neg, Pow,
  // Functions of one argument.
  Abs, Sign, Sqrt, Exp, Log, Log10, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Floor, Ceil,
  // Functions of two arguments.
  Atan2, Min, Max,
  // Relations that make no events, and logic; truth is 1, falsehood 0.
  Less, LessEqual, Equal, NotEqual, And, Or, Not,
  // If(condition, then, else).
  If,
};
// clang-format on
inline constexpr int op_count = static_cast<int>(Op::If) + 1;

struct OpInfo {
  Op op;
  std::string_view name;  // "sin", "+", ...
  int arity;
  int precedence;  // for printing infix; 0: printed as name(arguments)
  // Whether finite arguments always give a finite value (overflow apart).
  bool finite;
  double (*evaluate)(double a, double b, double c);
  // ∂/∂argument[i] of this operation applied to the arguments; the graph may grow. `self` is the node
  // itself. Null: piecewise constant, the derivative is zero; or a choice.
  NodeId (*partial)(ExprGraph& graph, NodeId self, std::span<const NodeId> arguments, int i);
  // Not null: the operation hands on one of its last two arguments, and this is the condition for the
  // first of the two. Derivatives choose likewise, because an argument not taken may be infinite.
  NodeId (*choice)(ExprGraph& graph, std::span<const NodeId> arguments) = nullptr;
};

[[nodiscard]] const OpInfo& info(Op op);
[[nodiscard]] std::span<const OpInfo> all_ops();
// Modelica's name of a function → its operation; null when there is none. One-argument and two-argument
// functions only, not operators.
[[nodiscard]] const OpInfo* find_function(std::string_view name);

}  // namespace daedalus
