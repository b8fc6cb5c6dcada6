#include "cli/compare_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/distinct_files.hpp"
#include "cli/interrupt.hpp"
#include "cli/loaded_model.hpp"
#include "cli/model_file.hpp"
#include "cli/standard_output.hpp"
#include "cli/text_values.hpp"
#include "results/output_file.hpp"
#include "results/picture.hpp"
#include "study/compare.hpp"
#include "study/compare_picture.hpp"
#include "study/compare_rows.hpp"
#include "study/html_report.hpp"

namespace daedalus::cli {
namespace {

constexpr std::string_view footer =
    R"(Every formulation is run with its own integrator, unless --integrators says otherwise. In a list a comma begins a new
row, unless what follows it reads key=value, which is an option of the row before: 'ggl:D=B,baumgarte:alpha=5,beta=5,index1'
are three rows. Both lists may be given several times. The reference is the tightest run, at a thousandth of the
tolerance, unless a file is given; which one it was, and how far an independent run is from it, is said above the
table. Errors are in parts of each signal's range. Rows run on all processors; 'seconds' is processor time.

Exit code: 0 when at least one row came to the end; 1 when none did; 2 when the input is wrong or no row applies.

Examples:
  daedalus compare pendulum.mo
  daedalus compare pendulum.mo --formulations ggl,baumgarte:gamma=20,index1 --integrators radau,bdf
  daedalus compare pendulum.mo --rtol 1e-4,1e-6,1e-8 --report pendulum.html --json pendulum.json)";

// "[ 3/24] ggl  43 %", on a terminal and after half a second only.
class CompareLine {
 public:
  explicit CompareLine(bool wanted)
      : enabled_(wanted && isatty(STDERR_FILENO) != 0),
        next_(Clock::now() + std::chrono::milliseconds(500)) {}
  CompareLine(const CompareLine&) = delete;
  CompareLine& operator=(const CompareLine&) = delete;
  ~CompareLine() {
    if (drawn_) std::fputs("\r\x1b[K", stderr);
  }

