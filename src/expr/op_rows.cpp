#include "expr/op.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "expr/graph.hpp"
#include "expr/whole_power.hpp"

namespace daedalus {
namespace {

using Args = std::span<const NodeId>;

double truth(bool value) {
  return value ? 1.0 : 0.0;
}

// The one definition of a^b, used by folding, the oracle and generated code alike. The exponents that
// simplification rewrites (x*x, sqrt(x), 1/x) are computed as it rewrites them, so that a rewritten
// expression has the same value to the last bit; other whole ones by products, as a tape writes them out,
// because std::pow is slow.
double power(double a, double b) {
  if (is_written_power(b)) return whole_power(a, static_cast<int>(b));
  if (b == 0.5) return std::sqrt(a);
  return std::pow(a, b);
}

// At a tie the first. A NaN on either side is handed on: it must not vanish unseen.
double smaller(double a, double b) {
  return b < a || std::isnan(b) ? b : a;
}
double larger(double a, double b) {
  return b > a || std::isnan(b) ? b : a;
}

NodeId one(ExprGraph& g) {
  return g.constant(1);
}

// ∂(a^b)/∂a = b a^(b-1), ∂(a^b)/∂b = a^b log a. The latter tends to 0 with a (for b > 0) where the
// formula is 0 * -∞.
NodeId pow_partial(ExprGraph& g, NodeId self, Args x, int i) {
  if (i == 0) return g.mul(x[1], g.pow(x[0], g.sub(x[1], one(g))));
  const NodeId zero = g.constant(0);
  return g.if_else(g.apply(Op::Equal, x[0], zero), zero, g.mul(self, g.apply(Op::Log, x[0])));
}

NodeId atan2_partial(ExprGraph& g, NodeId /*self*/, Args x, int i) {
  const NodeId r2 = g.add(g.mul(x[0], x[0]), g.mul(x[1], x[1]));
  return i == 0 ? g.div(x[1], r2) : g.div(g.neg(x[0]), r2);
}

NodeId sqrt_one_minus_square(ExprGraph& g, NodeId x) {
  // Not 1 - x*x, which cancels near 1.
  return g.apply(Op::Sqrt, g.mul(g.sub(one(g), x), g.add(one(g), x)));
}

constexpr double ln10 = 2.302585092994045684;

// The table. Rows stand in the order of the enumeration.
const std::array<OpInfo, op_count> table{{
    {Op::Constant, "constant", 0, 0, true, nullptr, nullptr},
    {Op::Time, "time", 0, 0, true, nullptr, nullptr},
    {Op::Variable, "variable", 0, 0, true, nullptr, nullptr},
    {Op::Discrete, "discrete", 0, 0, true, nullptr, nullptr},
    {Op::Pre, "pre", 0, 0, true, nullptr, nullptr},
    {Op::Relation, "relation", 0, 0, true, nullptr, nullptr},
    {Op::Sample, "sample", 0, 0, true, nullptr, nullptr},
    {Op::Initial, "initial", 0, 0, true, nullptr, nullptr},
    {Op::Add, "+", 2, 5, true, [](double a, double b, double) { return a + b; },
     [](ExprGraph& g, NodeId, Args, int) { return one(g); }},
    {Op::Sub, "-", 2, 5, true, [](double a, double b, double) { return a - b; },
     [](ExprGraph& g, NodeId, Args, int i) { return g.constant(i == 0 ? 1 : -1); }},
    {Op::Mul, "*", 2, 6, true, [](double a, double b, double) { return a * b; },
     [](ExprGraph&, NodeId, Args x, int i) { return x[static_cast<std::size_t>(1 - i)]; }},
    {Op::Div, "/", 2, 6, false, [](double a, double b, double) { return a / b; },
     [](ExprGraph& g, NodeId self, Args x, int i) {
       return i == 0 ? g.div(one(g), x[1]) : g.neg(g.div(self, x[1]));
     }},
    {Op::Neg, "-", 1, 5, true, [](double a, double, double) { return -a; },
     [](ExprGraph& g, NodeId, Args, int) { return g.constant(-1); }},
    {Op::Pow, "^", 2, 7, false, [](double a, double b, double) { return power(a, b); }, pow_partial},
    {Op::Abs, "abs", 1, 0, true, [](double a, double, double) { return std::fabs(a); },
     [](ExprGraph& g, NodeId, Args x, int) { return g.apply(Op::Sign, x[0]); }},
    {Op::Sign, "sign", 1, 0, true,
     [](double a, double, double) { return std::isnan(a) ? a : truth(a > 0) - truth(a < 0); }, nullptr},
    {Op::Sqrt, "sqrt", 1, 0, false, [](double a, double, double) { return std::sqrt(a); },
     [](ExprGraph& g, NodeId self, Args, int) { return g.div(g.constant(0.5), self); }},
    {Op::Exp, "exp", 1, 0, false, [](double a, double, double) { return std::exp(a); },
     [](ExprGraph&, NodeId self, Args, int) { return self; }},
    {Op::Log, "log", 1, 0, false, [](double a, double, double) { return std::log(a); },
     [](ExprGraph& g, NodeId, Args x, int) { return g.div(one(g), x[0]); }},
    {Op::Log10, "log10", 1, 0, false, [](double a, double, double) { return std::log10(a); },
     [](ExprGraph& g, NodeId, Args x, int) { return g.div(g.constant(1 / ln10), x[0]); }},
    {Op::Sin, "sin", 1, 0, true, [](double a, double, double) { return std::sin(a); },
     [](ExprGraph& g, NodeId, Args x, int) { return g.apply(Op::Cos, x[0]); }},
    {Op::Cos, "cos", 1, 0, true, [](double a, double, double) { return std::cos(a); },
     [](ExprGraph& g, NodeId, Args x, int) { return g.neg(g.apply(Op::Sin, x[0])); }},
    {Op::Tan, "tan", 1, 0, false, [](double a, double, double) { return std::tan(a); },
     [](ExprGraph& g, NodeId self, Args, int) { return g.add(one(g), g.mul(self, self)); }},
    {Op::Asin, "asin", 1, 0, false, [](double a, double, double) { return std::asin(a); },
     [](ExprGraph& g, NodeId, Args x, int) { return g.div(one(g), sqrt_one_minus_square(g, x[0])); }},
    {Op::Acos, "acos", 1, 0, false, [](double a, double, double) { return std::acos(a); },
     [](ExprGraph& g, NodeId, Args x, int) { return g.div(g.constant(-1), sqrt_one_minus_square(g, x[0])); }},
    {Op::Atan, "atan", 1, 0, true, [](double a, double, double) { return std::atan(a); },
     [](ExprGraph& g, NodeId, Args x, int) { return g.div(one(g), g.add(one(g), g.mul(x[0], x[0]))); }},
    {Op::Sinh, "sinh", 1, 0, false, [](double a, double, double) { return std::sinh(a); },
     [](ExprGraph& g, NodeId, Args x, int) { return g.apply(Op::Cosh, x[0]); }},
    {Op::Cosh, "cosh", 1, 0, false, [](double a, double, double) { return std::cosh(a); },
     [](ExprGraph& g, NodeId, Args x, int) { return g.apply(Op::Sinh, x[0]); }},
    {Op::Tanh, "tanh", 1, 0, true, [](double a, double, double) { return std::tanh(a); },
     [](ExprGraph& g, NodeId self, Args, int) { return g.sub(one(g), g.mul(self, self)); }},
    {Op::Floor, "floor", 1, 0, true, [](double a, double, double) { return std::floor(a); }, nullptr},
    {Op::Ceil, "ceil", 1, 0, true, [](double a, double, double) { return std::ceil(a); }, nullptr},
    {Op::Atan2, "atan2", 2, 0, true, [](double a, double b, double) { return std::atan2(a, b); },
     atan2_partial},
    {Op::Min, "min", 2, 0, true, [](double a, double b, double) { return smaller(a, b); }, nullptr,
     [](ExprGraph& g, Args x) { return g.apply(Op::LessEqual, x[0], x[1]); }},
    {Op::Max, "max", 2, 0, true, [](double a, double b, double) { return larger(a, b); }, nullptr,
     [](ExprGraph& g, Args x) { return g.apply(Op::LessEqual, x[1], x[0]); }},
    {Op::Less, "<", 2, 4, true, [](double a, double b, double) { return truth(a < b); }, nullptr},
    {Op::LessEqual, "<=", 2, 4, true, [](double a, double b, double) { return truth(a <= b); }, nullptr},
    {Op::Equal, "==", 2, 4, true, [](double a, double b, double) { return truth(a == b); }, nullptr},
    {Op::NotEqual, "<>", 2, 4, true, [](double a, double b, double) { return truth(a != b); }, nullptr},
    {Op::And, "and", 2, 2, true, [](double a, double b, double) { return truth(a != 0 && b != 0); }, nullptr},
    {Op::Or, "or", 2, 1, true, [](double a, double b, double) { return truth(a != 0 || b != 0); }, nullptr},
    {Op::Not, "not", 1, 3, true, [](double a, double, double) { return truth(a == 0); }, nullptr},
    {Op::If, "if", 3, 0, true, [](double a, double b, double c) { return a != 0 ? b : c; }, nullptr,
     [](ExprGraph&, Args x) { return x[0]; }},
}};

}  // namespace

double whole_power(double base, int exponent) {
  double square = base;
  double product = 1;  // times one is exact
  for (int left = std::abs(exponent); left > 0; left /= 2) {
    if (left % 2 == 1) product *= square;
    if (left > 1) square *= square;
  }
  return exponent < 0 ? 1 / product : product;
}

const OpInfo& info(Op op) {
  return table[static_cast<std::size_t>(op)];
}

std::span<const OpInfo> all_ops() {
  return table;
}

const OpInfo* find_function(std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const OpInfo& row) {
    return row.arity > 0 && row.precedence == 0 && row.op != Op::If && row.name == name;
  });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace daedalus
