// `daedalus linearise` and `daedalus steady`, their options beside the commands.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace daedalus::cli {

struct LineariseArguments {
  std::string model;                  // path; "-": standard input
  std::vector<std::string> settings;  // NAME=VALUE, checked
  std::string at;                     // a time; empty: the start
  bool at_equilibrium = false;
  std::vector<std::string> inputs, outputs;
  std::string out;  // FILE.{json,mat}; "-": JSON on standard output; empty: text
};

struct SteadyArguments {
  std::string model;
  std::vector<std::string> settings;
  bool json = false;
};

void add_linearise_options(CLI::App& app, LineariseArguments& arguments);
void add_steady_options(CLI::App& app, SteadyArguments& arguments);

}  // namespace daedalus::cli
