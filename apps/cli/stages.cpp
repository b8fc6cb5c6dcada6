#include "cli/stages.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "advise/plan.hpp"
#include "cli/standard_output.hpp"
#include "consistent/events.hpp"
#include "consistent/initialise.hpp"
#include "model/load.hpp"
#include "model/parser.hpp"
#include "reform/level_system.hpp"
#include "results/stage_text.hpp"
#include "simulate/engine.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus::cli {
namespace {

struct StageInput {
  const ModelText& text;
  const ModelArguments& arguments;
  const RunArguments& run;
};

// f of the value, or the error handed on.
template <class T, class F>
Result<std::string> text_of(const Result<T>& value, F f) {
  if (!value) return std::unexpected(value.error());
  return f(*value);
}

Result<DaeSystem> system_of(const StageInput& input) {
  return cli::system_of(input.text, input.arguments);
}

Result<LevelSystem> levels_of(const StageInput& input) {
  const auto system = system_of(input);
  if (!system) return std::unexpected(system.error());
  return make_level_system(*system);
}

Result<RunPlan> plan_of(const StageInput& input) {
  const RunOptions options = plan_options(input.run);
  const auto system = load_for(options.formulation, [&](bool keep_constraints) {
    return cli::system_of(input.text, input.arguments, true, keep_constraints);
  });
  if (!system) return std::unexpected(system.error());
  return plan(*system, options);
}

Result<std::string> planned(const StageInput& input) {
  const auto made = plan_of(input);
  if (!made) return std::unexpected(made.error());
  return plan_text(*made);
}

Result<std::string> reformed(const StageInput& input) {
  const auto made = plan_of(input);
  if (!made) return std::unexpected(made.error());
  return reformulated_text(*made);
}

Result<std::unique_ptr<CompiledModel>> compiled(const StageInput& input) {
  const auto made = plan_of(input);
  if (!made) return std::unexpected(made.error());
  return CompiledModel::compile(made->levels, input.run.codegen);
}

Result<std::shared_ptr<const Engine>> engine_of(const StageInput& input) {
  auto made = plan_of(input);
  if (!made) return std::unexpected(made.error());
  return compile(*std::move(made));
}

Result<std::string> initialised(const StageInput& input) {
  auto model = compiled(input);
  if (!model) return std::unexpected(model.error());
  std::vector<double> environment = (*model)->fresh_environment();
  EventHandler events(**model, environment);
  const Initialisation initialisation = initialise(**model, environment, events);
  if (initialisation.status == Initialisation::Status::WrongInput)
    return std::unexpected(initialisation.diagnostics);
  if (initialisation.status == Initialisation::Status::Failed) return fail(initialisation.reason);
  return initialisation_text(**model, environment, initialisation);
}

struct StageRow {
  std::string_view name;
  Result<std::string> (*text)(const StageInput& input);
};

constexpr std::array<StageRow, 7> stages{{
    {"parse",
     [](const StageInput& input) {
       return text_of(parse(*input.text.sources, input.text.file),
                      [](const ast::Ast& tree) { return daedalus::print(tree); });
     }},
    {"model", [](const StageInput& input) { return text_of(system_of(input), system_text); }},
    {"structure", [](const StageInput& input) { return text_of(levels_of(input), structure_text); }},
    {"plan", planned},
    {"reform", reformed},
    {"codegen",
     [](const StageInput& input) {
       return text_of(engine_of(input), [](const auto& engine) { return compiled_text(engine->programs()); });
     }},
    {"initialise", initialised},
}};

}  // namespace

std::vector<std::string_view> stage_names() {
  std::vector<std::string_view> names;
  for (const StageRow& row : stages) names.push_back(row.name);
  return names;
}

int print_stage(const RunArguments& arguments, const ModelText& text) {
  const auto row = std::ranges::find(stages, std::string_view(arguments.stop_after), &StageRow::name);
  const auto value = row->text({.text = text, .arguments = arguments.model, .run = arguments});
  if (!value) return complain(value.error(), *text.sources);
  return print(*value);
}

}  // namespace daedalus::cli
