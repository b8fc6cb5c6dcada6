#include "numerics/elimination.hpp"

#include <algorithm>

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Columns of L that are eliminated together: each has the rows of the one before it, which is the first of
// them. What depends on one of them depends on all.
class ColumnGroups {
 public:
  explicit ColumnGroups(const FilledPattern& l) : weight_(l.parent.size(), 1) {
    const std::size_t n = l.parent.size();
    for (std::size_t k = 0; k < n; ++k) {
      if (l.parent[k] >= 0) weight_[at(l.parent[k])] += weight_[k];
    }
    const std::vector<int> before = columns_before(l);
    std::vector<int> group(n);  // by column
    for (std::size_t k = 0; k < n; ++k) {
      if (before[k] < 0) columns_.emplace_back();
      group[k] = before[k] < 0 ? static_cast<int>(columns_.size()) - 1 : group[at(before[k])];
      columns_[at(group[k])].push_back(static_cast<int>(k));
    }
    for (const std::vector<int>& columns : columns_) {
      const int parent = l.parent[at(columns.back())];
      parent_.push_back(parent < 0 ? -1 : group[at(parent)]);
    }
  }

  // Parents after their children, of these the heaviest first, so that the others are near their parent: an
  // iterative walk from each root.
  [[nodiscard]] std::vector<int> postorder() const {
    std::vector<std::vector<int>> children(columns_.size());
    std::vector<int> result;
    std::vector<int> stack;  // of groups; negative: their children are done
    for (std::size_t g = 0; g < columns_.size(); ++g) {
      if (parent_[g] >= 0) children[at(parent_[g])].push_back(static_cast<int>(g));
    }
    for (std::size_t root = 0; root < columns_.size(); ++root) {
      if (parent_[root] < 0) stack.push_back(static_cast<int>(root));
      while (!stack.empty()) {
        const int top = stack.back();
        stack.pop_back();
        if (top < 0) {
          const std::vector<int>& columns = columns_[at(~top)];
          result.insert(result.end(), columns.begin(), columns.end());
          continue;
        }
        stack.push_back(~top);
        push_children(children[at(top)], stack);
      }
    }
    return result;
  }

 private:
  // By column: which one it follows in its group; -1: none. Of several the one with most below it.
  [[nodiscard]] std::vector<int> columns_before(const FilledPattern& l) const {
    const auto count = [&](std::size_t k) { return l.column_start[k + 1] - l.column_start[k]; };
    std::vector<int> before(l.parent.size(), -1);
    for (std::size_t k = 0; k < before.size(); ++k) {
      if (l.parent[k] < 0 || count(k) != count(at(l.parent[k])) + 1) continue;
      int& known = before[at(l.parent[k])];
      if (known < 0 || weight_[k] >= weight_[at(known)]) known = static_cast<int>(k);
    }
    return before;
  }

  [[nodiscard]] int weight(int group) const { return weight_[at(columns_[at(group)].back())]; }

  // What is pushed last is visited first.
  void push_children(const std::vector<int>& children, std::vector<int>& stack) const {
    if (children.empty()) return;
    const int heaviest = *std::ranges::max_element(children, {}, [this](int g) { return weight(g); });
    for (std::size_t c = children.size(); c-- > 0;) {
      if (children[c] != heaviest) stack.push_back(children[c]);
    }
    stack.push_back(heaviest);
  }

  std::vector<int> weight_;                // by column: it, and all that it depends on
  std::vector<std::vector<int>> columns_;  // by group
  std::vector<int> parent_;                // by group
};

}  // namespace

std::vector<int> inverse_permutation(std::span<const int> order) {
  std::vector<int> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) position[at(order[k])] = static_cast<int>(k);
  return position;
}

LowerPattern lower_pattern(const SparsePattern& pattern, std::span<const int> order) {
  const std::vector<int> position = inverse_permutation(order);
  LowerPattern lower{.start = {0}, .entry = {}};
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto column = at(order[k]);
    for (int p = pattern.column_start[column]; p < pattern.column_start[column + 1]; ++p) {
      const int row = position[at(pattern.row[at(p)])];
      if (row <= static_cast<int>(k)) lower.entry.push_back(row);
    }
    lower.start.push_back(static_cast<int>(lower.entry.size()));
  }
  return lower;
}

// Row k of L is what can be reached from the entries of row k in the elimination tree (§4.2).
FilledPattern fill_in(std::span<const int> start, std::span<const int> entry) {
  const std::size_t n = start.size() - 1;
  FilledPattern result;
  result.parent.assign(n, -1);
  std::vector<int>& parent = result.parent;
  std::vector<int> mark(n, -1);
  std::vector<int> counts(n, 0);
  result.line_start = {0};
  for (std::size_t k = 0; k < n; ++k) {
    mark[k] = static_cast<int>(k);
    const auto begin = result.line_column.size();
    for (int p = start[k]; p < start[k + 1]; ++p) {
      for (int i = entry[at(p)]; mark[at(i)] != static_cast<int>(k); i = parent[at(i)]) {
        if (parent[at(i)] < 0) parent[at(i)] = static_cast<int>(k);
        result.line_column.push_back(i);
        ++counts[at(i)];
        mark[at(i)] = static_cast<int>(k);
      }
    }
    std::sort(result.line_column.begin() + static_cast<std::ptrdiff_t>(begin), result.line_column.end());
    result.line_start.push_back(static_cast<int>(result.line_column.size()));
  }
  result.column_start.assign(n + 1, 0);
  for (std::size_t k = 0; k < n; ++k) result.column_start[k + 1] = result.column_start[k] + counts[k];
  std::vector<int> next(result.column_start.begin(), result.column_start.end() - 1);
  result.row.resize(result.line_column.size());
  result.line_place.resize(result.line_column.size());
  for (std::size_t k = 0; k < n; ++k) {
    for (int r = result.line_start[k]; r < result.line_start[k + 1]; ++r) {
      const int place = next[at(result.line_column[at(r)])]++;
      result.line_place[at(r)] = place;
      result.row[at(place)] = static_cast<int>(k);
    }
  }
  return result;
}

std::vector<int> neighbours_together(const SparsePattern& pattern, std::span<const int> order) {
  const LowerPattern lower = lower_pattern(pattern, order);
  std::vector<int> result;
  for (const int k : ColumnGroups(fill_in(lower.start, lower.entry)).postorder())
    result.push_back(order[at(k)]);
  return result;
}

}  // namespace daedalus
