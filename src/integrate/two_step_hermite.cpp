#include "integrate/two_step_hermite.hpp"

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

void TwoStepHermite::prepare() const {
  prepared_ = true;
  const std::array<double, kNodes> node{t_[0], t_[0], t_[1], t_[1], t_[2], t_[2]};
  for (std::size_t i = 0; i < y_[0].size(); ++i) {
    std::array<double, kNodes> d{};
    for (std::size_t k = 0; k < kNodes; ++k) d[k] = y_[k / 2][i];
    // Divided differences in place; over a node taken twice the first one is the slope.
    for (std::size_t order = 1; order < kNodes; ++order) {
      for (std::size_t k = kNodes; k-- > order;) {
        const double span = node[k] - node[k - order];
        d[k] = span == 0 ? yp_[k / 2][i] : (d[k] - d[k - 1]) / span;
      }
    }
    for (std::size_t k = 0; k < kNodes; ++k) differences_[k][i] = d[k];
  }
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
