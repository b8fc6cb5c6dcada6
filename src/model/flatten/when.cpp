// When clauses: their targets are found before anything else, since a Real that a when clause assigns is
// discrete wherever it stands.
#include <algorithm>
#include <map>

#include "model/discrete_order.hpp"
#include "model/flatten/calls.hpp"
#include "model/flatten/equations.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/flatten/functions.hpp"

namespace daedalus::flatten {
namespace {

using ast::Expr;
using ast::ExprKind;
using ast::Statement;
using ast::StatementKind;

// Walks all statements, loops included, and marks what assignments inside a when reach.
class Classifier {
 public:
  Classifier(Frame& frame) : frame_(frame), contains_when_(frame.tree->statements.size(), Unknown) {}

  void walk(std::span<const std::int32_t> statements, bool inside) {
    for (const std::int32_t index : statements) {
      if (inside || contains_when(index)) step(frame_.statement(index), inside);
    }
  }

 private:
  enum Answer : std::uint8_t { Unknown, No, Yes };

  bool contains_when(std::int32_t index) {
    Answer& known = contains_when_[static_cast<std::size_t>(index)];
    if (known != Unknown) return known == Yes;
    const Statement& statement = frame_.statement(index);
    bool found = statement.kind == StatementKind::When;
    for (const auto& body : statement.bodies) {
      found = found || std::ranges::any_of(body, [&](std::int32_t inner) { return contains_when(inner); });
    }
    contains_when_[static_cast<std::size_t>(index)] = found ? Yes : No;
    return found;
  }

  void step(const Statement& statement, bool inside) {
    switch (statement.kind) {
      case StatementKind::Equation:
      case StatementKind::Assignment:
        if (inside) mark(statement.left);
        return;
      case StatementKind::For:
        for_each(frame_, statement.iterators, [&] { walk(statement.bodies[0], inside); });
        return;
      case StatementKind::When:
        for (const auto& body : statement.bodies) walk(body, true);
        return;
      case StatementKind::If:
        return branches(statement, inside);
      default:
        for (const auto& body : statement.bodies) walk(body, inside);
        return;
    }
  }

  // A branch that a parameter rules out assigns nothing.
  void branches(const Statement& statement, bool inside) {
    for (std::size_t i = 0; i < statement.bodies.size(); ++i) {
      bool certain = false;
      if (i < statement.conditions.size() && !inside) {
        const NodeId condition =
            evaluate_scalar(frame_, statement.conditions[i], BaseType::Boolean, "the condition of an if");
        if (frame_.graph().is_constant(condition, 0)) continue;
        certain = frame_.graph().is_constant(condition);
      }
      walk(statement.bodies[i], inside);
      if (certain) return;
    }
  }

  void mark(ast::ExprRef target) {
    const Expr& e = frame_.expression(target);
    if (e.kind == ExprKind::Tuple) {
      for (const ast::ExprRef child : e.children) {
        if (child >= 0) mark(child);
      }
      return;
    }
    if (e.kind != ExprKind::Name) return;
    if (is_chosen_while_simulating(e)) {
      mark_value(read_whole(frame_, e));
    } else {
      mark_value(evaluate(frame_, target));
    }
  }

  // x[n] := ... with an n that changes may be any element.
  bool is_chosen_while_simulating(const Expr& e) {
    const auto& subscripts = e.parts.back().subscripts;
    if (subscripts.size() != 1) return false;
    const Value all = read_whole(frame_, e);
    NodeId node;
    return shape_of(all).size() == 1 && unknown_subscript(frame_, shape_of(all), subscripts, node) >= 0;
  }

  void mark_value(const Value& value) {
    if (!holds_nodes(value.type)) {
      if (value.more == nullptr) return;
      for (const Value& part : value.more->parts) mark_value(part);
      return;
    }
    for (const NodeId node : nodes_of(value)) {
      const VariableId id = variable_of(frame_.session, node);
      if (!id.valid()) continue;
      Variable& variable = frame_.session.system.variables[id.at()];
      if (is_given(variable.kind))
        raise(variable.span, "'{}' is given from outside, so no when clause can give it a value",
              variable.name);
      if (variable.kind == VariableKind::Continuous) variable.kind = VariableKind::DiscreteReal;
      frame_.session.held.insert(id.value);
    }
  }

  Frame& frame_;
  std::vector<Answer> contains_when_;
};

// The body of one branch: which variable gets what.
class BranchBuilder {
 public:
  BranchBuilder(Frame& frame, WhenBranch& branch) : frame_(frame), branch_(branch) {}

  void run(std::span<const std::int32_t> statements) {
    for (const std::int32_t index : statements) step(frame_.statement(index));
  }

 private:
  [[nodiscard]] ExprGraph& graph() const { return frame_.graph(); }

