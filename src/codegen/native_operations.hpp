// How each operation is written in machine code: a table.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <optional>

#include "expr/op.hpp"

namespace daedalus::native {

using asmjit::x86::Assembler;
using asmjit::x86::Mem;
using asmjit::x86::Vec;

// Numbers that instructions need besides the model's own, each as wide as a whole register: their bits.
enum class Mask : std::uint8_t { Sign, Magnitude, One };
inline constexpr std::array<std::uint64_t, 3> mask_bits{0x8000'0000'0000'0000, 0x7fff'ffff'ffff'ffff,
                                                        0x3ff0'0000'0000'0000};

// What an operation is written with. The two intermediate registers belong to it alone; `out` may be the
// register of an argument, so it is written last.
struct Operands {
  Vec out, a, b, c;
  Vec first, second;         // intermediate
  std::array<Mem, 3> masks;  // in the order of Mask
  bool lanes = false;        // four values each, instead of one
  [[nodiscard]] const Mem& mask(Mask m) const { return masks[static_cast<std::size_t>(m)]; }
};

using Write = void (*)(Assembler&, const Operands&);

// out = a op b in one instruction, whose b may stand in memory.
struct Arithmetic {
  asmjit::InstId one = 0;    // of one value
  asmjit::InstId lanes = 0;  // of four
  bool commutative = false;
};

[[nodiscard]] std::optional<Arithmetic> arithmetic(Op op);
// Null: the operation is a call.
[[nodiscard]] Write writer(Op op);
// For a ^ exponent with those exponents that the oracle computes without std::pow; null for others.
[[nodiscard]] Write power_writer(double exponent);

}  // namespace daedalus::native
