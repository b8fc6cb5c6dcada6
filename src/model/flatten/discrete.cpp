// Discrete equations are solved for a variable each, and sorted together with the when clauses.
#include <algorithm>
#include <array>

#include "model/discrete_order.hpp"
#include "model/flatten/equations.hpp"

namespace daedalus::flatten {
namespace {

// An equation written as target := value; up to two ways of doing so.
struct Solution {
  VariableId target;
  NodeId value;
};
using Solutions = std::array<Solution, 2>;

bool is_discrete(const Session& session, VariableId id) {
  return daedalus::is_discrete(session.system.variables[id.at()].kind);
}

// side = other solved for a variable in side: v, not v or -v. With `initial`, also pre(v) and parameters that
// the initialisation determines.
Solution solved(Session& session, NodeId side, NodeId other, bool initial) {
  ExprGraph& graph = session.graph();
  Node node = graph.node(side);
  if (node.op == Op::Not || node.op == Op::Neg) {
    other = graph.apply(node.op, other);
    node = graph.node(NodeId(node.args[0]));
  }
  const bool plain = node.op == Op::Discrete || (initial && node.op == Op::Pre);
  if (!plain) return {};
  const VariableId id(node.args[0]);
  const bool fits = is_discrete(session, id) ||
                    (initial && session.system.variables[id.at()].kind == VariableKind::Parameter);
  return fits ? Solution{id, other} : Solution{};
}

// Matches each equation with a variable of its own. An equation has at most two to choose from, so the search
// for an exchange is a walk without branches.
class DiscreteMatching {
 public:
  DiscreteMatching(Session& session, std::vector<Solutions> solutions)
      : session_(session),
        solutions_(std::move(solutions)),
        equation_of_(session.system.variables.size(), -1),
        choice_(solutions_.size(), -1) {}

  // False when there is no variable left for the equation.
  bool match(std::int32_t equation) {
    for (int first = 0; first < 2; ++first) {
      if (walk(equation, first)) return true;
    }
    return false;
  }

  [[nodiscard]] int choice(std::size_t equation) const { return choice_[equation]; }
  [[nodiscard]] std::int32_t equation_of(VariableId id) const { return equation_of_[id.at()]; }

 private:
  // Takes the variable, sends its present owner to the owner's other variable, and so on. Nothing is changed
  // unless the walk ends at a free variable.
  bool walk(std::int32_t equation, int first) {
    struct Step {
      std::int32_t equation;
      int choice;
    };
    std::vector<Step> path;
    int choice = first;
    for (std::size_t steps = 0; steps <= solutions_.size(); ++steps) {
      const VariableId id =
          solutions_[static_cast<std::size_t>(equation)][static_cast<std::size_t>(choice)].target;
      if (!id.valid() || session_.held.contains(id.value)) return false;
      path.push_back({equation, choice});
      const std::int32_t owner = equation_of_[id.at()];
      if (owner < 0) {
        for (const Step& step : path) {
          const auto at = static_cast<std::size_t>(step.equation);
          choice_[at] = step.choice;
          equation_of_[solutions_[at][static_cast<std::size_t>(step.choice)].target.at()] = step.equation;
        }
        return true;
      }
      equation = owner;
      choice = 1 - choice_[static_cast<std::size_t>(owner)];
    }
    return false;
  }

