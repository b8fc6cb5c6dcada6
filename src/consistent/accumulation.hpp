// Finds events that accumulate: a ball that bounces ever faster comes to rest after infinitely many events in
// a finite time (Zeno's paradox). Numbers see the last ones no more, and the run goes on with a motion that
// the model does not mean: the ball falls through the floor.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/archive.hpp"

namespace daedalus {

class AccumulationWatch {
 public:
  struct Found {
    int relation = -1;
    double t = 0;  // where the times tend to
  };

  // Relations that changed at t.
  void crossed(double t, std::span<const int> relations);
  // All found up to the end of the run.
  [[nodiscard]] std::vector<Found> found(double end) const;
  void state(Archive& archive) { archive(sequences_); }

 private:
  // A relation goes there and back, so every second time counts.
  struct Sequence {
    std::array<double, 4> last{};  // the latest first
    int times = 0;
    int shorter = 0;   // intervals in a row, each shorter than the one before
    double ratio = 0;  // of the last two
    bool ended = false;
    double limit = 0;
    void state(Archive& archive) { archive(last, times, shorter, ratio, ended, limit); }
  };
  [[nodiscard]] static bool ended_before(const Sequence& sequence, double t);
  [[nodiscard]] static double limit_of(const Sequence& sequence);

  std::vector<Sequence> sequences_;  // by relation
};

}  // namespace daedalus
