#include "model/rebuild.hpp"

#include <cassert>

#include "expr/derivative.hpp"

namespace daedalus {
namespace {

// Copies expressions from the old graph into the new one. Arguments have smaller numbers than what is made
// of them, but values of replaced variables may lie anywhere, so an explicit stack follows them.
class Copier {
 public:
  Copier(const DaeSystem& from, const Replacements& replacements, DaeSystem& to)
      : from_(from),
        replacements_(replacements),
        to_(to),
        copied_(from.graph->size()),
        varies_(from.graph->size(), false),
        relation_(from.relations.size()),
        sample_(from.samples.size()),
        derivative_(*to.graph) {
    number_.reserve(from.variables.size());
    std::int32_t next = 0;
    for (std::size_t i = 0; i < from.variables.size(); ++i) {
      number_.emplace_back(replacements.value[i].valid() ? -1 : next);
      if (!replacements.value[i].valid()) ++next;
    }
  }

  [[nodiscard]] VariableId number(VariableId old) const { return number_[old.at()]; }

  NodeId copy(NodeId root) {
    std::vector<NodeId> stack{root};
    while (!stack.empty()) {
      const NodeId id = stack.back();
      if (copied_[id.at()].valid()) {
        stack.pop_back();
        continue;
      }
      const Node& node = from_.graph->node(id);
      bool ready = true;
      const auto need = [&](NodeId other) {
        if (!copied_[other.at()].valid()) {
          stack.push_back(other);
          ready = false;
        }
      };
      for (std::size_t i = 0; i < node.arity; ++i) need(NodeId(node.args[i]));
      if (const NodeId value = replacement(node); value.valid()) need(value);
      if (node.op == Op::Relation && !relation_[static_cast<std::size_t>(node.args[0])].valid()) {
        need(from_.relations[static_cast<std::size_t>(node.args[0])].difference);
      }
      if (!ready) continue;
      stack.pop_back();
      varies_[id.at()] = is_varying(node);
      copied_[id.at()] = made(node);
    }
    return copied_[root.at()];
  }

 private:
  // The value of the variable that a leaf mentions, if that was replaced.
  [[nodiscard]] NodeId replacement(const Node& node) const {
    if (node.op != Op::Variable && node.op != Op::Discrete && node.op != Op::Pre) return {};
    return replacements_.value[static_cast<std::size_t>(node.args[0])];
  }

  // In the old system it changed at events only.
  [[nodiscard]] bool is_varying(const Node& node) const {
    if (node.op == Op::Discrete) {
      const auto v = static_cast<std::size_t>(node.args[0]);
      return v < replacements_.varies.size() && replacements_.varies[v];
    }
    for (std::size_t i = 0; i < node.arity; ++i) {
      if (varies_[static_cast<std::size_t>(node.args[i])]) return true;
    }
    return false;
  }

  NodeId new_relation(NodeId difference, bool strict) {
    const NodeId node = to_.graph->relation(RelationId(to_.relations.size()));
    to_.relations.push_back({.difference = difference, .strict = strict, .span = {}});
    return node;
  }

  NodeId made(const Node& node) {
    ExprGraph& graph = *to_.graph;
    const auto arg = [&](std::size_t i) { return copied_[static_cast<std::size_t>(node.args[i])]; };
    switch (node.op) {
      case Op::Constant:
        return graph.constant(node.value);
      case Op::Time:
        return graph.time();
      case Op::Initial:
        return graph.initial();
      case Op::Variable:
      case Op::Discrete:
      case Op::Pre:
        return variable(node);
      case Op::Relation:
        return relation(static_cast<std::size_t>(node.args[0]));
      case Op::Sample:
        return sample(static_cast<std::size_t>(node.args[0]));
      default:
        break;
    }
    const bool compares = node.op == Op::Less || node.op == Op::LessEqual;
    if (compares && is_varying(node)) return new_relation(graph.sub(arg(1), arg(0)), node.op == Op::Less);
    if (node.arity == 1) return graph.apply(node.op, arg(0));
    if (node.arity == 2) return graph.apply(node.op, arg(0), arg(1));
    return graph.apply(node.op, arg(0), arg(1), arg(2));
  }

  NodeId variable(const Node& node) {
    ExprGraph& graph = *to_.graph;
    const NodeId value = replacement(node);
    if (!value.valid()) {
      const VariableId id = number_[static_cast<std::size_t>(node.args[0])];
      if (node.op == Op::Variable) return graph.variable(id, node.args[1]);
      return node.op == Op::Discrete ? graph.discrete(id) : graph.pre(id);
    }
    NodeId now = copied_[value.at()];
    if (node.op == Op::Pre) return pre_of(now);
    for (int k = 0; node.op == Op::Variable && k < node.args[1]; ++k) now = derivative_(now);
    return now;
  }

  // By its new number.
  [[nodiscard]] bool is_free(VariableId id) const {
    return to_.variables[id.at()].kind == VariableKind::FreeParameter;
  }

