// A line on the terminal that shows how far a run has come. Nothing is drawn before half a second has
// passed, nor when stderr is no terminal.
#pragma once

#include <chrono>
#include <string>

namespace daedalus::cli {

struct ProgressPoint {
  double t = 0;
  double t_start = 0;
  double t_end = 1;
  double step = 0;
  int order = 0;
};

// "[############------------]  50 %  t = 5  h = 0.0123  order 4"
[[nodiscard]] std::string progress_line(const ProgressPoint& point);

class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();  // removes the line

  void update(const ProgressPoint& point);

 private:
  using Clock = std::chrono::steady_clock;

  bool enabled_;
  bool drawn_ = false;
  Clock::time_point next_;  // when to draw again
};

}  // namespace daedalus::cli
