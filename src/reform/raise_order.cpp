#include "reform/raise_order.hpp"

#include <cstdint>
#include <optional>
#include <ranges>

#include "expr/traverse.hpp"
#include "reform/system_expressions.hpp"

namespace daedalus {
namespace {

// sign * x^(order)
struct Term {
  VariableId variable;
  int order = 0;
  double sign = 1;
};

std::optional<Term> as_term(const ExprGraph& graph, NodeId id) {
  double sign = 1;
  if (graph.node(id).op == Op::Neg) {
    sign = -1;
    id = NodeId(graph.node(id).args[0]);
  }
  if (graph.node(id).op != Op::Variable) return std::nullopt;
  return Term{.variable = graph.variable_of(id), .order = graph.order_of(id), .sign = sign};
}

// A forest of eliminated variables: parent[v] says what v equals; roots are kept.
class Forest {
 public:
  explicit Forest(std::size_t variables) : parent_(variables) {}

  // What a level equals in terms of kept variables; paths are shortened on the way.
  Term find(Term level) {
    path_.clear();
    for (VariableId v = level.variable; gone(v); v = parent_[v.at()].variable) path_.push_back(v);
    // From the root's side: each entry then needs one step only.
    for (const VariableId v : std::views::reverse(path_)) {
      const Term& up = parent_[v.at()];
      if (gone(up.variable)) parent_[v.at()] = step(up);
    }
    return gone(level.variable) ? step(level) : level;
  }

  void eliminate(VariableId v, Term by) { parent_[v.at()] = by; }
  [[nodiscard]] bool gone(VariableId v) const { return parent_[v.at()].variable.valid(); }

