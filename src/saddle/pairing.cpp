#include "saddle/pairing.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "numerics/rank_policy.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// An entry by which a line is looked for among others: this part of its largest.
constexpr double prominent = 0.1;

// Of length 1, by coordinate.
void normalise(SparseLine& line) {
  std::ranges::sort(line);
  double length = 0;
  for (const auto& entry : line) length = std::hypot(length, entry.second);
  if (length > 0) {
    for (auto& entry : line) entry.second /= length;
  }
}

// |a - b| or |a + b|, which for lines of length 1 is the sine of a small angle.
double distance(const SparseLine& a, const SparseLine& b) {
  double minus = 0;
  double plus = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const bool from_a = j == b.size() || (i < a.size() && a[i].first <= b[j].first);
    const bool from_b = i == a.size() || (j < b.size() && b[j].first <= a[i].first);
    const double x = from_a ? a[i].second : 0;
    const double y = from_b ? b[j].second : 0;
    minus += (x - y) * (x - y);
    plus += (x + y) * (x + y);
    i += from_a ? 1 : 0;
    j += from_b ? 1 : 0;
  }
  return std::sqrt(std::min(minus, plus));
}

// By coordinate: which gradients have it, ascending.
using Touching = std::unordered_map<int, std::vector<int>>;

// Of the large entries of a force the one that the fewest gradients share: those are its candidates.
const std::vector<int>* candidates_for(const SparseLine& force, const Touching& touching) {
  double largest = 0;
  for (const auto& entry : force) largest = std::max(largest, std::abs(entry.second));
  const std::vector<int>* fewest = nullptr;
  for (const auto& [coordinate, value] : force) {
    if (!(largest > 0) || std::abs(value) < prominent * largest) continue;
    const auto found = touching.find(coordinate);
    if (found == touching.end()) return nullptr;
    if (fewest == nullptr || found->second.size() < fewest->size()) fewest = &found->second;
  }
  return fewest;
}

}  // namespace

bool Pairing::complete() const {
  return std::ranges::find(multiplier, -1) == multiplier.end();
}

std::vector<int> Pairing::with_rest() const {
  std::vector<bool> taken(multiplier.size(), false);
  for (const int c : multiplier) {
    if (c >= 0) taken[at(c)] = true;
  }
  std::vector<int> all = multiplier;
  auto left = std::ranges::find(taken, false);
  for (int& c : all) {
    if (c >= 0) continue;
    c = static_cast<int>(left - taken.begin());
    left = std::find(left + 1, taken.end(), false);
  }
  return all;
}

Pairing pair_multipliers(std::vector<SparseLine> gradients, std::vector<SparseLine> forces) {
  Touching touching;
  for (std::size_t r = 0; r < gradients.size(); ++r) {
    normalise(gradients[r]);
    for (const auto& entry : gradients[r]) touching[entry.first].push_back(static_cast<int>(r));
  }
  Pairing pairing{.multiplier = std::vector<int>(gradients.size(), -1)};
  for (std::size_t c = 0; c < forces.size(); ++c) {
    normalise(forces[c]);
    const std::vector<int>* const candidates = candidates_for(forces[c], touching);
    if (candidates == nullptr) continue;
    const auto fits = [&](int r) {
      return pairing.multiplier[at(r)] < 0 && distance(gradients[at(r)], forces[c]) <= RankPolicy::gradient;
    };
    const auto found = std::ranges::find_if(*candidates, fits);
    if (found != candidates->end()) pairing.multiplier[at(*found)] = static_cast<int>(c);
  }
  return pairing;
}

Pairing pair_multipliers(const SymbolicMatrix& constraint, std::span<const double> gradients,
                         const SymbolicMatrix& input, std::span<const double> inputs) {
  std::vector<SparseLine> rows(at(constraint.rows));
  std::vector<SparseLine> columns(at(constraint.rows));
  for (std::size_t k = 0; k < gradients.size(); ++k)
    rows[at(constraint.entries[k].row)].emplace_back(constraint.entries[k].column, gradients[k]);
  for (std::size_t k = 0; k < inputs.size(); ++k)
    columns[at(input.entries[k].column)].emplace_back(input.entries[k].row, inputs[k]);
  return pair_multipliers(std::move(rows), std::move(columns));
}

}  // namespace daedalus
