#include "model/flatten/equations.hpp"

#include <algorithm>
#include <unordered_map>

#include "model/flatten/calls.hpp"
#include "model/flatten/declarations.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/flatten/functions.hpp"
#include "model/flatten/operators.hpp"

namespace daedalus::flatten {
namespace {

using ast::Expr;
using ast::ExprKind;
using ast::Statement;
using ast::StatementKind;

// The variable of a side that is nothing but a discrete variable.
const Variable* discrete_side(const Session& session, NodeId side) {
  const VariableId id = variable_of(session, side);
  if (!id.valid()) return nullptr;
  const Variable& variable = session.system.variables[id.at()];
  return is_discrete(variable.kind) ? &variable : nullptr;
}

// A Real equation belongs to the discrete part when it gives a discrete Real its value.
bool determines_discrete(const Session& session, NodeId side) {
  const Variable* variable = discrete_side(session, side);
  return variable != nullptr && variable->kind == VariableKind::DiscreteReal && !variable->internal &&
         !session.held.contains(variable_of(session, side).value);
}

// n = 0.5*x does not determine an Integer n; should nothing else do so, this is why.
void note_integer_side(Session& session, NodeId side, SourceSpan span) {
  const Variable* variable = discrete_side(session, side);
  if (variable != nullptr && variable->kind == VariableKind::Integer) {
    session.real_equation_of.emplace(variable_of(session, side).value, span);
  }
}

void add_continuous(Session& session, const ScalarEquation& e) {
  std::vector<Equation>& equations = session.system.equations;
  if (equations.size() >= session.limits.equations) {
    raise(e.span, "the model has more than {} scalar equations, which is the limit; make its arrays smaller",
          session.limits.equations);
  }
  equations.push_back({.residual = session.graph().sub(e.left, e.right), .span = e.span, .label = e.label});
}

void add_initial(Session& session, ScalarEquation e) {
  const auto starts_with = [&](NodeId side) {
    const Node& node = session.graph().node(side);
    return discrete_side(session, side) != nullptr || node.op == Op::Pre;
  };
  if (e.type.base != BaseType::Real || starts_with(e.left) || starts_with(e.right)) {
    session.initial_discrete_equations.push_back(std::move(e));
    return;
  }
  session.system.initial_equations.push_back(
      {.residual = session.graph().sub(e.left, e.right), .span = e.span, .label = e.label});
}

void add_scalar(Frame& frame, ScalarEquation e) {
  Session& session = frame.session;
  if (frame.place == Place::Initial) {
    add_initial(session, std::move(e));
    return;
  }
  if (e.type.base != BaseType::Real) {
    session.discrete_equations.push_back(std::move(e));
    return;
  }
  note_integer_side(session, e.left, e.span);
  note_integer_side(session, e.right, e.span);
  if (determines_discrete(session, e.left) || determines_discrete(session, e.right)) {
    session.discrete_equations.push_back(std::move(e));
  } else {
    add_continuous(session, e);
  }
}

std::string with_element(const std::string& label, const Shape& shape, std::size_t i) {
  if (shape.empty()) return label;
  const std::string at = "element " + subscript_text(shape, i);
  return label.empty() ? at : label + ", " + at;
}

class SectionFlattener {
 public:
  // sink: where the equations of an undecided if-branch are collected; null: into the session.
  SectionFlattener(Frame& frame, std::vector<ScalarEquation>* sink) : frame_(frame), sink_(sink) {}

  void run(std::span<const std::int32_t> statements) {
    for (const std::int32_t index : statements) {
      if (frame_.session.solved_by.contains(index)) continue;
      const std::size_t iterators = frame_.iterators.size();
      try {
        step(frame_.statement(index));
      } catch (const ModelError& error) {
        frame_.ends.clear();
        frame_.iterators.resize(iterators);
        // Inside a loop the same mistake would be found again and again.
        if (sink_ != nullptr || iterators > 0) throw;
        report(frame_.session, error);
      }
    }
  }

 private:
  void step(const Statement& statement) {
    const Nesting nesting(frame_.session, statement.span);
    switch (statement.kind) {
      case StatementKind::Equation:
        return equation(statement);
      case StatementKind::Call:
        return call(statement);
      case StatementKind::If:
        return branches(statement);
      case StatementKind::For:
        for_each(frame_, statement.iterators, [&] { run(statement.bodies[0]); });
        return;
      case StatementKind::When:
        if (frame_.place == Place::Initial)
          raise(statement.span, "'when' cannot stand in an initial section");
        if (sink_ != nullptr) raise(statement.span, "'when' cannot stand in an if whose condition changes");
        return flatten_when(frame_, statement);
      default:
        raise(statement.span, "this statement can stand only in an algorithm");
    }
  }

