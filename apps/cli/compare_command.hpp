// The options of `daedalus compare`, kept beside the command.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/options.hpp"

namespace CLI {
class App;
}

namespace daedalus::cli {

struct CompareArguments {
  std::string model;                  // path; "-": standard input
  std::vector<std::string> settings;  // NAME=VALUE, checked
  std::vector<Selection> formulations;
  std::vector<Selection> integrators;
  std::vector<double> rtols;
  std::optional<double> until;
  std::optional<double> atol;
  std::optional<double> step;
  std::optional<int> points;
  std::string reference;  // path of a CSV file; empty: none
  std::string energy;
  std::string report;  // path of the page; empty: none
  std::string plot;    // path of the picture; empty: none
  std::string json;    // path; empty: none; "-": standard output, instead of the table
  unsigned threads = 0;
  double limit = 100;
  bool quiet = false;
};

// Gives the command its options; they are written into `arguments`, which must outlive it.
void add_compare_options(CLI::App& command, CompareArguments& arguments);

}  // namespace daedalus::cli
