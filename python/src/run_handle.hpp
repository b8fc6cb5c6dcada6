// A run as Python holds it, and the calls of the library that need no interpreter.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "simulate/run.hpp"
#include "source.hpp"

namespace daedalus::python {

struct RunHandle {
  RunResult result;
  std::shared_ptr<DenseOutput> dense;  // null unless asked for
  // Of a run that comes from a pickle: what its summary said.
  std::string told_json = {};
  std::string told_text = {};
};

// Fills `run`, or gives what is wrong with the input.
[[nodiscard]] std::optional<Explained> run_source(const SystemSource& source, const Settings& settings,
                                                  const RunOptions& options, std::optional<double> start,
                                                  RunHandle& run);

// The system that a run of these options solves, beginning at `start` if that is given.
[[nodiscard]] Made make_for(const SystemSource& source, const Settings& settings, const RunOptions& options,
                            std::optional<double> start, const Names& free = {});

// The same run with these output points: values of its whole course.
[[nodiscard]] RunHandle at_times(const RunHandle& run, std::span<const double> times);

// The report of `daedalus check` as JSON and as text.
[[nodiscard]] std::optional<Explained> check_source_to(const SystemSource& source, const Settings& settings,
                                                       std::string& json, std::string& text);

}  // namespace daedalus::python
