// Results that grow on the disk while a run goes on: what was computed survives whatever ends the program.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/diagnostic.hpp"
#include "record/observer.hpp"
#include "results/csv_text.hpp"
#include "results/replacement.hpp"

namespace daedalus {

// Where rows go during a run whose result will be this file: the file itself where it is CSV,
// "FILE.partial.csv" for other formats; none for what is not an ordinary file, such as standard output.
[[nodiscard]] std::optional<std::string> growing_name(const std::string& path);

// Rows are on the disk half a second after they were computed, in whole lines; the first of them replace an
// older file.
class GrowingFile : public RunObserver {
 public:
  // `target` is the file of the result. `vars`: the signals that are written; empty: all.
  explicit GrowingFile(std::string target, std::vector<std::string> vars = {});
  ~GrowingFile() override;

  void begin(std::span<const Signal> columns, std::span<const ParameterValue> parameters) override;
  void row(double t, std::span<const double> values) override;

  // After the run: the file holds this trajectory, written anew where rows were changed after they were
  // computed, or where its format asks for it. Without rows an older file stays.
  [[nodiscard]] Result<void> finish(const Trajectory& trajectory);

 private:
  using Clock = std::chrono::steady_clock;

  void flush();  // under the mutex
  void flush_on_time();
  void stop_thread();
  [[nodiscard]] bool holds(const Trajectory& trajectory) const;

  std::string target_;
  std::optional<std::string> growing_;  // its name
  std::vector<std::string> vars_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;
  std::thread thread_;
  // Under the mutex:
  std::string header_;
  std::vector<std::size_t> columns_;  // of a row; empty: all
  CsvRows rows_;
  std::optional<Replacement> file_;
  std::string trouble_;  // the file could not be made
  // Of the rows since begin(), to know them again.
  std::vector<std::string> names_;
  std::size_t count_ = 0;
  std::uint64_t checksum_ = 0;
};

}  // namespace daedalus
