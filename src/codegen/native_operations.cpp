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
    ArithmeticRow{Op::Add, {Id::kIdVaddsd, Id::kIdVaddpd, true}},
    ArithmeticRow{Op::Sub, {Id::kIdVsubsd, Id::kIdVsubpd, false}},
    ArithmeticRow{Op::Mul, {Id::kIdVmulsd, Id::kIdVmulpd, true}},
    ArithmeticRow{Op::Div, {Id::kIdVdivsd, Id::kIdVdivpd, false}},
};

// The instruction for as many values as there are.
template <class... Arguments>
void write(Assembler& code, const Operands& x, Id one, Id lanes, const Arguments&... arguments) {
  code.emit(x.lanes ? lanes : one, arguments...);
}

void compare(Assembler& code, const Operands& x, const Vec& out, const Vec& a, const Vec& b, int predicate) {
  write(code, x, Id::kIdVcmpsd, Id::kIdVcmppd, out, a, b, asmjit::Imm(predicate));
}

void multiply(Assembler& code, const Operands& x, const Vec& out, const Vec& a, const Vec& b) {
  write(code, x, Id::kIdVmulsd, Id::kIdVmulpd, out, a, b);
}

template <int predicate>
void relation(Assembler& code, const Operands& x) {
  compare(code, x, x.first, x.a, x.b, predicate);
  code.vandpd(x.out, x.first, x.mask(Mask::One));
}

template <int direction>
void round(Assembler& code, const Operands& x) {
  if (x.lanes) {
    code.vroundpd(x.out, x.a, direction);
  } else {
    code.emit(Id::kIdVroundsd, x.out, x.a, x.a, asmjit::Imm(direction));
  }
}

// first = whether a is true, second = whether b is.
void truths(Assembler& code, const Operands& x) {
  code.vxorpd(x.second, x.second, x.second);
  compare(code, x, x.first, x.a, x.second, not_equal_uq);
  compare(code, x, x.second, x.b, x.second, not_equal_uq);
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
  compare(code, x, x.first, x.a, x.first, equal_oq);
  code.vandpd(x.out, x.first, x.mask(Mask::One));
}

void choice(Assembler& code, const Operands& x) {
  code.vxorpd(x.first, x.first, x.first);
  compare(code, x, x.first, x.a, x.first, not_equal_uq);
  code.vblendvpd(x.out, x.c, x.b, x.first);
}

// b where b < a (b > a) or b is NaN, else a.
template <int predicate>
void extreme(Assembler& code, const Operands& x) {
  compare(code, x, x.first, x.b, x.a, predicate);
  compare(code, x, x.second, x.b, x.b, unordered_q);
  code.vorpd(x.first, x.first, x.second);
  code.vblendvpd(x.out, x.a, x.b, x.first);
}

void sign(Assembler& code, const Operands& x) {
  code.vxorpd(x.second, x.second, x.second);
  compare(code, x, x.first, x.a, x.second, greater_oq);
  code.vandpd(x.first, x.first, x.mask(Mask::One));
  compare(code, x, x.second, x.a, x.second, less_oq);
  code.vandpd(x.second, x.second, x.mask(Mask::One));
  write(code, x, Id::kIdVsubsd, Id::kIdVsubpd, x.first, x.first, x.second);
  compare(code, x, x.second, x.a, x.a, unordered_q);
  code.vblendvpd(x.out, x.first, x.a, x.second);
}

void root(Assembler& code, const Operands& x) {
  if (x.lanes) {
    code.vsqrtpd(x.out, x.a);
  } else {
    code.emit(Id::kIdVsqrtsd, x.out, x.a, x.a);
  }
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
    PowerRow{2.0, [](Assembler& code, const Operands& x) { multiply(code, x, x.out, x.a, x.a); }},
    PowerRow{3.0,
             [](Assembler& code, const Operands& x) {
               multiply(code, x, x.first, x.a, x.a);
               multiply(code, x, x.out, x.first, x.a);
             }},
    PowerRow{4.0,
             [](Assembler& code, const Operands& x) {
               multiply(code, x, x.first, x.a, x.a);
               multiply(code, x, x.out, x.first, x.first);
             }},
    PowerRow{0.5, root},
    PowerRow{-1.0,
             [](Assembler& code, const Operands& x) {
               code.vmovupd(x.first, x.mask(Mask::One));
               write(code, x, Id::kIdVdivsd, Id::kIdVdivpd, x.out, x.first, x.a);
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
