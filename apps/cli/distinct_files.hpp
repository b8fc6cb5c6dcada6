// No result goes over an input or over another result.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace daedalus::cli {

struct NamedFile {
  std::string_view option;  // "--out"
  std::string path;         // empty: not asked for; "-": a standard stream
  bool written = true;      // otherwise it is read
};

// Two of them are one file, by whatever names and links: what to say of it; empty when all is well. Files
// that are only read may be the same.
[[nodiscard]] std::string objection_to_same_files(std::span<const NamedFile> files);

}  // namespace daedalus::cli
