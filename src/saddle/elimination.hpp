// A symmetric linear system of expressions solved by expressions: L D Lᵀ in a given order, without pivoting.
// What comes out is straight-line code, the fastest there is for small systems; whoever uses it knows that
// the leading minors in this order are not zero (as for [M Gᵀ; G 0] with M positive definite and its rows
// first).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "expr/graph.hpp"

namespace daedalus {

struct EliminationEntry {
  int row = 0;
  int column = 0;
  NodeId value;
};

class SymbolicLdl {
 public:
  // `lower`: the entries with row ≥ column of a matrix whose rows are in the order of elimination, each once.
  // Nothing when the code would have more than `limit` operations, or when a pivot is zero by structure.
  [[nodiscard]] static std::optional<SymbolicLdl> factor(ExprGraph& graph, int size,
                                                         std::span<const EliminationEntry> lower,
                                                         std::size_t limit);

  // The x of A x = b.
  [[nodiscard]] std::vector<NodeId> solve(ExprGraph& graph, std::span<const NodeId> b) const;
  // D.
  [[nodiscard]] std::span<const NodeId> pivots() const { return pivots_; }

 private:
  using Column = std::map<int, NodeId>;  // below the diagonal, by row
  std::vector<Column> columns_;          // of L
  std::vector<NodeId> pivots_;
  std::vector<NodeId> inverses_;  // 1/D
};

}  // namespace daedalus