  void update(const CompareProgress& progress) {
    const auto now = Clock::now();
    if (!enabled_ || now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    drawn_ = true;
    std::fputs(fmt::format("\r[{:2}/{}] {}  {:.0f} %\x1b[K", progress.done, progress.total, progress.running,
                           100 * progress.part)
                   .c_str(),
               stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool enabled_;
  bool drawn_ = false;
  Clock::time_point next_;
};

using Parser = Result<std::vector<Selection>> (*)(std::string_view);

// A list that may be given several times.
void add_list(CLI::App* command, const std::string& name, std::vector<Selection>& target, Parser parse,
              const std::string& doc) {
  command
      ->add_option_function<std::vector<std::string>>(
          name,
          [&target, parse](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              for (const Selection& each : parse(text).value_or(std::vector<Selection>{}))
                target.push_back(each);
            }
          },
          doc)
      ->type_name("NAME[:key=value,...],...")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check([parse](const std::string& text) {
        const auto list = parse(text);
        return list ? std::string() : list.error().front().message;
      });
}

void add_number(CLI::App* command, const std::string& name, std::optional<double>& target,
                const std::string& doc, bool positive) {
  command
      ->add_option_function<std::string>(
          name, [&target](const std::string& text) { target = parse_number(text); }, doc)
      ->type_name("NUMBER")
      ->check([positive](const std::string& text) { return objection_to_number(text, positive); });
}

void add_tolerances(CLI::App* command, std::vector<double>& target) {
  command
      ->add_option_function<std::string>(
          "--rtol",
          [&target](const std::string& text) {
            for (const std::string& item : split_names(text))
              target.push_back(parse_number(item).value_or(0));
          },
          "Relative tolerance, or several for a work-precision diagram (default: the model's Tolerance, else "
          "1e-6)")
      ->type_name("A[,B,...]")
      ->check([](const std::string& text) {
        const auto items = split_names(text);
        for (const std::string& item : items) {
          if (std::string objection = objection_to_number(item, true); !objection.empty()) return objection;
        }
        return items.empty() ? fmt::format("'{}' is not a number", text) : std::string();
      });
}

void add_run_options(CLI::App* command, CompareArguments& arguments) {
  add_number(command, "--until", arguments.until, "End time (default: the model's StopTime, else 1)", false);
  add_tolerances(command, arguments.rtols);
  add_number(command, "--atol", arguments.atol,
             "Absolute tolerance (default: 1e-9, or rtol if that is smaller)", true);
  add_number(command, "--step", arguments.step,
             "Step size of rows that need a fixed one (default: the run in 2000 steps)", true);
  command
      ->add_option("--set", arguments.settings,
                   "Set a parameter, or a variable's start value; may be given many times")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check([](const std::string& text) {
        return parse_setting(text) ? std::string() : fmt::format("'{}' is not NAME=VALUE", text);
      });
  command
      ->add_option_function<std::string>(
          "--points",
          [&arguments](const std::string& text) {
            arguments.points = static_cast<int>(parse_number(text).value_or(0));
          },
          "Output points, at which errors and drift are measured (default: 501, or those of the reference)")
      ->type_name("N")
      ->check(objection_to_points);
}

void add_outputs(CLI::App* command, CompareArguments& arguments) {
  command->add_option("--report", arguments.report, "Write a page with table and plots, readable anywhere")
      ->type_name("FILE.html")
      ->check(objection_to_page);
  command->add_option("--plot", arguments.plot, "Draw error and drift of every row over time")
      ->type_name("FILE.{svg,pdf,png}")
      ->check(objection_to_picture);
  command->add_option("--json", arguments.json, "Write every row as JSON; '-' is standard output")
      ->type_name("FILE|-");
  command->add_flag("-q,--quiet", arguments.quiet, "Neither table nor progress, only what was asked for");
}

std::string objection_to_files(const CompareArguments& arguments) {
  if (arguments.model == "-" && arguments.reference == "-")
    return "model and reference cannot both come from standard input";
  const std::array<NamedFile, 5> files{{{"MODEL", arguments.model, false},
                                        {"--reference", arguments.reference, false},
                                        {"--report", arguments.report},
                                        {"--plot", arguments.plot},
                                        {"--json", arguments.json}}};
  return objection_to_same_files(files);
}

Result<void> write_text(const std::string& path, const std::string& text) {
  auto file = OutputFile::open(path);
  if (!file) return std::unexpected(file.error());
  file->write(text);
  return file->close();
}

// What can be known to be wrong before the runs.
Result<void> check_files(const CompareArguments& arguments) {
  if (const std::string objection = objection_to_files(arguments); !objection.empty()) return fail(objection);
  for (const std::string& path : {arguments.report, arguments.plot, arguments.json}) {
    if (path.empty()) continue;
    if (auto writable = check_writable(path); !writable) return writable;
  }
  return {};
}

// Also reads the reference.
Result<CompareOptions> compare_options(const CompareArguments& arguments, CompareLine& line) {
  CompareOptions options{.formulations = arguments.formulations,
                         .integrators = arguments.integrators,
                         .rtols = arguments.rtols,
                         .until = arguments.until,
                         .atol = arguments.atol,
                         .step = arguments.step,
                         .points = arguments.points,
                         .energy = arguments.energy,
                         .threads = arguments.threads,
                         .limit = arguments.limit};
  if (!arguments.reference.empty()) {
    const auto text = read_model_file(arguments.reference);
    if (!text) return std::unexpected(text.error());
    auto table = parse_reference(arguments.reference, *text);
    if (!table) return std::unexpected(table.error());
    options.reference = *std::move(table);
  }
  options.progress = [&line](const CompareProgress& progress) {
    line.update(progress);
    return !interrupted();
  };
  return options;
}

int exit_code(const Comparison& comparison) {
  if (interrupted()) return exit_numerics;
  if (comparison.any_ran()) return exit_ok;
  return comparison.all_refused() ? exit_input : exit_numerics;
}

int write_outputs(const CompareArguments& arguments, const Comparison& comparison) {
  Diagnostics errors;
  const auto note = [&errors](const Result<void>& outcome) {
    if (!outcome) errors.insert(errors.end(), outcome.error().begin(), outcome.error().end());
  };
  if (!arguments.json.empty()) note(write_text(arguments.json, comparison_json(comparison)));
  if (!arguments.report.empty()) note(write_text(arguments.report, comparison_html(comparison)));
  if (!arguments.plot.empty()) {
    const auto format = find_picture_format(arguments.plot);
    note(write_text(arguments.plot, format.value()->write(comparison_picture(comparison))));
  }
  if (!errors.empty()) return complain(errors);
  if (!arguments.quiet && arguments.json != "-") return print(comparison_text(comparison));
  return exit_ok;
}

}  // namespace

void add_compare_options(CLI::App& command, CompareArguments& arguments) {
  command
      .add_option("MODEL", arguments.model,
                  "Modelica or Base Modelica file (.mo, .bmo); '-' reads standard input")
      ->option_text(" ")
      ->required();
  add_list(&command, "--formulations", arguments.formulations, parse_formulation_list,
           "Which formulations, see 'daedalus list formulations' (default: all)");
  add_list(&command, "--integrators", arguments.integrators, parse_integrator_list,
           "Which integrators, see 'daedalus list integrators' (default: auto, each formulation's own)");
  command
      .add_option("--reference", arguments.reference,
                  "Results to compare with, as 'daedalus run --out' writes them")
      ->type_name("FILE.csv");
  command
      .add_option("--energy", arguments.energy,
                  "Variable that should stay constant (default: energy, E_total or E, if there is one)")
      ->type_name("NAME");
  add_run_options(&command, arguments);
  command
      .add_option_function<std::string>(
          "--threads",
          [&arguments](const std::string& text) {
            arguments.threads = static_cast<unsigned>(parse_number(text).value_or(0));
          },
          "Rows at the same time (default: as many as there are processors)")
      ->type_name("N")
      ->check([](const std::string& text) {
        const auto value = parse_number(text);
        const bool good = value && *value == std::floor(*value) && *value >= 1 && *value <= 1024;
        return good ? std::string() : fmt::format("'{}' is not a whole number from 1 to 1024", text);
      });
  command
      .add_option_function<std::string>(
          "--limit",
          [&arguments](const std::string& text) { arguments.limit = parse_number(text).value_or(0); },
          "Processor seconds after which a row is given up (default: 100; 0: never)")
      ->type_name("SECONDS")
      ->check([](const std::string& text) {
        const auto value = parse_number(text);
        return value && *value >= 0 ? std::string() : fmt::format("'{}' is not a time", text);
      });
  add_outputs(&command, arguments);
  command.footer(std::string(footer));
}

int execute(const CompareArguments& arguments) {
  if (const auto good = check_files(arguments); !good) return complain(good.error());
  ModelArguments model{.path = arguments.model, .settings = {}};
  for (const std::string& text : arguments.settings) model.settings.push_back(parse_setting(text).value());
  const auto text = read_model(model);
  if (!text) return exit_input;
  // Here for what there is to say of the model; the rows load it themselves.
  if (!load(*text, model, {.quiet = arguments.quiet})) return exit_input;
  Result<Comparison> comparison;
  {
    CompareLine line(!arguments.quiet);
    const auto options = compare_options(arguments, line);
    if (!options) return complain(options.error());
    catch_interrupts();
    comparison = compare(
        {.name = arguments.model, .text = text->sources->file(text->file).text, .settings = model.settings},
        *options);
  }
  if (!comparison) return complain(comparison.error(), *text->sources);
  const int written = write_outputs(arguments, *comparison);
  return written != exit_ok ? written : exit_code(*comparison);
}

}  // namespace daedalus::cli
