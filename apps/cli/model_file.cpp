#include "cli/model_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "model/parser.hpp"

namespace daedalus::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};
using FilePointer = std::unique_ptr<std::FILE, CloseFile>;

std::unexpected<Diagnostics> cannot_read(const std::string& path, const std::string& why) {
  return fail(fmt::format("cannot read '{}': {}", path, why));
}

constexpr std::size_t most_mesh_bytes = std::size_t{512} << 20;

Result<std::string> read_up_to(const std::string& path, std::size_t limit, const char* what) {
  namespace fs = std::filesystem;
  const bool standard_input = path == "-";
  std::error_code error;
  if (!standard_input) {
    if (!fs::exists(path, error)) return cannot_read(path, error ? error.message() : "no such file");
    if (fs::is_directory(path, error)) return cannot_read(path, "it is a folder; name the model file in it");
  }
  const FilePointer file(standard_input ? stdin : std::fopen(path.c_str(), "rb"));
  if (!file) return cannot_read(path, std::strerror(errno));
  std::string text;
  std::array<char, 1u << 16> chunk{};
  // Read as it comes: a pipe or a device has no size to ask for.
  while (std::feof(file.get()) == 0 && std::ferror(file.get()) == 0) {
    const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), file.get());
    text.append(chunk.data(), count);
    if (text.size() > limit) {
      return cannot_read(
          path, fmt::format("it is larger than {} MiB, the most that a {} may have", limit >> 20, what));
    }
  }
  if (std::ferror(file.get()) != 0) return cannot_read(path, std::strerror(errno));
  return text;
}

}  // namespace

Result<std::string> read_model_file(const std::string& path) {
  return read_up_to(path, ParserLimits{}.file_bytes, "model");
}

Result<std::string> read_mesh_file(const std::string& path) {
  return read_up_to(path, most_mesh_bytes, "mesh");
}

Result<std::string> file_named_by_model(const std::filesystem::path& folder, const std::string& path,
                                        bool outside) {
  namespace fs = std::filesystem;
  const fs::path wanted = (folder / path).lexically_normal();
  if (outside) return wanted.string();
  std::error_code trouble;
  const fs::path home = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, trouble);
  const fs::path there =
      trouble ? fs::path() : fs::weakly_canonical(folder.empty() ? "." / wanted : wanted, trouble);
  const fs::path inside = there.lexically_relative(home);
  if (trouble || inside.empty() || *inside.begin() == "..")
    return fail(fmt::format("'{}' is outside the model's folder and is not read; --outside allows it", path));
  return wanted.string();
}

}  // namespace daedalus::cli
