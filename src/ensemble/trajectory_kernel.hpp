// One trajectory as straight-line expressions: what every back end of an ensemble starts from, so that the
// back ends differ in how they write these down and not in the mathematics.
//
//   rates         y' of the states behind the positions, by the written-out L D Lᵀ of [M Gᵀ; G 0]
//   projections   level by level the step -Δ that takes x^(l) to the constraints, from [1 Gᵀ; G 0]
//   regularity    of the constraints, 0 where they lose rank
//   constraints   residuals of all levels that are held, for the drift
//   outputs       in time, states and what is given
//
// All of them read one environment: time, the states, the given values (parameters that are free, inputs, and
// parameters that the initialisation determines).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/tape.hpp"
#include "integrate/erk_tableau.hpp"
#include "simulate/engine.hpp"

namespace daedalus {

struct TrajectoryKernel {
  struct Projection {
    std::vector<int> states;   // that it moves, by number
    std::vector<NodeId> step;  // by how much, to be subtracted
    bool linear = false;       // one step is enough
  };

  // Where a trajectory begins, if it follows from the values that are fixed: the others are moved by these
  // projections until all constraints hold, as many values as there are constraints at each level.
  struct Start {
    bool known = false;
    std::vector<NodeId> values;  // by state: as they are given, in given values alone
    std::vector<Projection> projections;
  };

  std::shared_ptr<const ExprGraph> graph;
  NodeId time;
  std::vector<NodeId> states;   // leaves
  std::vector<NodeId> given;    // leaves
  std::vector<double> nominal;  // by state, for the absolute tolerance
  int positions = 0;            // x' of the first so many states are the states that follow them
  std::vector<NodeId> rates;    // of the states behind those
  std::vector<Projection> projections;
  NodeId regularity;
  std::vector<NodeId> constraints;
  std::vector<NodeId> outputs;
  Start start;
  const ErkTableau* tableau = nullptr;
  bool largest_error = false;  // the norm is the largest component instead of the root mean square
  double longest_step = 0;     // 0: any

  [[nodiscard]] int size() const { return static_cast<int>(states.size()); }
  [[nodiscard]] int slots() const { return 1 + size() + static_cast<int>(given.size()); }
  // Time is at 0, then the states, then the given values.
  [[nodiscard]] int first_given() const { return 1 + size(); }
  [[nodiscard]] Tape tape(std::span<const NodeId> roots) const;
  [[nodiscard]] LeafSlot slot_of() const;
  // Operations of one evaluation of the rates.
  [[nodiscard]] std::size_t operations() const;

 private:
  friend class TrajectoryWriter;
  std::unordered_map<NodeId, int> slot_;
};

// `outputs`: signals of the engine by name, "der(x)" for a derivative. An error says in one sentence why the
// model cannot be run that way; the scalar engine then runs it.
[[nodiscard]] Result<TrajectoryKernel> trajectory_kernel(const Engine& engine,
                                                         std::span<const std::string> outputs);

}  // namespace daedalus