  void equation(const Statement& statement) {
    const Expr& left = frame_.expression(statement.left);
    const EquationPlace where{statement.span, iterator_text(frame_)};
    if (left.kind != ExprKind::Tuple) {
      const Value value = evaluate(frame_, statement.left);
      add_equation(frame_, value, evaluate(frame_, statement.right), where, sink_);
      return;
    }
    const std::vector<Value> values = evaluate_outputs(frame_, statement.right);
    if (left.children.size() > values.size()) {
      raise(statement.span, "{} values are asked for, but the function gives {}", left.children.size(),
            values.size());
    }
    for (std::size_t i = 0; i < left.children.size(); ++i) {
      if (left.children[i] >= 0)
        add_equation(frame_, evaluate(frame_, left.children[i]), values[i], where, sink_);
    }
  }

  void call(const Statement& statement) {
    const Expr& e = frame_.expression(statement.right);
    const std::string name = joined_name(e);
    if (name == "assert") {
      make_assertion(frame_, e, frame_.graph().constant(1));
    } else if (name == "reinit" || name == "terminate") {
      raise(e.span, "'{}' can stand only inside a when", name);
    } else if (has_no_effect(name)) {
      return;
    } else if (find_function(frame_.session, name) != nullptr) {
      // For the assertions inside.
      (void)evaluate_outputs(frame_, statement.right);
    } else {
      raise(e.span, "'{}' cannot stand as an equation", name);
    }
  }

  struct Branch {
    NodeId condition;
    std::vector<ScalarEquation> equations;
  };

  std::vector<ScalarEquation> collected(NodeId condition, std::span<const std::int32_t> body) {
    const Scoped<NodeId> path(frame_.path, narrowed(frame_, condition));
    std::vector<ScalarEquation> equations;
    SectionFlattener(frame_, &equations).run(body);
    return equations;
  }

  [[nodiscard]] bool depends_on_free_only(NodeId node) const {
    const auto is_free = [&](NodeId leaf) {
      const VariableId id = variable_of(frame_.session, leaf);
      return id.valid() && frame_.session.system.variables[id.at()].kind == VariableKind::FreeParameter;
    };
    return std::ranges::all_of(leaves_of(frame_.graph(), node), is_free);
  }

  void branches(const Statement& statement) {
    ExprGraph& graph = frame_.graph();
    std::vector<Branch> tested;
    NodeId otherwise = graph.constant(1);
    std::size_t i = 0;
    for (; i < statement.conditions.size(); ++i) {
      const NodeId condition = evaluate_scalar(frame_, statement.conditions[i], BaseType::Boolean,
                                               "the condition of an if-equation");
      if (graph.is_constant(condition, 0)) continue;
      if (graph.is_constant(condition)) break;
      // Which equations there are is decided when the model is read.
      if (depends_on_free_only(condition))
        raise_unknown(frame_.session, condition, frame_.expression(statement.conditions[i]).span,
                      "the condition of an if-equation");
      tested.push_back(
          {condition, collected(graph.apply(Op::And, otherwise, condition), statement.bodies[i])});
      otherwise = graph.apply(Op::And, otherwise, graph.apply(Op::Not, condition));
    }
    const bool has_rest = i < statement.bodies.size();
    if (tested.empty()) {
      if (has_rest) run(statement.bodies[i]);
      return;
    }
    tested.push_back(
        {{}, has_rest ? collected(otherwise, statement.bodies[i]) : std::vector<ScalarEquation>{}});
    check_balance(tested, has_rest, statement.span);
    combine(tested);
  }

  static void check_balance(const std::vector<Branch>& branches, bool has_else, SourceSpan span) {
    const std::size_t count = branches.front().equations.size();
    for (const Branch& branch : branches) {
      if (branch.equations.size() == count) continue;
      if (&branch == &branches.back() && !has_else) {
        raise(span,
              "this if-equation needs an else: its condition changes, so both cases must give {} equation(s)",
              count);
      }
      raise(span, "the branches of this if-equation give {} and {} equations; they must give as many", count,
            branch.equations.size());
    }
  }

  // Sorts a branch like the first one where both give the same left sides; the order of writing counts
  // otherwise.
  static void align(const std::vector<ScalarEquation>& model, std::vector<ScalarEquation>& other) {
    std::unordered_map<NodeId, std::size_t> position;
    for (std::size_t i = 0; i < other.size(); ++i) position.emplace(other[i].left, i);
    if (position.size() != other.size()) return;
    std::vector<ScalarEquation> sorted;
    for (const ScalarEquation& e : model) {
      const auto found = position.find(e.left);
      if (found == position.end()) return;
      sorted.push_back(other[found->second]);
      position.erase(found);
    }
    other = std::move(sorted);
  }

  void combine(std::vector<Branch>& branches) {
    for (std::size_t k = 1; k < branches.size(); ++k)
      align(branches.front().equations, branches[k].equations);
    for (std::size_t i = 0; i < branches.front().equations.size(); ++i) {
      put(combined(branches, i));
    }
  }

