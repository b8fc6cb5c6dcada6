#include "consistent/accumulation.hpp"

#include <algorithm>

namespace daedalus {
namespace {

constexpr int enough = 12;
// Times that tend to a limit like a geometric series have a ratio below 1 for ever; that of a signal whose
// frequency rises tends to 1, and its crossings do not stop where the series would.
constexpr double clearly_shorter = 0.995;

}  // namespace

double AccumulationWatch::limit_of(const Sequence& sequence) {
  const double interval = sequence.last[0] - sequence.last[2];
  return sequence.last[0] + (interval * sequence.ratio / (1 - sequence.ratio));
}

// The series tends to a limit before t, and no more of it was seen since.
bool AccumulationWatch::ended_before(const Sequence& sequence, double t) {
  if (sequence.shorter < enough) return false;
  return t > limit_of(sequence) + (sequence.last[0] - sequence.last[2]);
}

void AccumulationWatch::crossed(double t, std::span<const int> relations) {
  for (const int r : relations) {
    if (static_cast<std::size_t>(r) >= sequences_.size()) sequences_.resize(static_cast<std::size_t>(r) + 1);
    Sequence& s = sequences_[static_cast<std::size_t>(r)];
    if (!s.ended && ended_before(s, t)) {
      s.ended = true;
      s.limit = limit_of(s);
    }
    const double interval = t - s.last[1];
    const double before = s.last[1] - s.last[3];
    std::ranges::rotate(s.last, s.last.end() - 1);
    s.last[0] = t;
    ++s.times;
    if (s.times <= 4) continue;
    s.ratio = before > 0 ? interval / before : 1;
    s.shorter = s.ratio < clearly_shorter ? s.shorter + 1 : 0;
  }
}

std::vector<AccumulationWatch::Found> AccumulationWatch::found(double end) const {
  std::vector<Found> result;
  for (std::size_t r = 0; r < sequences_.size(); ++r) {
    const Sequence& s = sequences_[r];
    if (s.ended) {
      result.push_back({.relation = static_cast<int>(r), .t = s.limit});
    } else if (ended_before(s, end)) {
      result.push_back({.relation = static_cast<int>(r), .t = limit_of(s)});
    }
  }
  return result;
}

}  // namespace daedalus
