#include "results/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

namespace daedalus {
namespace {

constexpr std::size_t buffer_size = 1u << 16;

}  // namespace

OutputFile::OutputFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {
  buffer_.reserve(buffer_size);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      error_(other.error_),
      written_(other.written_),
      buffer_(std::move(other.buffer_)) {}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  flush();
  if (descriptor_ != STDOUT_FILENO) ::close(descriptor_);
}

Result<OutputFile> OutputFile::open(const std::string& path) {
  if (path == "-") return OutputFile(path, STDOUT_FILENO);
  if (auto possible = check_writable(path); !possible) return std::unexpected(possible.error());
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return fail(fmt::format("cannot open '{}' for writing: {}", path, std::strerror(errno)));
  return OutputFile(path, descriptor);
}

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_size) flush();
  buffer_ += bytes;
  if (buffer_.size() >= buffer_size) flush();
}

void OutputFile::write_number(double value) {
  std::array<char, 32> text{};
  const auto result =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 17);
  write({text.data(), static_cast<std::size_t>(result.ptr - text.data())});
}

void OutputFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && error_ == 0) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
      written_ += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  buffer_.clear();
}

Result<void> OutputFile::close() {
  flush();
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor != STDOUT_FILENO && ::close(descriptor) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0) return {};
  const std::string name = path_ == "-" ? "standard output" : fmt::format("'{}'", path_);
  return fail(fmt::format("cannot write {}: {} (after {} bytes; what was written is kept but incomplete)",
                          name, std::strerror(error_), written_));
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
