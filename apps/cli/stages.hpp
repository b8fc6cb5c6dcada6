// --stop-after STAGE: each stage's value as text. One row a stage, in the order of the path.
#pragma once

#include <string_view>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/loaded_model.hpp"
#include "record/run_options.hpp"

namespace daedalus::cli {

[[nodiscard]] std::vector<std::string_view> stage_names();

// What the arguments say of a run, without anybody who follows it.
[[nodiscard]] RunOptions plan_options(const RunArguments& arguments);

// Prints the value of the stage arguments.stop_after; returns the exit code.
[[nodiscard]] int print_stage(const RunArguments& arguments, const ModelText& text);

}  // namespace daedalus::cli
