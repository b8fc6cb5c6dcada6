// One row of a comparison: a run, and what is measured of it.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>

#include "study/compare.hpp"
#include "study/compare_error.hpp"
#include "study/compare_rows.hpp"

namespace daedalus {

// News of rows on several threads, given on one at a time and not too often.
class ProgressHub {
 public:
  ProgressHub(const CompareOptions& options, std::size_t total) : options_(options), total_(total) {}

  // False when the user wants to stop.
  bool report(const std::string& running, double part);
  void row_done() { ++done_; }
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  using Clock = std::chrono::steady_clock;

  const CompareOptions& options_;
  std::size_t total_;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  Clock::time_point next_;
};

struct CompareSettings {
  std::optional<double> until;
  std::optional<double> atol;
  int points = 501;
  double limit = 0;
};

struct RowOutcome {
  RowStatus status = RowStatus::Interrupted;
  std::string reason;
  RunResult result;  // empty when refused
  double seconds = 0;
};

// Loads the model and runs it. Never throws: memory that runs out is a failure like others.
[[nodiscard]] RowOutcome run_row(const ModelSource& model, const RowPlan& plan,
                                 const CompareSettings& settings, ProgressHub& hub);

struct MeasureSettings {
  const ErrorMeasure* motion = nullptr;  // null: there is no reference
  const ErrorMeasure* multipliers = nullptr;
  std::string energy;                // empty: none
  std::vector<std::string> plotted;  // signals to keep
  bool curves = true;
};

[[nodiscard]] CompareRow measure_row(const RowPlan& plan, const RowOutcome& outcome,
                                     const MeasureSettings& settings);

// The signals of a trajectory, thinned out.
[[nodiscard]] RowCurves signal_curves(const Trajectory& trajectory, const std::vector<std::string>& plotted);

// Calls `task` with 0 … count - 1 on so many threads (0: as many as the hardware has), each number once.
void run_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& task);

}  // namespace daedalus
