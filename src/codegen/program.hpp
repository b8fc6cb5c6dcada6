// The interpreter: a list of expressions compiled to a program that evaluates them all at once. It is
// the oracle of every other back end.
//
// Operations are ordered so that those of one kind stand together; one group is a tight loop over index
// lists: out[i] = a[i] op b[i]. No branch an operation, no allocation. Both branches of an if-expression are
// computed and one is chosen, so that a branch not taken may be NaN without harm.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "codegen/kernels.hpp"
#include "expr/graph.hpp"

namespace daedalus {

// Which slot of the environment holds a leaf's value. Constants have no slot.
using LeafSlot = std::function<int(NodeId leaf)>;

class Program {
 public:
  Program() = default;

  // Compiles the roots. `slots` is the size of the environment; slot_of gives every leaf's place in it.
  static Program compile(const ExprGraph& graph, std::span<const NodeId> roots, int slots,
                         const LeafSlot& slot_of);

  // results[k] = value of roots[k]. `environment` has `slots` values. `workspace` is resized on first use
  // and holds nothing between calls that matters; one a thread. It may serve several programs in turn, at
  // the cost of laying out the constants again whenever the program changes; do not write to it.
  void evaluate(std::span<const double> environment, std::span<double> results,
                std::vector<double>& workspace) const;

  // The same without copying the results out: the value of roots[k] is registers[outputs()[k]].
  const double* run(std::span<const double> environment, std::vector<double>& workspace) const;
  [[nodiscard]] std::span<const std::int32_t> outputs() const { return outputs_; }

  [[nodiscard]] std::size_t operations() const { return operations_; }  // without leaves and constants
  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  [[nodiscard]] std::size_t roots() const { return outputs_.size(); }

 private:
  friend class ProgramCompiler;

  struct Group {
    Kernel kernel = nullptr;
    std::uint32_t count = 0;
    std::uint16_t arguments = 0;  // of one call: how many registers it reads and writes
    std::uint16_t results = 0;
  };
  // Registers: [leaves | constants | results of operations], those of a group one after another.
  std::uint64_t id_ = 0;  // of this program among all, so that a workspace can tell whose constants it holds
  std::size_t slots_ = 0;
  std::vector<std::int32_t> leaf_slots_;  // slot of each leaf; empty: the leaves are the whole environment
  std::size_t leaves_ = 0;
  std::size_t operations_ = 0;
  std::vector<double> constants_;
  std::vector<Group> groups_;
  std::vector<std::int32_t> arguments_;  // for each group its first arguments, its second, its third
  std::vector<std::int32_t> outputs_;    // register of each root
};

}  // namespace daedalus
