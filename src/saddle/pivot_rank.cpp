#include "saddle/pivot_rank.hpp"

#include <algorithm>

#include "numerics/rank_policy.hpp"

namespace daedalus {

void PivotRank::begin(std::span<const double> pivots, std::span<const double> diagonal) {
  live_.assign(pivots.size(), 1);
  pivots_.assign(pivots.size(), 0);
  peak_.assign(pivots.size(), 0);
  redundant_ = false;
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    if (pivots[i] > RankPolicy::square * diagonal[i]) continue;
    live_[i] = 0;
    redundant_ = true;
  }
}

double PivotRank::regularity() {
  double smallest = 1;
  for (std::size_t i = 0; i < pivots_.size(); ++i) {
    if (live_[i] == 0) continue;
    peak_[i] = std::max(peak_[i], pivots_[i]);
    if (pivots_[i] < smallest * peak_[i]) smallest = pivots_[i] / peak_[i];
  }
  return smallest;
}

int PivotRank::vanished(double part) const {
  int count = 0;
  for (std::size_t i = 0; i < pivots_.size(); ++i) {
    if (live_[i] != 0 && pivots_[i] < part * peak_[i]) ++count;
  }
  return count;
}

void PivotRank::state(Archive& archive) {
  archive.section("rank by pivots", 1);
  archive(redundant_, live_, pivots_, peak_);
  archive.require(live_.size() == pivots_.size() && peak_.size() == pivots_.size(),
                  "vectors of different lengths");
}

}  // namespace daedalus
