// The interpreter: a list of expressions compiled to a program that evaluates them all at once. It is
// the oracle of every other back end.
//
// Operations are sorted by level (the longest path from a leaf) and, within a level, grouped by kind; one
// group is a tight loop over index lists: out[i] = a[i] op b[i]. No branch an operation, no allocation.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "expr/graph.hpp"

namespace daedalus {

// Which slot of the environment holds a leaf's value. Constants have no slot.
using LeafSlot = std::function<int(NodeId leaf)>;

class Program {
 public:
  Program() = default;

  // Compiles the roots. `slots` is the size of the environment; slot_of gives every leaf's place in it.
  static Program compile(const ExprGraph& graph, std::span<const NodeId> roots, int slots, const LeafSlot& slot_of);

  // results[k] = value of roots[k]. `environment` has `slots` values. `workspace` is resized on first use
  // and holds nothing between calls that matters; one a thread.
  void evaluate(std::span<const double> environment, std::span<double> results, std::vector<double>& workspace) const;

  [[nodiscard]] std::size_t operations() const;  // without leaves and constants
  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  [[nodiscard]] std::size_t roots() const { return outputs_.size(); }

 private:
  struct Group {
    Op op = Op::Add;
    std::uint32_t begin = 0;  // into targets_ (one operation after another)
    std::uint32_t end = 0;
  };
  int slots_ = 0;
  std::size_t registers_ = 0;  // environment, constants, results of operations
  std::vector<double> constants_;
  std::vector<Group> groups_;
  std::vector<std::int32_t> a_, b_, c_;     // register numbers of arguments; result registers are consecutive
  std::vector<std::int32_t> outputs_;       // register of each root
};

}  // namespace daedalus
