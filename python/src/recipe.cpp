#include "recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/options.hpp"
#include "mechanics/lagrangian.hpp"

namespace daedalus::python {
namespace {

Result<double> number_of(const ParameterSetting& setting) {
  double value = 0;
  const char* end = setting.value.data() + setting.value.size();
  const auto [rest, error] = std::from_chars(setting.value.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value))
    return fail(fmt::format("--set {}: '{}' is not a number", setting.name, setting.value));
  return value;
}

// Parameters and start values of this run.
Result<void> apply_settings(Tape& tape, const Settings& settings) {
  for (const ParameterSetting& setting : settings) {
    const auto value = number_of(setting);
    if (!value) return std::unexpected(value.error());
    const auto parameter = std::ranges::find(tape.parameters, setting.name, &DeclaredParameter::name);
    if (parameter != tape.parameters.end()) {
      parameter->value = *value;
      continue;
    }
    const auto variable = std::ranges::find(tape.variables, setting.name, &DeclaredVariable::name);
    if (variable == tape.variables.end()) {
      std::vector<std::string_view> known;
      for (const DeclaredParameter& each : tape.parameters) known.emplace_back(each.name);
      for (const DeclaredVariable& each : tape.variables) known.emplace_back(each.name);
      return fail(fmt::format("--set {}: the model has no parameter or variable of that name: {}",
                              setting.name, unknown_name_message("name", setting.name, known)));
    }
    variable->attributes.start = *value;
  }
  return {};
}

Result<void> check_free(const Tape& tape, const Names& free) {
  std::vector<std::string_view> known;
  for (const DeclaredParameter& parameter : tape.parameters) known.emplace_back(parameter.name);
  for (const std::string& name : free) {
    if (std::ranges::find(known, name) == known.end())
      return fail(unknown_name_message("parameter to be free", name, known));
  }
  return {};
}

class Player {
 public:
  Player(const Recipe& recipe, const Tape& tape, const Names& free)
      : recipe_(recipe), tape_(tape), free_(free), builder_(recipe.name), values_(declare_and_play()) {}

  Result<DaeSystem> run() {
    for (const RecipeEquation& e : recipe_.equations) builder_.equation(at(e.left), at(e.right), e.label);
    for (const RecipeEquation& e : recipe_.initial_equations)
      builder_.initial_equation(at(e.left), at(e.right), e.label);
    for (const RecipeEquation& e : recipe_.assignments) builder_.assign(at(e.left), at(e.right));
    for (const RecipeWhen& when : recipe_.whens) add(when);
    for (const RecipeAssertion& a : recipe_.assertions) builder_.assertion(at(a.condition), a.message);
    for (const RecipeLagrangian& l : recipe_.lagrangians) add(l);
    builder_.experiment(recipe_.experiment);
    return builder_.build();
  }

 private:
  std::vector<Expr> declare_and_play() {
    TapeLeaves leaves;
    for (const DeclaredVariable& variable : tape_.variables)
      leaves.variables.push_back(builder_.variable(variable.name, variable.attributes));
    for (const DeclaredParameter& p : tape_.parameters)
      leaves.parameters.push_back(std::ranges::find(free_, p.name) == free_.end()
                                      ? builder_.parameter(p.name, p.value, p.attributes)
                                      : builder_.free_parameter(p.name, p.value, p.attributes));
    leaves.time = [this] { return builder_.time(); };
    leaves.initial = [this] { return builder_.initial(); };
    leaves.sample = [this](double start, double interval) { return builder_.sample(start, interval); };
    const std::vector<Expr> rates = declare_rates(leaves.variables);
    leaves.quantity = [&rates](std::int32_t k) { return rates[static_cast<std::size_t>(k)]; };
    return play(tape_, leaves, static_cast<std::int32_t>(tape_.entries.size()) - 1);
  }

