#include <algorithm>
#include <unordered_map>

#include "systems/linear_rates.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

std::optional<EliminationPlan> LinearRates::elimination() const {
  if (symmetric_ == nullptr) return std::nullopt;
  using Turn = EliminationPlan::Turn;
  const ReformulatedSystem& system = *system_of_;
  const std::size_t n = system.unknowns.size();
  std::unordered_map<NodeId, int> column;  // of rates and of values
  std::unordered_map<NodeId, int> value_column;
  for (std::size_t k = 0; k < n; ++k) {
    const ReformUnknown& unknown = system.unknowns[k];
    column[unknown.rate.valid() ? unknown.rate : unknown.leaf] = static_cast<int>(k);
    value_column[unknown.leaf] = static_cast<int>(k);
  }
  EliminationPlan plan;
  plan.equation.assign(n, -1);
  plan.turn.assign(n, Turn::Late);
  plan.next.assign(n, -1);
  for (std::size_t k = 0; k < core_.unknowns.size(); ++k) {
    const auto c = at(column.at(core_.unknowns[k]));
    plan.equation[c] = core_.equations[k];
    plan.turn[c] = static_cast<int>(k) < first_ ? Turn::Top : Turn::Constraint;
  }
  for (const LinearCore::Assignment& assignment : core_.assignments) {
    const auto c = at(column.at(assignment.leaf));
    plan.equation[c] = assignment.equation;
    if (!system.unknowns[c].rate.valid()) continue;  // watched
    // x' = v: what stands on the right is an unknown itself.
    const auto next = value_column.find(assignment.value);
    plan.turn[c] = next == value_column.end() ? Turn::Top : Turn::Early;
    if (next != value_column.end()) plan.next[c] = next->second;
  }
  // x before x' before x''.
  std::vector<bool> follows(n, false);
  for (const int c : plan.next) {
    if (c >= 0) follows[at(c)] = true;
  }
  for (std::size_t c = 0; c < n; ++c) {
    for (auto e = static_cast<int>(c); !follows[c] && plan.turn[at(e)] == Turn::Early; e = plan.next[at(e)])
      plan.early.push_back(e);
  }
  const auto early = std::ranges::count(plan.turn, Turn::Early);
  if (static_cast<std::ptrdiff_t>(plan.early.size()) != early) return std::nullopt;
  if (std::ranges::find(plan.equation, -1) != plan.equation.end()) return std::nullopt;
  return plan;
}

}  // namespace daedalus
