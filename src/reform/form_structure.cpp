#include "reform/form_structure.hpp"

#include <algorithm>
#include <utility>

#include "reform/point.hpp"
#include "structure/matching.hpp"

namespace daedalus {
namespace {

Signature pattern_of(const SymbolicMatrix& matrix) {
  std::vector<std::vector<SignatureEntry>> rows(static_cast<std::size_t>(matrix.rows));
  for (const SymbolicEntry& entry : matrix.entries)
    rows[static_cast<std::size_t>(entry.row)].push_back({.variable = entry.column, .order = 0});
  Signature signature;
  signature.variables = matrix.columns;
  for (const auto& row : rows) signature.add_row(row);
  return signature;
}

// Rows with one entry leave no choice; then what was written in place i is for x_i; then whatever remains.
Matching match_rows(const Signature& signature) {
  Matching matching(signature);
  for (const bool forced : {true, false}) {
    for (int i = 0; i < signature.equations(); ++i) {
      if (matching.has_variable(i) || (forced && signature.row(i).size() != 1)) continue;
      for (const SignatureEntry& entry : signature.row(i)) {
        if ((forced || entry.variable == i) && !matching.has_equation(entry.variable)) {
          matching.match(i, entry.variable);
          break;
        }
      }
    }
  }
  const std::vector<int> c(static_cast<std::size_t>(signature.equations()), 0);
  const std::vector<int> d(static_cast<std::size_t>(signature.variables), 0);
  std::vector<int> free;
  for (int i = 0; i < signature.equations(); ++i) {
    if (!matching.has_variable(i)) free.push_back(i);
  }
  const TightGraph graph{.signature = signature, .c = c, .d = d};
  MatchingSearch(graph).augment(matching, free);
  return matching;
}

void move_rows(SymbolicMatrix& matrix, const std::vector<int>& to) {
  for (SymbolicEntry& entry : matrix.entries) entry.row = to[static_cast<std::size_t>(entry.row)];
  std::ranges::sort(matrix.entries, {}, [](const SymbolicEntry& e) { return std::pair(e.row, e.column); });
}

// Equations written as forces = M x^(m) get the other sign, so that the diagonal of M is positive at the
// start.
void turn_signs(ConstrainedForm& form) {
  std::vector<NodeId> diagonal(form.dynamics.size());
  for (const SymbolicEntry& entry : form.mass.entries) {
    if (entry.row == entry.column) diagonal[static_cast<std::size_t>(entry.row)] = entry.value;
  }
  const std::vector<double> values = SamplePoint(form.system(), 0, 0).evaluate(diagonal);
  const auto turned = [&](int row) { return values[static_cast<std::size_t>(row)] < 0; };
  for (SymbolicMatrix* matrix : {&form.mass, &form.input}) {
    for (SymbolicEntry& entry : matrix->entries) {
      if (turned(entry.row)) entry.value = form.graph().neg(entry.value);
    }
  }
  for (int i = 0; i < form.n(); ++i) {
    if (!turned(i)) continue;
    const auto equation = static_cast<std::size_t>(form.dynamics[static_cast<std::size_t>(i)]);
    NodeId& residual = form.raised.system.equations[equation].residual;
    residual = form.graph().neg(residual);
  }
}

}  // namespace

bool align_dynamics(ConstrainedForm& form) {
  const Matching matching = match_rows(pattern_of(form.mass));
  if (!matching.perfect()) return false;
  const std::vector<int>& to = matching.variable_of_equation;
  std::vector<int> dynamics(form.dynamics.size());
  for (std::size_t i = 0; i < dynamics.size(); ++i)
    dynamics[static_cast<std::size_t>(to[i])] = form.dynamics[i];
  form.dynamics = std::move(dynamics);
  move_rows(form.mass, to);
  move_rows(form.input, to);
  turn_signs(form);
  return true;
}

int constraint_without_multiplier(const ConstrainedForm& form) {
  const Signature mass = pattern_of(form.mass);
  const Signature constraints = pattern_of(form.constraint);
  std::vector<bool> pushed(static_cast<std::size_t>(form.n()), false);  // a multiplier stands in equation i
  for (const SymbolicEntry& entry : form.input.entries) pushed[static_cast<std::size_t>(entry.row)] = true;
  // x_i^(m) follows from equation i, in which others may stand: backwards from the equations with
  // multipliers.
  std::vector<std::vector<int>> held_by(static_cast<std::size_t>(form.n()));
  for (int i = 0; i < form.n(); ++i) {
    for (const SignatureEntry& entry : mass.row(i))
      held_by[static_cast<std::size_t>(entry.variable)].push_back(i);
  }
  std::vector<int> pending;
  for (int i = 0; i < form.n(); ++i) {
    if (pushed[static_cast<std::size_t>(i)]) pending.push_back(i);
  }
  while (!pending.empty()) {
    const int i = pending.back();
    pending.pop_back();
    for (const int next : held_by[static_cast<std::size_t>(i)]) {
      if (pushed[static_cast<std::size_t>(next)]) continue;
      pushed[static_cast<std::size_t>(next)] = true;
      pending.push_back(next);
    }
  }
  for (int r = 0; r < form.ny(); ++r) {
    const auto moved = [&](const SignatureEntry& entry) {
      return pushed[static_cast<std::size_t>(entry.variable)];
    };
    if (std::ranges::none_of(constraints.row(r), moved)) return r;
  }
  return -1;
}

}  // namespace daedalus
