#include "fmu/unit_instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "advise/plan.hpp"
#include "analysis/linearise.hpp"
#include "cli/loaded_model.hpp"
#include "cli/model_file.hpp"

namespace daedalus::fmu {
namespace {

Result<std::string> read(const std::filesystem::path& path) {
  const std::ifstream file(path, std::ios::binary);
  if (!file) return fail(fmt::format("'{}' of the FMU cannot be read", path.filename().string()));
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

std::string first_message(const Diagnostics& diagnostics) {
  return diagnostics.empty() ? "unknown error" : diagnostics.front().message;
}

Result<DaeSystem> load_system(const FmuRecipe& recipe, const std::string& folder) {
  cli::ModelArguments arguments{.path = (std::filesystem::path(folder) / recipe.model).string(),
                                .settings = {}};
  for (const auto& [name, value] : recipe.settings) arguments.settings.push_back({name, value});
  arguments.model = recipe.model_name;
  arguments.keyframe = recipe.keyframe;
  arguments.coordinates = recipe.coordinates;
  arguments.floating = recipe.floating;
  arguments.free = recipe.free;
  auto text = cli::read_model_file(arguments.path);
  if (!text) return std::unexpected(text.error());
  cli::ModelText model{.sources = std::make_shared<SourceMap>(), .file = 0};
  model.file = model.sources->add(arguments.path, *std::move(text));
  return cli::system_of(model, arguments);
}

}  // namespace

Result<std::unique_ptr<UnitInstance>> UnitInstance::load(const std::string& resources,
                                                         const std::string& token) {
  const auto text = read(std::filesystem::path(resources) / recipe_file);
  if (!text) return std::unexpected(text.error());
  const auto recipe = parse_recipe(*text);
  if (!recipe) return std::unexpected(recipe.error());
  if (recipe->token != token)
    return fail(
        "the instantiation token is not that of this FMU: modelDescription.xml belongs to another one");
  auto system = load_system(*recipe, resources);
  if (!system) return std::unexpected(system.error());
  const auto formulation = parse_selection(recipe->formulation);
  const auto integrator = parse_selection(recipe->integrator);
  if (!formulation || !integrator) return fail("the FMU names an unknown method");
  auto planned = plan(*system, {.until = recipe->stop,
                                .rtol = recipe->rtol,
                                .atol = recipe->atol,
                                .formulation = *formulation,
                                .integrator = *integrator});
  if (!planned) return std::unexpected(planned.error());
  auto engine = compile(*std::move(planned));
  if (!engine) return std::unexpected(engine.error());
  auto variables = fmu_variables(**engine, recipe->outputs);
  if (!variables) return std::unexpected(variables.error());
  std::unique_ptr<UnitInstance> instance(new UnitInstance);
  instance->engine_ = *std::move(engine);
  instance->variables_ = std::move(variables->all);
  instance->structure_ = std::move(variables->exchange);
  instance->start_ = system->experiment.start_time;
  return instance;
}

void UnitInstance::set_experiment(std::optional<double> tolerance, double start, std::optional<double> stop) {
  tolerance_ = tolerance;
  start_ = start;
  stop_ = stop;
}

Failure UnitInstance::start() {
  if (start_ != engine_->system().experiment.start_time)
    return fmt::format("the model begins at t = {}, not at {}", engine_->system().experiment.start_time,
                       start_);
  RunRequest request{.until = stop_, .rtol = tolerance_};
  for (const auto& [reference, value] : given_) request.set.push_back({variables_[reference].name, value});
  auto started = engine_->start(request);
  if (!started) return first_message(started.error());
  simulation_.emplace(*std::move(started));
  return simulation_->failed() ? simulation_->reason() : "";
}

Failure UnitInstance::finish_initialisation() {
  if (!simulation_) {
    if (Failure failure = start(); !failure.empty()) return failure;
  }
  initialised_ = true;
  if (for_exchange_) exchange_.emplace(*simulation_);
  return "";
}

void UnitInstance::exchange() {
  for_exchange_ = true;
}

double UnitInstance::nominal(std::size_t state) const {
  const LevelSystem& levels = engine_->model().levels();
  const int level = ModelExchange::states_of(levels)[state];
  return levels.system().variables[levels.levels[static_cast<std::size_t>(level)].variable.at()].nominal;
}

void UnitInstance::reset() {
  exchange_.reset();
  simulation_.reset();
  given_.clear();
  initialised_ = false;
}

const FmuVariable* UnitInstance::find(unsigned reference) const {
  return reference < variables_.size() ? &variables_[reference] : nullptr;
}

double UnitInstance::time() const {
  return simulation_ ? simulation_->time() : start_;
}

Failure UnitInstance::get(unsigned reference, double& value) {
  const FmuVariable& variable = variables_[reference];
  if (variable.causality == FmuCausality::Independent) {
    value = time();
    return "";
  }
  if (!variable.computed()) {
    const auto given = given_.find(reference);
    value = given != given_.end() ? given->second : variable.start;
    return "";
  }
  if (!simulation_) {
    if (Failure failure = start(); !failure.empty()) return failure;
  }
  if (exchange_) {
    if (Failure failure = exchange_->evaluate(); !failure.empty()) return failure;
  }
  if (variable.level >= 0) {
    const int slot = engine_->model().layout().levels + variable.level;
    value = simulation_->environment()[static_cast<std::size_t>(slot)];
    return "";
  }
  if (variable.indicator >= 0) {
    std::vector<double> all(structure_.indicators.size());
    if (exchange_) exchange_->indicators(all);
    value = all[static_cast<std::size_t>(variable.indicator)];
    return "";
  }
  const auto found = simulation_->value(variable.name);
  if (!found) return first_message(found.error());
  value = *found;
  return "";
}

Failure UnitInstance::set(unsigned reference, double value) {
  const FmuVariable& variable = variables_[reference];
  if (!std::isfinite(value)) return fmt::format("'{}' cannot be set to {}", variable.name, value);
  if (variable.causality == FmuCausality::Independent) return "time cannot be set";
  if (!initialised_) {
    if (variable.computed() && variable.initial == FmuInitial::Calculated)
      return fmt::format("'{}' cannot be set: it follows from others", variable.name);
    given_[reference] = value;
    simulation_.reset();  // begins anew with it
    return "";
  }
  if (variable.computed()) return fmt::format("'{}' cannot be set after the initialisation", variable.name);
  double now = variable.start;
  if (const auto given = given_.find(reference); given != given_.end()) now = given->second;
  given_[reference] = value;
  if (now == value) return "";  // so that the integrator need not begin anew
  if (exchange_) return set_exchanged(variable, value);
  const auto done = simulation_->set(variable.name, value);
  return done ? "" : first_message(done.error());
}

Failure UnitInstance::set_exchanged(const FmuVariable& variable, double value) {
  const auto& all = engine_->system().variables;
  const auto found = std::ranges::find(all, variable.name, &Variable::name);
  const int slot =
      found == all.end()
          ? -1
          : engine_->model().layout().discrete_slot[static_cast<std::size_t>(found - all.begin())];
  if (slot < 0) return fmt::format("'{}' cannot be set", variable.name);
  exchange_->set_slot(slot, value);
  return "";
}

namespace {

// The x that makes |A x - b| least, from the normal equations: A has the columns of a tangent, which are
// independent, and as few rows as a model has states.
std::vector<double> least_squares(const DenseMatrix& a, const std::vector<double>& b) {
  const auto n = static_cast<std::size_t>(a.columns);
  std::vector<std::vector<double>> rows(n, std::vector<double>(n + 1));
  for (std::size_t i = 0; i < n; ++i) {
    for (int r = 0; r < a.rows; ++r) {
      const double left = a.at(r, static_cast<int>(i));
      for (std::size_t j = 0; j < n; ++j) rows[i][j] += left * a.at(r, static_cast<int>(j));
      rows[i][n] += left * b[static_cast<std::size_t>(r)];
    }
  }
  for (std::size_t k = 0; k < n; ++k) {  // symmetric and positive definite: no pivoting
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = rows[i][k] / rows[k][k];
      for (std::size_t j = k; j <= n; ++j) rows[i][j] -= factor * rows[k][j];
    }
  }
  std::vector<double> x(n);
  for (std::size_t k = n; k-- > 0;) {
    x[k] = rows[k][n];
    for (std::size_t j = k + 1; j < n; ++j) x[k] -= rows[k][j] * x[j];
    x[k] /= rows[k][k];
  }
  return x;
}

}  // namespace

Failure UnitInstance::derivative(const std::vector<unsigned>& unknowns, const std::vector<unsigned>& knowns,
                                 const double* seed, double* sensitivity) {
  if (!simulation_) {
    if (Failure failure = start(); !failure.empty()) return failure;
  }
  if (exchange_) {
    if (Failure failure = exchange_->evaluate(); !failure.empty()) return failure;
  }
  const auto place = [](const std::vector<unsigned>& list, unsigned reference) {
    return std::ranges::find(list, reference) - list.begin();
  };
  const std::vector<unsigned> no_states;
  const std::vector<unsigned>& states = exchange_ ? structure_.states : no_states;
  LinearisationOptions options;
  std::vector<double> given;
  std::vector<double> moved(states.size());
  for (std::size_t k = 0; k < knowns.size(); ++k) {
    const FmuVariable& known = variables_[knowns[k]];
    const auto state = static_cast<std::size_t>(place(states, knowns[k]));
    if (state < states.size()) {
      moved[state] += seed[k];
    } else if (known.computed() || known.causality == FmuCausality::Independent) {
      return fmt::format("there are no derivatives with respect to '{}': it is no {}input and no parameter",
                         known.name, exchange_ ? "state, no " : "");
    } else {
      options.inputs.push_back(known.name);
      given.push_back(seed[k]);
    }
  }
  for (const unsigned u : unknowns) options.outputs.push_back(variables_[u].name);
  for (const unsigned s : states) options.outputs.push_back(variables_[s].name);
  const auto linear = linearise(*engine_, *simulation_, options);
  if (!linear) return first_message(linear.error());
  const int first = static_cast<int>(unknowns.size());
  DenseMatrix tangent(static_cast<int>(states.size()), linear->c.columns);
  for (int s = 0; s < tangent.rows; ++s) {
    for (int k = 0; k < tangent.columns; ++k) tangent.at(s, k) = linear->c.at(first + s, k);
  }
  const std::vector<double> along = states.empty() ? std::vector<double>() : least_squares(tangent, moved);
  for (int u = 0; u < first; ++u) {
    double sum = 0;
    for (std::size_t k = 0; k < given.size(); ++k) sum += linear->d.at(u, static_cast<int>(k)) * given[k];
    for (std::size_t k = 0; k < along.size(); ++k) sum += linear->c.at(u, static_cast<int>(k)) * along[k];
    sensitivity[u] = sum;
  }
  return "";
}

UnitInstance::State UnitInstance::state() {
  if (exchange_) (void)exchange_->evaluate();
  return {simulation_, given_, start_};
}

Failure UnitInstance::advance_to(double t) {
  if (!simulation_) return "the initialisation is not over";
  if (simulation_->failed()) return simulation_->reason();
  if (t > simulation_->time()) simulation_->advance_to(t);
  return simulation_->failed() ? simulation_->reason() : "";
}

void UnitInstance::set_state(const State& state) {
  exchange_.reset();
  simulation_ = state.simulation;
  given_ = state.given;
  start_ = state.start;
  if (for_exchange_ && initialised_ && simulation_) exchange_.emplace(*simulation_);
}

namespace {

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
bool take(std::string_view& bytes, T& value) {
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return true;
}

}  // namespace

Failure UnitInstance::serialise(const State& state, std::string& bytes) const {
  bytes.clear();
  append(bytes, state.start);
  append(bytes, state.given.size());
  for (const auto& [reference, value] : state.given) {
    append(bytes, reference);
    append(bytes, value);
  }
  if (!state.simulation) return "";
  Simulation copy = *state.simulation;
  const auto saved = copy.save();
  if (!saved) return first_message(saved.error());
  bytes.append(reinterpret_cast<const char*>(saved->data()), saved->size());
  return "";
}

Failure UnitInstance::deserialise(std::string_view bytes, State& state) const {
  const std::string broken = "the bytes are no state of this FMU";
  std::size_t count = 0;
  if (!take(bytes, state.start) || !take(bytes, count)) return broken;
  for (std::size_t k = 0; k < count; ++k) {
    unsigned reference = 0;
    double value = 0;
    if (!take(bytes, reference) || !take(bytes, value) || reference >= variables_.size()) return broken;
    state.given[reference] = value;
  }
  if (bytes.empty()) return "";
  auto loaded = engine_->load({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()});
  if (!loaded) return first_message(loaded.error());
  state.simulation.emplace(*std::move(loaded));
  return "";
}

}  // namespace daedalus::fmu
