// Values of expressions at sample points: what the analysis asks of numbers before any code is made.
#pragma once

#include <random>
#include <vector>

#include "expr/traverse.hpp"
#include "model/dae_system.hpp"

namespace daedalus {

// What a point decides by itself: everything by its values, or which branch is taken by a throw of the dice.
// Values alone may never come to the branch in which an unknown counts (max(x - 10, 0) near 0).
enum class Branches { ByValue, Random };

// A value, and how far rounding may have moved it.
struct RoundedValue {
  double value = 0;
  double error = 0;
  // Nothing but rounding: not to be told from zero.
  [[nodiscard]] bool vanishes() const;
};

// A point: start values, optionally shaken so that accidental zeros do not hide the generic rank.
class SamplePoint {
 public:
  // shake = 0: start values; otherwise start + shake * scale * N(0, 1), reproducible by `seed`, where the
  // scale of a variable is its nominal value, or else its start value if that is not zero. Booleans and, with
  // random branches, relations, comparisons and signs are shaken too (any mode of a hybrid model).
  SamplePoint(const DaeSystem& system, double shake, unsigned seed, Branches branches = Branches::ByValue);

  [[nodiscard]] double leaf(NodeId id) const;
  // Values of the roots, computed together.
  [[nodiscard]] std::vector<double> evaluate(const std::vector<NodeId>& roots) const;
  // The same with a walk over the roots made before, and with bounds of the rounding errors: one walk serves
  // many points.
  [[nodiscard]] std::vector<RoundedValue> evaluate(const std::vector<NodeId>& roots,
                                                   const Traversal& below) const;

 private:
  [[nodiscard]] double scale(std::int32_t variable) const;
  [[nodiscard]] double comparison(const Node& node, double a, double b) const;

  const DaeSystem* system_;
  double shake_;
  unsigned seed_;
  Branches branches_;
};

// Whether the values below depend on a branch that is taken.
[[nodiscard]] bool has_branches(const ExprGraph& graph, const Traversal& below);

}  // namespace daedalus
