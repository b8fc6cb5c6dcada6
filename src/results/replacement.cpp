#include "results/replacement.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace daedalus {
namespace {

namespace fs = std::filesystem;

constexpr unsigned ordinary_permissions = 0666;

struct Opened {
  std::string name;
  int descriptor = -1;
};

// A file of its own beside the target; none where the folder does not allow it.
Opened open_beside(const std::string& target) {
  static std::atomic<unsigned> count = 0;
  constexpr int attempts = 100;  // a killed process of the same number may have left its file
  for (int k = 0; k < attempts; ++k) {
    std::string name = fmt::format("{}.new-{}-{}", target, ::getpid(), count++);
    const int descriptor =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, ordinary_permissions);
    if (descriptor >= 0) return {.name = std::move(name), .descriptor = descriptor};
    if (errno != EEXIST) break;
  }
  return {};
}

// Where the folders lead, for a file that need not exist.
fs::path place_of(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  fs::path place = fs::weakly_canonical(absolute, error);
  return error ? absolute.lexically_normal() : place;
}

}  // namespace

Replacement::Replacement(std::string target, std::string new_name, int descriptor)
    : target_(std::move(target)), new_name_(std::move(new_name)), descriptor_(descriptor) {}

Replacement::Replacement(Replacement&& other) noexcept
    : target_(std::move(other.target_)),
      new_name_(std::exchange(other.new_name_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      error_(other.error_),
      written_(other.written_) {}

Replacement::~Replacement() {
  close();
  if (!new_name_.empty()) ::unlink(new_name_.c_str());
}

Result<Replacement> Replacement::open(const std::string& path) {
  if (path == "-") return Replacement(path, {}, STDOUT_FILENO);
  std::error_code error;
  std::string target = fs::canonical(path, error).string();
  if (error) target = path;
  struct stat old {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (!exists || S_ISREG(old.st_mode)) {
    if (Opened beside = open_beside(target); beside.descriptor >= 0) {
      constexpr unsigned permission_bits = 07777;
      if (exists) (void)::fchmod(beside.descriptor, old.st_mode & permission_bits);
      return Replacement(std::move(target), std::move(beside.name), beside.descriptor);
    }
  }
  const int descriptor =
      ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, ordinary_permissions);
  if (descriptor < 0)
    return fail(fmt::format("cannot open '{}' for writing: {}", path, std::strerror(errno)));
  return Replacement(std::move(target), {}, descriptor);
}

void Replacement::write(std::string_view bytes) {
  const std::size_t before = written_;
  while (!bytes.empty() && error_ == 0) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
      written_ += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  // Half a line would not be read back.
  if (error_ != 0 && written_ > before && ::ftruncate(descriptor_, static_cast<off_t>(before)) == 0)
    written_ = before;
}

void Replacement::take_place() {
  if (new_name_.empty() || error_ != 0) return;
  if (::rename(new_name_.c_str(), target_.c_str()) != 0) {
    error_ = errno;
    return;
  }
  new_name_.clear();
}

void Replacement::truncate() {
  if (error_ != 0) return;
  if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) < 0) error_ = errno;
  written_ = 0;
}

void Replacement::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor >= 0 && descriptor != STDOUT_FILENO && ::close(descriptor) != 0 && error_ == 0)
    error_ = errno;
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat one {};
  struct stat other {};
  if (::stat(a.c_str(), &one) == 0 && ::stat(b.c_str(), &other) == 0)
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
  return place_of(a) == place_of(b);
}

}  // namespace daedalus
