#include "model/flatten/statements.hpp"

#include <algorithm>
#include <unordered_map>

#include "model/flatten/calls.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/flatten/functions.hpp"
#include "model/flatten/operators.hpp"

namespace daedalus::flatten {

using ast::Expr;
using ast::ExprKind;
using ast::Statement;
using ast::StatementKind;

void Memory::when(Frame& /*frame*/, const Statement& statement) {
  raise(statement.span, "'when' cannot stand in a function");
}

void Memory::call(Frame& /*frame*/, const Expr& call) {
  raise(call.span, "'{}' cannot be called as a statement here", joined_name(call));
}

void Memory::put(Frame& /*frame*/, std::int32_t slot, Value value) {
  if (on_trial()) journal_.push_back({slot, stored(slot)});
  store(slot, std::move(value));
}

Memory::Changes Memory::take_back(std::size_t mark) {
  --trials_;
  Changes changes;
  std::unordered_map<std::int32_t, bool> seen;
  while (journal_.size() > mark) {
    Change change = std::move(journal_.back());
    journal_.pop_back();
    // The first met going back is the last made: what is stored now is the branch's result.
    if (seen.emplace(change.slot, true).second) changes.push_back({change.slot, stored(change.slot)});
    store(change.slot, std::move(change.old));
  }
  std::ranges::sort(changes, {}, &Change::slot);
  return changes;
}

Flow start_flow(const Frame& frame) {
  const NodeId no = frame.graph().constant(0);
  return {.where = frame.graph().constant(1), .returned = no, .broken = no};
}

namespace {

class Execution {
 public:
  Execution(Frame& frame, Memory& memory, Flow& flow) : frame_(frame), memory_(memory), flow_(flow) {}

  void run(std::span<const std::int32_t> statements) {
    for (const std::int32_t index : statements) {
      if (over()) return;
      step(frame_.statement(index));
    }
  }

 private:
  [[nodiscard]] ExprGraph& graph() const { return frame_.graph(); }
  [[nodiscard]] NodeId skip() const { return graph().apply(Op::Or, flow_.returned, flow_.broken); }
  [[nodiscard]] bool over() const { return graph().is_constant(skip(), 1); }

  void step(const Statement& statement) {
    const Nesting nesting(frame_.session, statement.span);
    switch (statement.kind) {
      case StatementKind::Assignment:
        return assignment(statement);
      case StatementKind::Call:
        return call(statement);
      case StatementKind::If:
        return branches(statement);
      case StatementKind::For:
        return loop(statement);
      case StatementKind::While:
        return while_loop(statement);
      case StatementKind::When:
        return memory_.when(frame_, statement);
      case StatementKind::Break:
        flow_.broken = graph().apply(Op::Or, flow_.broken, flow_.where);
        return;
      case StatementKind::Return:
        flow_.returned = graph().apply(Op::Or, flow_.returned, flow_.where);
        return;
      case StatementKind::Equation:
        raise(statement.span, "an equation cannot stand in an algorithm; write ':=' for an assignment");
    }
  }

  void assignment(const Statement& statement) {
    const Expr& left = frame_.expression(statement.left);
    const NodeId unless = skip();
    if (left.kind != ExprKind::Tuple) {
      memory_.assign(frame_, left, evaluate(frame_, statement.right), unless);
      return;
    }
    const std::vector<Value> values = evaluate_outputs(frame_, statement.right);
    if (left.children.size() > values.size()) {
      raise(statement.span, "{} values are asked for, but the function gives {}", left.children.size(),
            values.size());
    }
    for (std::size_t i = 0; i < left.children.size(); ++i) {
      if (left.children[i] < 0) continue;
      memory_.assign(frame_, frame_.expression(left.children[i]), values[i], unless);
    }
  }

  void call(const Statement& statement) {
    const Expr& e = frame_.expression(statement.right);
    if (joined_name(e) == "assert") {
      make_assertion(frame_, e, graph().apply(Op::Not, skip()));
    } else if (joined_name(e) == "Modelica.Utilities.Streams.error") {
      make_stop(frame_, e, graph().apply(Op::Not, skip()));
    } else {
      memory_.call(frame_, e);
    }
  }

