// Dense output of order 5 for one-step methods: the polynomial of degree 5 that takes the values and slopes
// of three consecutive accepted points. The collocation polynomial of a 3-stage method is of order 3 only, so
// its output between the steps would be far less accurate than the steps.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/archive.hpp"

namespace daedalus {

class TwoStepHermite {
 public:
  void resize(std::size_t size);
  // Forgets everything: a start, or a change of the system (slopes of other components count then).
  void restart(double t, std::span<const double> y, std::span<const double> yp);
  // A new accepted point.
  void append(double t, std::span<const double> y, std::span<const double> yp);
  // The last point was moved (Integrator::replace_state). The polynomial of the last interval stays as it is;
  // the next one starts from the new values.
  void replace_last(std::span<const double> y, std::span<const double> yp);
  // Three points are known, so that the last interval can be interpolated.
  [[nodiscard]] bool ready() const { return points_ == 3; }
  // It will be so after the next point.
  [[nodiscard]] bool nearly_ready() const { return points_ >= 2; }
  // The value of one component in the interval that the next point would make.
  struct Point {
    double t = 0;
    double y = 0;
    double yp = 0;
  };
  [[nodiscard]] double value_with(const Point& next, double t, std::size_t i) const;
  // The value (and slope) of one component in the last interval.
  [[nodiscard]] double value(double t, std::size_t i) const;
  [[nodiscard]] double slope(double t, std::size_t i) const;

  void state(Archive& archive, std::size_t size);

 private:
  static constexpr std::size_t kNodes = 6;  // three points, each twice
  // The divided differences, when somebody asks: few steps are interpolated.
  void prepare() const;
  using Differences = std::array<double, kNodes>;
  [[nodiscard]] static Differences differences(const std::array<Point, 3>& points);

  int points_ = 0;
  std::array<double, 3> t_{};
  std::array<std::vector<double>, 3> y_, yp_;
  bool replaced_ = false;  // the next interval begins at these:
  std::vector<double> y_start_, yp_start_;
  mutable bool prepared_ = false;
  mutable std::array<std::vector<double>, kNodes> differences_;  // Newton's form over t0, t0, t1, t1, t2, t2
};

}  // namespace daedalus
