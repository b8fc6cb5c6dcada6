// The loops that the interpreter runs, one a kind of operation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "expr/op.hpp"

namespace daedalus {

// out[i] = op(value[a[i]], value[b[i]], value[c[i]]) for i = 0 … n-1 in this order, because `out` lies in
// `value` and an operation may use the result of one before it. `arguments` holds the a, then the b, then the
// c.
using Loop = void (*)(const double* value, const std::int32_t* arguments, double* out, std::size_t n);

[[nodiscard]] Loop loop(Op op);

// out[i] = sin(value[a[i]]), out[n + i] = cos(value[a[i]]): both for little more than one.
void sine_and_cosine(const double* value, const std::int32_t* arguments, double* out, std::size_t n);

}  // namespace daedalus
