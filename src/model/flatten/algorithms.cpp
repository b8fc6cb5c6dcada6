// Algorithm sections of a model. Symbolic execution turns a section into one equation for each variable that
// it assigns; a when inside becomes a when clause.
#include <algorithm>
#include <unordered_map>

#include "model/flatten/calls.hpp"
#include "model/flatten/components.hpp"
#include "model/flatten/equations.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/flatten/functions.hpp"
#include "model/flatten/statements.hpp"

namespace daedalus::flatten {
namespace {

using ast::Expr;
using ast::Statement;

// Who assigns a variable: one when statement alone, or also other statements.
struct Owner {
  const Statement* when = nullptr;
  bool mixed = false;
};
using Owners = std::unordered_map<std::int32_t, Owner>;

class ModelMemory : public Memory {
 public:
  ModelMemory(Frame& frame, Overlay& overlay, bool discovery, Owners& owners)
      : session_(frame.session), overlay_(overlay), discovery_(discovery), owners_(owners) {}

  // In the order in which they were first assigned.
  [[nodiscard]] const std::vector<std::int32_t>& assigned() const { return assigned_; }
  [[nodiscard]] bool in_when_clause(std::int32_t variable) const { return by_clause_.contains(variable); }
  std::vector<WhenClause> take_clauses() { return std::move(clauses_); }

  void assign(Frame& frame, const Expr& target, const Value& value, NodeId skip) override {
    if (target.kind != ast::ExprKind::Name) raise(target.span, "only a variable can be assigned to");
    if (assign_chosen(frame, target, value, skip)) return;
    const Value leaves = target_leaves(frame, target);
    const Value fitting = converted(value, leaves.type, shape_of(leaves), target.span,
                                    fmt::format("'{}'", joined_name(target)));
    assign_leaves(frame, leaves, fitting, skip, target.span);
  }

  void call(Frame& frame, const Expr& e) override {
    const std::string name = joined_name(e);
    if (has_no_effect(name)) return;
    if (branch_ == nullptr || (name != "reinit" && name != "terminate")) {
      raise(e.span, "'{}' cannot stand here in an algorithm", name);
    }
    if (name == "terminate") {
      if (e.children.size() != 1) raise(e.span, "terminate needs a message");
      branch_->terminations.push_back({.message = message_text(frame, e.children[0]), .span = e.span});
      return;
    }
    if (e.children.size() != 2) raise(e.span, "reinit needs a state and a value: reinit(x, 0)");
    const VariableId id = variable_of(session_, target_leaves(frame, frame.expression(e.children[0])).node);
    if (!id.valid() || session_.system.variables[id.at()].kind != VariableKind::Continuous) {
      raise(e.span, "reinit needs a state, that is a variable whose derivative is in the model");
    }
    branch_->reinits.push_back(
        {id, evaluate_scalar(frame, e.children[1], BaseType::Real, "the new value"), e.span});
  }

  void when(Frame& frame, const Statement& statement) override {
    if (frame.place == Place::Initial) raise(statement.span, "'when' cannot stand in an initial algorithm");
    if (frame.place == Place::When) raise(statement.span, "a when cannot stand inside a when");
    WhenClause clause;
    std::vector<Changes> changes;
    for (std::size_t i = 0; i < statement.conditions.size(); ++i) {
      WhenBranch branch;
      branch.span = statement.span;
      const Value condition = evaluate(frame, statement.conditions[i]);
      if (condition.type.base != BaseType::Boolean)
        raise(statement.span, "the condition of a when must be Boolean");
      branch.conditions.assign(nodes_of(condition).begin(), nodes_of(condition).end());
      changes.push_back(run_branch(frame, statement, i, branch));
      clause.branches.push_back(std::move(branch));
    }
    apply(frame, statement, clause, changes);
    if (!discovery_) clauses_.push_back(std::move(clause));
  }

  Value get(Frame& frame, std::int32_t slot) override {
    const Value now = stored(slot);
    return now.defined() ? now : scalar(type_of(slot), variable_node(frame.session, VariableId(slot)));
  }

 protected:
  void store(std::int32_t slot, Value value) override {
    if (value.defined()) {
      overlay_[slot] = value.node;
    } else {
      overlay_.erase(slot);
    }
  }
  [[nodiscard]] Value stored(std::int32_t slot) const override {
    const auto found = overlay_.find(slot);
    return found == overlay_.end() ? Value{} : scalar(type_of(slot), found->second);
  }

 private:
  [[nodiscard]] Type type_of(std::int32_t slot) const {
    switch (session_.system.variables[static_cast<std::size_t>(slot)].kind) {
      case VariableKind::Boolean:
        return {BaseType::Boolean};
      case VariableKind::Integer:
        return {BaseType::Integer};
      default:
        return {BaseType::Real};
    }
  }

