#include "reform/explicit_definitions.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "reform/incidence.hpp"
#include "reform/system_expressions.hpp"

namespace daedalus {
namespace {

struct Definition {
  VariableId variable;
  int equation = 0;
  NodeId value;
};

class Definitions {
 public:
  explicit Definitions(RaisedSystem& raised)
      : raised_(raised),
        incidence_(incidence_of(raised.system, raised.eliminated, PartialsOfMotion::Highest)) {
    const std::size_t unknowns = incidence_.unknowns.size();
    highest_.assign(unknowns, 0);
    for (int i = 0; i < incidence_.signature.equations(); ++i) {
      for (const SignatureEntry& entry : incidence_.signature.row(i)) {
        int& highest = highest_[static_cast<std::size_t>(entry.variable)];
        highest = std::max(highest, entry.order);
      }
    }
    defined_by_.assign(unknowns, -1);
    allowed_.assign(unknowns, true);
    for (std::size_t j = 0; j < unknowns; ++j) {
      const Variable& variable = raised.system.variables[incidence_.unknowns[j].at()];
      allowed_[j] = highest_[j] == 0 && !variable.fixed;
    }
    // What another name of the unknown asks for.
    for (const LevelAlias& alias : raised.aliases) {
      const int j = incidence_.column[alias.target.at()];
      if (alias.order == 0 && j >= 0 && raised.system.variables[alias.variable.at()].fixed)
        allowed_[static_cast<std::size_t>(j)] = false;
    }
    forbid_pre();
  }

  void run() {
    for (const int i : order_of_search()) consider(i);
    if (definitions_.empty()) return;
    substitute_in_order();
  }

 private:
  void forbid_pre() {
    std::vector<NodeId> roots;
    for (const NodeId* slot : system_expressions(raised_.system)) roots.push_back(*slot);
    for (const NodeId id : topological_order(*raised_.system.graph, roots)) {
      const Node& node = raised_.system.graph->node(id);
      if (node.op != Op::Pre) continue;
      VariableId of(node.args[0]);
      for (const LevelAlias& alias : raised_.aliases) {
        if (alias.variable == of) of = alias.target;
      }
      const int j = incidence_.column[of.at()];
      if (j >= 0) allowed_[static_cast<std::size_t>(j)] = false;
    }
  }

  // Outputs first: what is said of an unknown that stands nowhere else defines it. Then by unknowns, so that
  // the order of the equations does not matter.
  std::vector<int> order_of_search() {
    occurrences_.assign(incidence_.unknowns.size(), 0);
    for (const SignatureEntry& entry : incidence_.signature.entries)
      ++occurrences_[static_cast<std::size_t>(entry.variable)];
    using Key = std::pair<int, std::vector<int>>;
    std::vector<Key> keys;
    std::vector<int> order;
    for (int i = 0; i < incidence_.signature.equations(); ++i) {
      Key key{std::numeric_limits<int>::max(), {}};
      for (const SignatureEntry& entry : incidence_.signature.row(i)) {
        const auto j = static_cast<std::size_t>(entry.variable);
        if (allowed_[j]) key.first = std::min(key.first, occurrences_[j]);
        key.second.push_back(entry.variable);
      }
      keys.push_back(std::move(key));
      order.push_back(i);
    }
    std::ranges::stable_sort(order, {},
                             [&](int i) -> const Key& { return keys[static_cast<std::size_t>(i)]; });
    return order;
  }

  void consider(int equation) {
    for (const SignatureEntry& entry : incidence_.signature.row(equation)) {
      const int highest = highest_[static_cast<std::size_t>(entry.variable)];
      if (highest > 0 && entry.order == highest) return;  // an equation of motion
    }
    const ExprGraph& graph = *raised_.system.graph;
    // What stands alone on a side is meant to be defined; then the unknown that stands in the fewest
    // equations.
    const Node residual = graph.node(raised_.system.equations[static_cast<std::size_t>(equation)].residual);
    const auto stands_alone = [&](int j) {
      const NodeId leaf = raised_.system.graph->variable(incidence_.unknowns[static_cast<std::size_t>(j)]);
      return residual.op == Op::Sub && (residual.args[0] == leaf.value || residual.args[1] == leaf.value);
    };
    std::vector<std::pair<int, NodeId>> candidates;
    for (const Partial& partial : incidence_.rows[static_cast<std::size_t>(equation)]) {
      const int j = incidence_.column[graph.variable_of(partial.leaf).at()];
      const auto at = static_cast<std::size_t>(j);
      if (allowed_[at] && defined_by_[at] < 0 && graph.is_constant(partial.value))
        candidates.emplace_back(j, partial.value);
    }
    std::ranges::stable_sort(candidates, {}, [&](const auto& candidate) {
      return std::tuple(!stands_alone(candidate.first),
                        occurrences_[static_cast<std::size_t>(candidate.first)], candidate.first);
    });
    for (const auto& [j, factor] : candidates) {
      if (leads_back(equation, j)) continue;
      define(equation, j, factor);
      return;
    }
  }

