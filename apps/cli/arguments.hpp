// The command line as values. Everything that can be checked without the model is checked here.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/analysis_command.hpp"
#include "cli/compare_command.hpp"
#include "cli/diff_command.hpp"
#include "cli/export_command.hpp"
#include "cli/reproduce_command.hpp"
#include "cli/sweep_command.hpp"
#include "cli/view_command.hpp"
#include "codegen/back_end.hpp"
#include "core/options.hpp"
#include "model/load.hpp"

namespace daedalus::cli {

// Exit codes, a contract with scripts.
inline constexpr int exit_ok = 0;
inline constexpr int exit_numerics = 1;  // the run ended early
inline constexpr int exit_input = 2;     // the model, an option or a file is wrong

struct ModelArguments {
  std::string path;  // "-": standard input
  std::vector<ParameterSetting> settings;
  std::string model = {};                // which one of the file; empty: the only one
  std::vector<std::string> ignore = {};  // what a mechanism file may ask for in vain
  std::string coordinates = "auto";      // of a mechanism: auto, joint, body
  std::string keyframe = {};             // of an MJCF file, to start from
  std::string input = {};                // CSV with the course of the model's inputs
  std::vector<std::string> free = {};    // parameters that stay leaves
  bool input_held = false;               // each value holds until the next time
  bool strict = false;                   // what is left out of a mechanism file is an error
  bool outside = false;                  // a mechanism file may name files outside of its folder
  bool floating = false;                 // the root link of a URDF file moves freely
};

struct RunArguments {
  ModelArguments model;
  std::optional<double> until;
  std::optional<double> rtol;
  std::optional<double> atol;
  std::optional<double> step;
  std::optional<int> points;
  Selection formulation{"auto"};
  Selection integrator{"auto"};
  CodegenOptions codegen;
  std::string out;
  std::string plot;
  std::vector<std::string> vars;           // of results, as they were asked for, patterns included
  std::vector<std::string> sensitivities;  // parameters and variables with start values
  std::string report;
  std::string command;  // as it was typed
  std::string summary;
  std::string stop_after;
  bool quiet = false;
};

struct ConvertArguments {
  std::string from;
  std::string to;
};

struct CheckArguments {
  ModelArguments model;
  bool details = false;
  bool units = false;
  bool json = false;
};

struct ListArguments {
  std::string family;  // empty: all
  bool json = false;
};

using Command = std::variant<RunArguments, CheckArguments, ListArguments, ReproduceArguments,
                             CompareArguments, ConvertArguments, LineariseArguments, SteadyArguments,
                             ExportArguments, DiffArguments, ViewArguments, SweepArguments>;

// The command, or the exit code when there is nothing to do (help was printed, or an error to stderr).
[[nodiscard]] std::expected<Command, int> parse_arguments(int argc, char** argv);

}  // namespace daedalus::cli
