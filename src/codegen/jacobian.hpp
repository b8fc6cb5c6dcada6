// The exact sparse Jacobian of a list of expressions, from the graph: entries by reverse sweeps, a
// compressed-column pattern, and a program for the values. Entries that are constants (most of them in
// large models) are not computed.
#pragma once

#include <span>
#include <vector>

#include "codegen/program.hpp"

namespace daedalus {

// A leaf to differentiate by. Several matrices of one pattern can be made in one go, such as ∂F/∂y and
// ∂F/∂y': `part` says which one the leaf belongs to. Leaves that share a column of a part add up.
struct Independent {
  NodeId leaf;
  int column = 0;
  int part = 0;
};

struct JacobianRequest {
  std::span<const NodeId> roots;  // one a row
  std::span<const Independent> independents;
  int columns = 0;
  int parts = 1;
  int slots = 0;  // the environment, as for Program::compile
  LeafSlot slot_of;
};

struct SparseJacobianProgram {
  // The common pattern of all parts.
  std::vector<int> column_start;  // columns + 1
  std::vector<int> row;           // ascending within a column

  static SparseJacobianProgram build(ExprGraph& graph, const JacobianRequest& request);

  // values[k] belongs to row[k]; every entry is written. Parts follow one another, so that there are
  // parts * row.size() values.
  void evaluate(std::span<const double> environment, std::span<double> values,
                std::vector<double>& workspace) const;

  // The two halves of evaluate, for values that are kept from call to call: constant entries once (zero
  // elsewhere), then only those that vary.
  void fill_constants(std::span<double> values) const;
  void evaluate_varying(std::span<const double> environment, std::span<double> values,
                        std::vector<double>& workspace) const;

  [[nodiscard]] const Program& program() const { return program_; }  // a root for each entry that varies

 private:
  std::vector<double> constants_;     // for each value; 0 where it varies
  std::vector<int> varying_entries_;  // program's k-th root goes to values[varying_entries_[k]]
  Program program_;
};

}  // namespace daedalus
