#include "cli/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace daedalus::cli {

using namespace std::chrono_literals;

std::string progress_line(const ProgressPoint& point) {
  constexpr int width = 30;
  const double length = point.t_end - point.t_start;
  const double ratio = length > 0 ? (point.t - point.t_start) / length : 0;
  const double part = std::isfinite(ratio) ? std::clamp(ratio, 0.0, 1.0) : 0;
  const int filled = static_cast<int>(part * width);
  return fmt::format("[{:#>{}}{:->{}}] {:3.0f} %  t = {:.6g}  h = {:.3g}  order {}", "", filled, "",
                     width - filled, 100 * part, point.t, point.step, point.order);
}

ProgressBar::ProgressBar(bool wanted)
    : enabled_(wanted && isatty(STDERR_FILENO) != 0), next_(Clock::now() + 500ms) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::update(const ProgressPoint& point) {
  if (!enabled_) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + 100ms;
  drawn_ = true;
  std::fputs(fmt::format("\r{}\x1b[K", progress_line(point)).c_str(), stderr);
}

}  // namespace daedalus::cli