  Session& session_;
  std::vector<Solutions> solutions_;
  std::vector<std::int32_t> equation_of_;  // by variable
  std::vector<int> choice_;                // by equation
};

[[nodiscard]] std::vector<Solutions> solutions_of(Session& session,
                                                  const std::vector<ScalarEquation>& equations,
                                                  bool initial) {
  std::vector<Solutions> all;
  all.reserve(equations.size());
  for (const ScalarEquation& e : equations) {
    all.push_back({solved(session, e.left, e.right, initial), solved(session, e.right, e.left, initial)});
  }
  return all;
}

void report_unmatched(Session& session, const ScalarEquation& e, const Solutions& solutions) {
  if (!solutions[0].target.valid() && !solutions[1].target.valid()) {
    const ExprGraph& graph = session.graph();
    const bool known = graph.is_constant(e.left) && graph.is_constant(e.right);
    if (known && graph.node(e.left).value == graph.node(e.right).value) return;  // true = true says nothing
    raise(e.span, "{} equation must give a variable its value: v = expression", type_text(e.type));
  }
  const VariableId id = solutions[0].target.valid() ? solutions[0].target : solutions[1].target;
  raise(e.span, "the variable '{}' has its value from another equation already; this one is too many",
        session.system.variables[id.at()].name);
}

// An initial equation for a variable that only hands on a value of the instant before, active =
// pre(newActive), says what that value was.
void look_through_copies(const Session& session, const std::vector<Assignment>& always,
                         std::vector<ScalarEquation>& initial) {
  const ExprGraph& graph = *session.system.graph;
  std::unordered_map<std::int32_t, NodeId> copy_of;
  for (const Assignment& a : always) {
    const Op op = graph.node(a.value).op;
    if (op == Op::Discrete || op == Op::Pre) copy_of[a.target.value] = a.value;
  }
  const auto source = [&](NodeId side) {
    NodeId at = side;
    for (std::size_t k = 0; k <= copy_of.size() && graph.node(at).op == Op::Discrete; ++k) {
      const auto found = copy_of.find(graph.node(at).args[0]);
      if (found == copy_of.end()) return side;
      at = found->second;
    }
    return graph.node(at).op == Op::Pre ? at : side;
  };
  for (ScalarEquation& e : initial) {
    e.left = source(e.left);
    e.right = source(e.right);
  }
}

std::vector<Assignment> solve(Session& session, const std::vector<ScalarEquation>& equations, bool initial) {
  const std::vector<Solutions> solutions = solutions_of(session, equations, initial);
  std::vector<Assignment> assignments;
  // Initially, a when clause's variable may well get a value.
  std::unordered_set<std::int32_t> held;
  if (initial) held.swap(session.held);
  DiscreteMatching matching(session, solutions);
  for (std::size_t i = 0; i < equations.size(); ++i) {
    try {
      if (!matching.match(static_cast<std::int32_t>(i)))
        report_unmatched(session, equations[i], solutions[i]);
    } catch (const ModelError& error) {
      report(session, error);
    }
  }
  if (initial) held.swap(session.held);
  for (std::size_t i = 0; i < equations.size(); ++i) {
    if (matching.choice(i) < 0) continue;
    const Solution& solution = solutions[i][static_cast<std::size_t>(matching.choice(i))];
    assignments.push_back({solution.target, solution.value, equations[i].span});
  }
  return assignments;
}

void check_determined(Session& session, const std::vector<Assignment>& assignments) {
  std::vector<bool> determined(session.system.variables.size(), false);
  for (const Assignment& a : assignments) determined[a.target.at()] = true;
  for (const WhenClause& clause : session.when_clauses) {
    for (const WhenBranch& branch : clause.branches) {
      for (const Assignment& a : branch.assignments) determined[a.target.at()] = true;
    }
  }
  for (std::size_t i = 0; i < determined.size(); ++i) {
    const Variable& variable = session.system.variables[i];
    if (determined[i] || !is_discrete(session, VariableId(i))) continue;
    try {
      if (const auto real = session.real_equation_of.find(static_cast<std::int32_t>(i));
          real != session.real_equation_of.end()) {
        raise(real->second, "'{}' is Integer, but the other side is Real; use integer(...) to round down",
              variable.name);
      }
      raise(variable.span, "no equation gives the discrete variable '{}' a value", variable.name);
    } catch (const ModelError& error) {
      report(session, error);
    }
  }
}

// Two when clauses must not give one variable its value.
void check_clauses(Session& session) {
  std::unordered_map<VariableId, std::size_t> clause_of;
  for (std::size_t i = 0; i < session.when_clauses.size(); ++i) {
    for (const WhenBranch& branch : session.when_clauses[i].branches) {
      for (const Assignment& a : branch.assignments) {
        const auto [found, fresh] = clause_of.emplace(a.target, i);
        if (!fresh && found->second != i) {
          raise(a.span, "'{}' gets its value from two when clauses; use elsewhen",
                session.system.variables[a.target.at()].name);
        }
      }
    }
  }
}

}  // namespace

void order_discrete(Session& session) {
  check_clauses(session);
  std::vector<Assignment> assignments = solve(session, session.discrete_equations, false);
  check_determined(session, assignments);
  look_through_copies(session, assignments, session.initial_discrete_equations);
  std::vector<DiscreteStep> steps(assignments.begin(), assignments.end());
  for (WhenClause& clause : session.when_clauses) steps.emplace_back(std::move(clause));
  session.system.discrete_steps = sorted_steps(session.system, std::move(steps));
  std::vector<Assignment> initial = solve(session, session.initial_discrete_equations, true);
  sort_assignments(session.system, initial);
  session.system.initial_assignments = std::move(initial);
}

}  // namespace daedalus::flatten
