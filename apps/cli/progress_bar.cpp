#include "cli/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace daedalus::cli {

using namespace std::chrono_literals;

namespace {

std::string bar_of(double ratio) {
  constexpr int width = 30;
  const double part = std::isfinite(ratio) ? std::clamp(ratio, 0.0, 1.0) : 0;
  const int filled = static_cast<int>(part * width);
  return fmt::format("[{:#>{}}{:->{}}] {:3.0f} %", "", filled, "", width - filled, 100 * part);
}

}  // namespace

std::string progress_line(const ProgressPoint& point) {
  const double length = point.t_end - point.t_start;
  const double ratio = length > 0 ? (point.t - point.t_start) / length : 0;
  return fmt::format("{}  t = {:.6g}  h = {:.3g}  order {}", bar_of(ratio), point.t, point.step, point.order);
}

ProgressBar::ProgressBar(bool wanted)
    : enabled_(wanted && isatty(STDERR_FILENO) != 0), next_(Clock::now() + 500ms) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::update(const ProgressPoint& point) {
  if (is_time()) draw(progress_line(point));
}

void ProgressBar::update_runs(std::size_t done, std::size_t runs) {
  if (!is_time()) return;
  const double part = runs > 0 ? static_cast<double>(done) / static_cast<double>(runs) : 1;
  draw(fmt::format("{}  {} of {} runs", bar_of(part), done, runs));
}

bool ProgressBar::is_time() {
  if (!enabled_) return false;
  const auto now = Clock::now();
  if (now < next_) return false;
  next_ = now + 100ms;
  return true;
}

void ProgressBar::draw(const std::string& line) {
  drawn_ = true;
  std::fputs(fmt::format("\r{}\x1b[K", line).c_str(), stderr);
}

}  // namespace daedalus::cli
