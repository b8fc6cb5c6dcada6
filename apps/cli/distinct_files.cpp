#include "cli/distinct_files.hpp"

#include <fmt/format.h>

#include "results/replacement.hpp"

namespace daedalus::cli {
namespace {

std::string objection_to(const NamedFile& a, const NamedFile& b) {
  if (a.path.empty() || b.path.empty() || (!a.written && !b.written)) return {};
  const bool streams = a.path == "-" || b.path == "-";
  if (streams) {
    const bool both = a.path == b.path && a.written && b.written;
    return both ? fmt::format("both {} and {} ask for standard output", a.option, b.option) : std::string();
  }
  if (!same_file(a.path, b.path)) return {};
  if (a.path == b.path) return fmt::format("{} and {} are the same file '{}'", a.option, b.option, a.path);
  return fmt::format("{} '{}' and {} '{}' are the same file", a.option, a.path, b.option, b.path);
}

}  // namespace

std::string objection_to_same_files(std::span<const NamedFile> files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = i + 1; j < files.size(); ++j) {
      if (std::string objection = objection_to(files[i], files[j]); !objection.empty()) return objection;
    }
  }
  return {};
}

}  // namespace daedalus::cli
