// A second evaluation of every operation, in long double and written from the definitions, not from the
// table under test; and differences good enough to judge exact derivatives by.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>

#include "expr/graph.hpp"

namespace daedalus::test {

using Real = long double;

inline Real precise_operation(Op op, Real a, Real b, Real c) {
  switch (op) {
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Mul:
      return a * b;
    case Op::Div:
      return a / b;
    case Op::Neg:
      return -a;
    case Op::Pow:
      return std::pow(a, b);
    case Op::Abs:
      return std::abs(a);
    case Op::Sign:
      return a > 0 ? 1 : a < 0 ? -1 : a;
    case Op::Sqrt:
      return std::sqrt(a);
    case Op::Exp:
      return std::exp(a);
    case Op::Log:
      return std::log(a);
    case Op::Log10:
      return std::log10(a);
    case Op::Sin:
      return std::sin(a);
    case Op::Cos:
      return std::cos(a);
    case Op::Tan:
      return std::tan(a);
    case Op::Asin:
      return std::asin(a);
    case Op::Acos:
      return std::acos(a);
    case Op::Atan:
      return std::atan(a);
    case Op::Sinh:
      return std::sinh(a);
    case Op::Cosh:
      return std::cosh(a);
    case Op::Tanh:
      return std::tanh(a);
    case Op::Floor:
      return std::floor(a);
    case Op::Ceil:
      return std::ceil(a);
    case Op::Atan2:
      return std::atan2(a, b);
    case Op::Min:
      return a <= b ? a : b;
    case Op::Max:
      return a >= b ? a : b;
    case Op::Less:
      return a < b ? 1 : 0;
    case Op::LessEqual:
      return a <= b ? 1 : 0;
    case Op::Equal:
      return a == b ? 1 : 0;
    case Op::NotEqual:
      return a != b ? 1 : 0;
    case Op::And:
      return a != 0 && b != 0 ? 1 : 0;
    case Op::Or:
      return a != 0 || b != 0 ? 1 : 0;
    case Op::Not:
      return a == 0 ? 1 : 0;
    case Op::If:
      return a != 0 ? b : c;
    default:
      return std::nanl("");
  }
}

// Where the chain rule says nothing: at an infinity, and at the ends of a function's domain.
inline bool regular(Op op, Real a, Real value) {
  if (op == Op::Sqrt || op == Op::Pow) return a > 0 && std::isfinite(value);
  if (op == Op::Asin || op == Op::Acos) return std::abs(a) < 1;
  return std::isfinite(value);
}

// `all_regular`, if given, becomes false when some operation on the way is not.
inline Real precise_value(const ExprGraph& graph, NodeId root, const std::function<Real(NodeId)>& leaf,
                          bool* all_regular = nullptr) {
  std::unordered_map<NodeId, Real> value;
  for (const NodeId id : topological_order(graph, std::array{root})) {
    const Node& node = graph.node(id);
    std::array<Real, 3> x{};
    for (std::size_t i = 0; i < node.arity; ++i) x[i] = value.at(NodeId(node.args[i]));
    if (node.op == Op::Constant) {
      value[id] = node.value;
    } else {
      value[id] = node.arity == 0 ? leaf(id) : precise_operation(node.op, x[0], x[1], x[2]);
    }
    if (all_regular != nullptr && !regular(node.op, x[0], value[id])) *all_regular = false;
  }
  return value.at(root);
}

struct Difference {
  Real value;
  Real error;  // an estimate from above
};

// The central difference of order 4, D(h) = f' + O(h^4). D(2h) - D(h) is then about 15 times the error of
// D(h), truncation and rounding alike, and serves as its bound; the second term is the rounding of f
// itself, 1.5 ε |f| / h, for the case that the difference hides it.
inline Difference difference(const std::function<Real(Real)>& f, Real h = 1e-3L) {
  const auto central = [&](Real s) { return (8 * (f(s) - f(-s)) - (f(2 * s) - f(-2 * s))) / (12 * s); };
  const Real fine = central(h);
  const Real epsilon = std::numeric_limits<Real>::epsilon();
  return {fine, std::abs(fine - central(2 * h)) + 4 * epsilon * std::abs(f(0)) / h};
}

}  // namespace daedalus::test