  void step(const Statement& statement) {
    const Nesting nesting(frame_.session, statement.span);
    switch (statement.kind) {
      case StatementKind::Equation:
        return equation(statement);
      case StatementKind::Call:
        return call(frame_.expression(statement.right));
      case StatementKind::For:
        for_each(frame_, statement.iterators, [&] { run(statement.bodies[0]); });
        return;
      case StatementKind::If:
        return branches(statement);
      case StatementKind::When:
        raise(statement.span, "a when cannot stand inside a when");
      default:
        raise(statement.span, "this statement cannot stand inside a when");
    }
  }

  void equation(const Statement& statement) {
    const Expr& left = frame_.expression(statement.left);
    if (left.kind != ExprKind::Tuple) {
      assign(evaluate(frame_, statement.left), evaluate(frame_, statement.right), statement.span);
      return;
    }
    const std::vector<Value> values = evaluate_outputs(frame_, statement.right);
    if (left.children.size() > values.size()) {
      raise(statement.span, "{} values are asked for, but the function gives {}", left.children.size(),
            values.size());
    }
    for (std::size_t i = 0; i < left.children.size(); ++i) {
      if (left.children[i] >= 0) assign(evaluate(frame_, left.children[i]), values[i], statement.span);
    }
  }

  void assign(const Value& target, const Value& value, SourceSpan span) {
    const Value fitting = converted(value, target.type, shape_of(target), span, "the left side");
    if (target.type.base == BaseType::Record) {
      for (std::size_t i = 0; i < target.more->parts.size(); ++i)
        assign(target.more->parts[i], fitting.more->parts[i], span);
      return;
    }
    if (!holds_nodes(target.type)) raise(span, "{} cannot be assigned in a when", type_text(target));
    for (std::size_t i = 0; i < nodes_of(target).size(); ++i) {
      const VariableId id = variable_of(frame_.session, nodes_of(target)[i]);
      if (!id.valid() || frame_.session.system.variables[id.at()].kind == VariableKind::Parameter) {
        raise(span, "the left side of an equation in a when must be a variable: v = expression");
      }
      branch_.assignments.push_back({id, nodes_of(fitting)[i], span});
    }
  }

  void call(const Expr& e) {
    const std::string name = joined_name(e);
    if (name == "reinit") return reinit(e);
    if (name == "terminate") return stop(e, {});
    if (name == "assert") return check(e);
    if (has_no_effect(name)) return;
    raise(e.span, "'{}' cannot stand inside a when", name);
  }

  void reinit(const Expr& e) {
    if (e.children.size() != 2) raise(e.span, "reinit needs a state and a value: reinit(x, 0)");
    const Value target = evaluate(frame_, e.children[0]);
    const Value value =
        converted(evaluate(frame_, e.children[1]), {BaseType::Real}, shape_of(target), e.span, "reinit");
    if (!is_numeric(target.type)) raise(e.span, "reinit needs a Real state, not {}", type_text(target));
    for (std::size_t i = 0; i < nodes_of(target).size(); ++i) {
      const VariableId id = variable_of(frame_.session, nodes_of(target)[i]);
      if (!id.valid() || frame_.session.system.variables[id.at()].kind != VariableKind::Continuous) {
        raise(e.span, "reinit needs a state, that is a variable whose derivative is in the model");
      }
      branch_.reinits.push_back({id, nodes_of(value)[i], e.span});
    }
  }

  void stop(const Expr& e, NodeId unless) {
    const std::size_t at = unless.valid() ? 1 : 0;
    if (e.children.size() <= at) raise(e.span, "'{}' needs a message", joined_name(e));
    branch_.terminations.push_back(
        {.message = message_text(frame_, e.children[at]), .span = e.span, .unless = unless});
  }

  void check(const Expr& e) {
    if (e.children.size() < 2) raise(e.span, "assert needs a condition and a message");
    const NodeId condition =
        evaluate_scalar(frame_, e.children[0], BaseType::Boolean, "the condition of an assert");
    if (!graph().is_constant(condition, 1)) stop(e, condition);
  }

  // An if inside a when: where a branch does not assign a variable, it keeps its value.
  void branches(const Statement& statement) {
    std::vector<std::pair<NodeId, WhenBranch>> tested;
    std::size_t i = 0;
    for (; i < statement.conditions.size(); ++i) {
      const NodeId condition =
          evaluate_scalar(frame_, statement.conditions[i], BaseType::Boolean, "the condition of an if");
      if (graph().is_constant(condition, 0)) continue;
      if (graph().is_constant(condition)) break;
      tested.emplace_back(condition, WhenBranch{});
      BranchBuilder(frame_, tested.back().second).run(statement.bodies[i]);
    }
    const bool has_rest = i < statement.bodies.size();
    if (tested.empty()) {
      if (has_rest) run(statement.bodies[i]);
      return;
    }
    WhenBranch rest;
    if (has_rest) BranchBuilder(frame_, rest).run(statement.bodies[i]);
    merge(tested, rest, &WhenBranch::assignments, [&](VariableId id) { return graph().pre(id); });
    merge(tested, rest, &WhenBranch::reinits,
          [&](VariableId id) { return variable_node(frame_.session, id); });
    merge_terminations(tested, rest);
  }

