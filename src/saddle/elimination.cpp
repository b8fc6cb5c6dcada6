#include "saddle/elimination.hpp"

#include <cassert>

namespace daedalus {
namespace {

// target -= a b, where a missing entry is zero.
void subtract_product(ExprGraph& graph, std::map<int, NodeId>& column, int row, NodeId product) {
  const auto [place, fresh] = column.try_emplace(row, product);
  place->second = fresh ? graph.neg(product) : graph.sub(place->second, product);
}

}  // namespace

std::optional<SymbolicLdl> SymbolicLdl::factor(ExprGraph& graph, int size,
                                               std::span<const EliminationEntry> lower, std::size_t limit) {
  SymbolicLdl result;
  const auto n = static_cast<std::size_t>(size);
  const std::size_t before = graph.size();
  std::vector<Column> rest(n);  // what is left to eliminate, diagonal included
  for (const EliminationEntry& entry : lower) {
    assert(entry.row >= entry.column);
    rest[static_cast<std::size_t>(entry.column)].emplace(entry.row, entry.value);
  }
  result.columns_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const auto diagonal = rest[k].find(static_cast<int>(k));
    if (diagonal == rest[k].end() || graph.is_constant(diagonal->second, 0)) return std::nullopt;
    result.pivots_.push_back(diagonal->second);
    result.inverses_.push_back(graph.div(graph.constant(1), diagonal->second));
    rest[k].erase(diagonal);
    for (const auto& [row, value] : rest[k])
      result.columns_[k].emplace(row, graph.mul(value, result.inverses_[k]));
    for (const auto& [row, factor] : result.columns_[k]) {
      for (const auto& [column, value] : rest[k]) {
        if (column > row) break;
        subtract_product(graph, rest[static_cast<std::size_t>(column)], row, graph.mul(factor, value));
      }
      if (graph.size() - before > limit) return std::nullopt;
    }
  }
  return result;
}

std::vector<NodeId> SymbolicLdl::solve(ExprGraph& graph, std::span<const NodeId> b) const {
  std::vector<NodeId> x(b.begin(), b.end());
  for (std::size_t k = 0; k < x.size(); ++k) {
    for (const auto& [row, factor] : columns_[k]) {
      NodeId& target = x[static_cast<std::size_t>(row)];
      target = graph.sub(target, graph.mul(factor, x[k]));
    }
  }
  for (std::size_t k = x.size(); k-- > 0;) {
    x[k] = graph.mul(x[k], inverses_[k]);
    for (const auto& [row, factor] : columns_[k])
      x[k] = graph.sub(x[k], graph.mul(factor, x[static_cast<std::size_t>(row)]));
  }
  return x;
}

}  // namespace daedalus
