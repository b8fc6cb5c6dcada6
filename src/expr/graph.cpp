#include "expr/graph.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace daedalus {
namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v;
  h *= 0x9E3779B97F4A7C15ULL;
  return h ^ (h >> 29);
}

constexpr std::size_t bucket_size = 8;  // slots of 8 bytes in a line of 64

std::uint32_t hash(const Node& n) {
  std::uint64_t h = static_cast<std::uint64_t>(n.op) + 1;
  for (const std::int32_t arg : n.args) h = mix(h, static_cast<std::uint32_t>(arg));
  h = mix(h, std::bit_cast<std::uint64_t>(n.value));
  return static_cast<std::uint32_t>(h ^ (h >> 32));  // the high bits are all in which round numbers differ
}

// Bitwise, so that a NaN equals itself.
bool same(const Node& a, const Node& b) {
  return a.op == b.op && a.args == b.args &&
         std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
}

}  // namespace

ExprGraph::ExprGraph() : table_(1024) {}

// The slot that holds the node, or the free one that it belongs in. Nodes made one after another are looked
// up one after another, so a node's first choice is a bucket, one line of the cache, found from its newest
// argument; in a large graph a place found from the hash alone would be a miss each time. Should the
// bucket be full, the hash decides. Nothing is ever removed, so a bucket that was full stays full.
std::size_t ExprGraph::slot_of(const Node& node, std::uint32_t h) const {
  const std::size_t mask = table_.size() - 1;
  const auto matches = [&](std::size_t slot) {
    return table_[slot].id < 0 ||
           (table_[slot].hash == h && same(nodes_[static_cast<std::size_t>(table_[slot].id)], node));
  };
  const auto newest =
      static_cast<std::size_t>(static_cast<std::uint32_t>(*std::ranges::max_element(node.args)));
  const std::size_t bucket = (newest / 2 * bucket_size) & mask;
  for (std::size_t slot = bucket; slot < bucket + bucket_size; ++slot) {
    if (matches(slot)) return slot;
  }
  // Full buckets may lie side by side; steps of the hash's own leave them behind where steps of one would
  // not.
  const std::size_t step = std::rotl(h, 16) | 1U;
  std::size_t slot = h & mask;
  while (!matches(slot)) slot = (slot + step) & mask;
  return slot;
}

void ExprGraph::grow() {
  LargeVector<Slot> old(table_.size() * 2);
  std::swap(old, table_);
  for (std::size_t id = 0; id < nodes_.size(); ++id) {
    const std::uint32_t h = hash(nodes_[id]);
    table_[slot_of(nodes_[id], h)] = {static_cast<std::int32_t>(id), h};
  }
}

NodeId ExprGraph::intern(const Node& node) {
  if (nodes_.size() * 2 >= table_.size() && !frozen()) grow();
  const std::uint32_t h = hash(node);
  Slot& slot = table_[slot_of(node, h)];
  if (slot.id < 0) {
    if (frozen()) throw GraphFrozen();
    slot = {static_cast<std::int32_t>(nodes_.size()), h};
    nodes_.push_back(node);
  }
  return NodeId(slot.id);
}

NodeId ExprGraph::leaf(Op op, std::int32_t id, std::int32_t order) {
  return intern({.op = op, .arity = 0, .finite = true, .args = {id, order, -1}, .value = 0});
}

NodeId ExprGraph::constant(double value) {
  const bool finite = std::isfinite(value);
  const double unsigned_zero = value == 0 ? 0 : value;  // there is one zero only (simplify.cpp)
  return intern(
      {.op = Op::Constant, .arity = 0, .finite = finite, .args = {-1, -1, -1}, .value = unsigned_zero});
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
