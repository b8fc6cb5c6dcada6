// The loops of the class kernels: one instruction computes a whole row of values, one a instance, that lie
// side by side. They exist once a kind of processor, with the same results to the last bit.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "expr/op.hpp"

namespace daedalus {

struct VectorContext {
  double* registers;
  const double* environment;
  const std::int32_t* lists;
  double* results;
};

struct VectorInstruction;
using VectorLoop = void (*)(const VectorContext& context, const VectorInstruction& instruction);

// registers[out + j] = op(registers[a + j], …) for j = 0 … n-1. The result overlaps no argument.
struct VectorInstruction {
  VectorLoop loop = nullptr;
  std::uint32_t n = 0;
  std::int32_t out = 0;
  std::int32_t a = 0;
  std::int32_t b = 0;
  std::int32_t c = 0;
};

// Whether an argument is a row, or one value for all.
enum class VectorForm : std::uint8_t { Rows, SecondIsOne, FirstIsOne };

struct VectorLoops {
  std::string_view name;
  std::uint32_t width = 1;                                       // numbers at once
  std::array<std::array<VectorLoop, 3>, op_count> operations{};  // by form; null: there is no such loop
  VectorLoop sine_cosine = nullptr;                              // of row a: sines to `out`, cosines to c
  VectorLoop cube = nullptr;                                     // a^3 and a^4 as the oracle computes them
  VectorLoop fourth = nullptr;
  VectorLoop copy = nullptr;         // of row a
  VectorLoop fill = nullptr;         // with the value in a
  VectorLoop gather = nullptr;       // registers that stand in the lists from a on
  VectorLoop load = nullptr;         // environment from a on, every b-th
  VectorLoop load_listed = nullptr;  // environment, slots that stand in the lists from a on
  VectorLoop store = nullptr;        // row a to the results from `out` on, every b-th
  // Registers that stand in the lists from a on, to the results that stand there from b on.
  VectorLoop store_listed = nullptr;
};

// For the processor that this runs on.
[[nodiscard]] const VectorLoops& vector_loops();
// All that this processor can run, for tests.
[[nodiscard]] std::array<const VectorLoops*, 3> all_vector_loops();  // null where it cannot

// Whether the loops compute this operation by their own arithmetic, not bit for bit as the oracle does.
[[nodiscard]] constexpr bool has_own_arithmetic(Op op) {
  return op == Op::Sin || op == Op::Cos || op == Op::Exp || op == Op::Log;
}

// One version each, compiled from vector_loops.cpp with different options.
namespace vector_baseline {
extern const VectorLoops loops;
}
namespace vector_avx2 {
extern const VectorLoops loops;
}
namespace vector_avx512 {
extern const VectorLoops loops;
}

}  // namespace daedalus
