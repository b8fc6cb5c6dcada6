// One run of one model, as a user would make it: the studies use nothing but load_model and simulate.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/check.hpp"
#include "model/load.hpp"
#include "simulate/run.hpp"

namespace daedalus {

struct RunSetup {
  std::string model;  // a name of embedded_models()
  std::vector<ParameterSetting> settings;
  std::string formulation = "auto";  // NAME:key=value,…
  std::string integrator = "auto";
  std::optional<double> step;
  std::optional<double> until;
  std::optional<double> rtol;
  std::optional<double> atol;
  std::optional<int> points;
};

// The same run from the command line.
[[nodiscard]] std::string command_line(const RunSetup& setup);

// Called now and then while a run goes on; false ends it.
using KeepGoing = std::function<bool()>;

// Errors are sentences without places in a file, for the models are ours.
[[nodiscard]] std::expected<RunResult, std::string> perform(const RunSetup& setup,
                                                            const KeepGoing& keep_going = {});

[[nodiscard]] std::expected<CheckReport, std::string> examine(const RunSetup& setup);

// The column of a signal; asserts that it is there.
[[nodiscard]] std::size_t column_of(const Trajectory& trajectory, std::string_view name);
[[nodiscard]] double last_value(const Trajectory& trajectory, std::string_view name);
// The residual of the constraints of a level at the last output point.
[[nodiscard]] double last_drift(const Trajectory& trajectory, std::size_t level);
// An unknown that the formulation added ("mu[1]", "tau[1]"), at the end; NaN when there is none of that name.
[[nodiscard]] double formulation_value(const Summary& summary, std::string_view name);

}  // namespace daedalus