  // x[n] := value for an n that changes: every element keeps its value unless n is its number.
  bool assign_chosen(Frame& frame, const Expr& target, const Value& value, NodeId skip) {
    const auto& subscripts = target.parts.back().subscripts;
    if (subscripts.size() != 1) return false;
    Value all;
    {
      const Scoped<Overlay*> overlay(frame.overlay, nullptr);
      all = read_whole(frame, target);
    }
    NodeId node;
    if (shape_of(all).size() != 1 || unknown_subscript(frame, shape_of(all), subscripts, node) < 0)
      return false;
    ExprGraph& graph = frame.graph();
    for (std::size_t i = 0; i < element_count(shape_of(all)); ++i) {
      const Value leaf = element(all, i);
      const Value fitting =
          converted(value, leaf.type, shape_of(leaf), target.span, fmt::format("'{}'", joined_name(target)));
      const NodeId other = graph.apply(Op::NotEqual, node, graph.constant(static_cast<double>(i + 1)));
      assign_leaves(frame, leaf, fitting, skip.valid() ? graph.apply(Op::Or, skip, other) : other,
                    target.span);
    }
    return true;
  }

  // The target's own leaves, whatever has been assigned so far.
  static Value target_leaves(Frame& frame, const Expr& target) {
    const Session::FoundSymbol found = look_up(frame.session, target.parts);
    if (found.symbol < 0) {
      const Scoped<Overlay*> overlay(frame.overlay, nullptr);
      if (auto value = read_component(frame, target.parts, target.span)) return *value;
      raise(target.span, "unknown name '{}'{}", joined_name(target),
            similar_names(frame.session, joined_name(target)));
    }
    const Scoped<Overlay*> overlay(frame.overlay, nullptr);
    return read_symbol(frame, found.symbol,
                       std::span(target.parts).subspan(static_cast<std::size_t>(found.parts) - 1),
                       target.span);
  }

  void assign_leaves(Frame& frame, const Value& leaves, const Value& value, NodeId skip, SourceSpan span) {
    if (leaves.type.base == BaseType::Record) {
      for (std::size_t i = 0; i < leaves.more->parts.size(); ++i) {
        assign_leaves(frame, leaves.more->parts[i], value.more->parts[i], skip, span);
      }
      return;
    }
    if (!holds_nodes(leaves.type)) raise(span, "{} cannot be assigned to", type_text(leaves));
    for (std::size_t i = 0; i < nodes_of(leaves).size(); ++i) {
      const VariableId id = variable_of(session_, nodes_of(leaves)[i]);
      if (!id.valid()) raise(span, "only variables can be assigned to, not parameters");
      NodeId next = nodes_of(value)[i];
      if (skip.valid() && !frame.graph().is_constant(skip, 0)) {
        next = frame.graph().if_else(skip, get(frame, id.value).node, next);
      }
      note(id.value);
      put(frame, id.value, scalar(leaves.type, next));
    }
  }

  void note(std::int32_t variable) {
    const auto [entry, fresh] = owners_.try_emplace(variable, Owner{.when = current_});
    if (entry->second.when != current_ || current_ == nullptr) entry->second.mixed = true;
    if (seen_.insert(variable).second) assigned_.push_back(variable);
  }

  Changes run_branch(Frame& frame, const Statement& statement, std::size_t i, WhenBranch& branch) {
    const Scoped<const Statement*> current(current_, &statement);
    const Scoped<WhenBranch*> into(branch_, &branch);
    const Scoped<Place> place(frame.place, Place::When);
    const Scoped<bool> events(frame.events, false);
    const std::size_t start = mark();
    Flow flow = start_flow(frame);
    execute(frame, *this, flow, statement.bodies[i]);
    return take_back(start);
  }

  // A variable that only this when assigns goes into the clause. One that is assigned elsewhere too gets
  // if active then new value else old value, since the order of the statements counts.
  void apply(Frame& frame, const Statement& statement, WhenClause& clause,
             const std::vector<Changes>& changes) {
    ExprGraph& graph = frame.graph();
    std::vector<NodeId> active;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      for (const Change& change : changes[i]) {
        if (!owners_.at(change.slot).mixed) {
          clause.branches[i].assignments.push_back(
              {VariableId(change.slot), change.old.node, statement.span});
          by_clause_.insert(change.slot);
          put(frame, change.slot, scalar(type_of(change.slot), graph.discrete(VariableId(change.slot))));
          continue;
        }
        while (active.size() <= i) active.push_back(activity(graph, clause, active, statement.span));
        const NodeId old = get(frame, change.slot).node;
        put(frame, change.slot, scalar(type_of(change.slot), graph.if_else(active[i], change.old.node, old)));
      }
    }
  }

