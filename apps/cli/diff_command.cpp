#include "cli/diff_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>

#include "cli/commands.hpp"
#include "cli/distinct_files.hpp"
#include "cli/standard_output.hpp"
#include "cli/text_values.hpp"
#include "results/difference.hpp"
#include "results/output_file.hpp"
#include "results/plot.hpp"
#include "results/readers.hpp"

namespace daedalus::cli {
namespace {

constexpr std::size_t most_drawn = 8;  // signals in the picture

constexpr std::string_view footer =
    R"(Around the first result lies a tube, of the tolerance times the signal's range in value and times the run's length in
time, and the second result must stay in it: jumps may come a little earlier or later, and points may lie at different times.

Exit code: 0 where they are the same; 1 where they differ; 2 when the input is wrong.

Example:
  daedalus diff reference.mat pendulum.csv --tol 1e-4 --plot difference.svg)";

std::vector<std::string> worst_names(const Difference& difference) {
  std::vector<std::string> names;
  for (const SignalDifference& signal : difference.signals) {
    if (signal.differs && names.size() < most_drawn) names.push_back(signal.name);
  }
  if (names.empty() && !difference.signals.empty()) names.push_back(difference.signals.front().name);
  return names;
}

}  // namespace

void add_diff_options(CLI::App& app, DiffArguments& arguments) {
  CLI::App* const command = &app;
  command->add_option("A", arguments.first, "The reference: FILE.{csv,json,mat}")
      ->option_text(" ")
      ->required();
  command->add_option("B", arguments.second, "What is compared with it: FILE.{csv,json,mat}")
      ->option_text(" ")
      ->required();
  command
      ->add_option_function<std::string>(
          "--tol",
          [&arguments](const std::string& text) { arguments.tolerance = parse_number(text).value_or(0); },
          "Width of the tube, in parts of a signal's range and of the run's length (default 1e-3)")
      ->type_name("NUMBER")
      ->check([](const std::string& text) { return objection_to_number(text, true); });
  command
      ->add_option_function<std::string>(
          "--vars", [&arguments](const std::string& text) { arguments.vars = split_names(text); },
          "Signals to compare; * and ? for any characters (default: all that both have)")
      ->type_name("A,B,...");
  command
      ->add_option("--plot", arguments.plot,
                   "Draw the signals that differ most, both results over each other")
      ->type_name("FILE.{svg,pdf,png}")
      ->check(objection_to_picture);
  command->add_flag("--json", arguments.json, "Print one JSON object instead of text");
  command->footer(std::string(footer));
}

int execute(const DiffArguments& arguments) {
  const std::array<NamedFile, 3> files{
      {{"A", arguments.first, false}, {"B", arguments.second, false}, {"--plot", arguments.plot}}};
  if (const std::string objection = objection_to_same_files(files); !objection.empty())
    return complain({{.message = objection}});
  if (!arguments.plot.empty()) {
    if (const auto writable = check_writable(arguments.plot); !writable) return complain(writable.error());
  }
  const auto first = read_trajectory(arguments.first);
  if (!first) return complain(first.error());
  const auto second = read_trajectory(arguments.second);
  if (!second) return complain(second.error());
  const auto difference =
      difference_of(*first, *second, {.tolerance = arguments.tolerance, .vars = arguments.vars});
  if (!difference) return complain(difference.error());
  if (!arguments.plot.empty()) {
    const auto names = worst_names(*difference);
    const Trajectory both = side_by_side(*first, *second, names);
    PlotOptions options{.title = fmt::format("{} and {}", arguments.first, arguments.second),
                        .variables = {}};
    for (const Signal& signal : both.signals) options.variables.push_back(signal.name);
    if (const auto drawn = write_plot(both, options, arguments.plot); !drawn) return complain(drawn.error());
  }
  const int printed = print(arguments.json ? difference_json(*difference) : difference_text(*difference));
  if (printed != exit_ok) return printed;
  return difference->same() ? exit_ok : exit_numerics;
}

}  // namespace daedalus::cli
