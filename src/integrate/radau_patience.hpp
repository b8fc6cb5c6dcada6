// What radau learns from what failed: how long steps stay shorter than one at which Newton's method failed,
// and how long an order is kept before a higher one is tried.
#pragma once

#include <algorithm>
#include <limits>

#include "core/archive.hpp"

namespace daedalus {

// Where Newton's method fails with a fresh Jacobian again and again, each time so soon after the last one at
// steps of about the same size, steps grow slowly for a while from the size that then served: longer each
// time, so that it is not each second step that fails, but one of so many at most.
class NewtonPatience {
 public:
  void restart() { *this = NewtonPatience(); }
  // `first`: of this step.
  void failed(double h, bool first) {
    if (first) {
      const bool again = since_ <= patience_ + soon && h >= same_size * size_;
      patience_ = again ? std::min((2 * patience_) + 1, most) : 0;
      since_ = 0;
    }
    size_ = h;
  }
  // A step was accepted: by how much the next one may grow.
  [[nodiscard]] double growth() {
    if (since_ < std::numeric_limits<int>::max()) ++since_;
    return since_ <= patience_ ? slow : std::numeric_limits<double>::infinity();
  }
  void state(Archive& archive) { archive(size_, patience_, since_); }

 private:
  static constexpr double slow = 1.05;  // twice the size after the longest wait
  // It fails again if it does so within these steps after the wait, at half that size at least.
  static constexpr double same_size = 0.5;
  static constexpr int soon = 3;
  static constexpr int most = 15;  // steps to wait: slow to the 15th is 2, so that nothing is lost for long
  double size_ = std::numeric_limits<double>::infinity();  // of the step in which it last failed
  int patience_ = 0;                                       // steps after that one which stay shorter
  int since_ = 0;                                          // accepted steps
};

// After a change of order so many steps pass before it is raised; twice as many after each that had to be
// taken back.
class OrderPatience {
 public:
  void step() { ++steps_; }
  void changed(bool lowered) {
    steps_ = 0;
    if (lowered) wanted_ = std::min(2 * wanted_, longest);
  }
  [[nodiscard]] bool over() const { return steps_ >= wanted_; }
  void state(Archive& archive) { archive(steps_, wanted_); }

 private:
  static constexpr int longest = 1280;  // seven doublings: the order is hardly raised any more
  int steps_ = 0;
  int wanted_ = 10;
};

}  // namespace daedalus
