#include "model/discrete_order.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace daedalus {
namespace {

class Components {
 public:
  explicit Components(const std::vector<std::vector<std::int32_t>>& needs)
      : needs_(needs), number_(needs.size(), -1), low_(needs.size()), on_stack_(needs.size(), false) {}

  std::vector<std::int32_t> order() {
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      if (number_[i] < 0) visit(static_cast<std::int32_t>(i));
    }
    return std::move(order_);
  }

 private:
  struct Level {
    std::int32_t node;
    std::size_t next;
  };

  void enter(std::int32_t node) {
    const auto at = static_cast<std::size_t>(node);
    number_[at] = low_[at] = count_++;
    on_stack_[at] = true;
    component_.push_back(node);
    levels_.push_back({node, 0});
  }

  void visit(std::int32_t root) {
    enter(root);
    while (!levels_.empty()) {
      Level& top = levels_.back();
      const auto at = static_cast<std::size_t>(top.node);
      if (top.next < needs_[at].size()) {
        const std::int32_t need = needs_[at][top.next++];
        const auto other = static_cast<std::size_t>(need);
        if (number_[other] < 0) {
          enter(need);
        } else if (on_stack_[other]) {
          low_[at] = std::min(low_[at], number_[other]);
        }
        continue;
      }
      const std::int32_t node = top.node;
      levels_.pop_back();
      if (!levels_.empty()) {
        auto& parent = low_[static_cast<std::size_t>(levels_.back().node)];
        parent = std::min(parent, low_[at]);
      }
      if (low_[at] == number_[at]) close(node);
    }
  }

  void close(std::int32_t root) {
    const auto begin = static_cast<std::ptrdiff_t>(order_.size());
    std::int32_t node = -1;
    do {
      node = component_.back();
      component_.pop_back();
      on_stack_[static_cast<std::size_t>(node)] = false;
      order_.push_back(node);
    } while (node != root);
    std::sort(order_.begin() + begin, order_.end());
  }

  const std::vector<std::vector<std::int32_t>>& needs_;
  std::vector<std::int32_t> number_;
  std::vector<std::int32_t> low_;
  std::vector<bool> on_stack_;
  std::vector<std::int32_t> component_;
  std::vector<Level> levels_;
  std::vector<std::int32_t> order_;
  std::int32_t count_ = 0;
};

struct StepNeeds {
  std::vector<NodeId> roots;
  std::vector<VariableId> targets;
};

StepNeeds needs_of(const DiscreteStep& step) {
  StepNeeds needs;
  if (const auto* assignment = std::get_if<Assignment>(&step)) {
    needs.roots.push_back(assignment->value);
    needs.targets.push_back(assignment->target);
    return needs;
  }
  for (const WhenBranch& branch : std::get<WhenClause>(step).branches) {
    needs.roots.insert(needs.roots.end(), branch.conditions.begin(), branch.conditions.end());
    for (const Assignment& a : branch.assignments) {
      needs.roots.push_back(a.value);
      needs.targets.push_back(a.target);
    }
    for (const Assignment& a : branch.reinits) needs.roots.push_back(a.value);
  }
  return needs;
}

}  // namespace

std::vector<std::int32_t> ordered(const std::vector<std::vector<std::int32_t>>& needs) {
  return Components(needs).order();
}

std::vector<VariableId> discrete_needs(const DaeSystem& system, std::span<const NodeId> roots) {
  std::vector<VariableId> needs;
  std::vector<NodeId> pending(roots.begin(), roots.end());
  std::unordered_set<std::size_t> seen;  // relations
  while (!pending.empty()) {
    const std::vector<NodeId> now = std::move(pending);
    pending.clear();
    for (const NodeId id : topological_order(*system.graph, now)) {
      const Node& node = system.graph->node(id);
      if (node.op == Op::Discrete) needs.emplace_back(node.args[0]);
      if (node.op != Op::Relation) continue;
      const auto relation = static_cast<std::size_t>(node.args[0]);
      if (seen.insert(relation).second) pending.push_back(system.relations[relation].difference);
    }
  }
  std::ranges::sort(needs);
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  return needs;
}

std::vector<DiscreteStep> sorted_steps(const DaeSystem& system, std::vector<DiscreteStep> steps) {
  std::vector<StepNeeds> all;
  std::unordered_map<VariableId, std::int32_t> step_of;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    all.push_back(needs_of(steps[i]));
    for (const VariableId id : all.back().targets) step_of.emplace(id, static_cast<std::int32_t>(i));
  }
  std::vector<std::vector<std::int32_t>> needs(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const VariableId id : discrete_needs(system, all[i].roots)) {
      const auto found = step_of.find(id);
      if (found != step_of.end() && found->second != static_cast<std::int32_t>(i))
        needs[i].push_back(found->second);
    }
  }
  std::vector<DiscreteStep> sorted;
  sorted.reserve(steps.size());
  for (const std::int32_t i : ordered(needs)) sorted.push_back(std::move(steps[static_cast<std::size_t>(i)]));
  return sorted;
}

void sort_assignments(const DaeSystem& system, std::vector<Assignment>& assignments) {
  if (assignments.size() < 2) return;
  std::unordered_map<VariableId, std::int32_t> step;
  for (std::size_t i = 0; i < assignments.size(); ++i)
    step.emplace(assignments[i].target, static_cast<std::int32_t>(i));
  std::vector<std::vector<std::int32_t>> needs(assignments.size());
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    for (const VariableId id : discrete_needs(system, std::span(&assignments[i].value, 1))) {
      const auto found = step.find(id);
      if (found != step.end() && found->second != static_cast<std::int32_t>(i))
        needs[i].push_back(found->second);
    }
  }
  std::vector<Assignment> sorted;
  for (const std::int32_t i : ordered(needs)) sorted.push_back(assignments[static_cast<std::size_t>(i)]);
  assignments = std::move(sorted);
}

}  // namespace daedalus
