// Simplification while building. The rule: never change a value's meaning. Constants fold only to
// finite values (so that 1/0 stays visible and can be reported), and what drops an operand (0*x, x-x)
// does so only where that operand is finite by construction. A rewritten expression has the same value to
// the last bit, NaN and infinities included, in the arithmetic of IEEE 754 with one unsigned zero: the
// sign of a zero is no part of a value's meaning (x+0 is x, -(a-b) is b-a). tests/expr holds it to that.
#include <array>
#include <cassert>
#include <cmath>

#include "expr/graph.hpp"

namespace daedalus {
namespace {

using Args = std::span<const NodeId>;
constexpr NodeId none{};

// The rules of one operation see the graph and the arguments and give a simpler node, or none.
NodeId simplify_add(ExprGraph& g, Args x) {
  if (g.is_constant(x[0], 0)) return x[1];
  if (g.is_constant(x[1], 0)) return x[0];
  if (g.node(x[1]).op == Op::Neg) return g.sub(x[0], NodeId(g.node(x[1]).args[0]));
  if (g.node(x[0]).op == Op::Neg) return g.sub(x[1], NodeId(g.node(x[0]).args[0]));
  return none;
}

NodeId simplify_sub(ExprGraph& g, Args x) {
  if (g.is_constant(x[1], 0)) return x[0];
  if (g.is_constant(x[0], 0)) return g.neg(x[1]);
  if (x[0] == x[1] && g.node(x[0]).finite) return g.constant(0);
  if (g.node(x[1]).op == Op::Neg) return g.add(x[0], NodeId(g.node(x[1]).args[0]));
  return none;
}

NodeId simplify_mul(ExprGraph& g, Args x) {
  for (std::size_t i = 0; i < 2; ++i) {
    const NodeId other = x[1 - i];
    if (g.is_constant(x[i], 0) && g.node(other).finite) return g.constant(0);
    if (g.is_constant(x[i], 1)) return other;
    if (g.is_constant(x[i], -1)) return g.neg(other);
  }
  const bool first = g.node(x[0]).op == Op::Neg;
  const bool second = g.node(x[1]).op == Op::Neg;
  if (first || second) {
    const NodeId a = first ? NodeId(g.node(x[0]).args[0]) : x[0];
    const NodeId b = second ? NodeId(g.node(x[1]).args[0]) : x[1];
    const NodeId product = g.mul(a, b);
    return first != second ? g.neg(product) : product;
  }
  return none;
}

NodeId simplify_div(ExprGraph& g, Args x) {
  if (g.is_constant(x[1], 1)) return x[0];
  if (g.is_constant(x[1], -1)) return g.neg(x[0]);
  if (g.node(x[0]).op == Op::Neg) return g.neg(g.div(NodeId(g.node(x[0]).args[0]), x[1]));
  return none;
}

NodeId simplify_neg(ExprGraph& g, Args x) {
  const Node& a = g.node(x[0]);
  if (a.op == Op::Neg) return NodeId(a.args[0]);
  if (a.op == Op::Sub) return g.sub(NodeId(a.args[1]), NodeId(a.args[0]));
  return none;
}

// x^0 is 1 for every x in IEEE arithmetic (also for NaN), so the rule holds without a condition. The
// other rows are computed by the power function of op_rows.cpp as they are written here.
NodeId simplify_pow(ExprGraph& g, Args x) {
  if (g.is_constant(x[1], 1)) return x[0];
  if (g.is_constant(x[1], 0)) return g.constant(1);
  if (g.is_constant(x[1], 2)) return g.mul(x[0], x[0]);
  if (g.is_constant(x[1], -1)) return g.div(g.constant(1), x[0]);
  if (g.is_constant(x[1], 0.5)) return g.apply(Op::Sqrt, x[0]);
  return none;
}

// Whether a node is 0 or 1 by construction. The discrete leaves that logic is applied to are Booleans,
// because the model language is typed; an arithmetic expression need not be.
bool is_truth(const ExprGraph& g, NodeId id) {
  switch (g.node(id).op) {
    case Op::Discrete:
    case Op::Pre:
    case Op::Relation:
    case Op::Sample:
    case Op::Initial:
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::NotEqual:
    case Op::And:
    case Op::Or:
    case Op::Not:
      return true;
    default:
      return false;
  }
}

NodeId simplify_and(ExprGraph& g, Args x) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (!g.is_constant(x[i])) continue;
    if (g.node(x[i]).value == 0) return g.constant(0);
    return is_truth(g, x[1 - i]) ? x[1 - i] : none;
  }
  return x[0] == x[1] && is_truth(g, x[0]) ? x[0] : none;
}

