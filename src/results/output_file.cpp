#include "results/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/shortest.hpp"

namespace daedalus {
namespace {

constexpr std::size_t buffer_size = 1u << 16;

}  // namespace

OutputFile::OutputFile(std::string path, Replacement file) : path_(std::move(path)), file_(std::move(file)) {
  buffer_.reserve(buffer_size);
}

Result<OutputFile> OutputFile::open(const std::string& path) {
  if (auto possible = check_writable(path); !possible) return std::unexpected(possible.error());
  auto file = Replacement::open(path);
  if (!file) return std::unexpected(file.error());
  return OutputFile(path, *std::move(file));
}

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_size) flush();
  buffer_ += bytes;
  if (buffer_.size() >= buffer_size) flush();
}

void OutputFile::write_number(double value) {
  std::array<char, number_room> text;
  write({text.data(), static_cast<std::size_t>(write_shortest(text.data(), value) - text.data())});
}

void OutputFile::flush() {
  file_.write(buffer_);
  buffer_.clear();
}

Result<void> OutputFile::close() {
  flush();
  const bool replaces = !file_.in_place();
  file_.take_place();
  file_.close();
  if (file_.ok()) return {};
  const std::string name = path_ == "-" ? "standard output" : fmt::format("'{}'", path_);
  return fail(fmt::format(
      "cannot write {}: {} (after {} bytes{})", name, std::strerror(file_.error()), file_.written(),
      replaces ? "; what was there before is unchanged" : "; what was written is kept but incomplete"));
}

Result<void> check_writable(const std::string& path) {
  namespace fs = std::filesystem;
  if (path == "-") return {};
  if (path.empty()) return fail("the name of an output file is empty");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return fail(fmt::format("cannot write '{}': it is a folder", path));
  if (fs::exists(status)) {
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0) return {};
    return fail(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
  }
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, error)) {
    return fail(fmt::format("cannot write '{}': there is no folder '{}'", path, folder.string()));
  }
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return {};
  return fail(
      fmt::format("cannot write '{}': in folder '{}': {}", path, folder.string(), std::strerror(errno)));
}

}  // namespace daedalus
