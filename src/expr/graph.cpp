#include "expr/graph.hpp"

#include <bit>
#include <cassert>
#include <cmath>

namespace daedalus {
namespace {

// The shift before the product brings the high bits down, which are all that round numbers have.
std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v;
  h = (h ^ (h >> 32)) * 0x9E3779B97F4A7C15ULL;
  return h ^ (h >> 29);
}

std::uint64_t hash(const Node& n) {
  std::uint64_t h = static_cast<std::uint64_t>(n.op) + 1;
  for (const std::int32_t arg : n.args) h = mix(h, static_cast<std::uint32_t>(arg));
  return mix(h, std::bit_cast<std::uint64_t>(n.value));
}

// Bitwise, so that a NaN equals itself.
bool same(const Node& a, const Node& b) {
  return a.op == b.op && a.args == b.args &&
         std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
}

}  // namespace

ExprGraph::ExprGraph() : table_(1024, -1) {}

void ExprGraph::grow() {
  std::vector<std::int32_t> table(table_.size() * 2, -1);
  const std::size_t mask = table.size() - 1;
  for (std::size_t id = 0; id < nodes_.size(); ++id) {
    std::size_t slot = hash(nodes_[id]) & mask;
    while (table[slot] >= 0) slot = (slot + 1) & mask;
    table[slot] = static_cast<std::int32_t>(id);
  }
  table_ = std::move(table);
}

NodeId ExprGraph::intern(const Node& node) {
  if (nodes_.size() * 2 >= table_.size()) grow();
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash(node) & mask;
  while (table_[slot] >= 0) {
    if (same(nodes_[static_cast<std::size_t>(table_[slot])], node)) return NodeId(table_[slot]);
    slot = (slot + 1) & mask;
  }
  nodes_.push_back(node);
  table_[slot] = static_cast<std::int32_t>(nodes_.size()) - 1;
  return NodeId(table_[slot]);
}

NodeId ExprGraph::leaf(Op op, std::int32_t id, std::int32_t order) {
  return intern({.op = op, .arity = 0, .finite = true, .args = {id, order, -1}, .value = 0});
}

NodeId ExprGraph::constant(double value) {
  const bool finite = std::isfinite(value);
  const double unsigned_zero = value == 0 ? 0 : value;  // there is one zero only (simplify.cpp)
  return intern({.op = Op::Constant, .arity = 0, .finite = finite, .args = {-1, -1, -1}, .value = unsigned_zero});
}

NodeId ExprGraph::time() {
  return leaf(Op::Time, -1);
}
NodeId ExprGraph::variable(VariableId v, int order) {
  assert(v.valid() && order >= 0);
  return leaf(Op::Variable, v.value, order);
}
NodeId ExprGraph::discrete(VariableId v) {
  return leaf(Op::Discrete, v.value);
}
NodeId ExprGraph::pre(VariableId v) {
  return leaf(Op::Pre, v.value);
}
NodeId ExprGraph::relation(RelationId r) {
  return leaf(Op::Relation, r.value);
}
NodeId ExprGraph::sample(SampleId s) {
  return leaf(Op::Sample, s.value);
}
NodeId ExprGraph::initial() {
  return leaf(Op::Initial, -1);
}

NodeId ExprGraph::apply(Op op, NodeId a) {
  return simplify(op, std::array{a});
}
NodeId ExprGraph::apply(Op op, NodeId a, NodeId b) {
  return simplify(op, std::array{a, b});
}
NodeId ExprGraph::apply(Op op, NodeId a, NodeId b, NodeId c) {
  return simplify(op, std::array{a, b, c});
}

}  // namespace daedalus
