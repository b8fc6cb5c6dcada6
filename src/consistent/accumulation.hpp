// Tells events that accumulate from others that follow each other at once: a ball that bounces ever faster
// comes to rest after infinitely many events in a finite time (Zeno's paradox).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/archive.hpp"

namespace daedalus {

class AccumulationWatch {
 public:
  // Relations that changed at t.
  void crossed(double t, std::span<const int> relations);
  // Its changes have followed each other ever faster.
  [[nodiscard]] bool shrinks(int relation) const;
  void state(Archive& archive) { archive(sequences_); }

 private:
  // A relation goes there and back, so every second time counts.
  struct Sequence {
    std::array<double, 4> last{};  // the latest first
    int times = 0;
    int shorter = 0;  // intervals in a row, each shorter than the one before
    void state(Archive& archive) { archive(last, times, shorter); }
  };
  std::vector<Sequence> sequences_;  // by relation
};

}  // namespace daedalus
