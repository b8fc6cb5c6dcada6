#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>

#include "cli/commands.hpp"
#include "cli/distinct_files.hpp"
#include "cli/interrupt.hpp"
#include "cli/loaded_model.hpp"
#include "cli/progress_bar.hpp"
#include "cli/stages.hpp"
#include "cli/standard_output.hpp"
#include "mechanics/massless_links.hpp"
#include "reform/level_system.hpp"
#include "results/growing_file.hpp"
#include "results/output_file.hpp"
#include "results/page.hpp"
#include "results/plot.hpp"
#include "results/select.hpp"
#include "results/summary.hpp"
#include "results/writers.hpp"
#include "simulate/run.hpp"

namespace daedalus::cli {
namespace {

// Files that could not be written are better known before a long run than after it.
Result<void> check_outputs(const RunArguments& arguments) {
  for (const std::string& path : {arguments.out, arguments.plot, arguments.report, arguments.summary}) {
    if (path.empty()) continue;
    if (auto writable = check_writable(path); !writable) return writable;
  }
  return {};
}

// All variables, and the derivatives of those that are differentiated: what Modelica tools write.
std::vector<std::string> with_derivatives(const DaeSystem& system) {
  std::vector<std::string> names = system.report_order;
  std::vector<bool> differentiated(system.variables.size(), false);
  for (const Equation& equation : system.equations) {
    for (const NodeId leaf : leaves_of(*system.graph, equation.residual)) {
      const Node& node = system.graph->node(leaf);
      if (node.op == Op::Variable && node.args[1] == 1)
        differentiated[static_cast<std::size_t>(node.args[0])] = true;
    }
  }
  for (std::size_t v = 0; v < differentiated.size(); ++v) {
    if (differentiated[v] && !system.variables[v].internal)
      names.push_back(derivative_name(system.variables[v].name, 1));
  }
  return names;
}

// The names of the results are known before the run. Patterns become names.
Result<std::vector<std::string>> wanted_names(const RunArguments& arguments, const DaeSystem& system) {
  if (arguments.vars.empty()) {
    return arguments.out.ends_with(".mat") ? with_derivatives(system) : std::vector<std::string>{};
  }
  return expand_names(arguments.vars, system.report_order);
}

// Where variables were asked for, their sensitivities are results, too.
std::vector<std::string> with_sensitivities(std::vector<std::string> vars,
                                            const std::vector<std::string>& parameters) {
  const std::size_t count = vars.size();
  for (std::size_t k = 0; k < count; ++k) {
    for (const std::string& parameter : parameters) vars.push_back(sensitivity_name(vars[k], parameter));
  }
  return vars;
}

// What sensitivities are wanted for stays open in the model, if it is a parameter.
std::optional<DaeSystem> load_open(const ModelText& text, const RunArguments& arguments) {
  ModelArguments model = arguments.model;
  auto system = load(text, model, {.quiet = arguments.quiet, .formulation = arguments.formulation});
  if (!system) return std::nullopt;
  for (const std::string& name : arguments.sensitivities) {
    const bool is_parameter = std::ranges::any_of(system->reported, [&name](const ReportedValue& reported) {
      return reported.parameter && reported.attributes.name == name;
    });
    if (is_parameter) model.free.push_back(name);
  }
  if (model.free.empty()) return system;
  return load(text, model, {.quiet = true, .formulation = arguments.formulation});
}

// Nor may a result go over a file that the model includes.
Result<void> check_included(const RunArguments& arguments, const std::vector<std::string>& included) {
  std::vector<NamedFile> files;
  for (const std::string& path : included) files.push_back({"the model's file", path, false});
  if (files.empty()) return {};
  const std::array<std::pair<std::string_view, std::string>, 4> outputs{{{"--out", arguments.out},
                                                                         {"--plot", arguments.plot},
                                                                         {"--report", arguments.report},
                                                                         {"--summary", arguments.summary}}};
  for (const auto& [option, path] : outputs) files.push_back({option, path});
  const std::string objection = objection_to_same_files(files);
  if (!objection.empty()) return fail(objection);
  return {};
}

// What a run needs beside its options.
struct Following {
  ProgressBar& bar;
  StepLog& steps;
  std::shared_ptr<RunObserver> file;  // may be null
};

RunOptions run_options(const RunArguments& arguments, const std::vector<std::string>& vars,
                       const Following& following) {
  RunOptions options = plan_options(arguments);
  options.sensitivities = arguments.sensitivities;
  if (arguments.report.empty()) options.vars = vars;  // the page has all of them
  if (following.file != nullptr) options.observers.push_back(following.file);
  const bool log_steps = !arguments.report.empty();
  options.progress = [&bar = following.bar, &steps = following.steps, log_steps](const Progress& progress) {
    if (log_steps) {
      // Another formulation took over and began anew.
      if (!steps.times.empty() && progress.t < steps.times.back()) steps = {};
      steps.times.push_back(progress.t);
      steps.sizes.push_back(progress.step);
      steps.orders.push_back(progress.order);
    }
    bar.update({.t = progress.t,
                .t_start = progress.t_start,
                .t_end = progress.t_end,
                .step = progress.step,
                .order = progress.order});
    return !interrupted();
  };
  return options;
}

// "interrupted at t = 2" by whom.
void name_signal(Summary& summary) {
  constexpr std::string_view word = "interrupted";
  const std::string_view signal = interrupting_signal();
  if (!signal.empty() && summary.reason.starts_with(word))
    summary.reason.insert(word.size(), fmt::format(" by {}", signal));
}

// What a run can be looked at with, besides its result.
struct Background {
  const DaeSystem* system = nullptr;
  std::vector<std::string> computed = {};  // empty: all
  std::vector<std::string> vars = {};      // with what is computed of them
  std::optional<Mechanism> mechanism = {};
  StepLog steps = {};
  std::shared_ptr<GrowingFile> file = {};  // of --out
  std::optional<RunResult> whole = {};     // for the page, where others have the variables asked for only
};

Result<RunResult> run(const RunArguments& arguments, Background& background) {
  ProgressBar bar(!arguments.quiet);
  catch_interrupts();
  if (!arguments.out.empty()) background.file = std::make_shared<GrowingFile>(arguments.out, background.vars);
  auto result = simulate(*background.system,
                         run_options(arguments, background.computed,
                                     {.bar = bar, .steps = background.steps, .file = background.file}));
  if (result) name_signal(result->summary);
  return result;
}

Result<void> write_text(const std::string& text, const std::string& path) {
  auto file = OutputFile::open(path);
  if (!file) return std::unexpected(file.error());
  file->write(text);
  return file->close();
}

Result<void> write_report(const RunArguments& arguments, const RunResult& result,
                          const Background& background) {
  const Mechanism* mechanism = background.mechanism ? &*background.mechanism : nullptr;
  const auto page = run_page(
      {.result = &result,
       .system = background.system,
       .mechanism = mechanism,
       .steps = &background.steps,
       .command = arguments.command,
       .variables = background.vars,
       .preferred = mechanism != nullptr ? telling_signals(*mechanism) : std::vector<std::string>{}});
  return page ? write_text(*page, arguments.report) : std::unexpected(page.error());
}

Result<void> write_picture(const RunArguments& arguments, const RunResult& result,
                           const Background& background) {
  PlotOptions options{
      .title = background.system->name, .variables = background.vars, .summary = &result.summary};
  if (background.mechanism) options.preferred = telling_signals(*background.mechanism);
  return write_plot(result.trajectory, options, arguments.plot);
}

// Writes whatever was asked for; one file that fails does not keep the others from being written.
Diagnostics write_outputs(const RunArguments& arguments, const RunResult& result,
                          const Background& background) {
  Diagnostics errors;
  const auto note = [&errors](const Result<void>& outcome) {
    if (!outcome) errors.insert(errors.end(), outcome.error().begin(), outcome.error().end());
  };
  if (background.file != nullptr) note(background.file->finish(result.trajectory));
  if (!arguments.plot.empty()) note(write_picture(arguments, result, background));
  if (!arguments.report.empty())
    note(write_report(arguments, background.whole ? *background.whole : result, background));
  if (!arguments.summary.empty()) note(write_text(summary_json(result.summary), arguments.summary));
  return errors;
}

// Warnings, why the run ended early if it did, and how it went.
void report(const RunArguments& arguments, Summary summary) {
  for (const std::string& warning : summary.warnings) {
    if (!arguments.quiet) std::fputs(fmt::format("warning: {}\n", warning).c_str(), stderr);
  }
  if (summary.status != "ok") {
    const bool says_when = summary.reason.find("t = ") != std::string::npos;
    const std::string when = says_when ? "" : fmt::format(" at t = {:.9g}", summary.t_end);
    std::fputs(fmt::format("error: {}{}\n", summary.reason, when).c_str(), stderr);
    summary.reason.clear();  // said
  }
  if (!arguments.quiet) std::fputs(summary_text(summary).c_str(), stderr);
}

}  // namespace

RunOptions plan_options(const RunArguments& arguments) {
  RunOptions options;
  options.until = arguments.until;
  options.rtol = arguments.rtol;
  options.atol = arguments.atol;
  options.step = arguments.step;
  options.points = arguments.points;
  options.formulation = arguments.formulation;
  options.integrator = arguments.integrator;
  options.codegen = arguments.codegen;
  return options;
}

int execute(const RunArguments& arguments) {
  if (const auto writable = check_outputs(arguments); !writable) return complain(writable.error());
  const auto began = std::chrono::steady_clock::now();
  const auto text = read_model(arguments.model);
  if (!text) return exit_input;
  if (!arguments.stop_after.empty()) return print_stage(arguments, *text);
  const auto system = load_open(*text, arguments);
  if (!system) return exit_input;
  if (const auto safe = check_included(arguments, *text->included); !safe) return complain(safe.error());
  auto vars = wanted_names(arguments, *system);
  if (!vars) return complain(vars.error());
  const std::chrono::duration<double> parse_seconds = std::chrono::steady_clock::now() - began;

  Background background{
      .system = &*system, .computed = *vars, .vars = with_sensitivities(*vars, arguments.sensitivities)};
  if (is_mechanism(*text) && !(arguments.plot.empty() && arguments.report.empty())) {
    // Drawn are the bodies that have mass, whatever coordinates the equations are written in.
    const auto mechanism = mechanism_of(*text, arguments.model);
    auto drawn = mechanism ? without_massless_links(*mechanism) : std::unexpected(mechanism.error());
    if (drawn) background.mechanism = *std::move(drawn);
  }
  auto result = run(arguments, background);
  if (!result) {
    return structural_errors(*system).empty() ? complain(result.error(), *text->sources)
                                              : refuse(*text, arguments.model, result.error());
  }
  auto& seconds = result->summary.seconds;
  seconds.insert(seconds.begin(), {"parse", parse_seconds.count()});
  Diagnostics errors;
  // The page begins with the variables asked for, and has the others to search in.
  if (!arguments.report.empty() && !background.vars.empty()) background.whole = *result;
  // Nobody has asked for a derivative that this run does not have.
  if (arguments.vars.empty() || !arguments.sensitivities.empty()) {
    std::erase_if(background.vars, [&](const std::string& name) {
      return std::ranges::find(result->trajectory.signals, name, &Signal::name) ==
             result->trajectory.signals.end();
    });
  }
  if (!background.vars.empty()) {
    if (const auto all = restrict_to(background.vars, *result); !all) errors = all.error();
    std::erase_if(background.vars, [&](const std::string& name) {
      return std::ranges::find(result->trajectory.signals, name, &Signal::name) ==
             result->trajectory.signals.end();
    });
  }
  const Diagnostics unwritten = write_outputs(arguments, *result, background);
  errors.insert(errors.end(), unwritten.begin(), unwritten.end());
  report(arguments, result->summary);
  if (!errors.empty()) return complain(errors);
  return result->ok() ? exit_ok : exit_numerics;
}

}  // namespace daedalus::cli