  template <class Keep>
  void merge(const std::vector<std::pair<NodeId, WhenBranch>>& tested, const WhenBranch& rest,
             std::vector<Assignment> WhenBranch::*list, Keep&& keep) {
    // For each target, what every branch gives it; invalid: nothing. The rest comes last.
    std::map<VariableId, std::pair<SourceSpan, std::vector<NodeId>>> targets;
    const auto collect = [&](const WhenBranch& branch, std::size_t k) {
      for (const Assignment& a : branch.*list) {
        auto& entry =
            targets.try_emplace(a.target, a.span, std::vector<NodeId>(tested.size() + 1)).first->second;
        entry.second[k] = a.value;
      }
    };
    for (std::size_t k = 0; k < tested.size(); ++k) collect(tested[k].second, k);
    collect(rest, tested.size());
    for (const auto& [id, entry] : targets) {
      const auto& values = entry.second;
      const auto value_in = [&](std::size_t k) { return values[k].valid() ? values[k] : keep(id); };
      NodeId value = value_in(tested.size());
      for (std::size_t k = tested.size(); k-- > 0;)
        value = graph().if_else(tested[k].first, value_in(k), value);
      (branch_.*list).push_back({id, value, entry.first});
    }
  }

  void merge_terminations(const std::vector<std::pair<NodeId, WhenBranch>>& tested, const WhenBranch& rest) {
    NodeId otherwise = graph().constant(1);
    const auto add = [&](const WhenBranch& branch, NodeId where) {
      for (Termination t : branch.terminations) {
        const NodeId outside = graph().apply(Op::Not, where);
        t.unless = t.unless.valid() ? graph().apply(Op::Or, outside, t.unless) : outside;
        branch_.terminations.push_back(std::move(t));
      }
    };
    for (const auto& [condition, branch] : tested) {
      add(branch, graph().apply(Op::And, otherwise, condition));
      otherwise = graph().apply(Op::And, otherwise, graph().apply(Op::Not, condition));
    }
    add(rest, otherwise);
  }

  Frame& frame_;
  WhenBranch& branch_;
};

void check_unique(const Session& session, const WhenBranch& branch) {
  std::vector<VariableId> targets;
  for (const Assignment& a : branch.assignments) targets.push_back(a.target);
  std::ranges::sort(targets);
  const auto twice = std::ranges::adjacent_find(targets);
  if (twice == targets.end()) return;
  raise(branch.span, "'{}' is assigned twice in one when", session.system.variables[twice->at()].name);
}

}  // namespace

void classify_discrete(Session& session, const ast::Class& model) {
  Frame frame{.session = session, .tree = &session.tree, .place = Place::Equation, .events = false};
  Classifier classifier(frame);
  const auto guarded = [&](const std::vector<std::int32_t>& statements) {
    for (const std::int32_t index : statements) {
      try {
        classifier.walk(std::span(&index, 1), false);
      } catch (const ModelError&) {
        // The same mistake is reported when the statement itself is flattened.
        frame.ends.clear();
        frame.iterators.clear();
      }
    }
  };
  guarded(model.sections.equations);
  for (const auto& section : model.sections.algorithms) guarded(section);
}

void flatten_when(Frame& frame, const Statement& statement) {
  WhenClause clause;
  for (std::size_t i = 0; i < statement.conditions.size(); ++i) {
    WhenBranch branch;
    branch.span = statement.span;
    const Value condition = evaluate(frame, statement.conditions[i]);
    if (condition.type.base != BaseType::Boolean) {
      raise(frame.expression(statement.conditions[i]).span,
            "the condition of a when must be Boolean, but this is {}", type_text(condition));
    }
    const auto nodes = nodes_of(condition);
    branch.conditions.assign(nodes.begin(), nodes.end());
    {
      const Scoped<Place> place(frame.place, Place::When);
      const Scoped<bool> events(frame.events, false);
      BranchBuilder(frame, branch).run(statement.bodies[i]);
    }
    check_unique(frame.session, branch);
    sort_assignments(frame.session.system, branch.assignments);
    clause.branches.push_back(std::move(branch));
  }
  frame.session.when_clauses.push_back(std::move(clause));
}

}  // namespace daedalus::flatten
