// Expressions written down as a list of operations on numbered values: what every back end starts from.
// Nothing of the graph is needed after this.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "expr/graph.hpp"

namespace daedalus {

// Which slot of the environment holds a leaf's value. Constants have no slot.
using LeafSlot = std::function<int(NodeId leaf)>;

struct Tape {
  struct Operation {
    Op op = Op::Constant;
    std::uint8_t arity = 0;
    std::array<std::int32_t, 3> args{-1, -1, -1};  // values
    [[nodiscard]] std::span<const std::int32_t> arguments() const { return std::span(args).first(arity); }
  };
  // Values are numbered in this order: constants, leaves, results of operations. Arguments come before their
  // users, and what belongs together stands together (depth first).
  std::vector<double> constants;
  std::vector<std::int32_t> leaf_slots;
  std::vector<Operation> operations;
  std::vector<std::int32_t> roots;         // the value of each
  std::vector<std::int32_t> destinations;  // by root: its slot among the results
  std::size_t slots = 0;                   // of the environment

  static Tape write(const ExprGraph& graph, std::span<const NodeId> roots, int slots,
                    const LeafSlot& slot_of);

  // What roots begin … end-1 need, with the same constants.
  [[nodiscard]] Tape part(std::size_t begin, std::size_t end) const;

  // All values, one after the other: for what runs a few times and is not worth a back end.
  void compute(std::span<const double> environment, std::vector<double>& all) const;

  [[nodiscard]] std::size_t first_leaf() const { return constants.size(); }
  [[nodiscard]] std::size_t first_result() const { return constants.size() + leaf_slots.size(); }
  [[nodiscard]] std::size_t values() const { return first_result() + operations.size(); }
  [[nodiscard]] bool is_constant(std::int32_t value) const {
    return static_cast<std::size_t>(value) < constants.size();
  }
  [[nodiscard]] bool is_result(std::int32_t value) const {
    return static_cast<std::size_t>(value) >= first_result();
  }
  [[nodiscard]] bool is_leaf(std::int32_t value) const { return !is_constant(value) && !is_result(value); }
  // The operation that computes a value; negative: none does.
  [[nodiscard]] std::int32_t operation_of(std::int32_t value) const {
    return value - static_cast<std::int32_t>(first_result());
  }
  [[nodiscard]] std::int32_t slot_of(std::int32_t leaf) const {
    return leaf_slots[static_cast<std::size_t>(leaf) - first_leaf()];
  }
};

}  // namespace daedalus