  struct Branch {
    NodeId condition;
    Memory::Changes changes;
  };

  // Runs one branch from the present state, under its condition, and takes its changes back.
  Memory::Changes tried(NodeId condition, std::span<const std::int32_t> body) {
    const Scoped<NodeId> where(flow_.where, graph().apply(Op::And, flow_.where, condition));
    const Scoped<NodeId> path(frame_.path, narrowed(frame_, condition));
    const std::size_t mark = memory_.mark();
    run(body);
    return memory_.take_back(mark);
  }

  void branches(const Statement& statement) {
    std::vector<Branch> tested;
    NodeId otherwise = graph().constant(1);
    std::size_t i = 0;
    for (; i < statement.conditions.size(); ++i) {
      const Scoped<NodeId> path(frame_.path, tested.empty() ? frame_.path : narrowed(frame_, otherwise));
      const NodeId condition =
          evaluate_scalar(frame_, statement.conditions[i], BaseType::Boolean, "the condition of an if");
      if (graph().is_constant(condition, 0)) continue;
      if (graph().is_constant(condition)) break;
      tested.push_back({condition, tried(graph().apply(Op::And, otherwise, condition), statement.bodies[i])});
      otherwise = graph().apply(Op::And, otherwise, graph().apply(Op::Not, condition));
    }
    const bool has_rest = i < statement.bodies.size();
    if (tested.empty()) {
      if (has_rest) run(statement.bodies[i]);
      return;
    }
    merge(tested, has_rest ? tried(otherwise, statement.bodies[i]) : Memory::Changes{}, statement.span);
  }

  static const Value* changed(const Memory::Changes& changes, std::int32_t slot) {
    const auto found = std::ranges::lower_bound(changes, slot, {}, &Memory::Change::slot);
    return found != changes.end() && found->slot == slot ? &found->old : nullptr;
  }

  void merge(std::span<const Branch> tested, const Memory::Changes& otherwise, SourceSpan span) {
    std::vector<std::int32_t> slots;
    const auto collect = [&](const Memory::Changes& changes) {
      for (const Memory::Change& change : changes) slots.push_back(change.slot);
    };
    collect(otherwise);
    for (const Branch& branch : tested) collect(branch.changes);
    std::ranges::sort(slots);
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    for (const std::int32_t slot : slots) {
      const Value before = memory_.get(frame_, slot);
      const Value* rest = changed(otherwise, slot);
      Value merged = rest == nullptr ? before : *rest;
      for (std::size_t k = tested.size(); k-- > 0;) {
        const Value* own = changed(tested[k].changes, slot);
        const Value& value = own == nullptr ? before : *own;
        if (!merged.defined() || !value.defined()) {
          if (!merged.defined()) merged = value;
        } else {
          merged = choose_value(frame_, tested[k].condition, value, merged, span);
        }
      }
      memory_.put(frame_, slot, std::move(merged));
    }
  }

  void loop(const Statement& statement) {
    const Scoped<NodeId> broken(flow_.broken, graph().constant(0));
    for_each(frame_, statement.iterators, [&] {
      if (!over()) run(statement.bodies[0]);
    });
  }

  void while_loop(const Statement& statement) {
    const Scoped<NodeId> broken(flow_.broken, graph().constant(0));
    const std::size_t most = frame_.session.limits.while_iterations;
    for (std::size_t count = 0; !over(); ++count) {
      if (count >= most) raise(statement.span, "this loop runs more than {} times; does it ever end?", most);
      const NodeId condition = evaluate_scalar(frame_, statement.conditions[0], BaseType::Boolean,
                                               "the condition of a while loop");
      if (!graph().is_constant(condition)) {
        if (depends_on_given_only(frame_.session, condition))
          raise_unknown(frame_.session, condition, statement.span, "the condition of a while loop");
        raise(statement.span, "a 'while' whose condition changes during the simulation is not supported");
      }
      if (graph().node(condition).value == 0) return;
      run(statement.bodies[0]);
    }
  }

