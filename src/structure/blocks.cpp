#include "structure/blocks.hpp"

#include <algorithm>

namespace daedalus {
namespace {

// R. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1 (1972), with a stack of our
// own. The graph: equation i leads to the equation that determines variable j, for each tight entry (i, j). A
// component is finished after all those that it depends on, which is the solve order.
class StrongComponents {
 public:
  StrongComponents(const TightGraph& graph, const Matching& matching)
      : graph_(graph), matching_(matching), nodes_(static_cast<std::size_t>(graph.signature.equations())) {}

  BlockTriangularForm run() {
    for (int root = 0; root < graph_.signature.equations(); ++root) {
      if (nodes_[root].number < 0) visit_from(root);
    }
    return std::move(result_);
  }

 private:
  struct Node {
    int number = -1;  // order of discovery
    int low = 0;      // the smallest number known to be reachable within the component
    int cursor = 0;
    bool open = false;  // its component is not finished
  };

  void visit_from(int root) {
    discover(root);
    while (!path_.empty()) {
      const int equation = path_.back();
      const int next = undiscovered_neighbour(equation);
      if (next >= 0) {
        discover(next);
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) lower(path_.back(), nodes_[equation].low);
      if (nodes_[equation].low == nodes_[equation].number) finish_component(equation);
    }
  }

  void discover(int equation) {
    Node& node = nodes_[equation];
    node.number = node.low = discovered_++;
    node.open = true;
    path_.push_back(equation);
    open_.push_back(equation);
  }

  int undiscovered_neighbour(int equation) {
    const auto row = graph_.signature.row(equation);
    for (int& cursor = nodes_[equation].cursor; cursor < std::ssize(row);) {
      const SignatureEntry entry = row[cursor++];
      ++result_.edge_visits;
      if (!graph_.tight(equation, entry)) continue;
      const int next = matching_.equation_of_variable[entry.variable];
      if (nodes_[next].number < 0) return next;
      if (nodes_[next].open) lower(equation, nodes_[next].number);
    }
    return -1;
  }

  void lower(int equation, int number) { nodes_[equation].low = std::min(nodes_[equation].low, number); }

  void finish_component(int first) {
    const auto begin = std::find(open_.rbegin(), open_.rend(), first).base() - 1;
    Block block;
    block.equations.assign(begin, open_.end());
    open_.erase(begin, open_.end());
    std::ranges::sort(block.equations, [&](int a, int b) {
      return graph_.c[a] != graph_.c[b] ? graph_.c[a] > graph_.c[b] : a < b;
    });
    block.variables.reserve(block.equations.size());
    for (const int equation : block.equations) {
      nodes_[equation].open = false;
      block.variables.push_back(matching_.variable_of_equation[equation]);
    }
    result_.blocks.push_back(std::move(block));
  }

  TightGraph graph_;
  const Matching& matching_;
  std::vector<Node> nodes_;
  std::vector<int> path_;
  std::vector<int> open_;
  int discovered_ = 0;
  BlockTriangularForm result_;
};

}  // namespace

BlockTriangularForm block_triangular_form(const TightGraph& graph, const Matching& matching) {
  return StrongComponents(graph, matching).run();
}

}  // namespace daedalus
