// What each back end should give, to the last bit.
#pragma once

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "codegen/back_end.hpp"
#include "codegen/vector_loops.hpp"
#include "expr/graph.hpp"

namespace daedalus::test {

inline std::vector<CodegenChoice> available_choices() {
  std::vector<CodegenChoice> choices;
  for (const BackEnd& row : all_back_ends()) {
    if (row.available()) choices.push_back(row.choice);
  }
  return choices;
}

// One operation as this back end computes it. The kernels have their own sine, cosine, exponential and
// logarithm, machine code the first two of these; their accuracy is tested apart (vector_loops_test.cpp), and
// here it matters that they are applied to the right numbers.
inline double apply(CodegenChoice choice, Op op, const std::array<double, 3>& x) {
  const bool own = choice == CodegenChoice::Kernels  ? has_own_arithmetic(op)
                   : choice == CodegenChoice::Native ? op == Op::Sin || op == Op::Cos
                                                     : false;
  if (!own) return info(op).evaluate(x[0], x[1], x[2]);
  std::array<double, 2> registers{x[0], 0};
  const VectorInstruction instruction{.n = 1, .out = 1, .a = 0};
  vector_loops().operations[static_cast<std::size_t>(op)][0](
      {.registers = registers.data(), .environment = nullptr, .lists = nullptr}, instruction);
  return registers[1];
}

// The values of the roots, node by node; variable v stands in slot v.
inline std::vector<double> oracle(CodegenChoice choice, const ExprGraph& graph, std::span<const NodeId> roots,
                                  std::span<const double> environment) {
  std::unordered_map<NodeId, double> values;
  for (const NodeId id : topological_order(graph, roots)) {
    const Node& node = graph.node(id);
    std::array<double, 3> x{};
    for (std::size_t i = 0; i < node.arity; ++i) x[i] = values.at(NodeId(node.args[i]));
    values[id] = node.op == Op::Constant ? node.value
                 : node.arity == 0       ? environment[graph.variable_of(id).at()]
                                         : apply(choice, node.op, x);
  }
  std::vector<double> results;
  for (const NodeId root : roots) results.push_back(values.at(root));
  return results;
}

}  // namespace daedalus::test
