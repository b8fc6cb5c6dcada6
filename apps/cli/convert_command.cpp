#include <fmt/format.h>

#include <array>

#include "cli/commands.hpp"
#include "cli/distinct_files.hpp"
#include "cli/standard_output.hpp"
#include "results/readers.hpp"
#include "results/writers.hpp"

namespace daedalus::cli {

int execute(const ConvertArguments& arguments) {
  const std::array<NamedFile, 2> files{{{"FROM", arguments.from, false}, {"TO", arguments.to}}};
  if (const std::string objection = objection_to_same_files(files); !objection.empty())
    return complain({{.message = objection}});
  if (const auto writable = check_writable(arguments.to); !writable) return complain(writable.error());
  const auto trajectory = read_trajectory(arguments.from);
  if (!trajectory) return complain(trajectory.error());
  const auto written = write_trajectory(*trajectory, arguments.to);
  return written ? exit_ok : complain(written.error());
}

}  // namespace daedalus::cli
