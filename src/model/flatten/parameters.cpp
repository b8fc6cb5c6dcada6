// The order of dependence among declarations, and the values of constants and parameters in that order.
#include <algorithm>
#include <unordered_map>

#include "model/flatten/arrays.hpp"
#include "model/flatten/declarations.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/flatten/functions.hpp"

namespace daedalus::flatten {
namespace {

using ast::Expr;
using ast::ExprKind;
using ast::ExprRef;

// Symbols and functions depend on each other: a parameter on the function that it calls, a function on the
// constants that it reads. Functions have numbers after those of the symbols.
class DependencyOrder {
 public:
  explicit DependencyOrder(Session& session) : session_(session) {}

  // All symbols, each after those that it depends on. Depth-first with a stack of its own.
  std::vector<std::int32_t> symbols() {
    const auto count = static_cast<std::int32_t>(session_.symbols.size());
    state_.assign(static_cast<std::size_t>(count), New);
    for (std::int32_t i = 0; i < count; ++i) visit(i);
    return order_;
  }

 private:
  enum State : std::uint8_t { New, Open, Done };
  struct Level {
    std::int32_t node;
    std::vector<std::int32_t> needs;
    std::size_t next = 0;
  };

  void visit(std::int32_t root) {
    if (state_[static_cast<std::size_t>(root)] != New) return;
    std::vector<Level> stack;
    open(stack, root);
    while (!stack.empty()) {
      Level& top = stack.back();
      if (top.next < top.needs.size()) {
        const std::int32_t need = top.needs[top.next++];
        const State state = static_cast<State>(state_[static_cast<std::size_t>(need)]);
        if (state == New) open(stack, need);
        if (state == Open) check_cycle(stack, need);
      } else {
        state_[static_cast<std::size_t>(top.node)] = Done;
        if (is_symbol(top.node)) order_.push_back(top.node);
        stack.pop_back();
      }
    }
  }

  [[nodiscard]] bool is_symbol(std::int32_t node) const {
    return static_cast<std::size_t>(node) < session_.symbols.size();
  }

  void open(std::vector<Level>& stack, std::int32_t node) {
    state_[static_cast<std::size_t>(node)] = Open;
    Level level{.node = node, .needs = {}};
    if (is_symbol(node)) {
      needs_of_symbol(session_.symbols[static_cast<std::size_t>(node)], level.needs);
    } else {
      needs_of_function(*functions_[static_cast<std::size_t>(node) - session_.symbols.size()], level.needs);
    }
    stack.push_back(std::move(level));
  }

  // Functions may call each other in circles; values may not depend on themselves.
  void check_cycle(const std::vector<Level>& stack, std::int32_t need) {
    const auto begin = std::ranges::find(stack, need, &Level::node);
    std::vector<std::int32_t> cycle;
    for (auto it = begin; it != stack.end(); ++it) {
      if (is_symbol(it->node)) cycle.push_back(it->node);
    }
    if (cycle.empty()) return;
    std::string text;
    constexpr std::size_t longest = 8;
    for (std::size_t i = 0; i < std::min(cycle.size(), longest); ++i) {
      text += session_.symbols[static_cast<std::size_t>(cycle[i])].name + " -> ";
    }
    if (cycle.size() > longest) text += "... -> ";
    const Symbol& first = session_.symbols[static_cast<std::size_t>(cycle.front())];
    raise(first.declaration == nullptr ? SourceSpan{} : first.declaration->span,
          "these declarations depend on each other in a circle: {}{}", text, first.name);
  }

  void needs_of_symbol(const Symbol& symbol, std::vector<std::int32_t>& needs) {
    for (const std::int32_t element : symbol.elements) {
      if (element >= 0) needs.push_back(element);
    }
    if (symbol.declaration == nullptr) return;
    needs_of_expression(*symbol.tree, symbol.declaration->condition, needs);
    for (const ExprRef ref : symbol.declaration->dimensions) needs_of_expression(*symbol.tree, ref, needs);
    for (const ResolvedType::Layer& layer : symbol.declared.layers) {
      for (const ExprRef ref : layer.node->base_dimensions) needs_of_expression(*layer.tree, ref, needs);
    }
    const bool open = std::ranges::any_of(symbol.declaration->dimensions, [&](ExprRef ref) {
      return symbol.tree->expressions[static_cast<std::size_t>(ref)].kind == ExprKind::Colon;
    });
    if (symbol.role == Role::Variable && !open) return;
    needs_of_expression(*symbol.tree, symbol.declaration->binding, needs);
    for (const ast::Modifier& modifier : symbol.declaration->modifiers) {
      needs_of_expression(*symbol.tree, modifier.value, needs);
    }
  }

