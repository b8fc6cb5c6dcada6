// Values of expressions by the graph's own interpreter: a way to them that has nothing in common with
// compiled code.
#pragma once

#include <functional>
#include <random>
#include <span>
#include <vector>

#include "support/formed.hpp"

namespace daedalus::testing {

// `slot_of`: of a leaf, in the environment.
template <class SlotOf>
double value_of(const ExprGraph& graph, NodeId node, std::span<const double> environment, SlotOf&& slot_of) {
  return evaluate(graph, node,
                  [&](NodeId leaf) { return environment[static_cast<std::size_t>(slot_of(leaf))]; });
}

inline double value_of(const CompiledModel& model, NodeId node, std::span<const double> environment) {
  return value_of(*model.dae().graph, node, environment, [&](NodeId leaf) { return model.slot(leaf); });
}

// Some numbers of size 1, the same on every machine: mt19937 is, the distributions of the library are not.
inline void scatter_numbers(std::span<double> values, unsigned seed) {
  std::mt19937 engine(seed);
  for (double& value : values) value = (2.0 * static_cast<double>(engine()) / 4294967295.0) - 1;
}

// (f(+h) - f(-h))/2h, of what `at` gives when its argument is moved by h.
inline double central_difference(const std::function<double(double)>& at, double h = 1e-5) {
  return (at(h) - at(-h)) / (2 * h);
}

}  // namespace daedalus::testing
