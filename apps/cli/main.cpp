#include <fmt/format.h>
#include <malloc.h>

#include <cstdio>
#include <exception>
#include <limits>
#include <new>

#include "cli/commands.hpp"

namespace {

// Each stage makes large arrays and drops those of the stage before. Given back to the system and asked for
// again they cost a page fault every 4 kB, a seventh of the time of a model with a million equations.
void keep_freed_memory() {
#ifdef M_MMAP_MAX
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

}  // namespace

int main(int argc, char** argv) {
  namespace cli = daedalus::cli;
  keep_freed_memory();
  try {
    const auto command = cli::parse_arguments(argc, argv);
    if (!command) return command.error();
    return std::visit([](const auto& arguments) { return cli::execute(arguments); }, *command);
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
  } catch (const std::exception& error) {
    // No module throws across its border, so that this is a bug of ours.
    std::fputs(fmt::format("error: internal error: {}\n", error.what()).c_str(), stderr);
  }
  return cli::exit_numerics;
}
