// Making arrays: constructors, ranges, comprehensions, concatenation.
#pragma once

#include <span>

#include "model/flatten/frame.hpp"

namespace daedalus::flatten {

// {a, b, c}: a new first dimension in front of elements of equal shape.
[[nodiscard]] Value stacked(std::span<const Value> elements, SourceSpan span);
// cat(dimension + 1, ...): elements joined along a dimension that they have.
[[nodiscard]] Value concatenated(std::span<const Value> elements, std::size_t dimension, SourceSpan span);
// A value with the missing dimensions of size 1 added: [a, b; c, d] is made of matrices.
[[nodiscard]] Value as_matrix(const Value& value, SourceSpan span);
[[nodiscard]] Value reshaped(const Value& value, Shape shape);

// start:step:stop without making nodes for it.
struct RangeNumbers {
  Type type;
  double start = 0;
  double step = 1;
  std::size_t count = 0;
  [[nodiscard]] double at(std::size_t i) const { return start + static_cast<double>(i) * step; }
};
[[nodiscard]] RangeNumbers range_numbers(Frame& frame, ast::ExprRef ref);
[[nodiscard]] Value evaluate_range(Frame& frame, ast::ExprRef ref);
// { e for i in r }, sum(e for i in r) and the other reductions.
[[nodiscard]] Value evaluate_comprehension(Frame& frame, ast::ExprRef ref);

// Guards against arrays that would not fit into memory.
void check_size(const Session& session, std::size_t count, SourceSpan span);

}  // namespace daedalus::flatten
