#include "numerics/two_step_hermite.hpp"

#include <algorithm>

#include "numerics/vectors.hpp"

namespace daedalus {

void TwoStepHermite::resize(std::size_t size) {
  for (auto& part : y_) part.resize(size);
  for (auto& part : yp_) part.resize(size);
  for (auto& part : differences_) part.resize(size);
  y_start_.resize(size);
  yp_start_.resize(size);
  points_ = 0;
  replaced_ = false;
}

void TwoStepHermite::restart(double t, std::span<const double> y, std::span<const double> yp) {
  points_ = 1;
  replaced_ = false;
  t_[2] = t;
  copy_values(y, y_[2]);
  copy_values(yp, yp_[2]);
}

void TwoStepHermite::append(double t, std::span<const double> y, std::span<const double> yp) {
  if (replaced_) {
    y_[2].swap(y_start_);
    yp_[2].swap(yp_start_);
    replaced_ = false;
  }
  for (std::size_t k = 0; k + 1 < 3; ++k) {
    t_[k] = t_[k + 1];
    y_[k].swap(y_[k + 1]);
    yp_[k].swap(yp_[k + 1]);
  }
  t_[2] = t;
  copy_values(y, y_[2]);
  copy_values(yp, yp_[2]);
  points_ = std::min(points_ + 1, 3);
  prepared_ = false;
}

// The differences follow from the points.
void TwoStepHermite::state(Archive& archive, std::size_t size) {
  archive.section("two-step-hermite", 1);
  if (archive.reading()) resize(size);
  archive(points_, t_, replaced_);
  archive.require(points_ >= 0 && points_ <= 3, "more points than there are");
  for (std::size_t k = 0; k < 3; ++k) archive.sized(size, y_[k], yp_[k]);
  archive.sized(size, y_start_, yp_start_);
  prepared_ = prepared_ && !archive.reading();
}

// In place; over a node taken twice the first one is the slope.
TwoStepHermite::Differences TwoStepHermite::differences(const std::array<Point, 3>& points) {
  Differences d{};
  for (std::size_t k = 0; k < kNodes; ++k) d[k] = points[k / 2].y;
  for (std::size_t order = 1; order < kNodes; ++order) {
    for (std::size_t k = kNodes; k-- > order;) {
      const double span = points[k / 2].t - points[(k - order) / 2].t;
      d[k] = span == 0 ? points[k / 2].yp : (d[k] - d[k - 1]) / span;
    }
  }
  return d;
}

void TwoStepHermite::prepare() const {
  prepared_ = true;
  for (std::size_t i = 0; i < y_[0].size(); ++i) {
    std::array<Point, 3> points;
    for (std::size_t k = 0; k < 3; ++k) points[k] = {.t = t_[k], .y = y_[k][i], .yp = yp_[k][i]};
    const Differences d = differences(points);
    for (std::size_t k = 0; k < kNodes; ++k) differences_[k][i] = d[k];
  }
}

double TwoStepHermite::value_with(const Point& next, double t, std::size_t i) const {
  const std::vector<double>& y = replaced_ ? y_start_ : y_[2];
  const std::vector<double>& yp = replaced_ ? yp_start_ : yp_[2];
  const std::array<Point, 3> points{
      Point{.t = t_[1], .y = y_[1][i], .yp = yp_[1][i]}, {.t = t_[2], .y = y[i], .yp = yp[i]}, next};
  const Differences d = differences(points);
  double result = d[kNodes - 1];
  for (std::size_t k = kNodes - 1; k-- > 0;) result = d[k] + ((t - points[k / 2].t) * result);
  return result;
}

void TwoStepHermite::replace_last(std::span<const double> y, std::span<const double> yp) {
  copy_values(y, y_start_);
  copy_values(yp, yp_start_);
  replaced_ = true;
}

double TwoStepHermite::value(double t, std::size_t i) const {
  if (!prepared_) prepare();
  const std::array<double, kNodes> node{t_[0], t_[0], t_[1], t_[1], t_[2], t_[2]};
  double result = differences_[kNodes - 1][i];
  for (std::size_t k = kNodes - 1; k-- > 0;) result = differences_[k][i] + ((t - node[k]) * result);
  return result;
}

double TwoStepHermite::slope(double t, std::size_t i) const {
  if (!prepared_) prepare();
  const std::array<double, kNodes> node{t_[0], t_[0], t_[1], t_[1], t_[2], t_[2]};
  double result = differences_[kNodes - 1][i];
  double derivative = 0;
  for (std::size_t k = kNodes - 1; k-- > 0;) {
    derivative = result + ((t - node[k]) * derivative);
    result = differences_[k][i] + ((t - node[k]) * result);
  }
  return derivative;
}

}  // namespace daedalus
