#include "consistent/accumulation.hpp"

#include <algorithm>

namespace daedalus {
namespace {

// Shorter intervals in a row: a body that bounces has six soon, what passes by chance hardly ever.
constexpr int enough = 6;
// Times that tend to a limit like a geometric series have a ratio below 1 for ever; that of a signal whose
// frequency rises tends to 1.
constexpr double clearly_shorter = 0.995;

}  // namespace

void AccumulationWatch::crossed(double t, std::span<const int> relations) {
  for (const int r : relations) {
    if (static_cast<std::size_t>(r) >= sequences_.size()) sequences_.resize(static_cast<std::size_t>(r) + 1);
    Sequence& s = sequences_[static_cast<std::size_t>(r)];
    const double interval = t - s.last[1];
    const double before = s.last[1] - s.last[3];
    std::ranges::rotate(s.last, s.last.end() - 1);
    s.last[0] = t;
    if (++s.times <= 4) continue;
    s.shorter = before > 0 && interval < clearly_shorter * before ? s.shorter + 1 : 0;
  }
}

bool AccumulationWatch::shrinks(int relation) const {
  const auto at = static_cast<std::size_t>(relation);
  return at < sequences_.size() && sequences_[at].shorter >= enough;
}

}  // namespace daedalus