  // Whether the other unknowns of the equation depend, by definitions made so far, on j.
  [[nodiscard]] bool leads_back(int equation, int j) {
    std::vector<int> pending{equation};
    std::vector<bool> seen(definitions_.size(), false);
    while (!pending.empty()) {
      const int i = pending.back();
      pending.pop_back();
      for (const SignatureEntry& entry : incidence_.signature.row(i)) {
        if (entry.variable == j && i != equation) return true;
        const int definition = defined_by_[static_cast<std::size_t>(entry.variable)];
        if (definition < 0 || seen[static_cast<std::size_t>(definition)]) continue;
        seen[static_cast<std::size_t>(definition)] = true;
        pending.push_back(definitions_[static_cast<std::size_t>(definition)].equation);
      }
    }
    return false;
  }

  void define(int equation, int j, NodeId factor) {
    ExprGraph& graph = *raised_.system.graph;
    const NodeId residual = raised_.system.equations[static_cast<std::size_t>(equation)].residual;
    const VariableId variable = incidence_.unknowns[static_cast<std::size_t>(j)];
    const NodeId rest =
        substitute(graph, std::vector<NodeId>{residual}, {{graph.variable(variable), graph.constant(0)}})[0];
    defined_by_[static_cast<std::size_t>(j)] = static_cast<int>(definitions_.size());
    definitions_.push_back(
        {.variable = variable, .equation = equation, .value = graph.neg(graph.div(rest, factor))});
  }

  // Values in terms of what remains, inner definitions first.
  void substitute_in_order() {
    DaeSystem& system = raised_.system;
    ExprGraph& graph = *system.graph;
    std::unordered_map<NodeId, NodeId> replacement;
    for (const std::size_t d : dependency_order()) {
      const NodeId value = substitute(graph, std::vector<NodeId>{definitions_[d].value}, replacement)[0];
      replacement[graph.variable(definitions_[d].variable)] = value;
    }
    std::vector<bool> gone(system.equations.size(), false);
    for (const Definition& definition : definitions_) {
      gone[static_cast<std::size_t>(definition.equation)] = true;
      raised_.eliminated[definition.variable.at()] = true;
      system.reported.push_back({.attributes = system.variables[definition.variable.at()],
                                 .value = graph.variable(definition.variable),
                                 .parameter = false});
    }
    substitute_everywhere(system, replacement);
    std::erase_if(raised_.aliases,
                  [&](const LevelAlias& alias) { return raised_.eliminated[alias.target.at()]; });
    std::vector<Equation> kept;
    for (std::size_t i = 0; i < gone.size(); ++i) {
      if (!gone[i]) kept.push_back(system.equations[i]);
    }
    system.equations = std::move(kept);
    raised_.embedded.assign(system.equations.size(), 0);
  }

  [[nodiscard]] std::vector<std::size_t> dependency_order() const {
    std::vector<std::size_t> order;
    std::vector<int> state(definitions_.size(), 0);  // 0 new, 1 open, 2 done
    for (std::size_t root = 0; root < definitions_.size(); ++root) {
      std::vector<std::size_t> stack{root};
      while (!stack.empty()) {
        const std::size_t d = stack.back();
        if (state[d] != 0) {
          stack.pop_back();
          if (state[d] == 1) order.push_back(d);
          state[d] = 2;
          continue;
        }
        state[d] = 1;
        for (const SignatureEntry& entry : incidence_.signature.row(definitions_[d].equation)) {
          const int inner = defined_by_[static_cast<std::size_t>(entry.variable)];
          if (inner >= 0 && state[static_cast<std::size_t>(inner)] == 0)
            stack.push_back(static_cast<std::size_t>(inner));
        }
      }
    }
    return order;
  }

  RaisedSystem& raised_;
  Incidence incidence_;
  std::vector<int> highest_;      // by unknown: order of its highest derivative anywhere
  std::vector<bool> allowed_;     // by unknown
  std::vector<int> occurrences_;  // by unknown: equations that it stands in
  std::vector<int> defined_by_;   // by unknown: number of its definition, or -1
  std::vector<Definition> definitions_;
};

}  // namespace

void write_out_definitions(RaisedSystem& raised) {
  Definitions(raised).run();
}

}  // namespace daedalus
