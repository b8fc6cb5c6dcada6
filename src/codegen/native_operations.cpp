#include "codegen/native_operations.hpp"

#include <algorithm>

namespace daedalus::native {
namespace {

// Predicates of VCMPSD (Intel's manual, volume 2, "CMPPD"): O ordered, U true for NaN, Q quiet.
constexpr int equal_oq = 0x00, unordered_q = 0x03, not_equal_uq = 0x04;
constexpr int less_oq = 0x11, less_equal_oq = 0x12, greater_oq = 0x1e;
// Of VROUNDSD: the direction, without the inexact flag.
constexpr int round_down = 0x9, round_up = 0xa;

using Id = asmjit::x86::Inst::Id;

struct ArithmeticRow {
  Op op = Op::Constant;
  Arithmetic arithmetic;
};
constexpr std::array arithmetic_rows{
    ArithmeticRow{Op::Add, {Id::kIdVaddsd, true}},
    ArithmeticRow{Op::Sub, {Id::kIdVsubsd, false}},
    ArithmeticRow{Op::Mul, {Id::kIdVmulsd, true}},
    ArithmeticRow{Op::Div, {Id::kIdVdivsd, false}},
};

template <int predicate>
void relation(Assembler& code, const Operands& x) {
  code.vcmpsd(x.first, x.a, x.b, predicate);
  code.vandpd(x.out, x.first, x.mask(Mask::One));
}

template <int direction>
void round(Assembler& code, const Operands& x) {
  code.vroundsd(x.out, x.a, x.a, direction);
}

// first = whether a is true, second = whether b is.
void truths(Assembler& code, const Operands& x) {
  code.vxorpd(x.second, x.second, x.second);
  code.vcmpsd(x.first, x.a, x.second, not_equal_uq);
  code.vcmpsd(x.second, x.b, x.second, not_equal_uq);
}

void both(Assembler& code, const Operands& x) {
  truths(code, x);
  code.vandpd(x.first, x.first, x.second);
  code.vandpd(x.out, x.first, x.mask(Mask::One));
}

void either(Assembler& code, const Operands& x) {
  truths(code, x);
  code.vorpd(x.first, x.first, x.second);
  code.vandpd(x.out, x.first, x.mask(Mask::One));
}

void negation(Assembler& code, const Operands& x) {
  code.vxorpd(x.first, x.first, x.first);
  code.vcmpsd(x.first, x.a, x.first, equal_oq);
  code.vandpd(x.out, x.first, x.mask(Mask::One));
}

void choice(Assembler& code, const Operands& x) {
  code.vxorpd(x.first, x.first, x.first);
  code.vcmpsd(x.first, x.a, x.first, not_equal_uq);
  code.vblendvpd(x.out, x.c, x.b, x.first);
}

// b where b < a (b > a) or b is NaN, else a.
template <int predicate>
void extreme(Assembler& code, const Operands& x) {
  code.vcmpsd(x.first, x.b, x.a, predicate);
  code.vcmpsd(x.second, x.b, x.b, unordered_q);
  code.vorpd(x.first, x.first, x.second);
  code.vblendvpd(x.out, x.a, x.b, x.first);
}

void sign(Assembler& code, const Operands& x) {
  code.vxorpd(x.second, x.second, x.second);
  code.vcmpsd(x.first, x.a, x.second, greater_oq);
  code.vandpd(x.first, x.first, x.mask(Mask::One));
  code.vcmpsd(x.second, x.a, x.second, less_oq);
  code.vandpd(x.second, x.second, x.mask(Mask::One));
  code.vsubsd(x.first, x.first, x.second);
  code.vcmpsd(x.second, x.a, x.a, unordered_q);
  code.vblendvpd(x.out, x.first, x.a, x.second);
}

void root(Assembler& code, const Operands& x) {
  code.vsqrtsd(x.out, x.a, x.a);
}

struct Row {
  Op op;
  Write write;
};
constexpr std::array rows{
    Row{Op::Neg, [](Assembler& code, const Operands& x) { code.vxorpd(x.out, x.a, x.mask(Mask::Sign)); }},
    Row{Op::Abs,
        [](Assembler& code, const Operands& x) { code.vandpd(x.out, x.a, x.mask(Mask::Magnitude)); }},
    Row{Op::Sign, sign},
    Row{Op::Sqrt, root},
    Row{Op::Floor, round<round_down>},
    Row{Op::Ceil, round<round_up>},
    Row{Op::Min, extreme<less_oq>},
    Row{Op::Max, extreme<greater_oq>},
    Row{Op::Less, relation<less_oq>},
    Row{Op::LessEqual, relation<less_equal_oq>},
    Row{Op::Equal, relation<equal_oq>},
    Row{Op::NotEqual, relation<not_equal_uq>},
    Row{Op::And, both},
    Row{Op::Or, either},
    Row{Op::Not, negation},
    Row{Op::If, choice},
};

struct PowerRow {
  double exponent;
  Write write;
};
constexpr std::array power_rows{
    PowerRow{2.0, [](Assembler& code, const Operands& x) { code.vmulsd(x.out, x.a, x.a); }},
    PowerRow{3.0,
             [](Assembler& code, const Operands& x) {
               code.vmulsd(x.first, x.a, x.a);
               code.vmulsd(x.out, x.first, x.a);
             }},
    PowerRow{4.0,
             [](Assembler& code, const Operands& x) {
               code.vmulsd(x.first, x.a, x.a);
               code.vmulsd(x.out, x.first, x.first);
             }},
    PowerRow{0.5, root},
    PowerRow{-1.0,
             [](Assembler& code, const Operands& x) {
               code.vmovsd(x.first, x.mask(Mask::One));
               code.vdivsd(x.out, x.first, x.a);
             }},
};

}  // namespace

std::optional<Arithmetic> arithmetic(Op op) {
  const auto* const row = std::ranges::find(arithmetic_rows, op, &ArithmeticRow::op);
  if (row == arithmetic_rows.end()) return std::nullopt;
  return row->arithmetic;
}

Write writer(Op op) {
  const auto* const row = std::ranges::find(rows, op, &Row::op);
  return row == rows.end() ? nullptr : row->write;
}

Write power_writer(double exponent) {
  const auto* const row = std::ranges::find(power_rows, exponent, &PowerRow::exponent);
  return row == power_rows.end() ? nullptr : row->write;
}

}  // namespace daedalus::native
