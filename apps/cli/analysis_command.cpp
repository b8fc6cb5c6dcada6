#include "cli/analysis_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>

#include "analysis/linearise.hpp"
#include "analysis/steady.hpp"
#include "cli/commands.hpp"
#include "cli/distinct_files.hpp"
#include "cli/interrupt.hpp"
#include "cli/loaded_model.hpp"
#include "cli/standard_output.hpp"
#include "cli/text_values.hpp"
#include "results/analysis_text.hpp"
#include "results/output_file.hpp"

namespace daedalus::cli {
namespace {

constexpr std::string_view linearise_footer =
    R"(A, B, C, D of x' = A x + B u, y = C x + D u on the manifold of all constraints, whatever the index, and the modes:
eigenvalues, frequency in 1/time, damping, time constant, the states that take part.

Examples:
  daedalus linearise crane.mo --inputs F --outputs x,phi --out crane.mat
  daedalus linearise fourbar.xml --at 0.5
  daedalus linearise pendulum.mo --equilibrium)";

constexpr std::string_view steady_footer =
    R"(All derivatives are zero there. Looked for by Newton's method from the start values (--set x=1 moves them), and by
continuation where that fails; a model may have other equilibria.

Exit code: 0 when one was found; 1 when not; 2 when the input is wrong.

Example:
  daedalus steady pendulum.mo --set y=-0.9)";

void add_model(CLI::App* command, std::string& model, std::vector<std::string>& settings) {
  command
      ->add_option("MODEL", model,
                   "Modelica or Base Modelica file (.mo, .bmo), mechanism (.xml MJCF, .urdf); '-' reads "
                   "standard input")
      ->option_text(" ")
      ->required();
  command
      ->add_option("--set", settings,
                   "Set a parameter, an input, or a variable's start value; may be given many times")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check([](const std::string& text) {
        return parse_setting(text) ? std::string() : fmt::format("'{}' is not NAME=VALUE", text);
      });
}

void add_names(CLI::App* command, const std::string& option, std::vector<std::string>& names,
               const std::string& doc) {
  command
      ->add_option_function<std::string>(
          option, [&names](const std::string& text) { names = split_names(text); }, doc)
      ->type_name("A,B,...");
}

bool is_matrix_file(std::string_view path) {
  return path == "-" || path.ends_with(".json") || path.ends_with(".mat");
}

// A model made ready, and a simulation of it that stands where it is wanted.
struct Standing {
  std::shared_ptr<const Engine> engine;
  std::optional<Simulation> simulation;
};

ModelArguments model_arguments(const std::string& path, const std::vector<std::string>& settings) {
  ModelArguments model{.path = path, .settings = {}};
  for (const std::string& text : settings) model.settings.push_back(parse_setting(text).value());
  return model;
}

// Names among `inputs` that are not inputs of the model must be its parameters, which then stay free.
std::optional<DaeSystem> load_with_inputs(const ModelText& text, ModelArguments& model,
                                          const std::vector<std::string>& inputs) {
  auto system = load(text, model, {});
  if (!system) return std::nullopt;
  for (const std::string& name : inputs) {
    const auto found = std::ranges::find(system->variables, name, &Variable::name);
    if (found == system->variables.end() || found->kind != VariableKind::Input) model.free.push_back(name);
  }
  return model.free.empty() ? std::move(system) : load(text, model, {.quiet = true});
}

Result<Standing> stand(const DaeSystem& system, double until) {
  const double start = system.experiment.start_time;
  auto planned = plan(system, {.until = until > start ? std::optional(until) : std::nullopt});
  if (!planned) return std::unexpected(planned.error());
  auto engine = compile(*std::move(planned));
  if (!engine) return std::unexpected(engine.error());
  Standing standing{.engine = *engine, .simulation = {}};
  auto simulation = standing.engine->start();
  if (!simulation) return std::unexpected(simulation.error());
  if (until > start) simulation->advance_to(until, [] { return !interrupted(); });
  standing.simulation.emplace(*std::move(simulation));
  return standing;
}

int failed(const std::string& message) {
  std::fputs(fmt::format("error: {}\n", message).c_str(), stderr);
  return exit_numerics;
}