  ScalarEquation combined(const std::vector<Branch>& branches, std::size_t i) {
    ExprGraph& graph = frame_.graph();
    ScalarEquation result = branches.back().equations[i];
    const bool same_left = std::ranges::all_of(
        branches, [&](const Branch& branch) { return branch.equations[i].left == result.left; });
    const auto side = [&](const ScalarEquation& e) {
      return same_left ? e.right : graph.sub(e.left, e.right);
    };
    NodeId value = side(result);
    for (std::size_t k = branches.size() - 1; k-- > 0;) {
      const ScalarEquation& e = branches[k].equations[i];
      result.type = common_type(result.type, e.type, e.span, "an if-equation");
      value = graph.if_else(branches[k].condition, side(e), value);
    }
    if (!same_left && result.type.base != BaseType::Real) {
      raise(result.span, "in every branch of this if-equation the same variable must stand on the left");
    }
    result.span = branches.front().equations[i].span;
    result.label = branches.front().equations[i].label;
    if (!same_left) result.left = graph.constant(0);
    result.right = same_left ? value : graph.neg(value);
    return result;
  }

  void put(ScalarEquation e) {
    if (sink_ != nullptr) {
      sink_->push_back(std::move(e));
    } else {
      add_scalar(frame_, std::move(e));
    }
  }

  Frame& frame_;
  std::vector<ScalarEquation>* sink_;
};

// Variables with a value in their declaration: Real x = ...
void flatten_bindings(Session& session) {
  Frame frame{.session = session, .tree = &session.tree};
  for (std::size_t i = 0; i < session.symbols.size(); ++i) {
    const Symbol& symbol = session.symbols[i];
    if (symbol.role != Role::Variable && symbol.role != Role::Unknown) continue;
    try {
      const Value left = read_instance(frame, symbol.instance);
      if (symbol.declaration->binding >= 0) {
        frame.tree = symbol.tree;
        frame.place = symbol.role == Role::Unknown ? Place::Initial : Place::Equation;
        add_equation(frame, left, evaluate(frame, symbol.declaration->binding),
                     {symbol.declaration->span, {}}, nullptr);
      }
    } catch (const ModelError& error) {
      report(session, error);
      frame.ends.clear();
    }
  }
  for (const FieldBinding& binding : session.field_bindings) {
    try {
      frame.tree = binding.tree;
      frame.place = Place::Equation;
      add_equation(frame, read_instance(frame, binding.field), evaluate(frame, binding.value),
                   {binding.span, {}}, nullptr);
    } catch (const ModelError& error) {
      report(session, error);
      frame.ends.clear();
    }
  }
}

}  // namespace

void add_equation(Frame& frame, const Value& left, const Value& right, const EquationPlace& where,
                  std::vector<ScalarEquation>* sink) {
  if (shape_of(left) != shape_of(right)) {
    raise(where.span, "the two sides have different sizes: {} and {}", shape_text(shape_of(left)),
          shape_text(shape_of(right)));
  }
  if (left.type != right.type && left.type.base == BaseType::Record && right.type.base == BaseType::Record) {
    // Records of other definitions fit field by field.
    add_equation(frame, left, converted(right, left.type, shape_of(left), where.span, "the left side"), where,
                 sink);
    return;
  }
  const bool fits = left.type == right.type || (is_numeric(left.type) && is_numeric(right.type));
  if (!fits || left.type.base == BaseType::String || left.type.base == BaseType::External) {
    raise(where.span, "an equation cannot have {} on the left and {} on the right", type_text(left),
          type_text(right));
  }
  const Type type = common_type(left.type, right.type, where.span, "an equation");
  if (type.base == BaseType::Record) {
    const Nesting nesting(frame.session, where.span);
    for (std::size_t i = 0; i < left.more->parts.size(); ++i) {
      add_equation(frame, left.more->parts[i], right.more->parts[i], where, sink);
    }
    return;
  }
  const auto l = nodes_of(left);
  const auto r = nodes_of(right);
  for (std::size_t i = 0; i < l.size(); ++i) {
    ScalarEquation e{l[i], r[i], type, where.span, with_element(where.label, shape_of(left), i)};
    if (sink != nullptr) {
      sink->push_back(std::move(e));
    } else {
      add_scalar(frame, std::move(e));
    }
  }
}

void flatten_sections(Session& session, const ast::Class& model) {
  flatten_bindings(session);
  flatten_input_tables(session);
  flatten_input_expressions(session);
  Frame frame{.session = session, .tree = &session.tree};
  SectionFlattener(frame, nullptr).run(model.sections.equations);
  const auto algorithms = [&](const std::vector<std::vector<std::int32_t>>& sections) {
    for (const auto& section : sections) {
      try {
        flatten_algorithm(frame, section);
      } catch (const ModelError& error) {
        report(session, error);
        frame.ends.clear();
        frame.iterators.clear();
      }
    }
  };
  algorithms(model.sections.algorithms);
  frame.place = Place::Initial;
  frame.events = false;
  SectionFlattener(frame, nullptr).run(model.sections.initial_equations);
  algorithms(model.sections.initial_algorithms);
}

}  // namespace daedalus::flatten
