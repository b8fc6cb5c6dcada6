// Axes: the range of the data to pixels, and ticks at round numbers.
#pragma once

#include <string>
#include <vector>

namespace daedalus {

struct Range {
  double low = 0;
  double high = 1;
};

struct Tick {
  double value = 0;
  std::string label;
};

// The smallest range that holds the finite values; widened a little when it is a single point, {0, 1} when
// there are none.
[[nodiscard]] Range range_of(const std::vector<double>& values);

// Round numbers (1, 2 or 5 times a power of ten) inside the range, about `wanted` of them.
[[nodiscard]] std::vector<Tick> linear_ticks(Range range, int wanted);

// Powers of ten inside a range of decimal logarithms; every second, third, … when there are more than `most`.
[[nodiscard]] std::vector<Tick> decade_ticks(Range log_range, int most);

// A linear map of a range to pixels.
class Axis {
 public:
  Axis(Range range, double from, double to) : range_(range), from_(from), to_(to) {}
  [[nodiscard]] double operator()(double value) const {
    return from_ + ((to_ - from_) * ((value - range_.low) / (range_.high - range_.low)));
  }
  [[nodiscard]] const Range& range() const { return range_; }
  [[nodiscard]] double from() const { return from_; }
  [[nodiscard]] double to() const { return to_; }

 private:
  Range range_;
  double from_;
  double to_;
};

}  // namespace daedalus
