// Maximum matching of equations with variables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "structure/signature.hpp"

namespace daedalus {

// The bipartite graph of the highest derivatives: the entries of a signature that are "tight", σ_ij = d_j -
// c_i. It is a view: when its owner changes c or d, the graph changes with them.
struct TightGraph {
  const Signature& signature;
  std::span<const int> c;
  std::span<const int> d;

  [[nodiscard]] int slack(int equation, SignatureEntry entry) const {
    return d[entry.variable] - c[equation] - entry.order;
  }
  [[nodiscard]] bool tight(int equation, SignatureEntry entry) const { return slack(equation, entry) == 0; }
};

// The same incidence with all orders 0, in which differentiation counts as an algebraic operation (Mattsson,
// Söderlind 1991, section 2). With c = d = 0 every entry of it is tight.
[[nodiscard]] Signature without_orders(const Signature& signature);

struct Matching {
  std::vector<int> variable_of_equation;  // -1: none
  std::vector<int> equation_of_variable;

  Matching() = default;
  explicit Matching(const Signature& signature)
      : variable_of_equation(static_cast<std::size_t>(signature.equations()), -1),
        equation_of_variable(static_cast<std::size_t>(signature.variables), -1) {}

  void match(int equation, int variable) {
    variable_of_equation[equation] = variable;
    equation_of_variable[variable] = equation;
  }
  [[nodiscard]] bool has_variable(int equation) const { return variable_of_equation[equation] >= 0; }
  [[nodiscard]] bool has_equation(int variable) const { return equation_of_variable[variable] >= 0; }
  [[nodiscard]] bool perfect() const;
};

// Hopcroft–Karp in the variant of Duff and Wiberg: after the shortest augmenting paths of a phase, paths of
// any length are searched as well, which makes the phases few in practice and keeps the bound O(√n ·
// entries). See Duff, Kaya, Uçar, "Design, implementation, and analysis of maximum transversal algorithms",
// ACM TOMS 38 (2011). Nothing recurses, and no phase looks at more than what its unmatched equations reach.
class MatchingSearch {
 public:
  explicit MatchingSearch(const TightGraph& graph);

  // Augments `matching` from the unmatched equations in `free` until none of them can be matched any more,
  // and leaves in `free` those that stay unmatched. If `free` holds all unmatched equations, the matching is
  // then a maximum one. What the matching holds already must be tight.
  void augment(Matching& matching, std::vector<int>& free);

  // How many entries were looked at, over all calls.
  [[nodiscard]] std::int64_t edge_visits() const { return edge_visits_; }

 private:
  enum class Paths { Shortest, Any };
  struct Node {          // of an equation; valid in the call and the pass that it names
    int call = 0;        // the call in which `lookahead` was set
    int pass = 0;        // the pass that reached the equation last
    int layer_pass = 0;  // the pass in which `layer` was set
    int layer = 0;       // distance from the unmatched equations
    int cursor = 0;      // the entry on which the current path leaves the equation
    int lookahead = 0;   // entries before this one lead to no unmatched variable
  };

  bool build_layers(const Matching& matching, const std::vector<int>& free);
  void augment_from(int root, Matching& matching, Paths paths);
  void flip_path(int variable, Matching& matching);
  void enter(int equation);
  int unmatched_variable(int equation, const Matching& matching);
  int next_equation(int equation, const Matching& matching, Paths paths);

  TightGraph graph_;
  std::vector<Node> nodes_;
  std::vector<int> queue_;
  std::vector<int> path_;
  int call_ = 0;
  int pass_ = 0;
  int layer_pass_ = 0;
  std::int64_t edge_visits_ = 0;
};

// A maximum matching when derivatives count as their variable. The system is structurally nonsingular if and
// only if it is perfect (Mattsson, Söderlind 1991, section 2).
struct MaximumMatching {
  Matching matching;
  std::int64_t edge_visits = 0;
};
[[nodiscard]] MaximumMatching maximum_matching(const Signature& signature);

}  // namespace daedalus
