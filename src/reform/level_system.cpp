#include "reform/level_system.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "reform/cancelled_terms.hpp"
#include "reform/repair.hpp"
#include "structure/raise_offsets.hpp"

namespace daedalus {
namespace {

constexpr std::size_t names_shown = 12;  // in a message: three lines of them

std::string ordinal(int n) {
  constexpr std::array words{"", "first", "second", "third", "fourth", "fifth"};
  return n < static_cast<int>(words.size()) ? words[static_cast<std::size_t>(n)] : fmt::format("{}th", n);
}

std::vector<std::string> variable_names(const DaeSystem& system, const Incidence& incidence,
                                        const std::vector<int>& columns) {
  std::vector<std::string> names;
  for (const int j : columns) {
    if (names.size() == names_shown) {
      names.push_back(fmt::format("and {} more", columns.size() - names_shown));
      break;
    }
    names.push_back(system.variables[incidence.unknowns[static_cast<std::size_t>(j)].at()].name);
  }
  return names;
}

// What the equations that are too many have in common.
std::string over_text(const DaeSystem& system, const Incidence& incidence, const DulmageMendelsohn& parts) {
  const std::size_t equations = parts.over_equations.size();
  const std::size_t unknowns = parts.over_variables.size();
  if (unknowns == 0)
    return fmt::format("{} no unknown that {} could determine",
                       equations == 1 ? "1 equation has" : fmt::format("{} equations have", equations),
                       equations == 1 ? "it" : "they");
  return fmt::format("{} equations determine only {} unknown{} ({})", equations, unknowns,
                     unknowns == 1 ? "" : "s",
                     fmt::join(variable_names(system, incidence, parts.over_variables), ", "));
}

Diagnostic too_many(const DaeSystem& system, const Incidence& incidence, const DulmageMendelsohn& parts) {
  const std::size_t extra = parts.over_equations.size() - parts.over_variables.size();
  Diagnostic diagnostic;
  const auto& first = system.equations[static_cast<std::size_t>(parts.unmatched_equations.front())];
  diagnostic.span = first.span;
  diagnostic.message = fmt::format(
      "the model has too many equations: {}; remove {} of the equations below, or add {} unknown{}",
      over_text(system, incidence, parts), extra, extra, extra == 1 ? "" : "s");
  for (const int i : parts.over_equations) {
    if (diagnostic.related.size() == names_shown) break;
    const Equation& equation = system.equations[static_cast<std::size_t>(i)];
    diagnostic.related.push_back({.severity = Severity::Note,
                                  .message = "one of them: " + equation_text(system, equation),
                                  .span = equation.span,
                                  .related = {}});
  }
  return diagnostic;
}

Diagnostic too_few(const DaeSystem& system, const Incidence& incidence, const DulmageMendelsohn& parts) {
  const std::size_t missing = parts.under_variables.size() - parts.under_equations.size();
  Diagnostic diagnostic;
  const VariableId first = incidence.unknowns[static_cast<std::size_t>(parts.unmatched_variables.front())];
  diagnostic.span = system.variables[first.at()].span;
  diagnostic.message = fmt::format(
      "the model has too few equations: {} not determined (only {} equation{} for {} unknown{}); add {} "
      "equation{} or "
      "make {} of them a parameter",
      fmt::format("{} {}", fmt::join(variable_names(system, incidence, parts.under_variables), ", "),
                  parts.under_variables.size() == 1 ? "is" : "are"),
      parts.under_equations.size(), parts.under_equations.size() == 1 ? "" : "s",
      parts.under_variables.size(), parts.under_variables.size() == 1 ? "" : "s", missing,
      missing == 1 ? "" : "s", missing);
  for (const int i : parts.under_equations) {
    if (diagnostic.related.size() == names_shown) break;
    const Equation& equation = system.equations[static_cast<std::size_t>(i)];
    diagnostic.related.push_back(
        {.severity = Severity::Note,
         .message = "an equation that they share: " + equation_text(system, equation),
         .span = equation.span,
         .related = {}});
  }
  return diagnostic;
}

// A name for a derivative that no equation holds any more, because its terms cancelled: it is an unknown with
// an equation, after all. The highest of each variable brings those below with it. False: there is none.
bool restore_names(LevelSystem& result) {
  RaisedSystem& raised = result.raised;
  std::vector<int> highest(raised.system.variables.size(), 0);
  for (const LevelAlias& alias : raised.aliases) {
    int& order = highest[alias.target.at()];
    order = std::max(order, alias.order);
  }
  ExprGraph& graph = *raised.system.graph;
  const auto unreached = [&](const LevelAlias& alias) {
    const int j = result.incidence.column[alias.target.at()];
    return alias.order == highest[alias.target.at()] &&
           alias.order > result.plan.d[static_cast<std::size_t>(j)];
  };
  const std::size_t before = raised.aliases.size();
  for (const LevelAlias& alias : raised.aliases) {
    if (!unreached(alias)) continue;
    const NodeId level = graph.variable(alias.target, alias.order);
    const Variable& variable = raised.system.variables[alias.variable.at()];
    Equation added;
    added.residual =
        graph.sub(graph.variable(alias.variable), graph.mul(graph.constant(alias.factor), level));
    added.span = variable.span;
    added.label = "the name of a derivative";
    raised.system.equations.push_back(added);
    raised.embedded.push_back(0);
    raised.eliminated[alias.variable.at()] = false;
    std::erase_if(raised.system.reported,
                  [&](const ReportedValue& reported) { return reported.attributes.name == variable.name; });
  }
  std::erase_if(raised.aliases, unreached);
  return raised.aliases.size() != before;
}

}  // namespace

void number_levels(LevelSystem& result) {
  for (std::size_t j = 0; j < result.incidence.unknowns.size(); ++j) {
    result.level_start.push_back(static_cast<int>(result.levels.size()));
    for (int k = 0; k <= result.plan.d[j]; ++k) {
      result.levels.push_back({.variable = result.incidence.unknowns[j], .order = k});
    }
  }
  result.named_by.assign(result.levels.size(), -1);
  for (std::size_t a = 0; a < result.raised.aliases.size(); ++a) {
    const LevelAlias& alias = result.raised.aliases[a];
    const auto j = static_cast<std::size_t>(result.incidence.column[alias.target.at()]);
    if (alias.order == 0 || alias.factor != 1 || alias.order > result.plan.d[j]) continue;
    const int level = result.level_start[j] + alias.order;
    int& name = result.named_by[static_cast<std::size_t>(level)];
    if (name < 0) name = static_cast<int>(a);
  }
}

void differentiate_levels(LevelSystem& result) {
  TimeDerivative derivative(*result.system().graph);
  for (std::size_t i = 0; i < result.system().equations.size(); ++i) {
    NodeId residual = result.system().equations[i].residual;
    for (int l = 0; l <= result.plan.c[i]; ++l) {
      if (l > 0) residual = derivative(residual);
      result.equations.push_back({.equation = static_cast<int>(i), .level = l, .residual = residual});
    }
  }
}

int LevelSystem::differentiation_index() const {
  int most = 0;
  for (std::size_t i = 0; i < plan.c.size(); ++i) most = std::max(most, plan.c[i] + raised.embedded[i]);
  const bool algebraic = std::ranges::find(plan.d, 0) != plan.d.end();
  return most + (algebraic ? 1 : 0);
}

int LevelSystem::index() const {
  const auto substitutions = std::ranges::count(repairs, Repair::Method::Substitution, &Repair::method);
  return substitutions > 1 ? differentiation_index() : plan.structural_index;
}

int LevelSystem::level_of(NodeId leaf) const {
  const ExprGraph& graph = *system().graph;
  const int j = incidence.column[graph.variable_of(leaf).at()];
  if (j < 0 || graph.order_of(leaf) > plan.d[static_cast<std::size_t>(j)]) return -1;
  return level_start[static_cast<std::size_t>(j)] + graph.order_of(leaf);
}

std::string LevelSystem::level_name(int level) const {
  const Level& l = levels[static_cast<std::size_t>(level)];
  // A level that the user gave a name of its own (v in der(x) = v) is called by it.
  if (const int alias = named_by[static_cast<std::size_t>(level)]; alias >= 0) {
    return system().variables[raised.aliases[static_cast<std::size_t>(alias)].variable.at()].name;
  }
  return derivative_name(system().variables[l.variable.at()].name, l.order);
}

int LevelSystem::constraint_level(const LevelEquation& equation) const {
  int own = 0;
  for (const SignatureEntry& entry : incidence.signature.row(equation.equation))
    own = std::max(own, entry.order);
  return own + equation.level;
}

std::string LevelSystem::equation_name(const LevelEquation& equation) const {
  const std::string text =
      equation_text(system(), system().equations[static_cast<std::size_t>(equation.equation)]);
  return equation.level == 0 ? text : fmt::format("{} derivative of {}", ordinal(equation.level), text);
}

Diagnostics explain_singular_structure(const DaeSystem& system, const Incidence& incidence,
                                       const DulmageMendelsohn& parts) {
  Diagnostics diagnostics;
  if (!parts.unmatched_equations.empty()) diagnostics.push_back(too_many(system, incidence, parts));
  if (!parts.unmatched_variables.empty()) diagnostics.push_back(too_few(system, incidence, parts));
  return diagnostics;
}

Diagnostics structural_errors(const DaeSystem& system) {
  const Incidence incidence = incidence_of(system);
  const auto plan = analyse_structure(incidence.signature);
  return plan ? Diagnostics{} : explain_singular_structure(system, incidence, plan.error());
}

namespace {

// Conditions at the start, and what is assigned at events, may speak of derivatives that the equations do not
// need: der(T) = 0 where the energy is what is differentiated. Their equations are differentiated as often.
void raise_to_what_is_used(LevelSystem& result) {
  const ExprGraph& graph = *result.system().graph;
  std::vector<int> order(result.plan.d.size(), 0);
  const auto look = [&](NodeId root) {
    for (const NodeId leaf : leaves_of(graph, root)) {
      if (graph.node(leaf).op != Op::Variable) continue;
      const int j = result.incidence.column[graph.variable_of(leaf).at()];
      if (j < 0) continue;
      int& most = order[static_cast<std::size_t>(j)];
      most = std::max(most, graph.order_of(leaf));
    }
  };
  for (const Equation& e : result.system().initial_equations) look(e.residual);
  for (const Assignment& a : result.system().initial_assignments) look(a.value);
  raise_offsets(result.incidence.signature, order, result.plan);
}

}  // namespace

Result<LevelSystem> make_level_system(const DaeSystem& system, bool raise) {
  LevelSystem result;
  if (raise) {
    result.raised = raise_order(system);
  } else {
    result.raised = {.system = system,
                     .eliminated = std::vector<bool>(system.variables.size(), false),
                     .aliases = {},
                     .embedded = std::vector<int>(system.equations.size(), 0)};
    drop_cancelled_terms(result.raised.system);
  }
  // Every repair lowers the value of the signature (Tan, Nedialkov, Pryce 2017; Oki 2019), so this ends.
  for (;;) {
    result.incidence = incidence_of(result.raised.system, result.raised.eliminated);
    auto plan = analyse_structure(result.incidence.signature);
    if (!plan) {
      Diagnostics diagnostics = explain_singular_structure(result.system(), result.incidence, plan.error());
      for (const Repair& repair : result.repairs) {
        diagnostics.push_back({.severity = Severity::Note,
                               .message = "after this repair: " + repair.text,
                               .span = {},
                               .related = {}});
      }
      return std::unexpected(std::move(diagnostics));
    }
    result.plan = *std::move(plan);
    auto repair = repair_structure(result.raised, result.incidence, result.plan);
    if (!repair) return std::unexpected(repair.error());
    if (repair->has_value()) {
      result.repairs.push_back(**std::move(repair));
    } else if (!restore_names(result)) {
      break;
    }
  }
  raise_to_what_is_used(result);
  number_levels(result);
  differentiate_levels(result);
  return result;
}

}  // namespace daedalus
