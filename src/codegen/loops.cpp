#include "codegen/loops.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace daedalus {
namespace {

template <auto f>
void unary(const double* value, const std::int32_t* a, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = f(value[a[i]]);
}

template <auto f>
void binary(const double* value, const std::int32_t* a, double* out, std::size_t n) {
  const std::int32_t* const b = a + n;
  for (std::size_t i = 0; i < n; ++i) out[i] = f(value[a[i]], value[b[i]]);
}

void select(const double* value, const std::int32_t* a, double* out, std::size_t n) {
  const std::int32_t* const b = a + n;
  const std::int32_t* const c = b + n;
  for (std::size_t i = 0; i < n; ++i) out[i] = value[value[a[i]] != 0 ? b[i] : c[i]];
}

// Any operation, through the table of operations: for those that cost more than the call.
template <Op op>
void general(const double* value, const std::int32_t* a, double* out, std::size_t n) {
  const OpInfo& row = info(op);
  const std::int32_t* const b = row.arity > 1 ? a + n : a;
  const std::int32_t* const c = row.arity > 2 ? b + n : a;
  for (std::size_t i = 0; i < n; ++i) out[i] = row.evaluate(value[a[i]], value[b[i]], value[c[i]]);
}

struct Row {
  Op op;
  Loop loop;
};

// Operations that the processor does itself. All others have the general loop.
constexpr std::array rows{
    Row{Op::Add, binary<[](double a, double b) { return a + b; }>},
    Row{Op::Sub, binary<[](double a, double b) { return a - b; }>},
    Row{Op::Mul, binary<[](double a, double b) { return a * b; }>},
    Row{Op::Div, binary<[](double a, double b) { return a / b; }>},
    Row{Op::Neg, unary<[](double a) { return -a; }>},
    Row{Op::Abs, unary<[](double a) { return std::fabs(a); }>},
    Row{Op::Sqrt, unary<[](double a) { return std::sqrt(a); }>},
    Row{Op::Less, binary<[](double a, double b) { return a < b ? 1.0 : 0.0; }>},
    Row{Op::LessEqual, binary<[](double a, double b) { return a <= b ? 1.0 : 0.0; }>},
    Row{Op::If, select},
};

template <std::size_t... op>
constexpr std::array<Loop, op_count> make_table(std::index_sequence<op...> /*all*/) {
  std::array<Loop, op_count> all{general<static_cast<Op>(op)>...};
  for (const Row& row : rows) all[static_cast<std::size_t>(row.op)] = row.loop;
  return all;
}
constexpr std::array<Loop, op_count> table = make_table(std::make_index_sequence<op_count>());

}  // namespace

// Written so that the compiler sees the pair and calls the library's sincos.
void sine_and_cosine(const double* value, const std::int32_t* arguments, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double x = value[arguments[i]];
    const double sine = std::sin(x);
    const double cosine = std::cos(x);
    out[i] = sine;
    out[n + i] = cosine;
  }
}

Loop loop(Op op) {
  return table[static_cast<std::size_t>(op)];
}

}  // namespace daedalus
