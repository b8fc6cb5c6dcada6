#include "saddle/straight_line_system.hpp"

#include <cmath>
#include <unordered_map>

#include "expr/graph.hpp"
#include "numerics/elimination.hpp"
#include "numerics/vectors.hpp"
#include "saddle/elimination.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Beyond so many operations, or unknowns, a loop over panels is as good.
constexpr std::size_t operation_limit = 4000;
constexpr int size_limit = 40;

}  // namespace

std::unique_ptr<StraightLineSystem> StraightLineSystem::make(const SaddleEquations& equations,
                                                             const ProgramSetting& setting,
                                                             PanelSystem& whole,
                                                             const Sequel::Given& sequel) {
  if (whole.size() > size_limit) return nullptr;
  ExprGraph& graph = equations.graph;
  const std::span<const int> order = whole.order();
  const std::vector<int> position = inverse_permutation(order);
  const std::vector<EliminationEntry> lower = lower_entries(equations.matrix, position);
  const auto ldl = SymbolicLdl::factor(graph, whole.size(), lower, operation_limit);
  if (!ldl) return nullptr;
  std::vector<NodeId> b;
  for (const int k : order) b.push_back(equations.rhs[at(k)]);
  const std::vector<NodeId> by_position = ldl->solve(graph, b);
  std::vector<NodeId> solution;
  for (const int k : position) solution.push_back(by_position[at(k)]);

  std::unique_ptr<StraightLineSystem> made(new StraightLineSystem(graph, setting, std::move(whole)));
  made->setting_.codegen.often = true;
  for (int i = equations.first; i < made->whole_.size(); ++i)
    made->pivot_nodes_.push_back(ldl->pivots()[at(position[at(i)])]);
  std::unordered_map<NodeId, NodeId> known;
  for (std::size_t i = 0; i < sequel.unknowns.size(); ++i) known[sequel.unknowns[i]] = solution[i];
  if (!sequel.nodes.empty()) {
    made->sequel_ = Sequel(Program::compile(graph, substitute(graph, sequel.nodes, known), made->setting_));
    made->has_sequel_ = true;
  }
  made->solution_at_ = Program::compile(graph, solution, made->setting_);
  made->solution_nodes_ = std::move(solution);
  made->whole_.compile();
  return made;
}

std::unique_ptr<SaddleSystem> StraightLineSystem::copy() const {
  return std::unique_ptr<SaddleSystem>(new StraightLineSystem(*this));
}

bool StraightLineSystem::solve_at(std::span<const double> environment) {
  solution_at_.evaluate(environment, solution_, workspace_);
  return all_finite(solution_);
}

void StraightLineSystem::prepare_pivots() {
  if (pivot_nodes_.empty()) return;
  pivots_at_ = Program::compile(*graph_, pivot_nodes_, setting_);
}

// One that is zero is as near to losing rank as can be, but no reason to know nothing of the others.
bool StraightLineSystem::pivots_at(std::span<const double> environment, std::span<double> pivots) {
  if (pivots_at_.roots() == 0) return whole_.pivots_at(environment, pivots);
  pivots_at_.evaluate(environment, pivots, pivot_workspace_);
  for (double& pivot : pivots) pivot = std::abs(pivot);
  return all_finite(pivots);
}

}  // namespace daedalus
