// `daedalus export`, its options beside the command.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/options.hpp"

namespace CLI {
class App;
}

namespace daedalus::cli {

struct ExportArguments {
  std::string model;  // path
  std::vector<std::string> settings;
  std::string model_name, keyframe;
  std::string coordinates = "auto";
  bool floating = false;
  std::string fmu;  // FILE.fmu
  int version = 3;
  std::vector<std::string> outputs;     // none: all signals
  std::vector<std::string> parameters;  // that stay tunable; none: all that can; "none": none
  std::optional<double> until, rtol, atol;
  Selection formulation{"auto"};
  Selection integrator{"auto"};
};

void add_export_options(CLI::App& app, ExportArguments& arguments);

}  // namespace daedalus::cli
