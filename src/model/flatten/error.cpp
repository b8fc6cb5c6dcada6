#include "model/flatten/error.hpp"

#include <algorithm>
#include <cstddef>

namespace daedalus::flatten {
namespace {

// Edit distance in which two letters exchanged are one slip; given up as soon as it exceeds the bound.
std::size_t distance(std::string_view a, std::string_view b, std::size_t bound) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > bound) return bound + 1;
  std::vector<std::size_t> before(b.size() + 1);  // row i - 2
  std::vector<std::size_t> last(b.size() + 1);    // row i - 1
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t best = row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
      best = std::min(best, row[j]);
    }
    if (best > bound) return bound + 1;
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view given, std::span<const std::string_view> candidates) {
  constexpr std::size_t longest = 200;  // a longer name is no slip of the pen
  if (given.size() > longest) return {};
  std::size_t bound = std::max<std::size_t>(1, std::min<std::size_t>(given.size() / 3, 4));
  std::vector<std::string_view> best;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > longest) continue;
    const std::size_t d = distance(given, candidate, bound);
    if (d > bound) continue;
    if (d < bound || best.empty()) {
      if (d < bound) best.clear();
      bound = d;
    }
    if (best.size() < 2 && std::ranges::find(best, candidate) == best.end()) best.push_back(candidate);
  }
  if (best.empty()) return {};
  if (best.size() == 1) return fmt::format("; did you mean '{}'?", best[0]);
  return fmt::format("; did you mean '{}' or '{}'?", best[0], best[1]);
}

}  // namespace daedalus::flatten
