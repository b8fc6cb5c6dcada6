// The rank of the constraints by the pivots of G M⁻¹ Gᵀ along a run: a tenth of the cost of singular values.
// A pivot counts against the largest that it has been, so that very different masses, which make pivots small
// everywhere, are no loss of rank.
#pragma once

#include <span>
#include <vector>

#include "core/archive.hpp"

namespace daedalus {

class PivotRank {
 public:
  // At the first point: the pivots, and the diagonal of G M⁻¹ Gᵀ. Constraints that follow from others there
  // (RankPolicy::square) are left aside from now on.
  void begin(std::span<const double> pivots, std::span<const double> diagonal);
  // Of those there were some.
  [[nodiscard]] bool has_redundant() const { return redundant_; }

  // Where the pivots of a point go before regularity().
  [[nodiscard]] std::span<double> pivots() { return pivots_; }
  // The smallest of them against the largest it has been: 1 at best, 0 where rank is lost.
  [[nodiscard]] double regularity();
  // How many are below this part of their largest.
  [[nodiscard]] int vanished(double part) const;

  void state(Archive& archive);

 private:
  bool redundant_ = false;
  std::vector<char> live_;
  std::vector<double> pivots_, peak_;
};

}  // namespace daedalus
