// The plan of one piece of a tape for class kernels: which clusters are computed side by side, in which
// order, and in which order the leaves that they need are to lie.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/clusters.hpp"
#include "codegen/tape.hpp"
#include "codegen/wave_schedule.hpp"

namespace daedalus {

struct KernelPlan {
  // Clusters of one shape side by side, or single operations of one kind one after another.
  struct Step {
    bool is_serial = false;
    std::vector<std::uint32_t> members;  // numbers of clusters; of operations if it is serial
  };
  std::vector<Step> steps;
  std::vector<std::int32_t> leaves;  // values, in an order in which steps find many of them side by side
};

class KernelPlanner {
 public:
  KernelPlanner(const Tape& tape, const Clusters& clusters);

  // Clusters begin … end-1. To be called for one piece after another.
  [[nodiscard]] KernelPlan plan(std::size_t begin, std::size_t end);

 private:
  // A cluster, or one operation of a cluster that is taken apart.
  struct Unit {
    std::uint32_t cluster = 0;
    std::int32_t operation = -1;
  };

  [[nodiscard]] const Cluster& cluster(std::uint32_t c) const { return clusters_.list[c]; }
  [[nodiscard]] const Tape::Operation& operation(std::int32_t k) const {
    return tape_.operations[static_cast<std::size_t>(k)];
  }
  [[nodiscard]] std::span<const std::int32_t> inputs_of(const Unit& unit) const;
  [[nodiscard]] bool is_function(std::uint32_t shape) const;
  void choose_kinds(std::size_t begin, std::size_t end);
  [[nodiscard]] bool take_short_apart(std::span<const Wave> waves);
  void list_units(std::size_t begin, std::size_t end);
  [[nodiscard]] WaveProblem dependences() const;
  [[nodiscard]] std::vector<std::uint32_t> in_order(std::span<const std::uint32_t> units) const;
  void ask_for_inputs(std::span<const std::uint32_t> members, KernelPlan& plan);
  void ask_for(std::int32_t value, KernelPlan& plan);
  [[nodiscard]] std::uint64_t asked(std::int32_t value) const {
    return asked_[static_cast<std::size_t>(value)];
  }
  [[nodiscard]] std::uint64_t asked_for_results(std::uint32_t c) const;

  const Tape& tape_;
  const Clusters& clusters_;
  std::vector<std::uint32_t> kind_of_shape_;  // in the piece at hand; 0: is taken apart
  std::uint32_t kinds_ = 0;
  std::vector<Unit> units_;
  std::vector<std::uint32_t> unit_of_;   // by operation: the unit of which it is a result
  std::vector<std::uint32_t> piece_of_;  // by operation: when unit_of_ was written
  std::uint32_t piece_ = 0;
  // By value: when it was first asked for, counted over all pieces.
  std::vector<std::uint64_t> asked_;
  std::uint64_t clock_ = 0;
  std::uint64_t piece_began_ = 0;
};

}  // namespace daedalus
