#include "record/dense_output.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace daedalus {
namespace {

// A cubic is the least: signals bend although a method of first order does not see it.
constexpr int least_order = 3;
constexpr int most_order = 14;
// A distance in [-1, 1] from a node that is rounding: the value there is the value.
constexpr double at_node = 1e-15;

// The Chebyshev points of the second kind on [-1, 1], rising.
double chebyshev(std::size_t k, std::size_t count) {
  return -std::cos(std::numbers::pi * static_cast<double>(k) / static_cast<double>(count - 1));
}

}  // namespace

std::vector<double> DenseOutput::nodes(double from, double to, int order) {
  const auto count = static_cast<std::size_t>(std::clamp(order, least_order, most_order)) + 1;
  std::vector<double> times(count);
  for (std::size_t k = 0; k < count; ++k) times[k] = from + ((to - from) * (1 + chebyshev(k, count)) / 2);
  times.front() = from;
  times.back() = to;
  return times;
}

void DenseOutput::begin(std::vector<Signal> signals) {
  *this = DenseOutput();
  signals_ = std::move(signals);
}

void DenseOutput::add(std::span<const double> times, std::span<const double> rows) {
  assert(rows.size() == times.size() * signals_.size());
  starts_.push_back(times.front());
  ends_.push_back(times.back());
  first_.push_back(times_.size());
  times_.insert(times_.end(), times.begin(), times.end());
  values_.insert(values_.end(), rows.begin(), rows.end());
}

Trajectory DenseOutput::rows() const {
  Trajectory rows;
  rows.signals = signals_;
  rows.times = times_;
  rows.values = values_;
  return rows;
}

void DenseOutput::replace(Trajectory rows) {
  assert(rows.times.size() == times_.size());
  signals_ = std::move(rows.signals);
  values_ = std::move(rows.values);
}

std::size_t DenseOutput::node_count(std::size_t segment) const {
  return (segment + 1 < first_.size() ? first_[segment + 1] : times_.size()) - first_[segment];
}

void DenseOutput::evaluate(double t, std::span<double> signals) const {
  assert(!empty() && t >= t_begin() && t <= t_end());
  const auto next = std::ranges::upper_bound(starts_, t);
  evaluate_in(static_cast<std::size_t>(next - starts_.begin()) - 1, t, signals);
}

// Berrut and Trefethen, Barycentric Lagrange interpolation, SIAM Review 46 (2004), (4.2) with (5.4).
void DenseOutput::evaluate_in(std::size_t segment, double t, std::span<double> signals) const {
  const std::size_t count = node_count(segment);
  const std::size_t width = signals_.size();
  const double length = ends_[segment] - starts_[segment];
  const double x = length > 0 ? (2 * (t - starts_[segment]) / length) - 1 : 1;
  const double* rows = values_.data() + (first_[segment] * width);
  std::ranges::fill(signals, 0);
  double weights = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double distance = x - chebyshev(k, count);
    const double* row = rows + (k * width);
    if (std::abs(distance) < at_node) {
      std::copy(row, row + width, signals.begin());
      return;
    }
    const double half = k == 0 || k + 1 == count ? 0.5 : 1;
    const double weight = (k % 2 == 0 ? half : -half) / distance;
    weights += weight;
    for (std::size_t s = 0; s < width; ++s) signals[s] += weight * row[s];
  }
  for (std::size_t s = 0; s < width; ++s) signals[s] = signals_[s].discrete ? rows[s] : signals[s] / weights;
}

}  // namespace daedalus