 private:
  [[nodiscard]] Term step(Term at) const {
    const Term& up = parent_[at.variable.at()];
    return {.variable = up.variable, .order = up.order + at.order, .sign = up.sign * at.sign};
  }
  std::vector<Term> parent_;
  std::vector<VariableId> path_;
};

// By variable: in how many equations it occurs, at any order; 2 stands for more. So nothing is looked at for
// a third time.
std::vector<int> count_occurrences(const DaeSystem& system) {
  constexpr std::uint8_t often = 2;
  const ExprGraph& graph = *system.graph;
  std::vector<int> count(system.variables.size(), 0);
  std::vector<int> last(system.variables.size(), -1);
  std::vector<std::uint8_t> seen(graph.size(), 0);  // by node: in how many equations
  std::vector<int> last_seen(graph.size(), -1);
  std::vector<NodeId> open;
  for (int i = 0; i < std::ssize(system.equations); ++i) {
    open.assign(1, system.equations[static_cast<std::size_t>(i)].residual);
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (seen[id.at()] == often || last_seen[id.at()] == i) continue;
      ++seen[id.at()];
      last_seen[id.at()] = i;
      const Node& node = graph.node(id);
      for (std::size_t k = 0; k < node.arity; ++k) open.emplace_back(node.args[k]);
      if (node.op != Op::Variable) continue;
      const std::size_t v = graph.variable_of(id).at();
      if (last[v] == i || count[v] == often) continue;
      last[v] = i;
      ++count[v];
    }
  }
  return count;
}

// By variable: it occurs differentiated.
std::vector<bool> find_differentiated(const DaeSystem& system) {
  std::vector<bool> result(system.variables.size(), false);
  std::vector<NodeId> roots;
  for (const Equation& equation : system.equations) roots.push_back(equation.residual);
  for (const NodeId id : topological_order(*system.graph, roots)) {
    if (system.graph->node(id).op == Op::Variable && system.graph->order_of(id) > 0)
      result[system.graph->variable_of(id).at()] = true;
  }
  return result;
}

// What may be eliminated.
struct Eligible {
  std::vector<int> occurrences;
  std::vector<bool> allowed;
};

// Tries to read `residual = 0` as  a^(k) = ± v  and to eliminate v. True when the equation is used up.
bool absorb(const DaeSystem& system, NodeId residual, const Eligible& eligible, Forest& forest) {
  const ExprGraph& graph = *system.graph;
  const Node& node = graph.node(residual);
  if (node.op != Op::Sub && node.op != Op::Add) return false;
  auto a = as_term(graph, NodeId(node.args[0]));
  auto b = as_term(graph, NodeId(node.args[1]));
  if (!a || !b) return false;
  // A variable that occurs nowhere else, as in a = der(v) for the sake of knowing a, must keep its equation:
  // it alone says that the derivative is wanted.
  const auto only_here = [&](const Term& term) {
    return term.order == 0 && eligible.occurrences[term.variable.at()] == 1;
  };
  if (only_here(*a) || only_here(*b)) return false;
  *a = forest.find(*a);
  *b = forest.find(*b);
  if (a->variable == b->variable) return false;
  // a.sign a^(ka) ∓ b.sign b^(kb) = 0  →  b^(kb) = s a^(ka)
  const double s = (node.op == Op::Sub ? 1.0 : -1.0) * a->sign * b->sign;
  if (b->order == 0 && eligible.allowed[b->variable.at()]) {
    forest.eliminate(b->variable, {.variable = a->variable, .order = a->order, .sign = s});
    return true;
  }
  if (a->order == 0 && eligible.allowed[a->variable.at()]) {
    forest.eliminate(a->variable, {.variable = b->variable, .order = b->order, .sign = s});
    return true;
  }
  return false;
}

NodeId level_node(ExprGraph& graph, const Term& level) {
  const NodeId leaf = graph.variable(level.variable, level.order);
  return level.sign < 0 ? graph.neg(leaf) : leaf;
}

// x^(k) → ± root^(k + …) for every leaf of an eliminated variable that occurs.
void substitute_levels(DaeSystem& system, Forest& forest) {
  std::vector<NodeId> roots;
  for (const NodeId* slot : system_expressions(system)) roots.push_back(*slot);
  std::unordered_map<NodeId, NodeId> replacement;
  for (const NodeId id : topological_order(*system.graph, roots)) {
    const Node& node = system.graph->node(id);
    if (node.op != Op::Variable || !forest.gone(VariableId(node.args[0]))) continue;
    const Term level = forest.find({.variable = VariableId(node.args[0]), .order = node.args[1], .sign = 1});
    replacement[id] = level_node(*system.graph, level);
  }
  substitute_everywhere(system, replacement);
}

}  // namespace

RaisedSystem raise_order(const DaeSystem& system, Raise raise) {
  RaisedSystem result{.system = system, .eliminated = {}, .aliases = {}, .embedded = {}};
  Forest forest(system.variables.size());
  const Eligible eligible{.occurrences = count_occurrences(system),
                          .allowed = raise == Raise::Differentiated
                                         ? find_differentiated(system)
                                         : std::vector<bool>(system.variables.size(), true)};
  std::vector<Equation> kept;
  kept.reserve(system.equations.size());
  for (const Equation& equation : system.equations) {
    if (equation.keep || !absorb(system, equation.residual, eligible, forest)) kept.push_back(equation);
  }
  result.system.equations = std::move(kept);
  result.eliminated.assign(system.variables.size(), false);
  for (std::size_t v = 0; v < system.variables.size(); ++v) {
    if (!forest.gone(VariableId(v))) continue;
    const Term level = forest.find({.variable = VariableId(v), .order = 0, .sign = 1});
    result.eliminated[v] = true;
    result.aliases.push_back(
        {.variable = VariableId(v), .target = level.variable, .order = level.order, .sign = level.sign});
    result.system.reported.push_back(
        {.attributes = system.variables[v], .value = level_node(*system.graph, level), .parameter = false});
  }
  result.embedded.assign(result.system.equations.size(), 0);
  if (!result.aliases.empty()) substitute_levels(result.system, forest);
  return result;
}

}  // namespace daedalus
