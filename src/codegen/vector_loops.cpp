// Compiled once a kind of processor: DAEDALUS_VECTOR_NAMESPACE and DAEDALUS_VECTOR_WIDTH say which. Only what
// has internal linkage may be used here (see vector_math.hpp); so <math.h> and no <cmath>, no containers.
#include "codegen/vector_loops.hpp"

#include <math.h>
#include <stddef.h>

#include "codegen/vector_math.hpp"

namespace daedalus::DAEDALUS_VECTOR_NAMESPACE {
namespace {

using Context = VectorContext;
using Instruction = VectorInstruction;

struct Rows {
  static constexpr bool a = true, b = true;
};
struct SecondIsOne {
  static constexpr bool a = true, b = false;
};
struct FirstIsOne {
  static constexpr bool a = false, b = true;
};

template <double f(double)>
void unary(const Context& context, const Instruction& i) {
  double* __restrict const out = context.registers + i.out;
  const double* __restrict const a = context.registers + i.a;
  for (std::uint32_t j = 0; j < i.n; ++j) out[j] = f(a[j]);
}

template <double f(double, double), class Form>
void binary(const Context& context, const Instruction& i) {
  double* __restrict const out = context.registers + i.out;
  const double* __restrict const a = context.registers + i.a;
  const double* __restrict const b = context.registers + i.b;
  for (std::uint32_t j = 0; j < i.n; ++j) out[j] = f(a[Form::a ? j : 0], b[Form::b ? j : 0]);
}

void select(const Context& context, const Instruction& i) {
  double* __restrict const out = context.registers + i.out;
  const double* __restrict const a = context.registers + i.a;
  const double* __restrict const b = context.registers + i.b;
  const double* __restrict const c = context.registers + i.c;
  for (std::uint32_t j = 0; j < i.n; ++j) {
    const double yes = b[j];
    const double no = c[j];
    out[j] = a[j] != 0 ? yes : no;
  }
}

// Operations that cost more than a call.
template <Op op>
void general(const Context& context, const Instruction& i) {
  const OpInfo& row = info(op);
  double* const out = context.registers + i.out;
  const double* const a = context.registers + i.a;
  const double* const b = context.registers + (row.arity > 1 ? i.b : i.a);
  for (std::uint32_t j = 0; j < i.n; ++j) out[j] = row.evaluate(a[j], b[j], 0);
}

double truth(bool value) {
  return value ? 1.0 : 0.0;
}
double add(double a, double b) {
  return a + b;
}
double sub(double a, double b) {
  return a - b;
}
double mul(double a, double b) {
  return a * b;
}
double div(double a, double b) {
  return a / b;
}
double smaller(double a, double b) {
  return ((b < a) | (b != b)) ? b : a;
}
double larger(double a, double b) {
  return ((b > a) | (b != b)) ? b : a;
}
double less(double a, double b) {
  return truth(a < b);
}
double less_equal(double a, double b) {
  return truth(a <= b);
}
double equal(double a, double b) {
  return truth(a == b);
}
double not_equal(double a, double b) {
  return truth(a != b);
}
double both(double a, double b) {
  return truth((a != 0) & (b != 0));
}
double either(double a, double b) {
  return truth((a != 0) | (b != 0));
}
double negate(double a) {
  return -a;
}
double absolute(double a) {
  return __builtin_fabs(a);
}
double root(double a) {
  return __builtin_sqrt(a);
}
double sign(double a) {
  return a != a ? a : truth(a > 0) - truth(a < 0);
}
double down(double a) {
  return __builtin_floor(a);
}
double up(double a) {
  return __builtin_ceil(a);
}
double opposite(double a) {
  return truth(a == 0);
}
double third_power(double a) {
  return a * a * a;
}
double fourth_power(double a) {
  return (a * a) * (a * a);
}

struct Sine {
  static Vector value(Vector x) { return sine_cosine(x).sine; }
  static Bits good(Vector x) { return magnitude(x) < largest_angle; }
  static double one(double x) { return ::sin(x); }
};
struct Cosine {
  static Vector value(Vector x) { return sine_cosine(x).cosine; }
  static Bits good(Vector x) { return magnitude(x) < largest_angle; }
  static double one(double x) { return ::cos(x); }
};
struct Exponential {
  static Vector value(Vector x) { return exponential(x); }
  static Bits good(Vector x) { return magnitude(x) < largest_exponent; }
  static double one(double x) { return ::exp(x); }
};
struct Logarithm {
  static Vector value(Vector x) { return logarithm(x); }
  static Bits good(Vector x) { return (x >= 0x1p-1022) & (x <= 0x1.fffffffffffffp1023); }
  static double one(double x) { return ::log(x); }
};

// The last few are computed as if there were more.
Vector load(const double* from, std::uint32_t count) {
  Vector x{};
  if (count >= width) {
    __builtin_memcpy(&x, from, sizeof x);
  } else {
    for (std::uint32_t k = 0; k < width; ++k) x[k] = from[k < count ? k : 0];
  }
  return x;
}
void store(double* to, Vector x, std::uint32_t count) {
  if (count >= width) {
    __builtin_memcpy(to, &x, sizeof x);
  } else {
    for (std::uint32_t k = 0; k < count; ++k) to[k] = x[k];
  }
}
bool all(Bits good) {
  std::int64_t every = -1;
  for (int k = 0; k < width; ++k) every &= good[k];
  return every != 0;
}

template <class F>
[[gnu::noinline]] void repair(const double* a, double* out, std::uint32_t n) {
  for (std::uint32_t j = 0; j < n; ++j) {
    Vector x{};
    x[0] = a[j];
    if (F::good(x)[0] == 0) out[j] = F::one(a[j]);
  }
}

template <class F>
void function(const Context& context, const Instruction& i) {
  double* const out = context.registers + i.out;
  const double* const a = context.registers + i.a;
  Bits good = ~Bits{};
  for (std::uint32_t j = 0; j < i.n; j += width) {
    const Vector x = load(a + j, i.n - j);
    good &= F::good(x);
    store(out + j, F::value(x), i.n - j);
  }
  if (!all(good)) repair<F>(a, out, i.n);
}

void sine_and_cosine(const Context& context, const Instruction& i) {
  double* const sines = context.registers + i.out;
  double* const cosines = context.registers + i.c;
  const double* const a = context.registers + i.a;
  Bits good = ~Bits{};
  for (std::uint32_t j = 0; j < i.n; j += width) {
    const Vector x = load(a + j, i.n - j);
    good &= Sine::good(x);
    const SineCosine both_values = sine_cosine(x);
    store(sines + j, both_values.sine, i.n - j);
    store(cosines + j, both_values.cosine, i.n - j);
  }
  if (all(good)) return;
  repair<Sine>(a, sines, i.n);
  repair<Cosine>(a, cosines, i.n);
}

void copy(const Context& context, const Instruction& i) {
  __builtin_memcpy(context.registers + i.out, context.registers + i.a, i.n * sizeof(double));
}
void fill(const Context& context, const Instruction& i) {
  const double value = context.registers[i.a];
  for (std::uint32_t j = 0; j < i.n; ++j) context.registers[i.out + j] = value;
}
// Four at a time: the compiler, not knowing that the environment lies elsewhere, would wait for each.
void load_every(const Context& context, const Instruction& i) {
  double* __restrict out = context.registers + i.out;
  const double* __restrict from = context.environment + i.a;
  const ptrdiff_t step = i.b;
  std::uint32_t j = 0;
  for (; j + 4 <= i.n; j += 4, from += 4 * step) {
    const double a = from[0], b = from[step], c = from[2 * step], d = from[3 * step];
    out[j] = a;
    out[j + 1] = b;
    out[j + 2] = c;
    out[j + 3] = d;
  }
  for (; j < i.n; ++j, from += step) out[j] = *from;
}
void pick(const double* __restrict values, const std::int32_t* __restrict from, double* __restrict out,
          std::uint32_t n) {
  std::uint32_t j = 0;
  for (; j + 4 <= n; j += 4) {
    const double a = values[from[j]], b = values[from[j + 1]], c = values[from[j + 2]],
                 d = values[from[j + 3]];
    out[j] = a;
    out[j + 1] = b;
    out[j + 2] = c;
    out[j + 3] = d;
  }
  for (; j < n; ++j) out[j] = values[from[j]];
}
void gather(const Context& context, const Instruction& i) {
  pick(context.registers, context.lists + i.a, context.registers + i.out, i.n);
}
void load_listed(const Context& context, const Instruction& i) {
  pick(context.environment, context.lists + i.a, context.registers + i.out, i.n);
}

void store_every(const Context& context, const Instruction& i) {
  double* __restrict to = context.results + i.out;
  const double* __restrict from = context.registers + i.a;
  const ptrdiff_t step = i.b;
  for (std::uint32_t j = 0; j < i.n; ++j, to += step) *to = from[j];
}
void store_listed(const Context& context, const Instruction& i) {
  double* __restrict const to = context.results;
  const double* __restrict const from = context.registers;
  const std::int32_t* __restrict const a = context.lists + i.a;
  const std::int32_t* __restrict const b = context.lists + i.b;
  for (std::uint32_t j = 0; j < i.n; ++j) to[b[j]] = from[a[j]];
}

template <double f(double, double)>
constexpr std::array<VectorLoop, 3> forms{binary<f, Rows>, binary<f, SecondIsOne>, binary<f, FirstIsOne>};

struct Row {
  Op op;
  std::array<VectorLoop, 3> loops;
};
constexpr Row rows[] = {
    {Op::Add, forms<add>},
    {Op::Sub, forms<sub>},
    {Op::Mul, forms<mul>},
    {Op::Div, forms<div>},
    {Op::Min, forms<smaller>},
    {Op::Max, forms<larger>},
    {Op::Less, forms<less>},
    {Op::LessEqual, forms<less_equal>},
    {Op::Equal, forms<equal>},
    {Op::NotEqual, forms<not_equal>},
    {Op::And, forms<both>},
    {Op::Or, forms<either>},
    {Op::Neg, {unary<negate>}},
    {Op::Abs, {unary<absolute>}},
    {Op::Sqrt, {unary<root>}},
    {Op::Sign, {unary<sign>}},
    {Op::Floor, {unary<down>}},
    {Op::Ceil, {unary<up>}},
    {Op::Not, {unary<opposite>}},
    {Op::If, {select}},
    {Op::Sin, {function<Sine>}},
    {Op::Cos, {function<Cosine>}},
    {Op::Exp, {function<Exponential>}},
    {Op::Log, {function<Logarithm>}},
    {Op::Pow, {general<Op::Pow>}},
    {Op::Log10, {general<Op::Log10>}},
    {Op::Tan, {general<Op::Tan>}},
    {Op::Asin, {general<Op::Asin>}},
    {Op::Acos, {general<Op::Acos>}},
    {Op::Atan, {general<Op::Atan>}},
    {Op::Sinh, {general<Op::Sinh>}},
    {Op::Cosh, {general<Op::Cosh>}},
    {Op::Tanh, {general<Op::Tanh>}},
    {Op::Atan2, {general<Op::Atan2>}},
};

constexpr VectorLoops make() {
  VectorLoops made;
  made.name = DAEDALUS_VECTOR_NAME;
  made.width = width;
  for (const Row& row : rows) made.operations[static_cast<std::size_t>(row.op)] = row.loops;
  made.sine_cosine = sine_and_cosine;
  made.cube = unary<third_power>;
  made.fourth = unary<fourth_power>;
  made.copy = copy;
  made.fill = fill;
  made.gather = gather;
  made.load = load_every;
  made.load_listed = load_listed;
  made.store = store_every;
  made.store_listed = store_listed;
  return made;
}

}  // namespace

constinit const VectorLoops loops = make();

}  // namespace daedalus::DAEDALUS_VECTOR_NAMESPACE
