// The exact sparse Jacobian of a list of expressions, from the graph: entries by gradient(), a
// compressed-column pattern, and a program for the values. Entries that are constants (most of them in
// large models) are filled once.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "codegen/program.hpp"

namespace daedalus {

// Which column a leaf is, or -1: not an independent variable. Asked for Variable and Discrete leaves.
using LeafColumn = std::function<int(NodeId leaf)>;

struct SparseJacobianProgram {
  std::vector<int> column_start;  // columns + 1
  std::vector<int> row;           // ascending within a column

  static SparseJacobianProgram compile(ExprGraph& graph, std::span<const NodeId> roots, int columns,
                                       const LeafColumn& column_of, int slots, const LeafSlot& slot_of);

  // values[k] belongs to row[k]; every entry is written.
  void evaluate(std::span<const double> environment, std::span<double> values, std::vector<double>& workspace) const;

 private:
  std::vector<int> constant_entries_;
  std::vector<double> constant_values_;
  std::vector<int> varying_entries_;  // program's k-th root goes to values[varying_entries_[k]]
  Program program_;
  mutable std::vector<double> varying_;
};

}  // namespace daedalus
