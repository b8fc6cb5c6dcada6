#include "numerics/dependent_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "numerics/rank_policy.hpp"
#include "numerics/static_ldl.hpp"

namespace daedalus {
namespace {

// Q R = Gᵀ with the constraints in an order, column by column by rotations (George and Heath 1980). The fill
// is at most that of the elimination of G Gᵀ, and the diagonal of R is the distance of each gradient from
// those before it. R itself is not kept.
class ColumnsByRotations {
 public:
  explicit ColumnsByRotations(std::size_t columns) : beginning_(columns) {}

  // A row of Gᵀ, by column.
  void add(SparseRow row) {
    if (row.empty()) return;
    auto& alike = beginning_[static_cast<std::size_t>(row.front().first)];
    alike.push_back(std::move(row));
  }

  // Eliminates a column, which is the first that is left. False: those before it are all that there is of it,
  // but for so little.
  bool eliminate(std::size_t column, double little) {
    std::vector<SparseRow> rows = std::exchange(beginning_[column], {});
    double size = 0;
    for (const SparseRow& row : rows) size = std::hypot(size, row.front().second);
    if (size <= little) {
      for (SparseRow& row : rows) {
        row.erase(row.begin());
        add(std::move(row));
      }
      return false;
    }
    // What ends early goes on doing so, and there are never many such rows.
    std::ranges::sort(rows, {}, [](const SparseRow& row) { return std::pair(row.back().first, row.size()); });
    for (std::size_t k = 1; k < rows.size(); ++k) add(rotate(rows[0], rows[k]));
    return true;
  }

  [[nodiscard]] std::size_t work() const { return work_; }  // entries that were rotated

 private:
  // Of two rows that begin alike: the first takes all of the beginning, and what is left of the other
  // returns.
  SparseRow rotate(SparseRow& above, const SparseRow& row) {
    const double size = std::hypot(above.front().second, row.front().second);
    const double c = size > 0 ? above.front().second / size : 1;
    const double s = size > 0 ? row.front().second / size : 0;
    above_.clear();
    SparseRow rest;
    std::size_t a = 0;
    std::size_t b = 0;
    while (a < above.size() || b < row.size()) {
      const int column_a = a < above.size() ? above[a].first : std::numeric_limits<int>::max();
      const int column_b = b < row.size() ? row[b].first : std::numeric_limits<int>::max();
      const int column = std::min(column_a, column_b);
      const double x = column_a == column ? above[a++].second : 0;
      const double y = column_b == column ? row[b++].second : 0;
      above_.emplace_back(column, c * x + s * y);
      if (column != above_.front().first) rest.emplace_back(column, c * y - s * x);
    }
    work_ += above_.size();
    std::swap(above, above_);
    return rest;
  }

  std::vector<std::vector<SparseRow>> beginning_;  // by column: what begins with it
  SparseRow above_;
  std::size_t work_ = 0;
};

// The rows of G that depend on those before them in an order; nothing where that is more work.
std::optional<std::vector<int>> dependent_rows(const std::vector<SparseRow>& rows, int columns,
                                               std::span<const int> order, std::size_t most_work) {
  std::vector<SparseRow> transposed(static_cast<std::size_t>(columns));
  std::vector<double> size(rows.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (const auto& [column, value] : rows[static_cast<std::size_t>(order[k])]) {
      transposed[static_cast<std::size_t>(column)].emplace_back(static_cast<int>(k), value);
      size[k] = std::hypot(size[k], value);
    }
  }
  ColumnsByRotations gradients(rows.size());
  for (SparseRow& row : transposed) gradients.add(std::move(row));
  std::vector<int> found;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (!gradients.eliminate(k, RankPolicy::gradient * size[k])) found.push_back(order[k]);
    if (gradients.work() > most_work) return std::nullopt;
  }
  std::ranges::sort(found);
  return found;
}

// That of an elimination of G Gᵀ with little fill.
std::vector<int> order_of_little_fill(const std::vector<SparseRow>& rows, int columns) {
  std::vector<std::vector<int>> saddle(static_cast<std::size_t>(columns) + rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t place = static_cast<std::size_t>(columns) + i;
    for (const auto& [column, value] : rows[i]) {
      saddle[static_cast<std::size_t>(column)].push_back(static_cast<int>(place));
      saddle[place].push_back(column);
    }
  }
  std::vector<int> order = saddle_order(pattern_of(saddle), columns);
  std::erase_if(order, [&](int k) { return k < columns; });
  for (int& k : order) k -= columns;
  return order;
}

}  // namespace

std::vector<int> dependent_rows(const std::vector<SparseRow>& rows, int columns) {
  constexpr std::size_t much_work = 100;  // for an entry
  std::size_t entries = 0;
  for (const SparseRow& row : rows) entries += row.size();
  std::vector<int> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  if (auto found = dependent_rows(rows, columns, order, much_work * entries)) return *found;
  constexpr auto any = std::numeric_limits<std::size_t>::max();
  return *dependent_rows(rows, columns, order_of_little_fill(rows, columns), any);
}

}  // namespace daedalus
