// `daedalus diff`, its options beside the command.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace daedalus::cli {

struct DiffArguments {
  std::string first, second;  // FILE.{csv,json,mat}
  double tolerance = 1e-3;
  std::vector<std::string> vars;
  std::string plot;  // path of the picture; empty: none
  bool json = false;
};

void add_diff_options(CLI::App& app, DiffArguments& arguments);

}  // namespace daedalus::cli
