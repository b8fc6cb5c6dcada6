#include "structure/pantelides.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <numeric>

namespace daedalus {
namespace {

// Pantelides takes one equation at a time: he looks for an augmenting path among the highest derivatives, and
// if there is none differentiates every equation that the search has coloured, once, and looks again. Done
// literally this costs O(n²) on long chains. Two facts make it near-linear and change nothing in the result.
//
// First, all unmatched equations may be searched from at once. If the matching is maximum, every coloured
// variable is matched, and each coloured equation must be differentiated at least once more, in whatever
// order one proceeds. Proof: let c* ≥ c, d* ≥ d be offsets that admit a perfect matching, S the coloured
// equations with c*_i = c_i, T the coloured variables with d*_j = d_j. The present matching maps T into S,
// the perfect one S into T, so S = match(T), which holds no unmatched equation. A coloured equation p outside
// S has no tight entry in T, because d*_j ≥ σ_pj + c*_p > σ_pj + c_p = d_j. So no path from an unmatched
// equation enters S, and since paths reach all that is coloured, S is empty.
//
// Second, differentiation leaves the coloured part as it is: its tight entries stay tight, new ones only lead
// out of it. So nothing need be coloured again: an entry with slack s = d_j - c_i - σ_ij, of an equation that
// was coloured after τ differentiations, becomes tight after τ + s.
//
// A round colours until an unmatched variable is reached, and then augments as often as it can. Each round
// differentiates each equation that is still unmatched at least once, so there are at most max c_i rounds.
class Pantelides {
 public:
  explicit Pantelides(const Signature& signature)
      : signature_(signature),
        equation_time_(static_cast<std::size_t>(signature.equations()), kNever),
        variable_time_(static_cast<std::size_t>(signature.variables), kNever) {
    result_.c.assign(static_cast<std::size_t>(signature.equations()), 0);
    result_.d.assign(static_cast<std::size_t>(signature.variables), 0);
    for (const SignatureEntry entry : signature.entries) {
      result_.d[entry.variable] = std::max(result_.d[entry.variable], entry.order);
    }
    result_.matching = Matching(signature);
  }

  Differentiations run() {
    MatchingSearch search(graph());
    std::vector<int> unmatched(static_cast<std::size_t>(signature_.equations()));
    std::iota(unmatched.begin(), unmatched.end(), 0);
    search.augment(result_.matching, unmatched);
    while (!unmatched.empty()) {
      const int times = colour_until_augmentable(unmatched);
      differentiate_coloured(times);
      search.augment(result_.matching, unmatched);
    }
    result_.edge_visits += search.edge_visits();
    return std::move(result_);
  }

 private:
  static constexpr int kNever = std::numeric_limits<int>::max();

  [[nodiscard]] TightGraph graph() const { return {signature_, result_.c, result_.d}; }

  // Returns how many differentiations of the unmatched equations it takes to reach an unmatched variable.
  int colour_until_augmentable(const std::vector<int>& unmatched) {
    for (const int equation : unmatched) colour_equation(equation, 0);
    int time = 0;
    while (!colour_all_tight(time)) {
      // A coloured part that never grows would hold more equations than variables: a singular structure.
      assert(!due_.empty());
      const auto next = due_.extract(due_.begin());
      time = next.key();
      for (const int variable : next.mapped()) {
        const bool still_due = variable_time_[variable] == time;
        if (still_due && colour_variable(variable, time)) return time;
      }
    }
    return time;
  }

  // Follows the entries that are tight after `time` differentiations; true if one ends unmatched.
  bool colour_all_tight(int time) {
    while (!to_scan_.empty()) {
      const int equation = to_scan_.back();
      to_scan_.pop_back();
      for (const SignatureEntry entry : signature_.row(equation)) {
        ++result_.edge_visits;
        const int tight_at = time + graph().slack(equation, entry);
        if (tight_at >= variable_time_[entry.variable]) continue;
        if (tight_at > time) {
          note_variable(entry.variable, tight_at);
          due_[tight_at].push_back(entry.variable);
        } else if (colour_variable(entry.variable, time)) {
          return true;
        }
      }
    }
    return false;
  }

  // True if the variable is unmatched.
  bool colour_variable(int variable, int time) {
    note_variable(variable, time);
    const int equation = result_.matching.equation_of_variable[variable];
    if (equation < 0) return true;
    if (equation_time_[equation] == kNever) colour_equation(equation, time);
    return false;
  }

  void colour_equation(int equation, int time) {
    equation_time_[equation] = time;
    coloured_equations_.push_back(equation);
    to_scan_.push_back(equation);
  }

  void note_variable(int variable, int time) {
    if (variable_time_[variable] == kNever) noted_variables_.push_back(variable);
    variable_time_[variable] = time;
  }

  // What was coloured at time τ has been differentiated times - τ times; what is due later, not at all.
  void differentiate_coloured(int times) {
    for (const int equation : coloured_equations_) {
      result_.c[equation] += times - equation_time_[equation];
      equation_time_[equation] = kNever;
    }
    for (const int variable : noted_variables_) {
      result_.d[variable] += std::max(0, times - variable_time_[variable]);
      variable_time_[variable] = kNever;
    }
    coloured_equations_.clear();
    noted_variables_.clear();
    to_scan_.clear();
    due_.clear();
  }

  const Signature& signature_;
  Differentiations result_;
  std::vector<int> equation_time_;  // when it was coloured in this round
  std::vector<int> variable_time_;  // when it was coloured, or is due to be
  std::vector<int> coloured_equations_;
  std::vector<int> noted_variables_;
  std::vector<int> to_scan_;  // coloured equations whose entries were not looked at yet
  // Variables by the time when an entry of theirs becomes tight. Only times that occur have a place.
  std::map<int, std::vector<int>> due_;
};

}  // namespace

Differentiations pantelides(const Signature& signature) {
  return Pantelides(signature).run();
}

}  // namespace daedalus
