// Cuts a tape into clusters, and finds those that differ only in what they are applied to.
//
// A cluster is the tree of operations below a value that somebody else needs: a root, a value with several
// users, or a value to or from an elementary function. Each operation is in one cluster, so what is shared is
// computed once. The shape of a cluster is its operations and the pattern in which its inputs occur; n rods
// are n clusters of each of a few shapes. Sine and cosine of one argument are one cluster of two results;
// other functions are alone in theirs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/tape.hpp"

namespace daedalus {

struct Cluster {
  std::uint32_t shape = 0;
  std::uint64_t role = 0;  // equal for clusters of one shape whose surroundings are alike
  std::uint32_t first_operation = 0;
  std::uint32_t operations = 0;  // arguments before users, so the last one's result is the cluster's
  std::uint32_t first_input = 0;
  std::uint32_t inputs = 0;  // values, each once
};

// The operations of a cluster as a stack machine's code: for each its kind, then for each argument the number
// of an input, or `inner`: a result on the stack, the last argument's on top.
struct Shape {
  static constexpr std::uint8_t inner = 0xff;
  std::uint32_t first_code = 0;
  std::uint32_t code_size = 0;
  bool is_pair = false;  // sine and cosine: two results
};

struct Clusters {
  std::vector<Cluster> list;             // those of arguments before those of users
  std::vector<std::int32_t> operations;  // of the tape
  std::vector<std::int32_t> inputs;      // values
  std::vector<Shape> shapes;
  std::vector<std::uint8_t> codes;

  static Clusters find(const Tape& tape);

  [[nodiscard]] std::span<const std::int32_t> operations_of(const Cluster& c) const {
    return std::span(operations).subspan(c.first_operation, c.operations);
  }
  [[nodiscard]] std::span<const std::int32_t> inputs_of(const Cluster& c) const {
    return std::span(inputs).subspan(c.first_input, c.inputs);
  }
  [[nodiscard]] std::span<const std::uint8_t> code_of(const Shape& s) const {
    return std::span(codes).subspan(s.first_code, s.code_size);
  }
  // The operations whose results others may need.
  [[nodiscard]] std::span<const std::int32_t> results_of(const Cluster& c) const {
    return operations_of(c).last(shapes[c.shape].is_pair ? 2 : 1);
  }
};

// Elementary functions: those that no processor does itself.
[[nodiscard]] bool is_elementary_function(Op op);

}  // namespace daedalus
