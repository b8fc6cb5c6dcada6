// --set u=expression in time, for top-level inputs: an equation that gives the input its value.
#include <algorithm>

#include "model/flatten/declarations.hpp"
#include "model/flatten/equations.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/flatten/functions.hpp"
#include "model/flatten/statements.hpp"

namespace daedalus::flatten {
namespace {

bool is_time(const ast::Expr& expression) {
  return expression.kind == ast::ExprKind::Name && expression.parts.size() == 1 &&
         expression.parts[0].name == "time";
}

// x of x[2].
std::string_view without_subscripts(std::string_view name) {
  return name.ends_with(']') ? name.substr(0, name.rfind('[')) : name;
}

bool is_variable(const Session& session, std::int32_t symbol) {
  const Symbol& found = session.symbols[static_cast<std::size_t>(symbol)];
  if (found.role != Role::Elements) return found.role == Role::Variable;
  return std::ranges::any_of(
      found.elements, [&](std::int32_t element) { return element >= 0 && is_variable(session, element); });
}

void check_names(Session& session, const InputExpression& given) {
  for (const ast::Expr& expression : given.tree->expressions) {
    if (expression.kind != ast::ExprKind::Name || is_time(expression)) continue;
    const std::int32_t symbol = look_up(session, expression.parts).symbol;
    if (symbol >= 0 && is_variable(session, symbol))
      raise(
          given.span,
          "--set {}: the value of an input may depend on time and parameters, but '{}' is a variable of the "
          "model; write such an equation into the model",
          given.name, session.symbols[static_cast<std::size_t>(symbol)].name);
  }
}

void flatten_one(Session& session, const InputExpression& given) {
  check_names(session, given);
  Setting target{.name = given.name, .what = "--set " + given.name, .value = {}, .span = given.span};
  find_target(session, target);
  const ast::Ast* tree = target.name_tree == nullptr ? &session.tree : target.name_tree;
  Frame frame_of_name{.session = session, .tree = tree};
  const Value input = read_symbol(frame_of_name, target.symbol, target.path, given.span);
  Frame frame{.session = session, .tree = given.tree};
  const Value value = converted(evaluate(frame, given.value), input.type, shape_of(input), given.span,
                                fmt::format("'{}'", given.name));
  add_equation(frame, input, value, {.span = given.span, .label = {}}, nullptr);
}

}  // namespace

std::vector<std::string_view> input_names(const Session& session) {
  std::vector<std::string_view> names;
  for (const Symbol& symbol : session.symbols) {
    const bool input = symbol.role == Role::Variable && symbol.declaration->binding < 0 &&
                       symbol.declaration->causality == ast::Causality::Input;
    if (input) names.emplace_back(symbol.name);
  }
  return names;
}

bool is_input_name(const Session& session, std::string_view name) {
  const std::vector<std::string_view> inputs = input_names(session);
  return std::ranges::find(inputs, name) != inputs.end() ||
         std::ranges::find(inputs, without_subscripts(name)) != inputs.end();
}

bool has_course(const Session& session, std::string_view name) {
  const auto& tables = session.input_tables;
  const auto& expressions = session.input_expressions;
  return std::ranges::find(tables, name, &InputTable::name) != tables.end() ||
         std::ranges::any_of(expressions, [name](const InputExpression& one) {
           return one.name == name || one.name == without_subscripts(name);
         });
}

bool depends_on_time(const ast::Ast& expression) {
  return std::ranges::any_of(expression.expressions, is_time);
}

void keep_input_expression(Session& session, InputExpression expression) {
  const std::string& name = expression.name;
  if (!is_input_name(session, name)) {
    const std::vector<std::string_view> inputs = input_names(session);
    raise(expression.span, "--set {}: only a top-level input can depend on time; {}", name,
          inputs.empty() ? "the model has none"
                         : fmt::format("the model's inputs are {}", fmt::join(inputs, ", ")));
  }
  if (has_course(session, name)) raise(expression.span, "--set {}: the input is given twice", name);
  session.input_expressions.push_back(std::move(expression));
}

void flatten_input_expressions(Session& session) {
  for (const InputExpression& given : session.input_expressions) {
    try {
      flatten_one(session, given);
    } catch (const ModelError& error) {
      report(session, error);
    }
  }
}

}  // namespace daedalus::flatten
