#include "reform/point.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace daedalus {
namespace {

// A standard normal deviate that depends only on (seed, leaf): the same leaf gets the same value however
// the expressions are traversed.
double deviate(unsigned seed, std::int32_t id, std::int32_t order) {
  std::minstd_rand engine(seed + (7919U * static_cast<unsigned>(id)) +
                          (104729U * static_cast<unsigned>(order)));
  engine.discard(8);
  return std::normal_distribution<double>()(engine);
}

}  // namespace

SamplePoint::SamplePoint(const DaeSystem& system, double shake, unsigned seed)
    : system_(&system), shake_(shake), seed_(seed) {}

double SamplePoint::leaf(NodeId id) const {
  const Node& node = system_->graph->node(id);
  const double noise = shake_ == 0 ? 0 : shake_ * deviate(seed_, node.args[0], node.args[1]);
  switch (node.op) {
    case Op::Time:
      return system_->experiment.start_time + (shake_ == 0 ? 0 : std::abs(noise));
    case Op::Variable: {
      const Variable& variable = system_->variables[static_cast<std::size_t>(node.args[0])];
      if (node.args[1] > 0) return noise;
      const double scale = variable.has_nominal ? variable.nominal : std::max(1.0, std::abs(variable.start));
      return variable.start + (noise * scale);
    }
    case Op::Discrete:
    case Op::Pre: {
      const Variable& variable = system_->variables[static_cast<std::size_t>(node.args[0])];
      return shake_ != 0 && variable.kind == VariableKind::Boolean ? (noise > 0 ? 1 : 0) : variable.start;
    }
    case Op::Relation: {
      if (shake_ != 0) return noise > 0 ? 1 : 0;
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

std::vector<double> SamplePoint::evaluate(const std::vector<NodeId>& roots) const {
  Traversal below;
  below.run(*system_->graph, roots);
  return evaluate(roots, below);
}

std::vector<double> SamplePoint::evaluate(const std::vector<NodeId>& roots, const Traversal& below) const {
  const ExprGraph& graph = *system_->graph;
  std::vector<double> value;  // by position
  value.reserve(below.order().size());
  for (const NodeId id : below.order()) {
    const Node& node = graph.node(id);
    if (node.op == Op::Constant) {
      value.push_back(node.value);
    } else if (node.arity == 0) {
      value.push_back(leaf(id));
    } else {
      std::array<double, 3> x{};
      for (std::size_t i = 0; i < node.arity; ++i) x[i] = value[below.position(NodeId(node.args[i]))];
      value.push_back(info(node.op).evaluate(x[0], x[1], x[2]));
    }
  }
  std::vector<double> results;
  results.reserve(roots.size());
  for (const NodeId root : roots) results.push_back(value[below.position(root)]);
  return results;
}

}  // namespace daedalus