  std::vector<Expr> declare_rates(const std::vector<Expr>& variables) {
    std::vector<Expr> rates;
    if (tape_.quantities.empty()) return rates;
    for (std::size_t k = 0; k < variables.size(); ++k) {
      if (k >= recipe_.rate_guesses.size()) {
        rates.push_back(der(variables[k]));
        continue;
      }
      rates.push_back(builder_.variable(fmt::format("rate of {}", tape_.variables[k].name),
                                        {.start = recipe_.rate_guesses[k]}));
      builder_.equation(der(variables[k]), rates.back());
    }
    return rates;
  }

  [[nodiscard]] const Expr& at(std::int32_t entry) const { return values_[static_cast<std::size_t>(entry)]; }

  void add(const RecipeWhen& when) {
    WhenBuilder clause = builder_.when(at(when.condition));
    for (const RecipeAction& action : when.actions) {
      switch (action.kind) {
        case ActionKind::Set:
          clause.set(at(action.target), at(action.value));
          break;
        case ActionKind::Reinit:
          clause.reinit(at(action.target), at(action.value));
          break;
        case ActionKind::Terminate:
          clause.terminate(action.message);
          break;
        case ActionKind::ElseWhen:
          clause.else_when(at(action.value));
          break;
      }
    }
  }

  void add(const RecipeLagrangian& given) {
    Lagrangian lagrangian;
    for (const std::int32_t q : given.coordinates) lagrangian.coordinates.push_back(at(q));
    for (const std::int32_t q : given.forces) lagrangian.forces.push_back(at(q));
    lagrangian.kinetic = at(given.kinetic);
    lagrangian.potential = at(given.potential);
    for (const RecipeConstraint& c : given.constraints) {
      lagrangian.constraints.push_back(
          {.residual = at(c.residual), .name = c.name, .of_velocity = c.of_velocity});
    }
    add_lagrangian(builder_, lagrangian);
  }

  const Recipe& recipe_;
  const Tape& tape_;
  const Names& free_;
  ModelBuilder builder_;
  std::vector<Expr> values_;
};

// The degree in the rates, as far as it matters: 0, 1, or more.
int degree_of(const TapeEntry& entry, const std::vector<int>& degrees) {
  if (entry.kind == TapeKind::Quantity) return 1;
  if (entry.kind != TapeKind::Apply && entry.kind != TapeKind::NoEvent) return 0;
  const auto argument = [&](std::size_t k) {
    return entry.args[k] < 0 ? 0 : degrees[static_cast<std::size_t>(entry.args[k])];
  };
  const int most = std::max({argument(0), argument(1), argument(2)});
  switch (entry.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Neg:
      return most;
    case Op::Mul:
      return std::min(2, argument(0) + argument(1));
    case Op::Div:
      return argument(1) > 0 ? 2 : argument(0);
    default:
      return most > 0 ? 2 : 0;
  }
}

}  // namespace

bool nonlinear_in_rates(const Recipe& recipe) {
  std::vector<int> degrees;
  for (const TapeEntry& entry : recipe.tape->entries) degrees.push_back(degree_of(entry, degrees));
  return std::ranges::any_of(degrees, [](int degree) { return degree > 1; });
}

RecipeSource::RecipeSource(const Recipe& recipe) : recipe_(recipe) {
  recipe_.tape = std::make_shared<Tape>(*recipe.tape);
}

Made RecipeSource::make_system(const Settings& settings, const MakeOptions& options) const {
  auto sources = std::make_shared<SourceMap>();
  Tape tape = *recipe_.tape;
  if (auto set = apply_settings(tape, settings); !set) return {sources, std::unexpected(set.error())};
  if (auto known = check_free(tape, options.free); !known) return {sources, std::unexpected(known.error())};
  auto system = Player(recipe_, tape, options.free).run();
  if (!system || !options.remove_aliases) return {std::move(sources), std::move(system)};
  return {std::move(sources), daedalus::remove_aliases(*system, options.keep_constraints)};
}

}  // namespace daedalus::python
