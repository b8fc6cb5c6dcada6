// The exact sparse Jacobian of a list of expressions: its pattern, once, and a program for its values.
#pragma once

#include <span>
#include <vector>

#include "codegen/program.hpp"
#include "expr/graph.hpp"

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
  static SparseJacobianProgram build(ExprGraph& graph, const JacobianRequest& request);

  // The common pattern of all parts in compressed columns, rows sorted within a column.
  int rows = 0;
  int columns = 0;
  std::vector<int> column_start;  // columns + 1
  std::vector<int> row;

  [[nodiscard]] std::size_t nonzeros() const { return row.size(); }
  [[nodiscard]] std::size_t parts() const { return parts_.size(); }
  // Entries that are not constants, over all parts.
  [[nodiscard]] std::size_t varying() const { return program_.roots(); }
  [[nodiscard]] const Program& program() const { return program_; }

  // values[p] takes the nonzeros of part p, in the order of the pattern.
  void evaluate(std::span<const double> environment, std::span<const std::span<double>> values,
                std::vector<double>& workspace) const;
  // Writes only the entries that vary: for values that `evaluate` or `fill_constants` has filled before.
  void evaluate_varying(std::span<const double> environment, std::span<const std::span<double>> values,
                        std::vector<double>& workspace) const;
  // Writes the constant entries, and zeros elsewhere.
  void fill_constants(std::span<const std::span<double>> values) const;

 private:
  struct Store {
    std::int32_t source = 0;  // output of the program
    std::int32_t target = 0;  // nonzero
  };
  struct Part {
    std::vector<double> constants;  // a value a nonzero; 0 where it varies
    std::vector<Store> stores;
  };
  Program program_;
  std::vector<Part> parts_;
};

}  // namespace daedalus
