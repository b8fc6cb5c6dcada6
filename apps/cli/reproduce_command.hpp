// The options of `daedalus reproduce`, kept beside the command.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace daedalus::cli {

struct ReproduceArguments {
  std::string target = "all";
  std::string json;      // empty: none; "-": standard output, instead of the text
  std::string markdown;  // empty: none
  std::string docs;      // a folder; empty: none
  bool quiet = false;
};

// Gives the command its options; they are written into `arguments`, which must outlive it.
void add_reproduce_options(CLI::App& command, ReproduceArguments& arguments);

}  // namespace daedalus::cli
