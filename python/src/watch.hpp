// What Python hears of a run that goes on without the interpreter's lock: signals of the keyboard, progress.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <memory>

#include "run_handle.hpp"

namespace daedalus::python {

// The options of a run as the package gives them.
[[nodiscard]] RunOptions options_of(const nanobind::dict& given);
// When it begins, if not where the model says.
[[nodiscard]] std::optional<double> start_of(const nanobind::dict& given);

// Signals of the keyboard, and news for a progress bar. Python is asked seldom: a step may take a
// microsecond.
class Watch {
 public:
  Watch(nanobind::object progress, std::shared_ptr<RunHandle> run, bool every_step)
      : progress_(std::move(progress)), run_(std::move(run)), every_step_(every_step) {}

  // False: the run is to end. Without the interpreter's lock on entry and exit.
  bool operator()(const Progress& news);
  // Throws what Python raised meanwhile.
  void rethrow();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds interval{50};
  bool stop();

  nanobind::object progress_;
  std::shared_ptr<RunHandle> run_;
  bool every_step_;
  nanobind::object raised_;
  Clock::time_point next_ = Clock::now() + interval;
};

}  // namespace daedalus::python
