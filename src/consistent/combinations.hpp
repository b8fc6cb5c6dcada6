// The combinations of a few switches, the nearest to a given one first.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

namespace daedalus {

// Which of `count` switches are turned, as bits: none of them first, then one, two, and so on. count < 31.
[[nodiscard]] inline std::vector<unsigned> turns_by_number(int count) {
  std::vector<unsigned> turns(std::size_t{1} << static_cast<unsigned>(count));
  for (std::size_t k = 0; k < turns.size(); ++k) turns[k] = static_cast<unsigned>(k);
  std::ranges::stable_sort(turns, {}, [](unsigned bits) { return std::popcount(bits); });
  return turns;
}

}  // namespace daedalus