  Frame& frame_;
  Memory& memory_;
  Flow& flow_;
};

// What a place gets when an assignment counts only where `skip` is false.
Value guarded(Frame& frame, const Value& old, const Value& value, NodeId skip, SourceSpan span) {
  if (!skip.valid() || frame.graph().is_constant(skip, 0) || !old.defined()) return value;
  return choose_value(frame, skip, old, value, span);
}

void check_assignable(const Value& target, const Value& value, SourceSpan span) {
  const bool integer_to_real = target.type.base == BaseType::Real && value.type.base == BaseType::Integer;
  if (target.type == value.type || integer_to_real) return;
  raise(span, "{} cannot be assigned to {}", type_text(value), type_text(target.type));
}

Value place(const Value& target, std::size_t i) {
  return holds_nodes(target.type) ? scalar(target.type, target.more->nodes[i]) : target.more->parts[i];
}

void set_place(Value& target, std::size_t i, Value value) {
  Aggregate& all = own(target);
  if (holds_nodes(target.type)) {
    all.nodes[i] = value.node;
  } else {
    all.parts[i] = std::move(value);
  }
}

// x[n] := value for an n that is not known: every element keeps its value unless n is its number.
void assign_unknown(Frame& frame, Value& target, NodeId subscript, const Value& value, NodeId skip,
                    SourceSpan span) {
  const auto count = element_count(shape_of(target));
  for (std::size_t i = 0; i < count; ++i) {
    const NodeId number = frame.graph().constant(static_cast<double>(i + 1));
    const NodeId other = frame.graph().apply(Op::NotEqual, subscript, number);
    const NodeId keep = skip.valid() ? frame.graph().apply(Op::Or, skip, other) : other;
    set_place(target, i, guarded(frame, place(target, i), value, keep, span));
  }
}

void assign_elements(Frame& frame, Value& target, std::span<const ast::NamePart> path, const Value& value,
                     NodeId skip, SourceSpan span) {
  const Shape shape = shape_of(target);
  const auto& subscripts = path[0].subscripts;
  NodeId subscript;
  if (subscripts.size() == 1 && shape.size() == 1 && path.size() == 1 &&
      unknown_subscript(frame, shape, subscripts, subscript) >= 0) {
    assign_unknown(frame, target, subscript, value, skip, span);
    return;
  }
  const Choice choice = choose(frame, shape, subscripts, span);
  const std::vector<std::size_t> chosen = positions(choice, shape);
  if (path.size() > 1) {
    if (chosen.size() != 1) raise(span, "only one element's field can be assigned at a time");
    Value part = place(target, chosen[0]);
    const ast::NamePart bare{.name = path[0].name, .subscripts = {}};
    std::vector<ast::NamePart> rest{bare};
    rest.insert(rest.end(), path.begin() + 1, path.end());
    assign_part(frame, part, rest, value, skip, span);
    set_place(target, chosen[0], std::move(part));
    return;
  }
  check_assignable(target, value, span);
  if (choice.shape != shape_of(value)) {
    raise(span, "{} is assigned to a part of size {}", type_text(value), shape_text(choice.shape));
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    set_place(target, chosen[i], guarded(frame, place(target, chosen[i]), element(value, i), skip, span));
  }
}

}  // namespace

void assign_part(Frame& frame, Value& target, std::span<const ast::NamePart> path, const Value& value,
                 NodeId skip, SourceSpan span) {
  if (!path[0].subscripts.empty()) {
    assign_elements(frame, target, path, value, skip, span);
    return;
  }
  if (path.size() == 1) {
    Value fitting = converted(value, target.type, shape_of(target), span, path[0].name);
    target = guarded(frame, target, fitting, skip, span);
    return;
  }
  if (target.type.base != BaseType::Record || is_array(target)) {
    raise(span, "'{}' has no field '{}'", path[0].name, path[1].name);
  }
  const int field = field_index(*target.type.definition, path[1].name);
  if (field < 0) raise(span, "the record '{}' has no field '{}'", target.type.definition->name, path[1].name);
  assign_part(frame, own(target).parts[static_cast<std::size_t>(field)], path.subspan(1), value, skip, span);
}

void execute(Frame& frame, Memory& memory, Flow& flow, std::span<const std::int32_t> statements) {
  Execution(frame, memory, flow).run(statements);
}

}  // namespace daedalus::flatten
