#include "reform/raise_order.hpp"

#include <array>
#include <cmath>
#include <ranges>
#include <utility>

#include "expr/traverse.hpp"
#include "model/linear_form.hpp"
#include "reform/cancelled_terms.hpp"
#include "reform/scaled_equations.hpp"
#include "reform/scaled_variables.hpp"
#include "reform/system_expressions.hpp"

namespace daedalus {
namespace {

// factor * x^(order)
struct Term {
  VariableId variable;
  int order = 0;
  double factor = 1;
};

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
    return {.variable = up.variable, .order = up.order + at.order, .factor = up.factor * at.factor};
  }
  std::vector<Term> parent_;
  std::vector<VariableId> path_;
};

// By variable: in how many equations it occurs, at any order.
std::vector<int> count_occurrences(const DaeSystem& system) {
  std::vector<int> count(system.variables.size(), 0);
  std::vector<int> last(system.variables.size(), -1);
  std::vector<NodeId> roots;
  for (const Equation& equation : system.equations) roots.push_back(equation.residual);
  const std::vector<std::vector<NodeId>> leaves = leaves_of_each(*system.graph, roots);
  for (std::size_t i = 0; i < system.equations.size(); ++i) {
    for (const NodeId leaf : leaves[i]) {
      if (system.graph->node(leaf).op != Op::Variable) continue;
      const std::size_t v = system.graph->variable_of(leaf).at();
      if (last[v] == static_cast<int>(i)) continue;
      last[v] = static_cast<int>(i);
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
  bool integrals = true;  // x goes by der(i) = x although i occurs nowhere else
};

// Tries to read `residual = 0` as  a^(k) = factor * v, whatever it is multiplied by, and to eliminate v. True
// when the equation is used up.
bool absorb(const DaeSystem& system, NodeId residual, const Eligible& eligible, Forest& forest) {
  const ExprGraph& graph = *system.graph;
  const auto form = linear_form(graph, residual);
  if (!form || form->terms.size() != 2 || form->constant != 0) return false;
  std::array<Term, 2> terms;
  for (std::size_t k = 0; k < 2; ++k) {
    const NodeId leaf = form->terms[k].leaf;
    if (graph.node(leaf).op != Op::Variable) return false;
    terms[k] = {
        .variable = graph.variable_of(leaf), .order = graph.order_of(leaf), .factor = form->terms[k].factor};
    // A variable that occurs nowhere else, as in a = der(v) for the sake of knowing a, must keep its
    // equation: it alone says that the derivative is wanted.
    const bool only_here = eligible.occurrences[terms[k].variable.at()] == 1;
    if (only_here && (terms[k].order == 0 || !eligible.integrals)) return false;
  }
  for (Term& term : terms) term = forest.find(term);
  if (terms[0].variable == terms[1].variable) return false;
  // a.factor a^(ka) + b.factor b^(kb) = 0, the one of higher order first; the order of writing does not
  // matter.
  const auto key = [](const Term& t) { return std::pair(-t.order, t.variable); };
  if (key(terms[1]) < key(terms[0])) std::swap(terms[0], terms[1]);
  const auto& [a, b] = terms;
  // Of two unknowns themselves, c z = s y is a constraint, to which a multiplier may belong.
  if (a.order == 0 && std::abs(a.factor) != std::abs(b.factor)) return false;
  if (b.order == 0 && eligible.allowed[b.variable.at()]) {
    forest.eliminate(b.variable, {.variable = a.variable, .order = a.order, .factor = -a.factor / b.factor});
    return true;
  }
  if (a.order == 0 && eligible.allowed[a.variable.at()]) {
    forest.eliminate(a.variable, {.variable = b.variable, .order = b.order, .factor = -b.factor / a.factor});
    return true;
  }
  return false;
}

NodeId level_node(ExprGraph& graph, const Term& level) {
  const NodeId leaf = graph.variable(level.variable, level.order);
  if (level.factor == -1) return graph.neg(leaf);
  return graph.mul(graph.constant(level.factor), leaf);
}

// x^(k) → factor * root^(k + …) for every leaf of an eliminated variable that occurs.
void substitute_levels(DaeSystem& system, Forest& forest) {
  std::vector<NodeId> roots;
  for (const NodeId* slot : system_expressions(system)) roots.push_back(*slot);
  std::unordered_map<NodeId, NodeId> replacement;
  for (const NodeId id : topological_order(*system.graph, roots)) {
    const Node& node = system.graph->node(id);
    if (node.op != Op::Variable || !forest.gone(VariableId(node.args[0]))) continue;
    const Term level =
        forest.find({.variable = VariableId(node.args[0]), .order = node.args[1], .factor = 1});
    replacement[id] = level_node(*system.graph, level);
  }
  substitute_everywhere(system, replacement);
}

}  // namespace

RaisedSystem raise_order(const DaeSystem& system, Raise raise) {
  RaisedSystem result{.system = system, .eliminated = {}, .aliases = {}, .embedded = {}};
  Forest forest(system.variables.size());
  const Eligible eligible{.occurrences = count_occurrences(system),
                          .allowed = raise == Raise::All ? std::vector<bool>(system.variables.size(), true)
                                                         : find_differentiated(system),
                          .integrals = raise != Raise::NoIntegrals};
  std::vector<Equation> kept;
  kept.reserve(system.equations.size());
  for (const Equation& equation : system.equations) {
    const NodeId residual =
        equation.keep ? equation.residual : without_cancelled_terms(*system.graph, equation.residual);
    if (!equation.keep && absorb(system, residual, eligible, forest)) continue;
    kept.push_back(equation);
    kept.back().residual = residual;
  }
  result.system.equations = std::move(kept);
  result.eliminated.assign(system.variables.size(), false);
  for (std::size_t v = 0; v < system.variables.size(); ++v) {
    if (!forest.gone(VariableId(v))) continue;
    const Term level = forest.find({.variable = VariableId(v), .order = 0, .factor = 1});
    result.eliminated[v] = true;
    result.aliases.push_back(
        {.variable = VariableId(v), .target = level.variable, .order = level.order, .factor = level.factor});
    result.system.reported.push_back(
        {.attributes = system.variables[v], .value = level_node(*system.graph, level), .parameter = false});
  }
  result.embedded.assign(result.system.equations.size(), 0);
  if (!result.aliases.empty()) substitute_levels(result.system, forest);
  // Those of mechanisms are written without terms that cancel and are not scaled; to look costs more than
  // anything else before the start.
  const bool mechanism = std::ranges::all_of(result.system.equations, &Equation::keep);
  if (!mechanism) drop_cancelled_terms(result.system);
  scale_variables(result);
  if (!mechanism) scale_equations(result);
  return result;
}

}  // namespace daedalus
