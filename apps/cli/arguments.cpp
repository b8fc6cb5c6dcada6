#include "cli/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include "cli/distinct_files.hpp"
#include "cli/families.hpp"
#include "cli/shell_completion.hpp"
#include "cli/stages.hpp"
#include "cli/standard_output.hpp"
#include "cli/text_values.hpp"
#include "cli/version.hpp"
#include "mechanics/coordinates.hpp"
#include "readers/read_mechanism.hpp"
#include "results/growing_file.hpp"
#include "results/readers.hpp"
#include "results/writers.hpp"

namespace daedalus::cli {
namespace {

using Strings = std::vector<std::string>;

constexpr std::string_view main_footer = R"(Examples:
  daedalus run pendulum.mo --out pendulum.csv --plot pendulum.svg
  daedalus run pendulum.mo --until 100 --rtol 1e-9 --set L=2 --summary -
  daedalus run circuit.bmo --integrator radau --points 2001 --out circuit.mat
  daedalus run fourbar.xml --until 10 --report fourbar.html
  daedalus check pendulum.mo
  daedalus linearise pendulum.mo --equilibrium
  daedalus compare pendulum.mo --report pendulum.html
  daedalus convert pendulum.csv pendulum.mat
  cat model.mo | daedalus run - --out - > result.csv

Exit code: 0 success; 1 the numerics failed (the run ended early; what was computed is written, with the
reason and the time); 2 the input is wrong (model, option or file). Messages go to standard error, results
only to the files, or the standard output, that were asked for.

'daedalus COMMAND --help' describes a command.)";

// "NAME:key=value": the name must be a row of the family and the options must be its options.
std::string objection_to_selection(const Family& family, const std::string& text) {
  const auto given = parse_selection(text);
  if (!given) return given.error().front().message;
  if (given->name() == "auto") return {};
  const auto row = family.find(given->name());
  if (!row) return unknown_name_message(family.singular, given->name(), family.names());
  const auto resolved = resolve(*given, row->options, fmt::format("{} {}", family.singular, row->name));
  return resolved ? "" : resolved.error().front().message;
}

// What grows while the run goes on is a file, too.
std::string objection_to_files(const RunArguments& run) {
  const auto growing = run.out.empty() ? std::nullopt : growing_name(run.out);
  const std::array<NamedFile, 7> files{
      {{"MODEL", run.model.path, false},
       {"--input", run.model.input, false},
       {"--out", run.out},
       {"--plot", run.plot},
       {"--report", run.report},
       {"--summary", run.summary},
       {"what --out writes on the way,", growing && *growing != run.out ? *growing : std::string()}}};
  return objection_to_same_files(files);
}

// A command that a shell would take for the same arguments.
std::string typed(int argc, char** argv) {
  std::string text = "daedalus";
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const bool plain = word.find_first_of(" '\"()$*?;&|<>`\\") == std::string::npos && !word.empty();
    text += plain ? fmt::format(" {}", word) : fmt::format(" '{}'", word);
  }
  return text;
}

std::string names_of(const Family& family) {
  return fmt::format("auto, {}", fmt::join(family.names(), ", "));
}

class ArgumentParser {
 public:
  // Options are made for the commands that are named; of the others the help of the program shows one line.
  explicit ArgumentParser(std::span<char*> words, bool all = false) {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", std::string(version_text()), "Print the version and exit");
    app_.set_help_flag("-h,--help", "Print this help and exit");
    app_.footer(std::string(main_footer));
    app_.get_formatter()->column_width(36);
    for (const CommandRow& row : commands) {
      CLI::App* const command = app_.add_subcommand(std::string(row.name), std::string(row.summary));
      this->*row.place = command;
      const bool named =
          all || std::ranges::any_of(words, [&](const char* word) { return row.name == word; });
      if (named) (this->*row.add_options)();
    }
  }

