#include "model/flatten/flatten.hpp"

#include <algorithm>

#include "model/flatten/components.hpp"
#include "model/flatten/declarations.hpp"
#include "model/flatten/delays.hpp"
#include "model/flatten/equations.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/rebuild.hpp"

namespace daedalus::flatten {
namespace {

const ast::Modifier* find(const std::vector<ast::Modifier>& modifiers, std::string_view name) {
  const auto found = std::ranges::find(modifiers, name, &ast::Modifier::name);
  return found == modifiers.end() ? nullptr : &*found;
}

// annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-6, Interval = 0.01)).
void read_experiment(Session& session, const ast::Class& model) {
  const ast::Modifier* experiment = find(model.annotation, "experiment");
  if (experiment == nullptr) return;
  Frame frame{.session = session, .tree = &session.tree, .place = Place::Declaration, .events = false};
  const auto number = [&](std::string_view name) -> std::optional<double> {
    const ast::Modifier* modifier = find(experiment->nested, name);
    if (modifier == nullptr || modifier->value < 0) return std::nullopt;
    const NodeId node = evaluate_scalar(frame, modifier->value, BaseType::Real, name);
    const auto at_defaults = default_value(session, node);
    if (!at_defaults) raise_unknown(session, node, modifier->span, name);
    return at_defaults;
  };
  Experiment& into = session.system.experiment;
  into.start_time = number("StartTime").value_or(0);
  into.stop_time = number("StopTime");
  into.tolerance = number("Tolerance");
  into.interval = number("Interval");
  if (into.interval && !(*into.interval > 0))
    raise(find(experiment->nested, "Interval")->span, "Interval must be positive, but it is {}",
          *into.interval);
  if (!into.interval && into.stop_time) {
    if (const auto count = number("NumberOfIntervals"); count && *count > 0) {
      into.interval = (*into.stop_time - into.start_time) / *count;
    }
  }
}

// parameter equation guess('x') = value: a start value that is not held.
void read_guesses(Session& session, const ast::Class& model) {
  Frame frame{.session = session, .tree = &session.tree, .place = Place::Equation, .events = false};
  for (const ast::Guess& guess : model.guesses) {
    try {
      const Value target = evaluate(frame, guess.target);
      const Value value = evaluate(frame, guess.value);
      if (!holds_nodes(target.type) || !holds_nodes(value.type) || shape_of(target) != shape_of(value)) {
        raise(guess.span, "guess: {} is given for {}", type_text(value), type_text(target));
      }
      for (std::size_t i = 0; i < nodes_of(target).size(); ++i) {
        const VariableId id = variable_of(session, nodes_of(target)[i]);
        const NodeId node = nodes_of(value)[i];
        if (!id.valid()) raise(guess.span, "guess needs a variable");
        const auto number = default_value(session, node);
        if (!number) raise_unknown(session, node, guess.span, "the value of a guess");
        Variable& variable = session.system.variables[id.at()];
        variable.start = *number;
        variable.start_value = session.graph().is_constant(node) ? NodeId{} : node;
        variable.has_start = true;
      }
    } catch (const ModelError& error) {
      report(session, error);
      frame.ends.clear();
    }
  }
}

std::string unit_of(const Symbol& symbol) {
  if (symbol.declaration == nullptr) return {};
  const FoundModifier unit = find_modifier(modifications_of(symbol), "unit");
  if (unit.modifier == nullptr) return {};
  const ast::Expr& e = unit.tree->expressions[static_cast<std::size_t>(unit.modifier->value)];
  return e.kind == ast::ExprKind::String ? e.text : std::string{};
}

void report_value(Session& session, const Symbol& symbol, const Value& value, const std::string& name) {
  if (value.type.base == BaseType::Record) {
    const std::size_t fields = value.type.definition->node->components.size();
    for (std::size_t i = 0; i < element_count(shape_of(value)); ++i) {
      const Value one = element(value, i);
      for (std::size_t k = 0; k < fields; ++k) {
        report_value(session, symbol, one.more->parts[k],
                     name + subscript_text(shape_of(value), i) + "." +
                         value.type.definition->node->components[k].name);
      }
    }
    return;
  }
  if (!holds_nodes(value.type) || !value.defined()) return;
  check_variables(session, nodes_of(value).size(), symbol.declaration->span);
  for (std::size_t i = 0; i < nodes_of(value).size(); ++i) {
    ReportedValue reported;
    reported.value = nodes_of(value)[i];
    // A value that depends on a parameter found by the initialisation is known only then.
    const auto at_defaults = default_value(session, reported.value);
    reported.parameter = at_defaults.has_value();
    Variable& attributes = reported.attributes;
    attributes.name = name + subscript_text(shape_of(value), i);
    attributes.kind = VariableKind::Parameter;
    attributes.unit = unit_of(symbol);
    attributes.description = symbol.declaration->description;
    attributes.span = symbol.declaration->span;
    if (at_defaults) attributes.start = *at_defaults;
    if (at_defaults && !session.graph().is_constant(reported.value)) attributes.start_value = reported.value;
    attributes.has_start = true;
    if (!reported.parameter) session.system.report_order.push_back(attributes.name);
    session.system.reported.push_back(std::move(reported));
  }
}

void report_parameters(Session& session) {
  for (const Symbol& symbol : session.symbols) {
    if (symbol.role == Role::Known && !symbol.missing)
      report_value(session, symbol, symbol.value, symbol.name);
  }
}

// The model of the name, or the one that the file is about.
const ast::Class* model_to_load(Session& session, const std::string& name) {
  const ModelChoice choice = choose_model(session.tree);
  if (choice.chosen == nullptr) raise({}, "the file has no model");
  std::vector<std::string_view> names;
  for (const ModelChoice::Model& model : choice.models) names.emplace_back(model.path);
  if (name.empty()) {
    if (!choice.certain) {
      warn(session, choice.chosen->span,
           fmt::format("the file has several models ({}); '{}' is taken, --model NAME takes another",
                       fmt::join(names, ", "), choice.chosen->name));
    }
    return choice.chosen;
  }
  for (const ModelChoice::Model& model : choice.models) {
    if (model.path == name || model.node->name == name) return model.node;
  }
  raise({}, "the file has no model '{}'; its models are {}", name, fmt::join(names, ", "));
}

// Each phase must be without errors before the next makes sense.
bool run(Session& session, const LoadOptions& options) {
  const ast::Class* model = model_to_load(session, options.model);
  session.system.name = model->name;
  for (const ast::Class& node : session.tree.classes) session.classes.add(session.tree, node);
  const auto clean = [&] { return session.errors.empty(); };
  create_symbols(session, *model);
  expand_quoted_subscripts(session);
  read_settings(session, options.settings);
  read_free(session, options.free);
  read_input_tables(session, options.input_tables);
  if (!clean()) return false;
  evaluate_parameters(session);
  if (!clean()) return false;
  read_experiment(session, *model);
  declare_variables(session);
  read_guesses(session, *model);
  apply_start_settings(session);
  if (!clean()) return false;
  classify_discrete(session, *model);
  classify_delayed(session, *model);
  solve_parameters(session, *model);
  flatten_sections(session, *model);
  if (!clean()) return false;
  order_discrete(session);
  if (!clean()) return false;
  report_parameters(session);
  warn_of_idle_settings(session);
  return true;
}

// Takes out the parameters that were solved, and relations that a discarded branch left behind.
DaeSystem tidied(Session& session) {
  Replacements replacements(session.system.variables.size());
  for (const auto& [variable, value] : session.solved) {
    const auto at = static_cast<std::size_t>(variable);
    replacements.value[at] = session.graph().constant(value);
    ReportedValue reported;
    reported.attributes = session.system.variables[at];
    reported.attributes.start = value;
    reported.value = replacements.value[at];
    reported.parameter = true;
    std::erase(session.system.report_order, reported.attributes.name);
    session.system.reported.push_back(std::move(reported));
  }
  return rebuilt(session.system, replacements);
}

}  // namespace

Result<DaeSystem> flatten(const std::shared_ptr<SourceMap>& sources, ast::Ast tree,
                          const LoadOptions& options) {
  Session session;
  session.sources = sources;
  session.limits = options.limits;
  session.tree = std::move(tree);
  session.system.graph = std::make_shared<ExprGraph>();
  session.system.sources = sources;
  try {
    if (run(session, options)) {
      // Alias removal makes a new system anyway.
      const bool as_it_is = options.remove_aliases && session.solved.empty();
      return as_it_is ? std::move(session.system) : tidied(session);
    }
  } catch (const ModelError& error) {
    // report() throws the error that it has just written down when there are too many.
    const bool known = !session.errors.empty() && session.errors.size() >= session.limits.errors;
    if (!known) session.errors.push_back(error.diagnostic);
  }
  return std::unexpected(std::move(session.errors));
}

}  // namespace daedalus::flatten
