#include "structure/explicit_unknowns.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace daedalus {
namespace {

// An elimination may put so many entries more into the equations than it takes out. A step costs a dozen
// evaluations and solutions, for each of which an unknown less is worth some entries more where matrices are
// small; large ones are eliminated in a better order by sparse solvers.
constexpr long most_fill = 16;
constexpr std::size_t small = 200;  // unknowns

class Elimination {
 public:
  Elimination(std::vector<std::vector<Occurrence>> rows, int unknowns)
      : rows_(std::move(rows)), columns_(static_cast<std::size_t>(unknowns)), used_(rows_.size(), false) {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      std::ranges::sort(rows_[r], {}, &Occurrence::unknown);
      for (const Occurrence& at : rows_[r]) column(at.unknown).push_back(static_cast<int>(r));
    }
  }

  std::vector<ExplicitUnknown> run() {
    std::vector<ExplicitUnknown> chosen;
    std::vector<int> order(columns_.size());
    std::iota(order.begin(), order.end(), 0);
    for (bool changed = true; changed;) {
      changed = false;
      std::ranges::stable_sort(order, {}, [this](int unknown) { return column(unknown).size(); });
      for (const int unknown : order) {
        const int equation = best_equation(unknown);
        if (equation < 0) continue;
        eliminate(unknown, equation);
        chosen.push_back({.unknown = unknown, .equation = equation});
        changed = true;
      }
    }
    return chosen;
  }

 private:
  [[nodiscard]] std::vector<int>& column(int unknown) { return columns_[static_cast<std::size_t>(unknown)]; }
  [[nodiscard]] std::vector<Occurrence>& row(int equation) {
    return rows_[static_cast<std::size_t>(equation)];
  }

  // The shortest that gives the unknown; -1: none does, or what it makes denser is too much.
  [[nodiscard]] int best_equation(int unknown) {
    int best = -1;
    for (const int r : column(unknown)) {
      const auto at = std::ranges::lower_bound(row(r), unknown, {}, &Occurrence::unknown);
      if (!at->plain || used_[static_cast<std::size_t>(r)] || !stays_simple(unknown, r)) continue;
      if (best < 0 || row(r).size() < row(best).size()) best = r;
    }
    if (best < 0) return -1;
    const auto uses = static_cast<long>(column(unknown).size()) - 1;
    const auto inputs = static_cast<long>(row(best).size()) - 1;
    return (uses * inputs) - uses - inputs <= (columns_.size() <= small ? most_fill : 0) ? best : -1;
  }

  // Either its definition is linear, or it enters linearly wherever it is written out.
  [[nodiscard]] bool stays_simple(int unknown, int equation) {
    const auto linear = [unknown](const Occurrence& at) { return at.unknown == unknown || at.linear; };
    if (std::ranges::all_of(row(equation), linear)) return true;
    return std::ranges::all_of(column(unknown), [&](int r) {
      return r == equation || std::ranges::lower_bound(row(r), unknown, {}, &Occurrence::unknown)->linear;
    });
  }

  // Writes the unknown out in all other equations. What comes in that way is not plain: it may meet itself.
  void eliminate(int unknown, int equation) {
    used_[static_cast<std::size_t>(equation)] = true;
    const std::vector<Occurrence> inputs = row(equation);
    for (const Occurrence& at : inputs) std::erase(column(at.unknown), equation);
    for (const int r : std::exchange(column(unknown), {})) {
      std::vector<Occurrence> merged;
      const std::vector<Occurrence>& before = row(r);
      std::size_t b = 0;
      const bool direct = std::ranges::lower_bound(before, unknown, {}, &Occurrence::unknown)->linear;
      for (const Occurrence& in : inputs) {
        if (in.unknown == unknown) continue;
        for (; b < before.size() && before[b].unknown < in.unknown; ++b) merged.push_back(before[b]);
        const bool there = b < before.size() && before[b].unknown == in.unknown;
        const bool linear = direct && in.linear && (!there || before[b].linear);
        if (there) ++b;
        merged.push_back({.unknown = in.unknown, .plain = false, .linear = linear});
        if (!there) column(in.unknown).push_back(r);
      }
      for (; b < before.size(); ++b) merged.push_back(before[b]);
      std::erase_if(merged, [unknown](const Occurrence& at) { return at.unknown == unknown; });
      row(r) = std::move(merged);
    }
  }

  std::vector<std::vector<Occurrence>> rows_;  // of each equation, by unknown
  std::vector<std::vector<int>> columns_;      // of each unknown: equations that are left and hold it
  std::vector<bool> used_;                     // by equation: it gives an unknown
};

}  // namespace

std::vector<ExplicitUnknown> choose_explicit(std::vector<std::vector<Occurrence>> rows, int unknowns) {
  return Elimination(std::move(rows), unknowns).run();
}

}  // namespace daedalus
