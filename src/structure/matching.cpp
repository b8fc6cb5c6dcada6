#include "structure/matching.hpp"

#include <algorithm>
#include <numeric>

namespace daedalus {

Signature without_orders(const Signature& signature) {
  Signature pattern = signature;
  for (SignatureEntry& entry : pattern.entries) entry.order = 0;
  return pattern;
}

bool Matching::perfect() const {
  const auto matched = [](int partner) { return partner >= 0; };
  return std::ranges::all_of(variable_of_equation, matched) &&
         std::ranges::all_of(equation_of_variable, matched);
}

MaximumMatching maximum_matching(const Signature& signature) {
  const Signature pattern = without_orders(signature);
  const std::vector<int> c(static_cast<std::size_t>(signature.equations()), 0);
  const std::vector<int> d(static_cast<std::size_t>(signature.variables), 0);
  MatchingSearch search({pattern, c, d});
  MaximumMatching result{Matching(signature)};
  std::vector<int> unmatched(c.size());
  std::iota(unmatched.begin(), unmatched.end(), 0);
  search.augment(result.matching, unmatched);
  result.edge_visits = search.edge_visits();
  return result;
}

MatchingSearch::MatchingSearch(const TightGraph& graph)
    : graph_(graph), nodes_(static_cast<std::size_t>(graph.signature.equations())) {}

void MatchingSearch::augment(Matching& matching, std::vector<int>& free) {
  const auto is_matched = [&](int equation) { return matching.has_variable(equation); };
  ++call_;
  for (const int equation : free) {
    const int variable = unmatched_variable(equation, matching);
    if (variable >= 0) matching.match(equation, variable);
  }
  std::erase_if(free, is_matched);
  while (!free.empty() && build_layers(matching, free)) {
    for (const Paths paths : {Paths::Shortest, Paths::Any}) {
      ++pass_;
      for (const int root : free) augment_from(root, matching, paths);
      std::erase_if(free, is_matched);
    }
  }
}

// Breadth first from all unmatched equations, up to the first layer that sees an unmatched variable. False if
// there is none: then no augmenting path exists, and by Berge's theorem the matching is maximum.
bool MatchingSearch::build_layers(const Matching& matching, const std::vector<int>& free) {
  ++layer_pass_;
  queue_ = free;
  for (const int equation : free) {
    nodes_[equation].layer_pass = layer_pass_;
    nodes_[equation].layer = 0;
  }
  bool found = false;
  int last_layer = 0;
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const int equation = queue_[head];
    const int layer = nodes_[equation].layer;
    if (found && layer > last_layer) break;
    for (const SignatureEntry entry : graph_.signature.row(equation)) {
      ++edge_visits_;
      if (!graph_.tight(equation, entry)) continue;
      const int next = matching.equation_of_variable[entry.variable];
      if (next < 0) {
        found = true;
        last_layer = layer;
      } else if (nodes_[next].layer_pass != layer_pass_) {
        nodes_[next].layer_pass = layer_pass_;
        nodes_[next].layer = layer + 1;
        queue_.push_back(next);
      }
    }
  }
  return found;
}

// Depth first along alternating paths. No equation is entered twice in a pass: from one that failed nothing
// more can be had before the next pass, and the paths of a pass share no equation.
void MatchingSearch::augment_from(int root, Matching& matching, Paths paths) {
  if (matching.has_variable(root)) return;
  path_.clear();
  enter(root);
  while (!path_.empty()) {
    const int equation = path_.back();
    const int variable = unmatched_variable(equation, matching);
    if (variable >= 0) {
      flip_path(variable, matching);
      return;
    }
    const int next = next_equation(equation, matching, paths);
    if (next >= 0) {
      enter(next);
    } else {
      path_.pop_back();
    }
  }
}

// Gives `variable` to the last equation of the path, the variable that this one had to the equation before, …
void MatchingSearch::flip_path(int variable, Matching& matching) {
  while (!path_.empty()) {
    const int equation = path_.back();
    const int released = matching.variable_of_equation[equation];
    matching.match(equation, variable);
    variable = released;
    path_.pop_back();
  }
}

void MatchingSearch::enter(int equation) {
  nodes_[equation].pass = pass_;
  nodes_[equation].cursor = 0;
  path_.push_back(equation);
}

// An unmatched variable of the equation, or -1. A variable once matched stays so within a call, hence every
// entry is looked at only once a call for this purpose.
int MatchingSearch::unmatched_variable(int equation, const Matching& matching) {
  Node& node = nodes_[equation];
  if (node.call != call_) {
    node.call = call_;
    node.lookahead = 0;
  }
  const auto row = graph_.signature.row(equation);
  while (node.lookahead < std::ssize(row)) {
    const SignatureEntry entry = row[node.lookahead++];
    ++edge_visits_;
    if (graph_.tight(equation, entry) && !matching.has_equation(entry.variable)) return entry.variable;
  }
  return -1;
}

// The equation that holds the next variable of this one and was not entered in this pass, or -1.
int MatchingSearch::next_equation(int equation, const Matching& matching, Paths paths) {
  Node& node = nodes_[equation];
  const auto row = graph_.signature.row(equation);
  while (node.cursor < std::ssize(row)) {
    const SignatureEntry entry = row[node.cursor++];
    ++edge_visits_;
    if (!graph_.tight(equation, entry)) continue;
    const int next = matching.equation_of_variable[entry.variable];
    if (next < 0 || nodes_[next].pass == pass_) continue;
    if (paths == Paths::Any) return next;
    if (nodes_[next].layer_pass == layer_pass_ && nodes_[next].layer == node.layer + 1) return next;
  }
  return -1;
}

}  // namespace daedalus
