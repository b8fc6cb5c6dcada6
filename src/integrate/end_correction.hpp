// The last step of a one-step method after the caller has moved its end, by a projection: the change is
// spread over the step by the cubic that is zero at the beginning, with its slope, and takes the change of
// value and slope at the end. Output stays continuous from step to step, and since the change is of the size
// of the local error the order of the dense output stays, too.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/archive.hpp"

namespace daedalus {

class EndCorrection {
 public:
  void clear() { active_ = false; }
  [[nodiscard]] bool active() const { return active_; }

  // Before the end moves: values and slopes there. Of several moves of the same end the first one counts.
  void keep(std::span<const double> y, std::span<const double> yp);
  // Corrects the values (and slopes, if the span is not empty) at the fraction s of a step of size h whose
  // end is there now.
  struct End {
    std::span<const double> y;
    std::span<const double> yp;
  };
  void apply(double s, double h, const End& end, std::span<double> y, std::span<double> yp) const;

  void state(Archive& archive) { archive(active_, y_, yp_); }
  [[nodiscard]] bool fits(std::size_t size) const { return y_.size() == size && yp_.size() == size; }

 private:
  std::vector<double> y_, yp_;  // as they were
  bool active_ = false;
};

}  // namespace daedalus
