#include "cli/standard_output.hpp"

#include <cstdio>

#include "cli/arguments.hpp"
#include "results/output_file.hpp"

namespace daedalus::cli {

int print(const std::string& text) {
  auto output = OutputFile::open("-");
  if (!output) return complain(output.error());
  output->write(text);
  const auto closed = output->close();
  return closed ? exit_ok : complain(closed.error());
}

int complain(const Diagnostics& diagnostics, const SourceMap& sources) {
  std::fputs(render(diagnostics, sources).c_str(), stderr);
  return exit_input;
}

}  // namespace daedalus::cli
