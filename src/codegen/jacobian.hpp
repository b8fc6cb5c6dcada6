// The exact sparse Jacobian of a list of expressions, from the graph: entries by reverse sweeps, a
// compressed-column pattern, and a program for the values. Entries that are constants (most of them in
// large models) are not computed.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "codegen/program.hpp"

namespace daedalus {

// Which column a leaf is, or -1: not an independent variable. Asked for Variable and Discrete leaves; those
// that share a column add up.
using LeafColumn = std::function<int(NodeId leaf)>;
// Whether the derivative of a root with respect to a leaf is wanted at all; empty: all are.
using EntryWanted = std::function<bool(std::size_t root, NodeId leaf)>;

struct SparseJacobianProgram {
  std::vector<int> column_start;  // columns + 1
  std::vector<int> row;           // ascending within a column

  static SparseJacobianProgram compile(ExprGraph& graph, std::span<const NodeId> roots, int columns,
                                       const LeafColumn& column_of, int slots, const LeafSlot& slot_of,
                                       const CodegenOptions& options = {}, const EntryWanted& wanted = {});

  // values[k] belongs to row[k]; every entry is written.
  void evaluate(std::span<const double> environment, std::span<double> values,
                std::vector<double>& workspace) const;

  // The two halves of evaluate, for values that are kept from call to call: constant entries once (zero
  // elsewhere), then only those that vary.
  void fill_constants(std::span<double> values) const;
  void evaluate_varying(std::span<const double> environment, std::span<double> values,
                        std::vector<double>& workspace) const;

  [[nodiscard]] const Program& program() const { return program_; }  // a root for each entry that varies

 private:
  std::vector<double> constants_;  // a value for each entry; 0 where it varies
  Program program_;
};

}  // namespace daedalus
