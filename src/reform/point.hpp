// Values of expressions at sample points: what the analysis asks of numbers before any code is made.
#pragma once

#include <random>
#include <vector>

#include "expr/traverse.hpp"
#include "model/dae_system.hpp"

namespace daedalus {

// A point: start values, optionally shaken so that accidental zeros do not hide the generic rank.
class SamplePoint {
 public:
  // shake = 0: start values; otherwise start + shake * scale * N(0, 1) and random truth values of
  // relations and Booleans (any mode of a hybrid model), reproducible by `seed`.
  SamplePoint(const DaeSystem& system, double shake, unsigned seed);

  [[nodiscard]] double leaf(NodeId id) const;
  // Values of the roots, computed together.
  [[nodiscard]] std::vector<double> evaluate(const std::vector<NodeId>& roots) const;
  // The same with a walk over the roots made before; one serves many points.
  [[nodiscard]] std::vector<double> evaluate(const std::vector<NodeId>& roots, const Traversal& below) const;

 private:
  const DaeSystem* system_;
  double shake_;
  unsigned seed_;
};

}  // namespace daedalus
