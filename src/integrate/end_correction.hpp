// The last step of a one-step method after the caller has moved its end, by a projection: the change is
// spread over the step by the cubic that is zero at the beginning, with its slope, and takes the change of
// value and slope at the end. Output stays continuous from step to step, and since the change is of the size
// of the local error the order of the dense output stays, too.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace daedalus {

class EndCorrection {
 public:
  void clear() { active_ = false; }
  [[nodiscard]] bool active() const { return active_; }

  // The end moved from y to y_new, and then its slope: one after the other. Several moves of the same end add
  // up.
  void add(std::span<const double> y, std::span<const double> y_new);
  void add_slope(std::span<const double> yp, std::span<const double> yp_new);
  // Corrects the values (and slopes, if the span is not empty) at the fraction s of a step of size h.
  void apply(double s, double h, std::span<double> y, std::span<double> yp) const;

 private:
  std::vector<double> dy_, dyp_;
  bool active_ = false;
  bool has_slope_ = false;  // dyp_ is that of this step
};

}  // namespace daedalus
