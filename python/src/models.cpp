// Models written in Python, and models read from text.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "cli/model_file.hpp"
#include "core/options.hpp"
#include "errors.hpp"
#include "pickle.hpp"
#include "recipe.hpp"
#include "symbol.hpp"

namespace nb = nanobind;

namespace daedalus::python {
namespace {

template <class Value>
struct Word {
  const char* word;
  Value value;
};
constexpr std::array<Word<VariableKind>, 6> kinds{{{"continuous", VariableKind::Continuous},
                                                   {"discrete", VariableKind::DiscreteReal},
                                                   {"integer", VariableKind::Integer},
                                                   {"boolean", VariableKind::Boolean},
                                                   {"input", VariableKind::Input},
                                                   {"parameter", VariableKind::Parameter}}};
constexpr std::array<Word<StateSelect>, 5> selects{{{"never", StateSelect::Never},
                                                    {"avoid", StateSelect::Avoid},
                                                    {"default", StateSelect::Default},
                                                    {"prefer", StateSelect::Prefer},
                                                    {"always", StateSelect::Always}}};

[[noreturn]] void raise_message(std::string message) {
  raise_model_error(
      {{.severity = Severity::Error, .message = std::move(message), .span = {}, .related = {}}});
}

template <class Table>
auto look_up(const Table& table, const std::string& word, const char* family) {
  std::vector<std::string_view> known;
  for (const auto& row : table) {
    if (word == row.word) return row.value;
    known.emplace_back(row.word);
  }
  raise_message(unknown_name_message(family, word, known));
}

double finite(nb::handle value, const std::string& what) {
  const auto number = number_in(value);
  if (!number) throw nb::type_error(fmt::format("{} must be a number", what).c_str());
  if (!std::isfinite(*number)) raise_message(fmt::format("{} is {}, not a finite number", what, *number));
  return *number;
}

double bound(nb::handle value, const std::string& what) {
  const auto number = number_in(value);
  if (!number) throw nb::type_error(fmt::format("{} must be a number", what).c_str());
  if (std::isnan(*number)) raise_message(fmt::format("{} is not a number", what));
  return *number;
}

Attributes attributes_of(const std::string& name, const nb::dict& given) {
  Attributes out;
  for (const auto& [key_object, value] : given) {
    if (value.is_none()) continue;
    const auto key = nb::cast<std::string>(key_object);
    const std::string what = fmt::format("{} of '{}'", key, name);
    if (key == "kind") {
      out.kind = look_up(kinds, nb::cast<std::string>(value), "kind of variable");
    } else if (key == "state_select") {
      out.state_select = look_up(selects, nb::cast<std::string>(value), "state_select");
    } else if (key == "start") {
      out.start = finite(value, what);
    } else if (key == "nominal") {
      out.nominal = finite(value, what);
    } else if (key == "fixed") {
      out.fixed = nb::cast<bool>(value);
    } else if (key == "min") {
      out.min = bound(value, what);
    } else if (key == "max") {
      out.max = bound(value, what);
    } else if (key == "unit") {
      out.unit = nb::cast<std::string>(value);
    } else if (key == "description") {
      out.description = nb::cast<std::string>(value);
    }
  }
  return out;
}

Symbol add_variable(Recipe& recipe, const std::string& name, const nb::dict& attributes) {
  Tape& tape = *recipe.tape;
  tape.variables.push_back({name, attributes_of(name, attributes)});
  const auto number = static_cast<std::int32_t>(tape.variables.size()) - 1;
  return {recipe.tape, tape.append({.kind = TapeKind::Variable, .args = {number, -1, -1}})};
}

Symbol add_parameter(Recipe& recipe, const std::string& name, nb::handle value, const nb::dict& attributes) {
  Tape& tape = *recipe.tape;
  tape.parameters.push_back(
      {name, finite(value, fmt::format("the value of '{}'", name)), attributes_of(name, attributes)});
  const auto number = static_cast<std::int32_t>(tape.parameters.size()) - 1;
  return {recipe.tape, tape.append({.kind = TapeKind::Parameter, .args = {number, -1, -1}})};
}

RecipeEquation equation_of(const Recipe& recipe, nb::handle left, nb::handle right,
                           const std::string& label) {
  return {.left = require_entry(recipe.tape, left, "an equation"),
          .right = require_entry(recipe.tape, right, "an equation"),
          .label = label};
}

std::vector<std::int32_t> entries_of(const Recipe& recipe, const nb::list& objects, const char* what) {
  std::vector<std::int32_t> entries;
  for (const nb::handle object : objects) entries.push_back(require_entry(recipe.tape, object, what));
  return entries;
}

// The recipe with the equations of motion, which are not known before all of it is.
std::shared_ptr<SystemSource> lagrangian_source(const Recipe& given_recipe, const nb::list& coordinates,
                                                const nb::dict& given) {
  Recipe recipe = given_recipe;
  RecipeLagrangian lagrangian;
  lagrangian.coordinates = entries_of(recipe, coordinates, "a coordinate");
  lagrangian.kinetic = require_entry(recipe.tape, given["kinetic"], "the kinetic energy");
  lagrangian.potential = require_entry(recipe.tape, given["potential"], "the potential energy");
  lagrangian.forces = entries_of(recipe, nb::cast<nb::list>(given["forces"]), "a force");
  for (const nb::handle each : nb::cast<nb::list>(given["constraints"])) {
    const auto [residual, name, of_velocity] = nb::cast<std::tuple<nb::object, std::string, bool>>(each);
    lagrangian.constraints.push_back({.residual = require_entry(recipe.tape, residual, "a constraint"),
                                      .name = name,
                                      .of_velocity = of_velocity});
  }
  recipe.lagrangians.push_back(std::move(lagrangian));
  return std::make_shared<RecipeSource>(recipe);
}

RecipeAction action_of(const Recipe& recipe, const std::string& kind, nb::handle target, nb::handle value) {
  if (kind == "terminate") return {.kind = ActionKind::Terminate, .message = nb::cast<std::string>(value)};
  if (kind == "else_when")
    return {.kind = ActionKind::ElseWhen, .value = require_entry(recipe.tape, value, "else_when")};
  return {.kind = kind == "set" ? ActionKind::Set : ActionKind::Reinit,
          .target = require_entry(recipe.tape, target, kind.c_str()),
          .value = require_entry(recipe.tape, value, kind.c_str())};
}

// left - right of every equation, by numbers alone: what a function traced should give.
std::vector<double> evaluate_residuals(const Recipe& recipe, double t, const std::vector<double>& y,
                                       const std::vector<double>& yp) {
  TapeLeaves leaves;
  leaves.time = [t] { return Expr(t); };
  leaves.initial = [] { return Expr(0); };
  leaves.sample = [](double, double) { return Expr(0); };
  leaves.variables.assign(y.begin(), y.end());
  leaves.quantity = [&yp](std::int32_t k) { return Expr(yp.at(static_cast<std::size_t>(k))); };
  const auto last = static_cast<std::int32_t>(recipe.tape->entries.size()) - 1;
  const std::vector<Expr> values = play(*recipe.tape, leaves, last);
  std::vector<double> residuals;
  for (const RecipeEquation& e : recipe.equations) {
    residuals.push_back(values[static_cast<std::size_t>(e.left)].number() -
                        values[static_cast<std::size_t>(e.right)].number());
  }
  return residuals;
}

constexpr std::array<Word<Coordinates>, 3> coordinate_words{
    {{"auto", Coordinates::Auto}, {"joint", Coordinates::Joint}, {"body", Coordinates::Body}}};

TextOptions text_options(const nb::dict& given) {
  return {.ignore = nb::cast<Names>(given["ignore"]),
          .keyframe = nb::cast<std::string>(given["keyframe"]),
          .strict = nb::cast<bool>(given["strict"]),
          .floating = nb::cast<bool>(given["floating"]),
          .outside = nb::cast<bool>(given["outside"]),
          .coordinates =
              look_up(coordinate_words, nb::cast<std::string>(given["coordinates"]), "kind of coordinates"),
          .model = nb::cast<std::string>(given["model"])};
}

nb::dict options_state(const TextOptions& options) {
  nb::dict state;
  state["ignore"] = options.ignore;
  state["keyframe"] = options.keyframe;
  state["strict"] = options.strict;
  state["floating"] = options.floating;
  state["outside"] = options.outside;
  for (const auto& row : coordinate_words) {
    if (row.value == options.coordinates) state["coordinates"] = row.word;
  }
  state["model"] = options.model;
  return state;
}

Symbol leaf(const Recipe& recipe, const TapeEntry& entry) {
  return {recipe.tape, recipe.tape->append(entry)};
}

void bind_recipe(nb::module_& module) {
  nb::class_<Recipe>(module, "Recipe")
      .def("__init__", [](Recipe* self, const std::string& name) { new (self) Recipe{.name = name}; })
      .def("__getstate__", [](const Recipe& self) { return state_of(self); })
      .def("__setstate__", [](Recipe& self, const nb::tuple& state) { new (&self) Recipe(recipe_in(state)); })
      .def_rw("name", &Recipe::name)
      .def("variable", &add_variable)
      .def("parameter", &add_parameter, nb::arg("name"), nb::arg("value").none(), nb::arg("attributes"))
      .def("time", [](Recipe& r) { return leaf(r, {.kind = TapeKind::Time}); })
      .def("initial", [](Recipe& r) { return leaf(r, {.kind = TapeKind::Initial}); })
      .def("sample",
           [](Recipe& r, nb::handle start, nb::handle interval) {
             return leaf(r, {.kind = TapeKind::Sample,
                             .value = finite(start, "the start of sample"),
                             .interval = finite(interval, "the interval of sample")});
           })
      .def("equation",
           [](Recipe& r, nb::handle left, nb::handle right, const std::string& label) {
             r.equations.push_back(equation_of(r, left, right, label));
           })
      .def("initial_equation",
           [](Recipe& r, nb::handle left, nb::handle right, const std::string& label) {
             r.initial_equations.push_back(equation_of(r, left, right, label));
           })
      .def("assign", [](Recipe& r, nb::handle variable,
                        nb::handle value) { r.assignments.push_back(equation_of(r, variable, value, "")); })
      .def("when",
           [](Recipe& r, nb::handle condition) {
             r.whens.push_back({.condition = require_entry(r.tape, condition, "when"), .actions = {}});
             return r.whens.size() - 1;
           })
      .def("when_action",
           [](Recipe& r, std::size_t when, const std::string& kind, nb::handle target, nb::handle value) {
             r.whens.at(when).actions.push_back(action_of(r, kind, target, value));
           })
      .def("assertion",
           [](Recipe& r, nb::handle condition, const std::string& message) {
             r.assertions.push_back({require_entry(r.tape, condition, "an assertion"), message});
           })
      .def("lagrangian_source", &lagrangian_source)
      .def(
          "experiment",
          [](Recipe& r, double start, std::optional<double> stop, std::optional<double> tolerance,
             std::optional<double> interval) {
            r.experiment = {
                .start_time = start, .stop_time = stop, .tolerance = tolerance, .interval = interval};
          },
          nb::arg("start"), nb::arg("stop").none(), nb::arg("tolerance").none(), nb::arg("interval").none())
      .def("rate",
           [](Recipe& r, std::int32_t variable) {
             r.tape->quantities.push_back(
                 fmt::format("der({})", r.tape->variables.at(static_cast<std::size_t>(variable)).name));
             return leaf(r, {.kind = TapeKind::Quantity, .args = {variable, -1, -1}});
           })
      .def("evaluate", &evaluate_residuals)
      .def("rate_guesses",
           [](Recipe& r, std::vector<double> guesses) {
             if (nonlinear_in_rates(r)) r.rate_guesses = std::move(guesses);
           })
      .def("source", [](const Recipe& r) -> std::shared_ptr<SystemSource> {
        return std::make_shared<RecipeSource>(r);
      });
}

}  // namespace

void bind_models(nb::module_& module) {
  nb::class_<SystemSource>(module, "Source");
  nb::class_<TextSource, SystemSource>(module, "TextSource")
      .def_prop_ro("name", &TextSource::name)
      .def_prop_ro("options", [](const TextSource& s) { return options_state(s.options()); })
      .def_prop_ro("text", [](const TextSource& s) { return nb::bytes(s.text().data(), s.text().size()); })
      .def("__getstate__",
           [](const TextSource& s) {
             return nb::make_tuple(s.name(), nb::bytes(s.text().data(), s.text().size()),
                                   options_state(s.options()));
           })
      .def("__setstate__", [](TextSource& self, const nb::tuple& state) {
        const auto text = nb::cast<nb::bytes>(state[1]);
        new (&self) TextSource(nb::cast<std::string>(state[0]), std::string(text.c_str(), text.size()),
                               text_options(nb::cast<nb::dict>(state[2])));
      });
  nb::class_<RecipeSource, SystemSource>(module, "RecipeSource")
      .def("__getstate__", [](const RecipeSource& s) { return state_of(s.recipe()); })
      .def("__setstate__",
           [](RecipeSource& self, const nb::tuple& state) { new (&self) RecipeSource(recipe_in(state)); });
  module.def("read_text", [](const std::string& path) {
    const std::string text = value_or_raise(cli::read_model_file(path));
    return nb::bytes(text.data(), text.size());
  });
  module.def("text_source", [](const std::string& name, const nb::bytes& text, const nb::dict& options) {
    return std::make_shared<TextSource>(name, std::string(text.c_str(), text.size()), text_options(options));
  });
  bind_recipe(module);
}

}  // namespace daedalus::python
