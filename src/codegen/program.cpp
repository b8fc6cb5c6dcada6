#include "codegen/program.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <unordered_map>

namespace daedalus {

Program Program::compile(const ExprGraph& graph, std::span<const NodeId> roots, int slots,
                         const LeafSlot& slot_of) {
  Program program;
  program.slots_ = slots;
  struct Operation {
    NodeId id;
    int level;
  };
  std::vector<Operation> operations;
  std::unordered_map<NodeId, std::int32_t> place;  // register; for operations first the level
  for (const NodeId id : topological_order(graph, roots)) {
    const Node& node = graph.node(id);
    if (node.op == Op::Constant) {
      place[id] = slots + static_cast<std::int32_t>(program.constants_.size());
      program.constants_.push_back(node.value);
    } else if (node.arity == 0) {
      place[id] = slot_of(id);
      assert(place[id] >= 0 && place[id] < slots);
    } else {
      int level = 0;
      for (std::size_t i = 0; i < node.arity; ++i) {
        const NodeId child(node.args[i]);
        if (graph.node(child).arity > 0) level = std::max(level, place.at(child) + 1);
      }
      place[id] = level;
      operations.push_back({id, level});
    }
  }
  std::stable_sort(operations.begin(), operations.end(), [&](const Operation& x, const Operation& y) {
    return std::pair(x.level, graph.node(x.id).op) < std::pair(y.level, graph.node(y.id).op);
  });
  const auto first = static_cast<std::int32_t>(static_cast<std::size_t>(slots) + program.constants_.size());
  for (std::size_t k = 0; k < operations.size(); ++k) {
    const Node& node = graph.node(operations[k].id);
    const auto at = static_cast<std::uint32_t>(k);
    const bool joins =
        k > 0 && operations[k].level == operations[k - 1].level && program.groups_.back().op == node.op;
    if (!joins) program.groups_.push_back({node.op, at, at});
    program.groups_.back().end = at + 1;
    place[operations[k].id] = first + static_cast<std::int32_t>(k);
    const auto argument = [&](std::size_t i) { return i < node.arity ? place.at(NodeId(node.args[i])) : 0; };
    program.a_.push_back(argument(0));
    program.b_.push_back(argument(1));
    program.c_.push_back(argument(2));
  }
  program.registers_ = static_cast<std::size_t>(first) + operations.size();
  for (const NodeId root : roots) program.outputs_.push_back(place.at(root));
  return program;
}

void Program::evaluate(std::span<const double> environment, std::span<double> results,
                       std::vector<double>& workspace) const {
  assert(environment.size() >= static_cast<std::size_t>(slots_) && results.size() >= outputs_.size());
  if (workspace.size() < registers_ + 1) workspace.resize(registers_ + 1);
  double* const value = workspace.data();
  std::copy_n(environment.data(), slots_, value);
  std::copy(constants_.begin(), constants_.end(), value + slots_);
  double* const out = value + static_cast<std::size_t>(slots_) + constants_.size();
  for (const Group& group : groups_) {
    const auto apply = info(group.op).evaluate;
    for (std::uint32_t k = group.begin; k < group.end; ++k)
      out[k] = apply(value[a_[k]], value[b_[k]], value[c_[k]]);
  }
  for (std::size_t k = 0; k < outputs_.size(); ++k) results[k] = value[outputs_[k]];
}

std::size_t Program::operations() const {
  return a_.size();
}

}  // namespace daedalus
