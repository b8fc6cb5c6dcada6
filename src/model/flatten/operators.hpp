// Arithmetic, logic and comparison of values, with the array rules of Modelica (chapter 10.6).
#pragma once

#include "model/flatten/frame.hpp"

namespace daedalus::flatten {

// + - * / .+ .- .* ./ and or.
[[nodiscard]] Value binary(Frame& frame, ast::Operator op, const Value& a, const Value& b, SourceSpan span);
[[nodiscard]] Value power(Frame& frame, ast::Operator op, const Value& a, const Value& b, SourceSpan span);
[[nodiscard]] Value negated(Frame& frame, const Value& a, SourceSpan span);
[[nodiscard]] Value logical_not(Frame& frame, const Value& a, SourceSpan span);
// < <= > >= == <>. Where frame.events holds, inequalities of continuous values become relations that make
// events.
[[nodiscard]] Value compare(Frame& frame, ast::Operator op, const Value& a, const Value& b, SourceSpan span);
// if condition then yes else no, element by element.
[[nodiscard]] Value choose_value(Frame& frame, NodeId condition, const Value& yes, const Value& no,
                                 SourceSpan span);

// The common type of two values that meet in an array, an if or an equation. Raises an error if none.
[[nodiscard]] Type common_type(const Type& a, const Type& b, SourceSpan span, std::string_view where);
// Applies an operation of one argument to every element.
[[nodiscard]] Value map_nodes(Frame& frame, Type type, const Value& a, Op op);

// Matrix products and the like, for builtins too.
[[nodiscard]] Value product(Frame& frame, const Value& a, const Value& b, SourceSpan span);

}  // namespace daedalus::flatten
