#include "saddle/condensation.hpp"

#include <algorithm>
#include <cassert>
#include <unordered_set>

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// So many operations for an unknown are many, where more than some unknowns are taken out and little is
// saved.
constexpr std::size_t many_operations = 12;
constexpr std::size_t some_unknowns = 1000;
constexpr double little = 0.125;

// A symmetric matrix by rows, both triangles; rows are short.
class Rows {
 public:
  using Row = std::vector<std::pair<int, NodeId>>;

  Rows(int size, std::span<const EliminationEntry> lower) : rows_(at(size)), diagonal_(at(size)) {
    for (const EliminationEntry& entry : lower) {
      assert(entry.row >= entry.column);
      if (entry.row == entry.column) {
        diagonal_[at(entry.row)] = entry.value;
      } else {
        rows_[at(entry.row)].emplace_back(entry.column, entry.value);
        rows_[at(entry.column)].emplace_back(entry.row, entry.value);
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] NodeId diagonal(int i) const { return diagonal_[at(i)]; }  // not valid: zero
  [[nodiscard]] const Row& row(int i) const { return rows_[at(i)]; }

  // Row and column k as they are, and out of the matrix.
  [[nodiscard]] Row take(int k) {
    Row row = std::move(rows_[at(k)]);
    rows_[at(k)].clear();
    for (const auto& [i, value] : row)
      std::erase_if(rows_[at(i)], [k](const auto& e) { return e.first == k; });
    return row;
  }

  // What the entry is then.
  NodeId subtract(ExprGraph& graph, int i, int j, NodeId product) {
    if (graph.is_constant(product, 0)) return product;
    NodeId& value = i == j ? diagonal_[at(i)] : entry(i, j);
    value = value.valid() ? graph.sub(value, product) : graph.neg(product);
    if (i != j) entry(j, i) = value;
    return value;
  }

 private:
  NodeId& entry(int i, int j) {
    Row& row = rows_[at(i)];
    const auto found = std::ranges::find(row, j, &Row::value_type::first);
    return found != row.end() ? found->second : row.emplace_back(j, NodeId()).second;
  }

  std::vector<Row> rows_;
  std::vector<NodeId> diagonal_;
};

void list_rest(const Rows& rows, Condensation& result) {
  std::vector<int> place(rows.size(), -1);
  for (std::size_t k = 0; k < result.left.size(); ++k) place[at(result.left[k])] = static_cast<int>(k);
  for (std::size_t k = 0; k < result.left.size(); ++k) {
    const int row = static_cast<int>(k);
    const int i = result.left[k];
    for (const auto& [j, value] : rows.row(i)) {
      if (place[at(j)] < row) result.lower.push_back({.row = row, .column = place[at(j)], .value = value});
    }
    if (rows.diagonal(i).valid())
      result.lower.push_back({.row = row, .column = row, .value = rows.diagonal(i)});
  }
}

}  // namespace

std::optional<Condensation> condense(ExprGraph& graph, int size, std::span<const EliminationEntry> lower,
                                     std::span<const NodeId> rhs, int first,
                                     const CondensationLimits& limits) {
  Condensation result;
  Rows rows(size, lower);
  std::vector<NodeId> b(rhs.begin(), rhs.end());
  const auto fits = [&](int k) {
    const NodeId pivot = rows.diagonal(k);
    const bool number = pivot.valid() && graph.is_constant(pivot) && graph.node(pivot).value > 0;
    return k < first && number && rows.row(k).size() <= limits.widest;
  };
  int fitting = 0;
  for (int k = 0; k < first; ++k) fitting += fits(k) ? 1 : 0;
  if (2 * fitting < first) return std::nullopt;
  std::unordered_set<NodeId> made;  // all that is computed
  for (int k = 0; k < size; ++k) {
    if (!fits(k)) {
      result.left.push_back(k);
      continue;
    }
    const double inverse = 1 / graph.node(rows.diagonal(k)).value;
    Rows::Row row = rows.take(k);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const NodeId factor = graph.mul(graph.constant(inverse), row[i].second);
      for (std::size_t j = 0; j <= i; ++j) {
        const NodeId product = graph.mul(factor, row[j].second);
        made.insert(product);
        made.insert(rows.subtract(graph, row[i].first, row[j].first, product));
      }
      NodeId& target = b[at(row[i].first)];
      target = graph.sub(target, graph.mul(factor, b[at(k)]));
    }
    for (const auto& [i, entry] : row) made.insert(b[at(i)]);
    const bool many =
        result.taken.size() > some_unknowns && made.size() > many_operations * result.taken.size();
    if (many && limits.saved < little) return std::nullopt;
    result.taken.push_back({.unknown = k, .inverse = inverse, .rhs = b[at(k)], .factors = std::move(row)});
  }
  list_rest(rows, result);
  for (const int k : result.left) result.rhs.push_back(b[at(k)]);
  return result;
}

}  // namespace daedalus