  // The instants at which a branch acts: one of its conditions has become true (initially only through
  // initial()), and no branch before it acts. Edges need a variable to remember each condition.
  NodeId activity(ExprGraph& graph, const WhenClause& clause, const std::vector<NodeId>& before,
                  SourceSpan span) {
    const WhenBranch& branch = clause.branches[before.size()];
    NodeId rises = graph.constant(0);
    NodeId at_start = graph.constant(0);
    for (const NodeId condition : branch.conditions) {
      if (condition == graph.initial()) {
        at_start = graph.constant(1);
        continue;
      }
      const VariableId memory = remembered(graph, condition, span);
      const NodeId edge =
          graph.apply(Op::And, graph.discrete(memory), graph.apply(Op::Not, graph.pre(memory)));
      rises = graph.apply(Op::Or, rises, edge);
    }
    NodeId acts = graph.if_else(graph.initial(), at_start, rises);
    for (const NodeId earlier : before) acts = graph.apply(Op::And, acts, graph.apply(Op::Not, earlier));
    return acts;
  }

  VariableId remembered(ExprGraph& graph, NodeId condition, SourceSpan span) {
    if (const auto known = memories_.find(condition); known != memories_.end()) return known->second;
    const VariableId id(session_.system.variables.size());
    Variable variable;
    variable.name = fmt::format("condition #{} of {}", id.value, session_.sources->excerpt(span, 60));
    variable.kind = VariableKind::Boolean;
    variable.internal = true;
    variable.span = span;
    session_.system.variables.push_back(std::move(variable));
    memories_.emplace(condition, id);
    session_.discrete_equations.push_back({.left = graph.discrete(id),
                                           .right = condition,
                                           .type = {BaseType::Boolean},
                                           .span = span,
                                           .label = {}});
    return id;
  }

  Session& session_;
  Overlay& overlay_;
  bool discovery_;
  Owners& owners_;
  std::vector<std::int32_t> assigned_;
  std::unordered_set<std::int32_t> seen_;
  std::unordered_set<std::int32_t> by_clause_;
  std::vector<WhenClause> clauses_;
  std::unordered_map<NodeId, VariableId> memories_;
  const Statement* current_ = nullptr;
  WhenBranch* branch_ = nullptr;
};

// What a variable is before the section has assigned it (Modelica 11.1.2): the value before the event for a
// discrete one, the start value for a continuous one.
NodeId value_before(Session& session, std::int32_t variable) {
  const Variable& v = session.system.variables[static_cast<std::size_t>(variable)];
  if (v.kind == VariableKind::Continuous || v.kind == VariableKind::Parameter)
    return session.graph().constant(v.start);
  return session.graph().pre(VariableId(variable));
}

Type type_of_kind(VariableKind kind) {
  if (kind == VariableKind::Boolean) return {BaseType::Boolean};
  return {kind == VariableKind::Integer ? BaseType::Integer : BaseType::Real};
}

}  // namespace

void flatten_algorithm(Frame& frame, std::span<const std::int32_t> statements) {
  Session& session = frame.session;
  Owners owners;
  std::vector<std::int32_t> assigned;
  const auto run = [&](Overlay& overlay, ModelMemory& memory) {
    const Scoped<Overlay*> scope(frame.overlay, &overlay);
    Flow flow = start_flow(frame);
    execute(frame, memory, flow, statements);
  };
  {
    // A first run finds out what is assigned; what it makes is thrown away.
    const auto assertions = session.system.assertions.size();
    const auto equations = session.discrete_equations.size();
    const auto continuous = static_cast<std::ptrdiff_t>(session.system.equations.size());
    const auto variables = session.system.variables.size();
    Overlay overlay;
    ModelMemory memory(frame, overlay, true, owners);
    run(overlay, memory);
    assigned = memory.assigned();
    for (std::size_t i = assertions; i < session.system.assertions.size(); ++i) {
      session.asserted.erase(session.system.assertions[i].condition);
    }
    session.system.assertions.resize(assertions);
    session.discrete_equations.resize(equations);
    session.system.equations.erase(session.system.equations.begin() + continuous,
                                   session.system.equations.end());
    if (session.system.variables.size() > variables) {
      session.system.variables.resize(variables);
      const auto thrown_away = [&](const auto& made) {
        return variable_of(session, made.second).at() >= variables;
      };
      std::erase_if(session.floors, thrown_away);
      std::erase_if(session.implicit, thrown_away);
    }
  }
  Overlay overlay;
  for (const std::int32_t variable : assigned) overlay[variable] = value_before(session, variable);
  ModelMemory memory(frame, overlay, false, owners);
  run(overlay, memory);
  for (WhenClause& clause : memory.take_clauses()) session.when_clauses.push_back(std::move(clause));
  const SourceSpan span = statements.empty() ? SourceSpan{} : frame.statement(statements.front()).span;
  for (const std::int32_t variable : assigned) {
    if (memory.in_when_clause(variable)) continue;
    // An initial algorithm says what a when clause's variable is before the clause acts for the first time.
    if (frame.place != Place::Initial) session.held.erase(variable);
    const Type type = type_of_kind(session.system.variables[static_cast<std::size_t>(variable)].kind);
    const Value left = scalar(type, variable_node(session, VariableId(variable)));
    const std::string label =
        fmt::format("value of {}", session.system.variables[static_cast<std::size_t>(variable)].name);
    add_equation(frame, left, scalar(type, overlay.at(variable)), {span, label}, nullptr);
  }
}

}  // namespace daedalus::flatten