  void needs_of_function(const ClassInfo& function, std::vector<std::int32_t>& needs) {
    if (function.node == nullptr) return;
    for (const ast::Component& c : function.node->components) {
      needs_of_expression(*function.tree, c.binding, needs);
      for (const ExprRef ref : c.dimensions) needs_of_expression(*function.tree, ref, needs);
    }
    std::vector<std::int32_t> pending;
    for (const auto& section : function.node->sections.algorithms) {
      pending.insert(pending.end(), section.begin(), section.end());
    }
    while (!pending.empty()) {
      const ast::Statement& statement = function.tree->statements[static_cast<std::size_t>(pending.back())];
      pending.pop_back();
      needs_of_expression(*function.tree, statement.left, needs);
      needs_of_expression(*function.tree, statement.right, needs);
      for (const ExprRef ref : statement.conditions) needs_of_expression(*function.tree, ref, needs);
      for (const ast::Iterator& it : statement.iterators)
        needs_of_expression(*function.tree, it.range, needs);
      for (const auto& body : statement.bodies) pending.insert(pending.end(), body.begin(), body.end());
    }
  }

  void needs_of_expression(const ast::Ast& tree, ExprRef root, std::vector<std::int32_t>& needs) {
    if (root < 0) return;
    std::vector<ExprRef> pending{root};
    std::vector<std::string_view> iterators;
    while (!pending.empty()) {
      const ExprRef ref = pending.back();
      pending.pop_back();
      if (ref < 0) continue;
      const Expr& e = tree.expressions[static_cast<std::size_t>(ref)];
      for (const ast::Iterator& it : e.iterators) {
        iterators.emplace_back(it.name);
        pending.push_back(it.range);
      }
      pending.insert(pending.end(), e.children.begin(), e.children.end());
      for (const ast::NamedArgument& named : e.named) pending.push_back(named.value);
      for (const ast::NamePart& part : e.parts) {
        pending.insert(pending.end(), part.subscripts.begin(), part.subscripts.end());
      }
      if (e.kind == ExprKind::Name) add_name(e, iterators, needs);
      if (e.kind == ExprKind::Call) add_function(joined_name(e), needs);
    }
  }

  void add_name(const Expr& e, const std::vector<std::string_view>& iterators,
                std::vector<std::int32_t>& needs) {
    if (std::ranges::find(iterators, e.parts[0].name) != iterators.end()) return;
    std::int32_t symbol = look_up(session_, e.parts).symbol;
    if (symbol < 0 && e.parts[0].name.ends_with(']')) {
      const std::string& name = e.parts[0].name;
      symbol = find_symbol(session_, std::string_view(name).substr(0, name.rfind('[')));
    }
    if (symbol >= 0) needs.push_back(symbol);
  }

  void add_function(const std::string& name, std::vector<std::int32_t>& needs) {
    const ClassInfo* info = session_.classes.find(name);
    if (info == nullptr || info->node == nullptr) return;
    const auto [slot, fresh] =
        number_.try_emplace(info, static_cast<std::int32_t>(session_.symbols.size() + functions_.size()));
    if (fresh) {
      functions_.push_back(info);
      state_.push_back(New);
    }
    needs.push_back(slot->second);
  }

