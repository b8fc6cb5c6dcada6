// Expressions of the syntax tree → values. What is known (numbers, parameters) folds on the way.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "model/flatten/frame.hpp"

namespace daedalus::flatten {

[[nodiscard]] Value evaluate(Frame& frame, ast::ExprRef ref);

// A scalar that must be of this type (an Integer may stand for a Real). `what` names it in messages:
// "the condition", "the start value of x".
[[nodiscard]] NodeId evaluate_scalar(Frame& frame, ast::ExprRef ref, BaseType type, std::string_view what);
// A scalar that must be known now.
[[nodiscard]] double evaluate_constant(Frame& frame, ast::ExprRef ref, std::string_view what);
// A known number found without making nodes: literals, iterators, parameters and their sums and products.
// This is what the subscripts of loops are made of.
[[nodiscard]] std::optional<double> fold_number(Frame& frame, ast::ExprRef ref);
// A size or a subscript. Must be a known whole number.
[[nodiscard]] std::int64_t evaluate_integer(Frame& frame, ast::ExprRef ref, std::string_view what);

// Runs the body for every combination of the iterators' values, the last one fastest.
void for_each(Frame& frame, std::span<const ast::Iterator> iterators, const std::function<void()>& body);
// "i = 3, j = 1" of the iterators now bound.
[[nodiscard]] std::string iterator_text(const Frame& frame);

// calls.cpp. function f(a = 1), and f alone, as an argument.
[[nodiscard]] Value partial_call(Frame& frame, const ast::Expr& e);
[[nodiscard]] std::optional<Value> named_function(Frame& frame, const std::string& name);

// names.cpp. A reference to a variable, parameter, iterator, local variable or enumeration literal.
[[nodiscard]] Value evaluate_name(Frame& frame, ast::ExprRef ref);
// The symbol that a name means, and how many parts of the name it takes; the symbol is -1 when unknown.
[[nodiscard]] Session::FoundSymbol look_up(const Session& session, std::span<const ast::NamePart> parts);
// What the subscripts and fields choose of a symbol; parts[0] belongs to the symbol itself.
[[nodiscard]] Value read_symbol(Frame& frame, std::int32_t symbol, std::span<const ast::NamePart> parts,
                                SourceSpan span);
// The whole of a variable, as leaves.
[[nodiscard]] Value read_instance(Frame& frame, const Instance& instance);
// The value of a plain name when it is a known number; see fold_number.
[[nodiscard]] std::optional<double> fold_name(Frame& frame, ast::ExprRef ref);
// Part of a value: [subscripts].
[[nodiscard]] Value subscripted(Frame& frame, const Value& value, std::span<const ast::ExprRef> subscripts,
                                SourceSpan span);
[[nodiscard]] Value field_of(const Value& value, std::string_view name, SourceSpan span);
[[nodiscard]] int field_index(const ClassInfo& record, std::string_view name);  // -1: none

// Which elements subscripts choose, dimension by dimension, from 0.
struct Choice {
  std::vector<std::vector<std::int32_t>> indices;
  Shape shape;  // of the result: dimensions with a scalar subscript are gone
};
[[nodiscard]] Choice choose(Frame& frame, const Shape& shape, std::span<const ast::ExprRef> subscripts,
                            SourceSpan span);
// The chosen positions in row-major order.
[[nodiscard]] std::vector<std::size_t> positions(const Choice& choice, const Shape& shape);

// The first scalar subscript whose value only the simulation will know (its value in `node`), or -1.
[[nodiscard]] int unknown_subscript(Frame& frame, const Shape& shape,
                                    std::span<const ast::ExprRef> subscripts, NodeId& node);

// All elements of x, for x[n] whose last subscripts are left aside.
[[nodiscard]] Value read_whole(Frame& frame, const ast::Expr& name);

// The joined name "a.b" of a call or reference.
[[nodiscard]] std::string joined_name(const ast::Expr& expression);

}  // namespace daedalus::flatten
