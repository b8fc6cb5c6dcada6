#include "expr/rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "expr/op.hpp"
#include "expr/traverse.hpp"

namespace daedalus {
namespace {

constexpr double unit = std::numeric_limits<double>::epsilon() / 2;
// Step of the quotients for the slope of a function: the square root of rounding, as half the digits of a
// slope are enough for a bound, in units of the argument, but not below a value that a zero may stand for.
constexpr double slope_step = 1e-8;
constexpr double least_argument = 1e-3;

using Arguments = std::array<double, 3>;

double slope(Op op, const Arguments& x, std::size_t i) {
  switch (op) {
    case Op::Add:
    case Op::Sub:
    case Op::Neg:
      return 1;
    case Op::Mul:
      return std::abs(x[1 - i]);
    case Op::Div:
      return i == 0 ? std::abs(1 / x[1]) : std::abs(x[0] / (x[1] * x[1]));
    default:
      break;
  }
  const double h = slope_step * std::max(std::abs(x[i]), least_argument);
  Arguments moved = x;
  moved[i] += h;
  const double change = info(op).evaluate(moved[0], moved[1], moved[2]) - info(op).evaluate(x[0], x[1], x[2]);
  return std::abs(change / h);
}

// A value that jumps or is a truth has no rounding error.
bool is_piecewise_constant(Op op) {
  switch (op) {
    case Op::Sign:
    case Op::Floor:
    case Op::Ceil:
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

}  // namespace

std::vector<Rounded> evaluate_rounded(const ExprGraph& graph, std::span<const NodeId> roots,
                                      const std::function<double(NodeId)>& leaf) {
  Traversal traversal;
  traversal.run(graph, roots);
  std::vector<double> value(traversal.order().size());
  std::vector<double> error(value.size(), 0);
  for (std::size_t k = 0; k < value.size(); ++k) {
    const NodeId id = traversal.order()[k];
    const Node& node = graph.node(id);
    if (node.arity == 0) {
      value[k] = node.op == Op::Constant ? node.value : leaf(id);
      error[k] = unit * std::abs(value[k]);
      continue;
    }
    Arguments x{};
    std::array<std::size_t, 3> at{};
    for (std::size_t i = 0; i < node.arity; ++i) {
      at[i] = traversal.position(NodeId(node.args[i]));
      x[i] = value[at[i]];
    }
    value[k] = info(node.op).evaluate(x[0], x[1], x[2]);
    if (is_piecewise_constant(node.op)) continue;
    error[k] = unit * std::abs(value[k]);
    for (std::size_t i = 0; i < node.arity; ++i) {
      if (error[at[i]] > 0) error[k] += slope(node.op, x, i) * error[at[i]];
    }
  }
  std::vector<Rounded> rounded;
  for (const NodeId root : roots) {
    const std::size_t k = traversal.position(root);
    rounded.push_back({.value = value[k], .error = std::isfinite(error[k]) ? error[k] : 0});
  }
  return rounded;
}

}  // namespace daedalus