  Session& session_;
  std::vector<const ClassInfo*> functions_;
  std::unordered_map<const ClassInfo*, std::int32_t> number_;
  std::vector<std::uint8_t> state_;
  std::vector<std::int32_t> order_;
};

bool is_unknown(Frame& frame, const Symbol& symbol) {
  if (symbol.declaration->variability != ast::Variability::Parameter) return false;
  if (!holds_nodes(symbol.declared.type)) return false;
  const FoundModifier fixed = find_modifier(modifications_of(symbol), "fixed");
  if (fixed.modifier == nullptr || fixed.modifier->value < 0) return false;
  const Scoped<const ast::Ast*> tree(frame.tree, fixed.tree);
  const Value value = evaluate(frame, fixed.modifier->value);
  if (value.type.base != BaseType::Boolean)
    raise(fixed.modifier->span, "'fixed' is Boolean, but this is {}", type_text(value));
  const auto nodes = nodes_of(value);
  return !nodes.empty() && frame.graph().is_constant(nodes[0], 0);
}

// A record parameter without a binding is made of its fields' values.
Value record_value(Frame& frame, const Symbol& symbol) {
  const ClassInfo& definition = *symbol.declared.type.definition;
  std::vector<Argument> arguments;
  for (const ast::Modifier& modifier : symbol.declaration->modifiers) {
    if (modifier.value < 0) continue;
    arguments.push_back({modifier.name, evaluate(frame, modifier.value), modifier.span});
  }
  const Value one = construct_record(frame, definition, arguments, symbol.declaration->span);
  return array_of_parts(one.type, symbol.shape, std::vector<Value>(element_count(symbol.shape), one));
}

// A scalar start value counts for every element.
Value broadcast(const Value& value, const Shape& shape) {
  if (is_array(value) || shape.empty()) return value;
  return array(value.type, shape, std::vector<NodeId>(element_count(shape), value.node));
}

void evaluate_value(Frame& frame, Symbol& symbol, const std::optional<Shape>& shape) {
  const ast::Component& declaration = *symbol.declaration;
  const Type& type = symbol.declared.type;
  Value value;
  if (declaration.binding >= 0) {
    value = evaluate(frame, declaration.binding);
  } else if (type.base == BaseType::Record) {
    value = record_value(frame, symbol);
  } else if (type.base == BaseType::String) {
    value = string_value("");
  } else if (const FoundModifier start = find_modifier(modifications_of(symbol), "start");
             start.modifier != nullptr) {
    const Scoped<const ast::Ast*> tree(frame.tree, start.tree);
    value = evaluate(frame, start.modifier->value);
    if (shape) value = broadcast(value, *shape);
    warn(frame.session, declaration.span,
         fmt::format("the parameter '{}' has no value; its start value is used", symbol.name));
  } else if (shape && element_count(*shape) == 0) {
    value = array(type, *shape, {});
  } else {
    symbol.missing = true;
    return;
  }
  symbol.value = converted(std::move(value), type, shape, declaration.span, fmt::format("'{}'", symbol.name));
  symbol.shape = shape_of(symbol.value);
}

void evaluate_symbol(Session& session, std::int32_t index) {
  Symbol& symbol = session.symbols[static_cast<std::size_t>(index)];
  if (symbol.role == Role::Elements) return;
  Frame frame{.session = session, .tree = symbol.tree, .place = Place::Declaration, .events = false};
  if (symbol.declaration->condition >= 0) {
    const std::string what = fmt::format("the condition of '{}'", symbol.name);
    const NodeId condition = evaluate_scalar(frame, symbol.declaration->condition, BaseType::Boolean, what);
    if (!frame.graph().is_constant(condition))
      raise_unknown(session, condition, symbol.declaration->span, what);
    if (frame.graph().node(condition).value == 0) {
      symbol.role = Role::Absent;
      make_free(session, index);
      return;
    }
  }
  const std::optional<Shape> shape = declared_shape(frame, *symbol.declaration, symbol.declared);
  if (shape) symbol.shape = *shape;
  if (symbol.role == Role::Variable) {
    if (shape) return;
    raise(symbol.declaration->span, "the size of the variable '{}' is not given", symbol.name);
  }
  if (is_unknown(frame, symbol)) {
    if (!shape) raise(symbol.declaration->span, "the size of '{}' is not given", symbol.name);
    symbol.role = Role::Unknown;
    declare_instance(session, symbol);
    make_free(session, index);
    return;
  }
  evaluate_value(frame, symbol, shape);
  apply_settings(session, index);
  make_free(session, index);
}

}  // namespace

void evaluate_parameters(Session& session) {
  for (const std::int32_t index : DependencyOrder(session).symbols()) {
    try {
      evaluate_symbol(session, index);
    } catch (const ModelError& error) {
      report(session, error);
      session.symbols[static_cast<std::size_t>(index)].missing = true;
    }
  }
}

}  // namespace daedalus::flatten
