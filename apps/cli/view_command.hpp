// `daedalus view`, its options beside the command.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace daedalus::cli {

struct ViewArguments {
  std::string path;  // a result, a page, or a folder of them
  int port = 0;      // 0: one that is free
};

void add_view_options(CLI::App& app, ViewArguments& arguments);

}  // namespace daedalus::cli