  std::expected<Command, int> parse(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::Success& success) {  // --help, --version
      std::ostringstream text;
      (void)app_.exit(success, text, text);
      return std::unexpected(print(text.str()));
    } catch (const CLI::ParseError& error) {
      return std::unexpected(complain(error, argc, argv));
    }
    run_arguments_.command = typed(argc, argv);
    if (run_->parsed()) return finished_run();
    if (check_->parsed()) {
      check_arguments_.model.settings = settings();
      check_arguments_.model.model = model_name_;
      return check_arguments_;
    }
    if (convert_->parsed()) return convert_arguments_;
    if (reproduce_->parsed()) return reproduce_arguments_;
    if (compare_->parsed()) return compare_arguments_;
    if (linearise_->parsed()) return linearise_arguments_;
    if (steady_->parsed()) return steady_arguments_;
    if (sweep_->parsed()) return sweep_arguments_;
    if (export_->parsed()) return export_arguments_;
    if (diff_->parsed()) return diff_arguments_;
    if (view_->parsed()) return view_arguments_;
    if (completion_->parsed()) {
      const ArgumentParser whole({}, true);
      return std::unexpected(print(completion_text(whole.app_, completion_kind_)));
    }
    return list_arguments_;
  }

 private:
  static void add_model(CLI::App* command, ModelArguments& model) {
    command
        ->add_option("MODEL", model.path,
                     "Modelica or Base Modelica file (.mo, .bmo), mechanism (.xml MJCF, .urdf); '-' reads "
                     "standard input")
        ->option_text(" ")
        ->required();
    std::vector<std::string_view> features;
    for (const IgnorableFeature& feature : ignorable_features()) features.push_back(feature.name);
    command
        ->add_option("--ignore", model.ignore,
                     fmt::format("Leave out what a mechanism file asks for and is not simulated: {}",
                                 fmt::join(features, ", ")))
        ->type_name("FEATURE")
        ->delimiter(',')
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->expected(1)
        ->check([features](const std::string& name) {
          const bool known = std::ranges::find(features, std::string_view(name)) != features.end();
          return known ? std::string() : unknown_name_message("feature to ignore", name, features);
        });
    add_mechanism(command, model);
  }

  static void add_mechanism(CLI::App* command, ModelArguments& model) {
    command
        ->add_option("--coordinates", model.coordinates,
                     "Coordinates of a mechanism: joint (angles of a tree of joints), body (every body its "
                     "own), or auto, the default, which check explains")
        ->type_name("KIND")
        ->check([](const std::string& name) {
          return coordinates_named(name) ? std::string()
                                         : fmt::format("'{}' is none of auto, joint, body", name);
        });
    command
        ->add_option("--keyframe", model.keyframe,
                     "Start an MJCF model from its keyframe of that name or number")
        ->type_name("NAME");
    command->add_flag("--strict", model.strict, "What a mechanism file asks for and is left out is an error");
    command->add_flag("--outside", model.outside,
                      "A mechanism file may name files (include, mesh) outside of its folder");
    command->add_flag("--float", model.floating, "The root link of a URDF file moves freely");
  }

  void add_settings(CLI::App* command) {
    command->add_option("--model", model_name_, "Which model of the file, where it has several")
        ->type_name("NAME");
    command
        ->add_option(
            "--set", settings_,
            "Set a parameter, a variable's start value, or an input by an expression in time; may be given "
            "many times")
        ->type_name("NAME=VALUE")
        ->take_all()
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->check([](const std::string& text) {
          return parse_setting(text) ? std::string() : fmt::format("'{}' is not NAME=VALUE", text);
        });
  }

  // A number that is kept as text until parsing is over: what is wrong with it is then said in our words.
  void add_number(const std::string& name, std::optional<double>& target, const std::string& doc,
                  bool positive) {
    run_->add_option_function<std::string>(
            name, [&target](const std::string& text) { target = parse_number(text); }, doc)
        ->type_name("NUMBER")
        ->check([positive](const std::string& text) { return objection_to_number(text, positive); });
  }

  void add_selection(const std::string& name, Selection& target, const Family& family) {
    run_->add_option_function<std::string>(
            name, [&target](const std::string& text) { target = parse_selection(text).value_or(target); },
            fmt::format("One of {}; see 'daedalus list' (default auto)", names_of(family)))
        ->type_name("NAME[:key=value,...]")
        ->check([&family](const std::string& text) { return objection_to_selection(family, text); });
  }

  void add_codegen() {
    CodegenOptions& codegen = run_arguments_.codegen;
    run_->add_option_function<std::string>(
            "--codegen",
            [&codegen](const std::string& text) {
              codegen.choice = codegen_choice(text).value_or(CodegenChoice::Auto);
            },
            "How equations are evaluated; see 'daedalus list codegen' (default auto: by their number)")
        ->type_name("NAME")
        ->check([](const std::string& text) {
          const auto choice = codegen_choice(text);
          return choice ? std::string() : choice.error().front().message;
        });
    run_->add_option_function<std::string>(
            "--threads",
            [&codegen](const std::string& text) {
              codegen.threads = static_cast<std::size_t>(parse_number(text).value_or(0));
            },
            "Threads for large models (default: one a processor; results do not depend on it)")
        ->type_name("N")
        ->check(objection_to_threads);
  }

  void add_outputs() {
    RunArguments& run = run_arguments_;
    run_->add_option("--out", run.out, "Write the trajectory; '-' is CSV on standard output")
        ->type_name("FILE.{csv,json,mat}")
        ->check([](const std::string& path) {
          const auto writer = find_writer(path);
          return writer ? std::string() : writer.error().front().message;
        });
    run_->add_option("--plot", run.plot, "Draw the trajectory, and the drift of the constraints")
        ->type_name("FILE.{svg,pdf,png}")
        ->check(objection_to_picture);
    run_->add_option_function<std::string>(
            "--vars", [&run](const std::string& text) { run.vars = split_names(text); },
            "Variables that are computed, written and drawn; der(x) for a derivative, * and ? for any "
            "characters "
            "(default: all; pictures and pages begin with a mechanism's markers, else the first eight that "
            "vary)")
        ->type_name("A,B,...");
    run_->add_option_function<std::string>(
            "--sensitivities", [&run](const std::string& text) { run.sensitivities = split_names(text); },
            "Parameters and variables with start values: all variables are differentiated with respect to "
            "them, as further columns d(x)/d(p)")
        ->type_name("P,Q,...");
    run_->add_option(
            "--report", run.report,
            "Write a page to look at: curves to zoom into, drift, steps, structure, of mechanisms an "
            "animation; one file, readable anywhere")
        ->type_name("FILE.html")
        ->check(objection_to_page);
    run_->add_option("--summary", run.summary, "Write how it went as one JSON object; '-' is standard output")
        ->type_name("FILE|-");
    run_->add_option(
            "--stop-after", run.stop_after,
            fmt::format("Stop after a stage and print its value: {}", fmt::join(stage_names(), ", ")))
        ->type_name("STAGE")
        ->check([](const std::string& name) {
          const auto names = stage_names();
          if (std::ranges::find(names, std::string_view(name)) != names.end()) return std::string();
          return unknown_name_message("stage", name, names);
        });
    run_->add_flag("-q,--quiet", run.quiet, "Neither progress nor summary on standard error, only errors");
  }

  void add_run() {
    RunArguments& run = run_arguments_;
    add_model(run_, run.model);
    CLI::Option* const input =
        run_->add_option(
                "--input", run.model.input,
                "Inputs of the model over time: a CSV file with the columns time and one for each input")
            ->type_name("FILE.csv");
    run_->add_option_function<std::string>(
            "--input-mode", [&run](const std::string& text) { run.model.input_held = text == "held"; },
            "Between the rows of --input: linear, or held until the next row (default linear)")
        ->type_name("linear|held")
        ->check([](const std::string& text) {
          return text == "linear" || text == "held" ? std::string()
                                                    : fmt::format("'{}' is neither linear nor held", text);
        })
        ->needs(input);
    add_number("--until", run.until, "End time (default: the model's StopTime, else 1)", false);
    add_selection("--formulation", run.formulation, formulation_family());
    add_selection("--integrator", run.integrator, integrator_family());
    add_number("--rtol", run.rtol, "Relative tolerance (default: the model's Tolerance, else 1e-6)", true);
    add_number(
        "--atol", run.atol,
        "Absolute tolerance, times a variable's nominal value (default: 1e-9, or rtol if that is smaller)",
        true);
    add_number("--step", run.step, "Step size, for methods of fixed step", true);
    add_codegen();
    add_settings(run_);
    run_->add_option_function<std::string>(
            "--points",
            [&run](const std::string& text) {
              run.points = static_cast<int>(parse_number(text).value_or(0));
            },
            "Output points, evenly spaced, both ends included (default: by the model's Interval, else 2001)")
        ->type_name("N")
        ->check(objection_to_points);
    add_outputs();
    run_->footer(
        "Example:\n  daedalus run pendulum.mo --until 20 --rtol 1e-8 --out pendulum.csv --plot pendulum.svg "
        "--vars x,y\n  daedalus run fourbar.xml --until 10 --report fourbar.html");
  }

  void add_convert() {
    convert_->add_option("FROM", convert_arguments_.from, "Result to read: FILE.{csv,json,mat}")
        ->option_text(" ")
        ->required()
        ->check([](const std::string& path) {
          const auto reader = find_reader(path);
          return reader ? std::string() : reader.error().front().message;
        });
    convert_
        ->add_option("TO", convert_arguments_.to,
                     "Result to write: FILE.{csv,json,mat}; '-' is CSV on standard output")
        ->option_text(" ")
        ->required()
        ->check([](const std::string& path) {
          const auto writer = find_writer(path);
          return writer ? std::string() : writer.error().front().message;
        });
    convert_->footer(
        "A run with --out r.mat that was killed leaves its rows in r.mat.partial.csv:\n"
        "  daedalus convert r.mat.partial.csv r.mat");
  }

  void add_check() {
    add_model(check_, check_arguments_.model);
    add_settings(check_);
    check_->add_flag("--details", check_arguments_.details,
                     "Of a mechanism too: equations that are differentiated, hidden constraints, blocks, the "
                     "constrained form, what was measured");
    check_->add_flag("--units", check_arguments_.units,
                     "Warn of equations of a Modelica file whose terms or sides have different units");
    check_->add_flag("--json", check_arguments_.json, "Print one JSON object instead of text");
    check_->footer(
        "Tells the index, how often each equation is differentiated, the degrees of freedom, the hidden\n"
        "constraints, the blocks, the states, what may be set initially, and which formulation is\n"
        "recommended and why.");
  }

  void add_list() {
    list_
        ->add_option("FAMILY", list_arguments_.family,
                     "formulations, integrators or functions (default: all)")
        ->option_text(" ")
        ->check([](const std::string& name) {
          return find_family(name) != nullptr ? std::string()
                                              : unknown_name_message("family", name, family_names());
        });
    list_->add_flag("--json", list_arguments_.json, "Print JSON instead of text");
    list_->footer("Example:\n  daedalus list integrators");
  }

  void add_reproduce() { add_reproduce_options(*reproduce_, reproduce_arguments_); }
  void add_compare() { add_compare_options(*compare_, compare_arguments_); }
  void add_linearise() { add_linearise_options(*linearise_, linearise_arguments_); }
  void add_sweep() { add_sweep_options(*sweep_, sweep_arguments_); }
  void add_steady() { add_steady_options(*steady_, steady_arguments_); }
  void add_export() { add_export_options(*export_, export_arguments_); }
  void add_diff() { add_diff_options(*diff_, diff_arguments_); }
  void add_view() { add_view_options(*view_, view_arguments_); }

  void add_completion() {
    completion_
        ->add_option("SHELL", completion_kind_, fmt::format("One of {}", fmt::join(completion_kinds(), ", ")))
        ->option_text(" ")
        ->required()
        ->check([](const std::string& name) {
          const auto known = completion_kinds();
          return std::ranges::find(known, std::string_view(name)) != known.end()
                     ? std::string()
                     : unknown_name_message("shell", name, known);
        });
    completion_->footer(
        "Examples:\n  source <(daedalus completion bash)\n"
        "  daedalus completion fish > ~/.config/fish/completions/daedalus.fish\n"
        "  daedalus completion man > daedalus.1");
  }

  [[nodiscard]] std::vector<ParameterSetting> settings() const {
    std::vector<ParameterSetting> parsed;
    for (const std::string& text : settings_) parsed.push_back(parse_setting(text).value());
    return parsed;
  }

  std::expected<Command, int> finished_run() {
    run_arguments_.model.settings = settings();
    run_arguments_.model.model = model_name_;
    if (const std::string message = objection_to_files(run_arguments_); !message.empty()) {
      std::fputs(fmt::format("error: {}\n", message).c_str(), stderr);
      return std::unexpected(exit_input);
    }
    return run_arguments_;
  }

  // CLI11 says which arguments were not expected, but not which ones it knows.
  int complain(const CLI::ParseError& error, int argc, char** argv) {
    std::string message = error.what();
    const CLI::App* command = &app_;
    for (const CLI::App* sub : app_.get_subcommands()) command = sub;
    const bool no_command = command == &app_;
    if (no_command && argc > 1 && argv[1][0] != '-') {
      message = unknown_name_message("command", argv[1], command_names());
    } else if (no_command && argc <= 1) {
      message = fmt::format("no command given (known: {})", fmt::join(command_names(), ", "));
    } else if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
      message = extras_message(*command);
    }
    std::fputs(fmt::format("error: {}\nSee 'daedalus {}--help'.\n", message,
                           no_command ? "" : command->get_name() + " ")
                   .c_str(),
               stderr);
    return exit_input;
  }

  static std::string extras_message(const CLI::App& command) {
    Strings left = command.remaining();
    if (left.empty() && command.get_parent() != nullptr) left = command.get_parent()->remaining();
    if (left.empty()) return "unexpected arguments";
    const std::string given = left.front().substr(0, left.front().find('='));
    if (!given.starts_with("-")) return fmt::format("unexpected argument '{}'", left.front());
    Strings names;
    for (const CLI::Option* option : command.get_options()) {
      if (option->nonpositional()) names.push_back(option->get_name());
    }
    return unknown_name_message("option", given, std::vector<std::string_view>(names.begin(), names.end()));
  }

  struct CommandRow {
    std::string_view name;
    std::string_view summary;
    CLI::App* ArgumentParser::*place;
    void (ArgumentParser::*add_options)();
  };
  static const std::array<CommandRow, 13> commands;

  static std::vector<std::string_view> command_names() {
    std::vector<std::string_view> names;
    for (const CommandRow& row : commands) names.push_back(row.name);
    return names;
  }

  CLI::App app_{"Simulates differential-algebraic equations of any index.", "daedalus"};
  CLI::App* run_ = nullptr;
  CLI::App* check_ = nullptr;
  CLI::App* list_ = nullptr;
  CLI::App* convert_ = nullptr;
  CLI::App* reproduce_ = nullptr;
  CLI::App* compare_ = nullptr;
  CLI::App* linearise_ = nullptr;
  CLI::App* steady_ = nullptr;
  CLI::App* sweep_ = nullptr;
  CLI::App* export_ = nullptr;
  CLI::App* diff_ = nullptr;
  CLI::App* view_ = nullptr;
  CLI::App* completion_ = nullptr;
  RunArguments run_arguments_;
  CheckArguments check_arguments_;
  ListArguments list_arguments_;
  ConvertArguments convert_arguments_;
  ReproduceArguments reproduce_arguments_;
  CompareArguments compare_arguments_;
  LineariseArguments linearise_arguments_;
  SteadyArguments steady_arguments_;
  SweepArguments sweep_arguments_;
  ExportArguments export_arguments_;
  DiffArguments diff_arguments_;
  ViewArguments view_arguments_;
  Strings settings_;
  std::string model_name_;
  std::string completion_kind_;
};

