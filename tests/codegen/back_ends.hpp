// What each back end should give, to the last bit.
#pragma once

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "codegen/angles.hpp"
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

// The kernels have their own sine, cosine, exponential and logarithm, whose accuracy is tested apart
// (vector_loops_test.cpp); here it matters that they are applied to the right numbers.
inline double vector_value(Op op, double x) {
  std::array<double, 2> registers{x, 0};
  const VectorInstruction instruction{.n = 1, .out = 1, .a = 0};
  vector_loops().operations[static_cast<std::size_t>(op)][0](
      {.registers = registers.data(), .environment = nullptr, .lists = nullptr}, instruction);
  return registers[1];
}

// Machine code computes some sines and cosines in rows by the same arithmetic: which of them, its tape tells.
inline std::vector<double> native_oracle(const ExprGraph& graph, std::span<const NodeId> roots,
                                         std::span<const double> environment) {
  const Tape tape = Tape::write(graph, roots, static_cast<int>(environment.size()),
                                [&](NodeId leaf) { return graph.variable_of(leaf).value; });
  std::vector<bool> in_a_row(tape.values(), false);
  for (const std::int32_t angle : angles_in_a_row(tape)) in_a_row[static_cast<std::size_t>(angle)] = true;
  std::vector<double> values = tape.constants;
  for (const std::int32_t slot : tape.leaf_slots)
    values.push_back(environment[static_cast<std::size_t>(slot)]);
  for (const Tape::Operation& operation : tape.operations) {
    std::array<double, 3> x{};
    for (std::size_t i = 0; i < operation.arity; ++i)
      x[i] = values[static_cast<std::size_t>(operation.args[i])];
    const bool own = (operation.op == Op::Sin || operation.op == Op::Cos) &&
                     in_a_row[static_cast<std::size_t>(operation.args[0])];
    values.push_back(own ? vector_value(operation.op, x[0]) : info(operation.op).evaluate(x[0], x[1], x[2]));
  }
  std::vector<double> results;
  for (const std::int32_t root : tape.roots) results.push_back(values[static_cast<std::size_t>(root)]);
  return results;
}

// The values of the roots, node by node; variable v stands in slot v.
inline std::vector<double> oracle(CodegenChoice choice, const ExprGraph& graph, std::span<const NodeId> roots,
                                  std::span<const double> environment) {
  if (choice == CodegenChoice::Native) return native_oracle(graph, roots, environment);
  std::unordered_map<NodeId, double> values;
  for (const NodeId id : topological_order(graph, roots)) {
    const Node& node = graph.node(id);
    std::array<double, 3> x{};
    for (std::size_t i = 0; i < node.arity; ++i) x[i] = values.at(NodeId(node.args[i]));
    const bool own = choice == CodegenChoice::Kernels && has_own_arithmetic(node.op);
    values[id] = node.op == Op::Constant ? node.value
                 : node.arity == 0       ? environment[graph.variable_of(id).at()]
                 : own                   ? vector_value(node.op, x[0])
                                         : info(node.op).evaluate(x[0], x[1], x[2]);
  }
  std::vector<double> results;
  for (const NodeId root : roots) results.push_back(values.at(root));
  return results;
}

}  // namespace daedalus::test
