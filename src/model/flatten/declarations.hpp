// From declarations to symbols with sizes and values, and to the variables of the system.
#pragma once

#include "model/flatten/frame.hpp"

namespace daedalus::flatten {

// A symbol for every component of the model and every constant of the packages around it; then, for names
// such as 'x[1]', 'x[2]', a symbol 'x' that stands for all of them.
void create_symbols(Session& session, const ast::Class& model);

// settings.cpp. Understands --set name=value: which symbol, which part of it.
void read_settings(Session& session, std::span<const ParameterSetting> settings);
// Puts the settings of a parameter into its value.
void apply_settings(Session& session, std::int32_t symbol);
// Settings of variables are start values.
void apply_start_settings(Session& session);
// A setting that changes nothing deserves a word.
void warn_of_idle_settings(Session& session);

// Which symbol a name means and what of it, by the rules of --set: `name` and `what` are given, the rest is
// found. x[2] of elements that are declared one by one is the element's own declaration.
void find_target(Session& session, Setting& setting);

// given.cpp. Which parameters are to be free.
void read_free(Session& session, std::span<const std::string> names);
// Makes free what was asked for of a parameter whose value is known: from here on it is a leaf. Raises when
// the parameter is of a kind that cannot be.
void make_free(Session& session, std::int32_t symbol);
// Input tables, whose names must be top-level inputs.
void read_input_tables(Session& session, std::span<const InputTable> tables);
// Whether a scalar input takes its values from a table or an expression.
[[nodiscard]] bool has_course(const Session& session, std::string_view name);
// Equations that give these inputs their values.
void flatten_input_tables(Session& session);

// input_expressions.cpp. A setting whose value depends on time, which must be that of a top-level input.
[[nodiscard]] bool depends_on_time(const ast::Ast& expression);
void keep_input_expression(Session& session, InputExpression expression);
void flatten_input_expressions(Session& session);
// The top-level inputs, for messages, and whether one of them is of this name, or has this element.
[[nodiscard]] std::vector<std::string_view> input_names(const Session& session);
[[nodiscard]] bool is_input_name(const Session& session, std::string_view name);

// parameters.cpp. Sizes of everything, values of constants and parameters, in the order of dependence.
void evaluate_parameters(Session& session);

// variables.cpp. The scalars of every variable, with attributes.
void declare_variables(Session& session);
// The scalars of one symbol; used early for parameters with fixed = false.
void declare_instance(Session& session, Symbol& symbol);

// attributes.cpp.
struct Modification {
  const ast::Ast* tree;
  const std::vector<ast::Modifier>* modifiers;
};
using Modifications = std::vector<Modification>;  // the first that has an attribute wins
struct FoundModifier {
  const ast::Ast* tree = nullptr;
  const ast::Modifier* modifier = nullptr;
};
[[nodiscard]] FoundModifier find_modifier(const Modifications& all, std::string_view name);
[[nodiscard]] Modifications modifications_of(const Symbol& symbol);
// Sets start, fixed, min, ... of the scalars of a leaf.
void set_attributes(Session& session, const Instance& leaf, const Modifications& all);

}  // namespace daedalus::flatten
