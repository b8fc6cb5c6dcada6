// Graphs in which the same thing occurs many times, as in models.
#pragma once

#include <vector>

#include "expr/graph.hpp"
#include "expr/random_graph.hpp"

namespace daedalus::test {

// A chain of n links. Link i has the variables 3 i … 3 i + 2 and two equations, which use a value that is
// computed from the link before: 9 operations a link, two of them functions.
inline std::vector<NodeId> chain(ExprGraph& g, int n) {
  std::vector<NodeId> roots;
  const auto v = [&](int link, int k) { return g.variable(VariableId(3 * link + k)); };
  NodeId before = g.constant(0.25);
  for (int i = 0; i < n; ++i) {
    const NodeId end = g.add(v(i, 0), g.mul(g.constant(0.4 + 0.25 * (i % 7)), g.apply(Op::Cos, v(i, 1))));
    roots.push_back(g.sub(g.mul(end, end), before));
    roots.push_back(
        g.add(g.mul(g.apply(Op::Sin, v(i, 1)), v(i, 2)), g.sub(before, v(i + 1 < n ? i + 1 : 0, 2))));
    before = end;
  }
  return roots;
}

// `copies` of one random list of operations, applied to the variables 4 i … 4 i + 3 and to some results of
// the copy before.
inline std::vector<NodeId> copies(ExprGraph& g, Random& random, const DrawOptions& options, int count) {
  const std::vector<Drawn> list = draw(random, options);
  const std::size_t shared =
      random.below(list.size());  // the entry that the next copy uses in place of its first variable
  const bool linked = random.below(2) == 0;
  std::vector<NodeId> roots, last;
  for (int i = 0; i < count; ++i) {
    std::vector<NodeId> nodes;
    for (const Drawn& drawn : list) {
      const auto arg = [&](std::size_t k) { return nodes[drawn.args[k]]; };
      if (drawn.op == Op::Constant) {
        nodes.push_back(g.constant(drawn.value));
      } else if (drawn.op == Op::Variable) {
        const bool from_last = linked && drawn.leaf == 0 && i % 5 != 0;
        nodes.push_back(from_last ? last[shared]
                                  : g.variable(VariableId(options.variables * i + drawn.leaf)));
      } else {
        nodes.push_back(drawn.args.size() == 1   ? g.apply(drawn.op, arg(0))
                        : drawn.args.size() == 2 ? g.apply(drawn.op, arg(0), arg(1))
                                                 : g.apply(drawn.op, arg(0), arg(1), arg(2)));
      }
    }
    for (int k = 0; k < 3; ++k) roots.push_back(nodes[nodes.size() - 1 - static_cast<std::size_t>(k)]);
    last = std::move(nodes);
  }
  return roots;
}

}  // namespace daedalus::test
