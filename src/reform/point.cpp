#include "reform/point.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace daedalus {
namespace {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;
// Of one operation, in units of roundoff: library functions are right to one or two.
constexpr double operation_error = 4;

// A standard normal deviate that depends only on (seed, leaf): the same leaf gets the same value however
// the expressions are traversed.
double deviate(unsigned seed, std::int32_t id, std::int32_t order) {
  std::minstd_rand engine(seed + (7919U * static_cast<unsigned>(id)) +
                          (104729U * static_cast<unsigned>(order)));
  engine.discard(8);
  return std::normal_distribution<double>()(engine);
}

bool is_comparison(Op op) {
  return op == Op::Less || op == Op::LessEqual || op == Op::Equal || op == Op::NotEqual;
}

// Whole numbers and powers of two are what they say; any other constant was rounded when it was read.
double constant_error(double value) {
  constexpr double largest_whole = 1e9;  // that somebody counts: 6.02214076e23 was measured
  int exponent = 0;
  if (!std::isfinite(value) || std::abs(std::frexp(value, &exponent)) == 0.5) return 0;
  const bool whole = value == std::floor(value) && std::abs(value) < largest_whole;
  return whole ? 0 : operation_error * unit_roundoff * std::abs(value);
}

using Arguments = std::array<RoundedValue, 3>;

double applied(Op op, const std::array<double, 3>& x) {
  return info(op).evaluate(x[0], x[1], x[2]);
}

// How much the errors of the arguments move the value of an operation: by trying.
double handed_on(Op op, int arity, const Arguments& x, double value) {
  double sum = 0;
  for (int i = 0; i < arity; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (x[at].error == 0) continue;
    for (const double sign : {-1.0, 1.0}) {
      std::array<double, 3> moved{x[0].value, x[1].value, x[2].value};
      moved[at] += sign * x[at].error;
      const double change = std::abs(applied(op, moved) - value);
      if (std::isfinite(change)) sum = std::max(sum, change);
    }
  }
  return sum;
}

RoundedValue rounded(Op op, int arity, const Arguments& x) {
  const double value = applied(op, {x[0].value, x[1].value, x[2].value});
  const double own = operation_error * unit_roundoff * std::abs(value);
  switch (op) {
    case Op::Add:
    case Op::Sub:
      return {.value = value, .error = x[0].error + x[1].error + own};
    case Op::Mul:
      return {.value = value,
              .error = (std::abs(x[0].value) * x[1].error) + (std::abs(x[1].value) * x[0].error) + own};
    case Op::Neg:
      return {.value = value, .error = x[0].error};
    case Op::If:
      return x[0].value != 0 ? x[1] : x[2];
    case Op::Sign:
    case Op::Floor:
    case Op::Ceil:
    case Op::And:
    case Op::Or:
    case Op::Not:
      return {.value = value, .error = 0};
    default:
      return {.value = value, .error = handed_on(op, arity, x, value) + own};
  }
}

}  // namespace

bool RoundedValue::vanishes() const {
  return std::abs(value) <= error;
}

SamplePoint::SamplePoint(const DaeSystem& system, double shake, unsigned seed, Branches branches)
    : system_(&system), shake_(shake), seed_(seed), branches_(branches) {}

double SamplePoint::scale(std::int32_t variable) const {
  const Variable& v = system_->variables[static_cast<std::size_t>(variable)];
  if (v.has_nominal && v.nominal != 0) return std::abs(v.nominal);
  return v.start != 0 && std::isfinite(v.start) ? std::abs(v.start) : 1;
}