int write(const LineariseArguments& arguments, const Linearisation& linearisation) {
  if (arguments.out.empty()) return print(linearisation_text(linearisation));
  auto file = OutputFile::open(arguments.out);
  if (!file) return complain(file.error());
  file->write(arguments.out.ends_with(".mat") ? linearisation_mat(linearisation)
                                              : linearisation_json(linearisation));
  const auto closed = file->close();
  return closed ? exit_ok : complain(closed.error());
}

}  // namespace

void add_linearise_options(CLI::App& app, LineariseArguments& arguments) {
  CLI::App* const command = &app;
  add_model(command, arguments.model, arguments.settings);
  command->add_option("--at", arguments.at, "Time at which to linearise (default: the start)")
      ->type_name("T")
      ->check([](const std::string& text) { return objection_to_number(text, false); });
  command
      ->add_flag("--equilibrium", arguments.at_equilibrium, "At the equilibrium that 'daedalus steady' finds")
      ->excludes("--at");
  add_names(command, "--inputs", arguments.inputs,
            "Inputs and parameters that are u (default: all inputs of the model)");
  add_names(command, "--outputs", arguments.outputs,
            "Variables that are y; der(x) for a derivative (default: the states)");
  command
      ->add_option("--out", arguments.out,
                   "Write the matrices instead of printing them; '-' is JSON on standard output")
      ->type_name("FILE.{json,mat}")
      ->check([](const std::string& path) {
        return is_matrix_file(path) ? std::string()
                                    : fmt::format("'{}' ends in neither .json nor .mat", path);
      });
  command->footer(std::string(linearise_footer));
}

void add_steady_options(CLI::App& app, SteadyArguments& arguments) {
  CLI::App* const command = &app;
  add_model(command, arguments.model, arguments.settings);
  command->add_flag("--json", arguments.json, "Print one JSON object instead of text");
  command->footer(std::string(steady_footer));
}

int execute(const LineariseArguments& arguments) {
  const std::array<NamedFile, 2> files{{{"MODEL", arguments.model, false}, {"--out", arguments.out}}};
  if (const std::string objection = objection_to_same_files(files); !objection.empty())
    return complain({{.message = objection}});
  ModelArguments model = model_arguments(arguments.model, arguments.settings);
  const auto text = read_model(model);
  if (!text) return exit_input;
  catch_interrupts();
  const auto system = load_with_inputs(*text, model, arguments.inputs);
  if (!system) return exit_input;
  const double at = arguments.at.empty() ? system->experiment.start_time : *parse_number(arguments.at);
  auto standing = stand(*system, at);
  if (!standing) return refuse(*text, model, standing.error());
  Simulation& simulation = *standing->simulation;
  if (simulation.failed())
    return failed(fmt::format("the run did not get to t = {:.10g}: {}", at, simulation.reason()));
  if (simulation.time() < at) return failed(fmt::format("the run ended at t = {:.10g}", simulation.time()));
  const LinearisationOptions options{.inputs = arguments.inputs, .outputs = arguments.outputs};
  if (!arguments.at_equilibrium) {
    const auto found = linearise(*standing->engine, simulation, options);
    return found ? write(arguments, *found) : complain(found.error(), *text->sources);
  }
  const SteadyState steady = find_steady_state(*standing->engine, simulation);
  if (!steady.found) return failed(steady.reason);
  const auto found = linearise_at(standing->engine->model(), steady.environment, options);
  return found ? write(arguments, *found) : complain(found.error(), *text->sources);
}

int execute(const SteadyArguments& arguments) {
  const ModelArguments model = model_arguments(arguments.model, arguments.settings);
  const auto text = read_model(model);
  if (!text) return exit_input;
  const auto system = load(*text, model, {});
  if (!system) return exit_input;
  auto standing = stand(*system, system->experiment.start_time);
  if (!standing) return refuse(*text, model, standing.error());
  if (standing->simulation->failed()) return failed(standing->simulation->reason());
  const SteadyState steady = find_steady_state(*standing->engine, *standing->simulation);
  if (!steady.found) {
    if (arguments.json) (void)print(steady_json(steady, nullptr));
    return failed(steady.reason);
  }
  const auto modes = linearise_at(standing->engine->model(), steady.environment);
  const Linearisation* linear = modes ? &*modes : nullptr;
  return print(arguments.json ? steady_json(steady, linear) : steady_text(steady, linear));
}

}  // namespace daedalus::cli
