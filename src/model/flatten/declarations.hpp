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