NodeId simplify_or(ExprGraph& g, Args x) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (!g.is_constant(x[i])) continue;
    if (g.node(x[i]).value != 0) return g.constant(1);
    return is_truth(g, x[1 - i]) ? x[1 - i] : none;
  }
  return x[0] == x[1] && is_truth(g, x[0]) ? x[0] : none;
}

NodeId simplify_not(ExprGraph& g, Args x) {
  if (g.node(x[0]).op != Op::Not) return none;
  const NodeId inner(g.node(x[0]).args[0]);
  return is_truth(g, inner) ? inner : none;
}

// Only the branch taken counts, so choosing it changes nothing even when the other is not finite.
NodeId simplify_if(ExprGraph& g, Args x) {
  if (g.is_constant(x[0])) return g.node(x[0]).value != 0 ? x[1] : x[2];
  if (x[1] == x[2]) return x[1];
  return none;
}

NodeId simplify_one(ExprGraph& g, Op op, Args x) {
  switch (op) {
    case Op::Add:
      return simplify_add(g, x);
    case Op::Sub:
      return simplify_sub(g, x);
    case Op::Mul:
      return simplify_mul(g, x);
    case Op::Div:
      return simplify_div(g, x);
    case Op::Neg:
      return simplify_neg(g, x);
    case Op::Pow:
      return simplify_pow(g, x);
    case Op::And:
      return simplify_and(g, x);
    case Op::Or:
      return simplify_or(g, x);
    case Op::Not:
      return simplify_not(g, x);
    case Op::If:
      return simplify_if(g, x);
    default:
      return none;
  }
}

bool commutes(Op op) {
  return op == Op::Add || op == Op::Mul || op == Op::And || op == Op::Or || op == Op::Equal ||
         op == Op::NotEqual;
}

// A positive whole power of a finite value is finite.
bool finite_power(const ExprGraph& g, Args x) {
  const Node& exponent = g.node(x[1]);
  return exponent.op == Op::Constant && exponent.value >= 0 && exponent.value == std::floor(exponent.value);
}

}  // namespace

NodeId ExprGraph::simplify(Op op, std::span<const NodeId> args) {
  const OpInfo& row = info(op);
  assert(row.arity == static_cast<int>(args.size()));
  bool all_constant = true;
  bool finite = row.finite || (op == Op::Pow && finite_power(*this, args));
  for (const NodeId arg : args) {
    all_constant = all_constant && is_constant(arg);
    finite = finite && node(arg).finite;
  }
  if (all_constant) {
    const auto value = [&](std::size_t i) { return i < args.size() ? node(args[i]).value : 0; };
    const double folded = row.evaluate(value(0), value(1), value(2));
    if (std::isfinite(folded)) return constant(folded);
  }
  if (const NodeId simpler = simplify_one(*this, op, args); simpler.valid()) return simpler;
  Node made{.op = op,
            .arity = static_cast<std::uint8_t>(row.arity),
            .finite = finite,
            .args = {-1, -1, -1},
            .value = 0};
  for (std::size_t i = 0; i < args.size(); ++i) made.args[i] = args[i].value;
  if (commutes(op) && made.args[0] > made.args[1]) std::swap(made.args[0], made.args[1]);
  return intern(made);
}

}  // namespace daedalus
