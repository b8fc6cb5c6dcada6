// --set name=value.
#include <algorithm>

#include "model/flatten/arrays.hpp"
#include "model/flatten/declarations.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/flatten/functions.hpp"
#include "model/flatten/statements.hpp"
#include "model/parser.hpp"

namespace daedalus::flatten {
namespace {

const ast::Ast& parsed(Session& session, const ParameterSetting& given, SourceSpan& span) {
  const std::int32_t file = session.sources->add(fmt::format("--set {}", given.name), given.value);
  Result<ast::Ast> tree = parse_expression(*session.sources, file);
  if (!tree) throw ModelError{tree.error().front()};
  session.trees.push_back(std::move(*tree));
  const ast::Ast& expression = session.trees.back();
  span = expression.expressions.back().span;
  return expression;
}

ast::ExprRef whole(const ast::Ast& expression) {
  return static_cast<ast::ExprRef>(expression.expressions.size()) - 1;
}

// The name as it stands comes first: 'a.b[1]' may be one flat name.
void find_symbol_of(Session& session, Setting& setting) {
  setting.symbol = find_symbol(session, setting.name);
  if (setting.symbol >= 0) {
    setting.path = {{.name = setting.name, .subscripts = {}}};
    return;
  }
  Result<ast::Ast> tree = [&] {
    const std::int32_t file = session.sources->add(setting.what, setting.name);
    return parse_expression(*session.sources, file);
  }();
  if (tree && !tree->expressions.empty() && tree->expressions.back().kind == ast::ExprKind::Name) {
    session.trees.push_back(std::move(*tree));
    setting.name_tree = &session.trees.back();
    const std::vector<ast::NamePart>& parts = setting.name_tree->expressions.back().parts;
    const Session::FoundSymbol found = look_up(session, parts);
    if (found.symbol >= 0) {
      setting.symbol = found.symbol;
      setting.path.assign(parts.begin() + found.parts - 1, parts.end());
      return;
    }
  }
  raise(setting.span, "{}: the model has no parameter or variable of that name{}", setting.what,
        similar_names(session, setting.name));
}

void descend_to_element(Session& session, Setting& setting) {
  const Symbol& symbol = session.symbols[static_cast<std::size_t>(setting.symbol)];
  if (symbol.role != Role::Elements || setting.path[0].subscripts.empty()) return;
  Frame frame{.session = session, .tree = setting.name_tree, .place = Place::Declaration, .events = false};
  const Choice choice = choose(frame, symbol.shape, setting.path[0].subscripts, setting.span);
  const std::vector<std::size_t> at = positions(choice, symbol.shape);
  if (at.size() != 1 || symbol.elements[at[0]] < 0) {
    raise(setting.span, "{}: name one element at a time, or all of '{}'", setting.what, symbol.name);
  }
  setting.symbol = symbol.elements[at[0]];
  setting.path[0].subscripts.clear();
}

void keep(Session& session, Setting setting) {
  session.settings_of[setting.symbol].push_back(session.settings.size());
  session.settings.push_back(std::move(setting));
}

// All elements at once: --set x={1,2,3}.
void split_elements(Session& session, const Setting& setting) {
  const Symbol& symbol = session.symbols[static_cast<std::size_t>(setting.symbol)];
  if (shape_of(setting.value) != symbol.shape) {
    raise(setting.span, "--set {}: '{}' has size {}, but the value has size {}", setting.name, symbol.name,
          shape_text(symbol.shape), shape_text(shape_of(setting.value)));
  }
  for (std::size_t i = 0; i < symbol.elements.size(); ++i) {
    if (symbol.elements[i] < 0) continue;
    Setting each = setting;
    each.symbol = symbol.elements[i];
    each.value = element(setting.value, i);
    each.path = {{.name = symbol.name, .subscripts = {}}};
    keep(session, std::move(each));
  }
}

}  // namespace

void find_target(Session& session, Setting& setting) {
  find_symbol_of(session, setting);
  descend_to_element(session, setting);
}

void read_settings(Session& session, std::span<const ParameterSetting> settings) {
  for (const ParameterSetting& given : settings) {
    try {
      Setting setting;
      setting.name = given.name;
      setting.what = "--set " + given.name;
      const ast::Ast& expression = parsed(session, given, setting.span);
      if (depends_on_time(expression)) {
        keep_input_expression(
            session,
            {.name = given.name, .tree = &expression, .value = whole(expression), .span = setting.span});
        continue;
      }
      // Otherwise an expression of constants.
      Frame frame{.session = session, .tree = &expression, .place = Place::Declaration, .events = false};
      setting.value = evaluate(frame, whole(expression));
      find_target(session, setting);
      const Symbol& symbol = session.symbols[static_cast<std::size_t>(setting.symbol)];
      if (symbol.role == Role::Elements) {
        split_elements(session, setting);
        continue;
      }
      if (symbol.declaration->variability == ast::Variability::Constant) {
        raise(setting.span, "--set {}: '{}' is a constant and cannot be set", setting.name, symbol.name);
      }
      keep(session, std::move(setting));
    } catch (const ModelError& error) {
      report(session, error);
    }
  }
}

void apply_settings(Session& session, std::int32_t index) {
  const auto found = session.settings_of.find(index);
  if (found == session.settings_of.end()) return;
  Symbol& symbol = session.symbols[static_cast<std::size_t>(index)];
  for (const std::size_t number : found->second) {
    const Setting& setting = session.settings[number];
    const Value& value = setting.value;
    const bool all = setting.path.size() == 1 && setting.path[0].subscripts.empty();
    const std::string what = fmt::format("'{}'", setting.name);
    if (all) {
      const bool open = symbol.missing && symbol.shape.empty() && !symbol.declaration->dimensions.empty();
      const std::optional<Shape> shape = open ? std::nullopt : std::optional<Shape>(symbol.shape);
      symbol.value = converted(value, symbol.declared.type, shape, setting.span, what);
      symbol.shape = shape_of(symbol.value);
    } else {
      if (symbol.missing)
        raise(setting.span, "--set {}: '{}' has no value of which a part could be set", setting.name,
              symbol.name);
      Frame frame{
          .session = session, .tree = setting.name_tree, .place = Place::Declaration, .events = false};
      assign_part(frame, symbol.value, setting.path, value, {}, setting.span);
    }
    symbol.missing = false;
  }
}

void apply_start_settings(Session& session) {
  for (const Setting& setting : session.settings) {
    const Symbol& symbol = session.symbols[static_cast<std::size_t>(setting.symbol)];
    if (symbol.role == Role::Known) continue;
    try {
      const ast::Ast* tree = setting.name_tree == nullptr ? &session.tree : setting.name_tree;
      Frame frame{.session = session, .tree = tree, .place = Place::Equation, .events = false};
      const Value target = read_symbol(frame, setting.symbol, setting.path, setting.span);
      const Value value = converted(setting.value, target.type, shape_of(target), setting.span,
                                    fmt::format("'{}'", setting.name));
      if (!holds_nodes(value.type)) raise(setting.span, "--set {}: set the fields one by one", setting.name);
      for (std::size_t i = 0; i < nodes_of(target).size(); ++i) {
        const NodeId node = nodes_of(value)[i];
        if (!session.graph().is_constant(node))
          raise(setting.span, "--set {}: the value must be known", setting.name);
        Variable& variable = session.system.variables[variable_of(session, nodes_of(target)[i]).at()];
        variable.start = session.graph().node(node).value;
        variable.start_value = {};
        variable.has_start = true;
      }
    } catch (const ModelError& error) {
      report(session, error);
    }
  }
}

void warn_of_idle_settings(Session& session) {
  for (const Setting& setting : session.settings) {
    const Symbol& symbol = session.symbols[static_cast<std::size_t>(setting.symbol)];
    if (symbol.role != Role::Known || symbol.used) continue;
    warn(session, setting.span,
         fmt::format("--set {}: no equation of the model uses this parameter, so the setting changes nothing "
                     "(an exporter may have written its old value into the equations)",
                     setting.name));
  }
}

}  // namespace daedalus::flatten
