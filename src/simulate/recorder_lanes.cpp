// Output points that are recorded several at a time (core/lanes.hpp).
#include <algorithm>
#include <cmath>

#include "numerics/wide.hpp"
#include "simulate/recorder.hpp"

namespace daedalus {
namespace {

// Fewer points do not make up for the compilation.
constexpr int least_points = 100;

bool none_is_zero(const double* values, std::size_t count) {
  return std::none_of(values, values + count, [](double value) { return value == 0; });
}

// By level, in each lane the largest size in its rows; what is no number does not count.
DAEDALUS_WIDE void largest_of_levels(const double* values, std::span<const int> rows,
                                     std::span<const std::size_t> ends, double* largest) {
  std::size_t k = 0;
  for (const std::size_t end : ends) {
    Four most{};
    for (; k < end; ++k) {
      Four value;
      load_four(values + (lane_count * static_cast<std::size_t>(rows[k])), value);
      value = value < 0 ? -value : value;
      most = value > most ? value : most;
    }
    store_four(most, largest);
    largest += lane_count;
  }
}

}  // namespace

std::size_t Recorder::coming(double limit, std::span<double, lane_count> times) const {
  std::size_t count = 0;
  double t = next_;
  for (; count < lane_count && t < limit; t = time_of(written_ + static_cast<int>(count))) times[count++] = t;
  for (std::size_t l = count; l < lane_count && count > 0; ++l) times[l] = times[count - 1];
  return count;
}

bool Recorder::prepare_lanes() {
  if (lane_records_ != nullptr) return true;
  if (points_ < least_points) return false;
  lane_records_ = model_.lane_records();
  if (lane_records_ == nullptr) return false;
  lane_values_.resize(lane_records_->results());
  lane_drift_.resize(lane_count * level_end_.size());
  one_.resize(static_cast<std::size_t>(model_.layout().size));
  return true;
}

bool Recorder::record_lanes(std::span<const double> environments, std::span<const double> times) {
  lane_records_->evaluate(environments, lane_values_, lane_workspace_);
  const std::size_t width = columns();
  const std::size_t computed = row_.size();
  const double* const values = lane_values_.data();
  const double* const residuals = values + (lane_count * computed);
  const double* const truths = residuals + (lane_count * check_.residuals().size());
  if (!none_is_zero(truths, lane_count * truths_.size())) return false;
  const std::size_t known = trajectory_.values.size();
  trajectory_.values.resize(known + (times.size() * width));
  double* row = trajectory_.values.data() + known;
  for (std::size_t l = 0; l < times.size(); ++l, row += width) {
    trajectory_.times.push_back(times[l]);
    for (std::size_t s = 0; s < computed; ++s) row[s] = values[(lane_count * s) + l];
    if (computed < width) further_(times[l], {row + computed, width - computed});
  }
  written_ += static_cast<int>(times.size());
  next_ = time_of(written_);
  if (!check_.see_lanes(environments.data(), residuals)) {
    for (std::size_t l = 0; l < times.size(); ++l) {
      for (std::size_t k = 0; k < one_.size(); ++k) one_[k] = environments[(lane_count * k) + l];
      check_.see(one_);
    }
  }
  measure_drift_in_lanes(residuals, times.size());
  return true;
}

void Recorder::measure_drift_in_lanes(const double* residuals, std::size_t count) {
  largest_of_levels(residuals, constraint_rows_, level_end_, lane_drift_.data());
  const double* largest = lane_drift_.data();
  for (std::size_t level = 0; level < level_end_.size(); ++level, largest += lane_count) {
    std::vector<double>& drift = trajectory_.drift[level];
    double most = drift_.levels[level];
    for (std::size_t l = 0; l < count; ++l) {
      const double here = largest[l];
      drift.push_back(here);
      if (!(here > most)) continue;
      note_drift(level, here, residuals + l, lane_count);
      most = here;
    }
  }
}

}  // namespace daedalus
