// L. R. Petzold, Y. Ren, T. Maly 1997: Figures 5.1 to 5.4 and 5.6 to 5.14, and the orders of Theorems 3.1
// and 3.2.
#pragma once

#include "study/targets.hpp"

namespace daedalus {

// Example 5.1, x' = 2 + t y, 0 = t x - t (t + 1).
[[nodiscard]] Reproduction reproduce_linear_figure(const StudyTarget& target, const KeepGoing& keep_going);
// Example 5.2, the slider crank.
[[nodiscard]] Reproduction reproduce_crank_figure(const StudyTarget& target, const KeepGoing& keep_going);
[[nodiscard]] Reproduction reproduce_order(const StudyTarget& target, const KeepGoing& keep_going);

}  // namespace daedalus
