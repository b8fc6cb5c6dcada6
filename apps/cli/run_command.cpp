#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/loaded_model.hpp"
#include "cli/progress_bar.hpp"
#include "cli/stages.hpp"
#include "cli/standard_output.hpp"
#include "reform/level_system.hpp"
#include "results/output_file.hpp"
#include "results/page.hpp"
#include "results/plot.hpp"
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

// The names that can be plotted are known before the run, too. Derivatives are left to the plot.
Result<void> check_plot_variables(const RunArguments& arguments, const DaeSystem& system) {
  const std::vector<std::string_view> known(system.report_order.begin(), system.report_order.end());
  for (const std::string& name : arguments.plot_variables) {
    if (name.starts_with("der(") || std::ranges::find(known, std::string_view(name)) != known.end()) continue;
    return fail(unknown_name_message("variable to plot", name, known));
  }
  return {};
}

RunOptions run_options(const RunArguments& arguments, ProgressBar& bar, StepLog& steps) {
  RunOptions options;
  options.until = arguments.until;
  options.rtol = arguments.rtol;
  options.atol = arguments.atol;
  options.step = arguments.step;
  options.points = arguments.points;
  options.formulation = arguments.formulation;
  options.integrator = arguments.integrator;
  options.codegen = arguments.codegen;
  const bool log_steps = !arguments.report.empty();
  options.progress = [&bar, &steps, log_steps](const Progress& progress) {
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

Result<RunResult> run(const RunArguments& arguments, const DaeSystem& system, StepLog& steps) {
  ProgressBar bar(!arguments.quiet);
  catch_interrupts();
  return simulate(system, run_options(arguments, bar, steps));
}

// What a run can be looked at with, besides its result.
struct Background {
  const DaeSystem* system = nullptr;
  std::optional<Mechanism> mechanism = {};
  StepLog steps = {};
};

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
       .variables = arguments.plot_variables,
       .preferred = mechanism != nullptr ? telling_signals(*mechanism) : std::vector<std::string>{}});
  return page ? write_text(*page, arguments.report) : std::unexpected(page.error());
}

Result<void> write_picture(const RunArguments& arguments, const RunResult& result,
                           const Background& background) {
  PlotOptions options{
      .title = background.system->name, .variables = arguments.plot_variables, .summary = &result.summary};
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
  if (!arguments.out.empty()) note(write_trajectory(result.trajectory, arguments.out));
  if (!arguments.plot.empty()) note(write_picture(arguments, result, background));
  if (!arguments.report.empty()) note(write_report(arguments, result, background));
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

int execute(const RunArguments& arguments) {
  if (const auto writable = check_outputs(arguments); !writable) return complain(writable.error());
  const auto began = std::chrono::steady_clock::now();
  const auto text = read_model(arguments.model);
  if (!text) return exit_input;
  if (!arguments.stop_after.empty()) return print_stage(arguments, *text);
  const auto system = load(*text, arguments.model, {.quiet = arguments.quiet});
  if (!system) return exit_input;
  if (const auto known = check_plot_variables(arguments, *system); !known) return complain(known.error());
  const std::chrono::duration<double> parse_seconds = std::chrono::steady_clock::now() - began;

  Background background{.system = &*system};
  if (is_mechanism(*text) && !(arguments.plot.empty() && arguments.report.empty())) {
    if (auto mechanism = mechanism_of(*text, arguments.model)) background.mechanism = *std::move(mechanism);
  }
  auto result = run(arguments, *system, background.steps);
  if (!result) {
    return structural_errors(*system).empty() ? complain(result.error(), *text->sources)
                                              : refuse(*text, arguments.model, result.error());
  }
  auto& seconds = result->summary.seconds;
  seconds.insert(seconds.begin(), {"parse", parse_seconds.count()});
  const Diagnostics errors = write_outputs(arguments, *result, background);
  report(arguments, result->summary);
  if (!errors.empty()) return complain(errors);
  return result->ok() ? exit_ok : exit_numerics;
}

}  // namespace daedalus::cli