const std::array<ArgumentParser::CommandRow, 13> ArgumentParser::commands{{
    {"run", "Simulate a model", &ArgumentParser::run_, &ArgumentParser::add_run},
    {"check", "Analyse a model: index, hidden constraints, states, initial values", &ArgumentParser::check_,
     &ArgumentParser::add_check},
    {"list", "List the formulations, integrators and functions, with their options", &ArgumentParser::list_,
     &ArgumentParser::add_list},
    {"convert", "Write a result in another format", &ArgumentParser::convert_, &ArgumentParser::add_convert},
    {"reproduce", "Compute the papers' tables and figures, beside what they print",
     &ArgumentParser::reproduce_, &ArgumentParser::add_reproduce},
    {"compare", "Run a model by many formulations and integrators, side by side", &ArgumentParser::compare_,
     &ArgumentParser::add_compare},
    {"linearise", "A, B, C, D and the modes at a point of a run", &ArgumentParser::linearise_,
     &ArgumentParser::add_linearise},
    {"steady", "Find an equilibrium, and say whether it is stable", &ArgumentParser::steady_,
     &ArgumentParser::add_steady},
    {"sweep", "Run a model many times with other numbers", &ArgumentParser::sweep_,
     &ArgumentParser::add_sweep},
    {"export", "Write a model as a functional mock-up unit (FMI 3.0 or 2.0)", &ArgumentParser::export_,
     &ArgumentParser::add_export},
    {"diff", "Compare two results; exit code 1 where they differ", &ArgumentParser::diff_,
     &ArgumentParser::add_diff},
    {"view", "Show results in a browser, on this machine alone", &ArgumentParser::view_,
     &ArgumentParser::add_view},
    {"completion", "Print the completion script of a shell, or the manual page", &ArgumentParser::completion_,
     &ArgumentParser::add_completion},
}};

}  // namespace

std::expected<Command, int> parse_arguments(int argc, char** argv) {
  ArgumentParser parser(std::span(argv, static_cast<std::size_t>(argc)));
  return parser.parse(argc, argv);
}

}  // namespace daedalus::cli