  NodeId pre_of(NodeId value) {
    ExprGraph& graph = *to_.graph;
    const Node node = graph.node(value);
    switch (node.op) {
      case Op::Variable:
      case Op::Discrete:
        if (node.op == Op::Discrete && is_free(VariableId(node.args[0]))) return value;
        assert(node.op == Op::Discrete || node.args[1] == 0);
        return graph.pre(VariableId(node.args[0]));
      case Op::Neg:
      case Op::Not:
        return graph.apply(node.op, pre_of(NodeId(node.args[0])));
      default:
        return value;  // constants, time, and what is pre already
    }
  }

  NodeId relation(std::size_t old) {
    ExprGraph& graph = *to_.graph;
    if (relation_[old].valid()) return relation_[old];
    const Relation& r = from_.relations[old];
    const NodeId difference = copied_[r.difference.at()];
    if (graph.is_constant(difference)) {
      const double value = graph.node(difference).value;
      relation_[old] = graph.constant((r.strict ? value > 0 : value >= 0) ? 1 : 0);
    } else {
      relation_[old] = graph.relation(RelationId(to_.relations.size()));
      to_.relations.push_back({.difference = difference, .strict = r.strict, .span = r.span});
    }
    return relation_[old];
  }

  NodeId sample(std::size_t old) {
    if (!sample_[old].valid()) {
      sample_[old] = to_.graph->sample(SampleId(to_.samples.size()));
      to_.samples.push_back(from_.samples[old]);
    }
    return sample_[old];
  }

  const DaeSystem& from_;
  const Replacements& replacements_;
  DaeSystem& to_;
  std::vector<NodeId> copied_;  // by old node
  std::vector<bool> varies_;    // by old node: a discrete value that varies now is in it
  std::vector<NodeId> relation_;
  std::vector<NodeId> sample_;
  std::vector<VariableId> number_;
  TimeDerivative derivative_;
};

bool marked(const std::vector<bool>& marks, std::size_t i) {
  return i < marks.size() && marks[i];
}

std::vector<Assignment> copied(Copier& copier, const std::vector<Assignment>& assignments) {
  std::vector<Assignment> result;
  for (const Assignment& a : assignments) {
    assert(copier.number(a.target).valid());
    result.push_back({copier.number(a.target), copier.copy(a.value), a.span});
  }
  return result;
}

WhenClause copied(Copier& copier, const WhenClause& clause) {
  WhenClause result;
  for (const WhenBranch& branch : clause.branches) {
    WhenBranch made;
    made.span = branch.span;
    for (const NodeId condition : branch.conditions) made.conditions.push_back(copier.copy(condition));
    made.assignments = copied(copier, branch.assignments);
    made.reinits = copied(copier, branch.reinits);
    for (Termination t : branch.terminations) {
      if (t.unless.valid()) t.unless = copier.copy(t.unless);
      made.terminations.push_back(std::move(t));
    }
    result.branches.push_back(std::move(made));
  }
  return result;
}

}  // namespace

DaeSystem rebuilt(const DaeSystem& system, const Replacements& replacements) {
  DaeSystem result;
  result.name = system.name;
  result.graph = std::make_shared<ExprGraph>();
  result.sources = system.sources;
  result.report_order = system.report_order;
  result.experiment = system.experiment;
  result.warnings = system.warnings;
  Copier copier(system, replacements, result);
  for (std::size_t i = 0; i < system.variables.size(); ++i) {
    if (!replacements.value[i].valid()) result.variables.push_back(system.variables[i]);
  }
  for (Variable& variable : result.variables) {
    if (variable.start_value.valid()) variable.start_value = copier.copy(variable.start_value);
  }
  result.equations.reserve(system.equations.size());
  for (std::size_t i = 0; i < system.equations.size(); ++i) {
    if (marked(replacements.drop_equation, i)) continue;
    const Equation& e = system.equations[i];
    result.equations.push_back({copier.copy(e.residual), e.span, e.label});
    result.equations.back().keep = e.keep;
  }
  for (std::size_t i = 0; i < system.initial_equations.size(); ++i) {
    if (marked(replacements.drop_initial, i)) continue;
    const Equation& e = system.initial_equations[i];
    result.initial_equations.push_back({copier.copy(e.residual), e.span, e.label});
  }
  result.initial_assignments = copied(copier, system.initial_assignments);
  for (std::size_t i = 0; i < system.discrete_steps.size(); ++i) {
    if (marked(replacements.drop_step, i)) continue;
    const DiscreteStep& step = system.discrete_steps[i];
    if (const auto* a = std::get_if<Assignment>(&step)) {
      result.discrete_steps.emplace_back(
          Assignment{copier.number(a->target), copier.copy(a->value), a->span});
    } else {
      result.discrete_steps.emplace_back(copied(copier, std::get<WhenClause>(step)));
    }
  }
  for (const Assertion& a : system.assertions) {
    result.assertions.push_back({copier.copy(a.condition), a.message, a.is_error, a.span});
  }
  for (const ReportedValue& r : system.reported) {
    result.reported.push_back({r.attributes, copier.copy(r.value), r.parameter});
    NodeId& start = result.reported.back().attributes.start_value;
    if (start.valid()) start = copier.copy(start);
  }
  return result;
}

}  // namespace daedalus