double SamplePoint::leaf(NodeId id) const {
  const Node& node = system_->graph->node(id);
  const double noise = shake_ == 0 ? 0 : shake_ * deviate(seed_, node.args[0], node.args[1]);
  switch (node.op) {
    case Op::Time:
      return system_->experiment.start_time + (shake_ == 0 ? 0 : std::abs(noise));
    case Op::Variable: {
      const Variable& variable = system_->variables[static_cast<std::size_t>(node.args[0])];
      if (node.args[1] > 0) return noise * scale(node.args[0]);
      return variable.start + (noise * scale(node.args[0]));
    }
    case Op::Discrete:
    case Op::Pre: {
      const Variable& variable = system_->variables[static_cast<std::size_t>(node.args[0])];
      if (shake_ == 0) return variable.start;
      const bool truth = variable.kind == VariableKind::Boolean ||
                         (is_given(variable.kind) && variable.type == ValueType::Boolean);
      if (truth) return noise > 0 ? 1 : 0;
      // Whatever is true of a parameter's present value alone is an accident: it can be set.
      const bool whole = variable.kind == VariableKind::Integer ||
                         (is_given(variable.kind) && variable.type == ValueType::Integer);
      return whole ? variable.start : variable.start + (noise * scale(node.args[0]));
    }
    case Op::Relation: {
      if (shake_ != 0 && branches_ == Branches::Random) return noise > 0 ? 1 : 0;
      const Relation& relation = system_->relations[static_cast<std::size_t>(node.args[0])];
      const double g = daedalus::evaluate(*system_->graph, relation.difference, [&](NodeId inner) {
        return system_->graph->node(inner).op == Op::Relation ? 0.0 : leaf(inner);
      });
      return g > 0 || (g == 0 && !relation.strict) ? 1 : 0;
    }
    default:
      return 0;
  }
}

// The two sides as if one were larger by chance, the same in every comparison of the two.
double SamplePoint::comparison(const Node& node, double a, double b) const {
  const std::int32_t low = std::min(node.args[0], node.args[1]);
  const std::int32_t high = std::max(node.args[0], node.args[1]);
  const bool low_is_larger = deviate(seed_, low, high) > 0;
  const bool first_is_larger = low_is_larger == (node.args[0] == low);
  if (!std::isfinite(a) || !std::isfinite(b)) return info(node.op).evaluate(a, b, 0);
  return info(node.op).evaluate(first_is_larger ? 1 : 0, first_is_larger ? 0 : 1, 0);
}

std::vector<double> SamplePoint::evaluate(const std::vector<NodeId>& roots) const {
  Traversal below;
  below.run(*system_->graph, roots);
  std::vector<double> values;
  values.reserve(roots.size());
  for (const RoundedValue& v : evaluate(roots, below)) values.push_back(v.value);
  return values;
}

std::vector<RoundedValue> SamplePoint::evaluate(const std::vector<NodeId>& roots,
                                                const Traversal& below) const {
  const ExprGraph& graph = *system_->graph;
  const bool random = branches_ == Branches::Random && shake_ != 0;
  std::vector<RoundedValue> value;  // by position
  value.reserve(below.order().size());
  for (const NodeId id : below.order()) {
    const Node& node = graph.node(id);
    if (node.op == Op::Constant) {
      value.push_back({.value = node.value, .error = constant_error(node.value)});
      continue;
    }
    if (node.arity == 0) {
      value.push_back({.value = leaf(id), .error = 0});
      continue;
    }
    Arguments x{};
    for (std::size_t i = 0; i < node.arity; ++i) x[i] = value[below.position(NodeId(node.args[i]))];
    if (random && is_comparison(node.op)) {
      value.push_back({.value = comparison(node, x[0].value, x[1].value), .error = 0});
    } else if (random && node.op == Op::Sign && std::isfinite(x[0].value)) {
      value.push_back({.value = deviate(seed_, node.args[0], -1) > 0 ? 1.0 : -1.0, .error = 0});
    } else {
      value.push_back(rounded(node.op, node.arity, x));
    }
  }
  std::vector<RoundedValue> results;
  results.reserve(roots.size());
  for (const NodeId root : roots) results.push_back(value[below.position(root)]);
  return results;
}

bool has_branches(const ExprGraph& graph, const Traversal& below) {
  return std::ranges::any_of(below.order(), [&](NodeId id) {
    const Op op = graph.node(id).op;
    return op == Op::Relation || op == Op::Sample || op == Op::Initial || op == Op::Discrete ||
           op == Op::Pre || op == Op::Sign || op == Op::Floor || op == Op::Ceil || op == Op::If ||
           op == Op::Min || op == Op::Max || is_comparison(op);
  });
}

}  // namespace daedalus
