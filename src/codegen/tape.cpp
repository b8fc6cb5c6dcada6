#include "codegen/tape.hpp"

#include <cassert>
#include <limits>

#include "expr/traverse.hpp"

namespace daedalus {

Tape Tape::write(const ExprGraph& graph, std::span<const NodeId> roots, int slots, const LeafSlot& slot_of) {
  Traversal traversal;
  traversal.run(graph, roots);
  const std::vector<NodeId>& order = traversal.order();
  assert(order.size() < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()));
  Tape tape;
  tape.slots = static_cast<std::size_t>(slots);
  // Numbers within their kind first; a kind's place among the values is known when all are counted.
  std::vector<std::int32_t> number(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Node& node = graph.node(order[k]);
    if (node.op == Op::Constant) {
      number[k] = static_cast<std::int32_t>(tape.constants.size());
      tape.constants.push_back(node.value);
    } else if (node.arity == 0) {
      const int slot = slot_of(order[k]);
      assert(slot >= 0 && slot < slots);
      number[k] = static_cast<std::int32_t>(tape.leaf_slots.size());
      tape.leaf_slots.push_back(slot);
    }
  }
  const auto first_leaf = static_cast<std::int32_t>(tape.first_leaf());
  auto next_result = static_cast<std::int32_t>(tape.first_result());
  tape.operations.reserve(order.size() - static_cast<std::size_t>(next_result));
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Node& node = graph.node(order[k]);
    if (node.op == Op::Constant) continue;
    if (node.arity == 0) {
      number[k] += first_leaf;
      continue;
    }
    Operation operation{.op = node.op, .arity = node.arity};
    for (std::size_t i = 0; i < node.arity; ++i)
      operation.args[i] = number[traversal.position(NodeId(node.args[i]))];
    number[k] = next_result++;
    tape.operations.push_back(operation);
  }
  for (const NodeId root : roots) {
    tape.destinations.push_back(static_cast<std::int32_t>(tape.roots.size()));
    tape.roots.push_back(number[traversal.position(root)]);
  }
  return tape;
}

Tape Tape::part(std::size_t begin, std::size_t end) const {
  std::vector<std::int32_t> number(values(), -1);  // in the part; 0: needed, while numbers are not given yet
  for (std::size_t k = begin; k < end; ++k) number[static_cast<std::size_t>(roots[k])] = 0;
  for (std::size_t k = operations.size(); k-- > 0;) {
    if (number[first_result() + k] < 0) continue;
    for (const std::int32_t value : operations[k].arguments()) number[static_cast<std::size_t>(value)] = 0;
  }
  Tape made;
  made.constants = constants;
  made.slots = slots;
  std::int32_t next = 0;
  for (std::size_t v = 0; v < first_result(); ++v) {
    const bool is_leaf = v >= first_leaf();
    if (is_leaf && number[v] < 0) continue;
    number[v] = next++;
    if (is_leaf) made.leaf_slots.push_back(leaf_slots[v - first_leaf()]);
  }
  for (std::size_t k = 0; k < operations.size(); ++k) {
    if (number[first_result() + k] < 0) continue;
    Operation operation = operations[k];
    for (std::size_t i = 0; i < operation.arity; ++i)
      operation.args[i] = number[static_cast<std::size_t>(operation.args[i])];
    number[first_result() + k] = next++;
    made.operations.push_back(operation);
  }
  for (std::size_t k = begin; k < end; ++k) {
    made.roots.push_back(number[static_cast<std::size_t>(roots[k])]);
    made.destinations.push_back(destinations[k]);
  }
  return made;
}

void Tape::compute(std::span<const double> environment, std::vector<double>& all) const {
  all.resize(values());
  std::ranges::copy(constants, all.begin());
  for (std::size_t l = 0; l < leaf_slots.size(); ++l)
    all[first_leaf() + l] = environment[static_cast<std::size_t>(leaf_slots[l])];
  std::size_t out = first_result();
  for (const Operation& operation : operations) {
    const auto value = [&](std::size_t i) {
      return i < operation.arity ? all[static_cast<std::size_t>(operation.args[i])] : 0.0;
    };
    all[out++] = info(operation.op).evaluate(value(0), value(1), value(2));
  }
}

}  // namespace daedalus
