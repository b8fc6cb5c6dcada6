#include "results/growing_file.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstring>

#include "results/select.hpp"
#include "results/writers.hpp"

namespace daedalus {
namespace {

constexpr std::chrono::milliseconds flush_interval(500);
constexpr std::size_t flush_size = 1u << 16;

// Of the bits, in order: rows that were changed afterwards have another one.
std::uint64_t mixed(std::uint64_t checksum, double value) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
  return (std::rotl(checksum, 5) ^ std::bit_cast<std::uint64_t>(value)) * odd;
}

bool replaceable(const std::string& path) {
  struct stat status {};
  return path != "-" && (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode));
}

// Signals are for the thread that runs.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

std::optional<std::string> growing_name(const std::string& path) {
  if (!replaceable(path)) return std::nullopt;
  if (path.ends_with(".csv")) return path;
  const std::string partial = path + ".partial.csv";
  return replaceable(partial) ? std::optional(partial) : std::nullopt;
}

GrowingFile::GrowingFile(std::string target, std::vector<std::string> vars)
    : target_(std::move(target)), growing_(growing_name(target_)), vars_(std::move(vars)) {}

GrowingFile::~GrowingFile() {
  stop_thread();
}

void GrowingFile::begin(std::span<const Signal> columns, std::span<const ParameterValue> /*parameters*/) {
  const std::scoped_lock lock(mutex_);
  columns_ = vars_.empty() ? std::vector<std::size_t>{} : columns_named(columns, vars_);
  std::vector<Signal> written(columns.begin(), columns.end());
  if (!columns_.empty()) {
    written.clear();
    for (const std::size_t column : columns_) written.push_back(columns[column]);
  }
  header_ = csv_header(written);
  names_.clear();
  for (const Signal& signal : written) names_.push_back(signal.name);
  rows_.clear();
  count_ = 0;
  checksum_ = 0;
  if (file_) file_->truncate();
  if (!growing_ || thread_.joinable()) return;
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { flush_on_time(); });
}

void GrowingFile::row(double t, std::span<const double> values) {
  if (!growing_) return;
  const std::scoped_lock lock(mutex_);
  if (count_++ == 0) rows_.add(header_);
  rows_.add(t, values, columns_);
  checksum_ = mixed(checksum_, t);
  if (columns_.empty()) {
    for (const double value : values) checksum_ = mixed(checksum_, value);
  } else {
    for (const std::size_t column : columns_) checksum_ = mixed(checksum_, values[column]);
  }
  if (rows_.size() >= flush_size) flush();
}

void GrowingFile::flush() {
  if (rows_.size() == 0 || !trouble_.empty()) return rows_.clear();
  if (!file_) {
    auto opened = Replacement::open(*growing_);
    if (!opened) {
      trouble_ = opened.error().front().message;
      return rows_.clear();
    }
    file_.emplace(*std::move(opened));
  }
  file_->write(rows_.text());
  file_->take_place();
  rows_.clear();
}

// However long a step takes, the rows before it do not wait for its end.
void GrowingFile::flush_on_time() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, flush_interval, [this] { return ending_; })) flush();
}

void GrowingFile::stop_thread() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

bool GrowingFile::holds(const Trajectory& trajectory) const {
  if (trajectory.rows() != count_ || !std::ranges::equal(trajectory.signals, names_, {}, &Signal::name))
    return false;
  std::uint64_t checksum = 0;
  const std::size_t columns = trajectory.signals.size();
  for (std::size_t row = 0; row < trajectory.rows(); ++row) {
    checksum = mixed(checksum, trajectory.times[row]);
    for (std::size_t column = 0; column < columns; ++column)
      checksum = mixed(checksum, trajectory.at(row, column));
  }
  return checksum == checksum_;
}

Result<void> GrowingFile::finish(const Trajectory& trajectory) {
  stop_thread();
  if (!growing_) return write_trajectory(trajectory, target_);
  if (trajectory.rows() == 0 && ::access(target_.c_str(), F_OK) == 0) return {};
  const bool itself = *growing_ == target_;
  if (itself && count_ > 0 && trouble_.empty() && (!file_ || file_->ok()) && holds(trajectory)) {
    flush();
    if (file_) file_->close();
    if (!trouble_.empty()) return fail(trouble_);
    if (file_ && !file_->ok())
      return fail(fmt::format("cannot write '{}': {} (after {} bytes)", target_,
                              std::strerror(file_->error()), file_->written()));
    return {};
  }
  auto written = write_trajectory(trajectory, target_);
  // What grew beside the result is not needed any more, if the result is there.
  if (written && !itself && file_ && file_->in_place()) ::unlink(growing_->c_str());
  return written;
}

}  // namespace daedalus
