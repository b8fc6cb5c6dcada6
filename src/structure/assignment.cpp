#include "structure/assignment.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace daedalus {
namespace {

// Successive shortest augmenting paths with duals, as in Jonker and Volgenant (Computing 38, 1987), by
// Dijkstra's algorithm on the slacks v_j - u_i - σ_ij ≥ 0. What is at the current distance waits on a stack,
// not in the heap, and the first unmatched variable at the current distance ends the search: both keep
// searches local.
class ShortestPaths {
 public:
  explicit ShortestPaths(const Signature& signature)
      : signature_(signature), columns_(static_cast<std::size_t>(signature.variables)) {
    result_.matching = Matching(signature);
    result_.u.assign(static_cast<std::size_t>(signature.equations()), 0);
    result_.v.assign(static_cast<std::size_t>(signature.variables), 0);
  }

  Transversal run() {
    start_duals();
    match_tight_greedily();
    for (int equation = 0; equation < signature_.equations(); ++equation) {
      if (!result_.matching.has_variable(equation)) augment_from(equation);
    }
    return std::move(result_);
  }

 private:
  static constexpr int kFar = std::numeric_limits<int>::max();
  struct Column {
    int distance = kFar;
    int equation = -1;  // from which it was reached
    bool done = false;
  };
  using Waiting = std::pair<int, int>;  // distance, variable

  [[nodiscard]] int slack(int equation, SignatureEntry entry) const {
    return result_.v[entry.variable] - result_.u[equation] - entry.order;
  }

  // The smallest v that is feasible with u = 0, then the largest u.
  void start_duals() {
    for (const SignatureEntry entry : signature_.entries) {
      result_.v[entry.variable] = std::max(result_.v[entry.variable], entry.order);
    }
    for (int equation = 0; equation < signature_.equations(); ++equation) {
      int least = kFar;
      for (const SignatureEntry entry : signature_.row(equation))
        least = std::min(least, slack(equation, entry));
      result_.u[equation] = least;
    }
  }

  void match_tight_greedily() {
    for (int equation = 0; equation < signature_.equations(); ++equation) {
      for (const SignatureEntry entry : signature_.row(equation)) {
        ++result_.edge_visits;
        if (slack(equation, entry) != 0 || result_.matching.has_equation(entry.variable)) continue;
        result_.matching.match(equation, entry.variable);
        break;
      }
    }
  }

  void augment_from(int root) {
    int distance = 0;
    int end = scan(root, distance);
    while (end < 0) {
      const int variable = take_nearest(distance);
      columns_[variable].done = true;
      const int equation = result_.matching.equation_of_variable[variable];
      end = equation < 0 ? variable : scan(equation, distance);
    }
    update_duals(root, distance);
    flip_path(end);
    forget();
  }

  // Relaxes the entries of an equation at the given distance. Returns an unmatched variable at that very
  // distance, or -1.
  int scan(int equation, int distance) {
    for (const SignatureEntry entry : signature_.row(equation)) {
      ++result_.edge_visits;
      Column& column = columns_[entry.variable];
      const int reached = distance + slack(equation, entry);
      if (reached >= column.distance) continue;
      if (column.distance == kFar) touched_.push_back(entry.variable);
      column.distance = reached;
      column.equation = equation;
      if (reached > distance) {
        heap_.emplace(reached, entry.variable);
      } else if (!result_.matching.has_equation(entry.variable)) {
        return entry.variable;
      } else {
        here_.push_back(entry.variable);
      }
    }
    return -1;
  }

  int take_nearest(int& distance) {
    while (true) {
      if (!here_.empty()) {
        const int variable = here_.back();
        here_.pop_back();
        return variable;
      }
      // Without a way on, more equations than variables would have been reached: no perfect matching.
      assert(!heap_.empty());
      const auto [reached, variable] = heap_.top();
      heap_.pop();
      if (columns_[variable].done || columns_[variable].distance < reached) continue;
      distance = reached;
      return variable;
    }
  }

  // Raises what was reached at distance δ by distance - δ, which keeps all slacks nonnegative and makes the
  // path tight.
  void update_duals(int root, int distance) {
    result_.u[root] += distance;
    for (const int variable : touched_) {
      const Column& column = columns_[variable];
      if (!column.done) continue;
      result_.v[variable] += distance - column.distance;
      const int equation = result_.matching.equation_of_variable[variable];
      if (equation >= 0) result_.u[equation] += distance - column.distance;
    }
  }

  void flip_path(int variable) {
    while (variable >= 0) {
      const int equation = columns_[variable].equation;
      const int released = result_.matching.variable_of_equation[equation];
      result_.matching.match(equation, variable);
      variable = released;
    }
  }

  void forget() {
    for (const int variable : touched_) columns_[variable] = Column{};
    touched_.clear();
    here_.clear();
    heap_ = {};
  }

  const Signature& signature_;
  Transversal result_;
  std::vector<Column> columns_;
  std::vector<int> touched_;
  std::vector<int> here_;  // variables at the current distance
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> heap_;
};

}  // namespace

Transversal highest_value_transversal(const Signature& signature) {
  return ShortestPaths(signature).run();
}

}  // namespace daedalus
