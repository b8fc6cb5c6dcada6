#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "cli/commands.hpp"

int main(int argc, char** argv) {
  namespace cli = daedalus::cli;
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
