// Are the steps of an explicit method limited by stability? Hairer, Wanner II, section IV.2: two
// approximations of the solution at the same time, from the last stages, give an estimate of the dominant
// eigenvalue,
//     |λ| ≈ |k_end - k_last| / |y_end - Y_last|,
// and if h|λ| lies at the boundary of the stability region step after step, the equations are stiff. At the
// boundary steps are rejected again and again, and what is accepted then is shorter by up to a half: such a
// step counts from half the boundary on. While nothing is suspicious, every fourth step is looked at (their
// code looks at every thousandth). Hairer and Wanner wait for 15 such steps; where the rest of the run would
// take many, 8 are enough.
#pragma once

#include "core/archive.hpp"

namespace daedalus {

class StiffnessWatch {
 public:
  explicit StiffnessWatch(double bound) : bound_(bound) {}

  void restart() { suspicious_ = quiet_ = passed_ = 0; }
  // Whether this step, accepted after a rejected attempt or at once, is to be looked at by see().
  [[nodiscard]] bool due(bool rejected) { return suspicious_ > 0 || rejected || ++passed_ % kEvery == 0; }
  [[nodiscard]] bool stiff() const { return stiff_; }
  void state(Archive& archive) { archive(suspicious_, quiet_, passed_, stiff_); }

  // An accepted step with h|λ| as estimated, after a rejected attempt or at once, and how many like it are
  // left; true when stiffness is found at this one, the first time.
  [[nodiscard]] bool see(double h_lambda, bool rejected, double left) {
    if (h_lambda > (rejected ? bound_ / 2 : bound_)) {
      quiet_ = 0;
      ++suspicious_;
    } else if (++quiet_ == kQuiet) {
      suspicious_ = 0;
    }
    const bool found = suspicious_ >= (left > kMany ? kSooner : kSuspicious) && !stiff_;
    stiff_ = stiff_ || found;
    return found;
  }

 private:
  static constexpr unsigned kEvery = 4;   // steps: looking costs an evaluation
  static constexpr int kSuspicious = 15;  // so many suspicious steps
  static constexpr int kSooner = 8;       // where more than
  static constexpr double kMany = 100;    // are left
  static constexpr int kQuiet = 6;        // with never so many quiet ones between them

  double bound_;
  int suspicious_ = 0;
  int quiet_ = 0;
  unsigned passed_ = 0;
  bool stiff_ = false;
};

}  // namespace daedalus
