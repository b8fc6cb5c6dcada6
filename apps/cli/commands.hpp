// One function a command; each returns the exit code.
#pragma once

#include "cli/arguments.hpp"

namespace daedalus::cli {

[[nodiscard]] int execute(const RunArguments& arguments);
[[nodiscard]] int execute(const CheckArguments& arguments);
[[nodiscard]] int execute(const ListArguments& arguments);
[[nodiscard]] int execute(const ReproduceArguments& arguments);
[[nodiscard]] int execute(const CompareArguments& arguments);
[[nodiscard]] int execute(const ConvertArguments& arguments);
[[nodiscard]] int execute(const LineariseArguments& arguments);
[[nodiscard]] int execute(const SteadyArguments& arguments);
[[nodiscard]] int execute(const ExportArguments& arguments);
[[nodiscard]] int execute(const DiffArguments& arguments);
[[nodiscard]] int execute(const ViewArguments& arguments);
[[nodiscard]] int execute(const SweepArguments& arguments);

}  // namespace daedalus::cli
