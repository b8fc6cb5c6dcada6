// A line on the terminal that shows how far a run has come. Nothing is drawn before half a second has
// passed, nor when stderr is no terminal.
#pragma once

#include <chrono>
#include <cstddef>
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
  // "[############------------]  50 %  500 of 1000 runs"
  void update_runs(std::size_t done, std::size_t runs);

 private:
  [[nodiscard]] bool is_time();
  void draw(const std::string& line);
  using Clock = std::chrono::steady_clock;

  bool enabled_;
  bool drawn_ = false;
  Clock::time_point next_;  // when to draw again
};

}  // namespace daedalus::cli
