#include <numeric>
#include <span>

#include "structure/matching.hpp"
#include "structure/plan.hpp"

namespace daedalus {
namespace {

// The equations of each variable, in compressed form.
struct Columns {
  std::vector<int> start;
  std::vector<int> equations;

  explicit Columns(const Signature& signature)
      : start(static_cast<std::size_t>(signature.variables) + 1, 0), equations(signature.entries.size()) {
    for (const SignatureEntry entry : signature.entries) ++start[entry.variable + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<int> next(start.begin(), start.end() - 1);
    for (int equation = 0; equation < signature.equations(); ++equation) {
      for (const SignatureEntry entry : signature.row(equation)) equations[next[entry.variable]++] = equation;
    }
  }
  [[nodiscard]] std::span<const int> of(int variable) const {
    return std::span(equations).subspan(start[variable], start[variable + 1] - start[variable]);
  }
};

struct Part {
  std::vector<bool> equations;
  std::vector<bool> variables;
};

// What alternating paths from the unmatched equations reach: equation, any variable of it, the equation
// matched to that, …
Part overdetermined_part(const Signature& signature, const Matching& matching, std::vector<int> front) {
  Part part{std::vector<bool>(matching.variable_of_equation.size()),
            std::vector<bool>(matching.equation_of_variable.size())};
  for (const int equation : front) part.equations[equation] = true;
  while (!front.empty()) {
    const int equation = front.back();
    front.pop_back();
    for (const SignatureEntry entry : signature.row(equation)) {
      part.variables[entry.variable] = true;
      const int next = matching.equation_of_variable[entry.variable];
      if (part.equations[next]) continue;
      part.equations[next] = true;
      front.push_back(next);
    }
  }
  return part;
}

// The same from the unmatched variables: variable, any equation of it, the variable matched to that, …
Part underdetermined_part(const Columns& columns, const Matching& matching, std::vector<int> front) {
  Part part{std::vector<bool>(matching.variable_of_equation.size()),
            std::vector<bool>(matching.equation_of_variable.size())};
  for (const int variable : front) part.variables[variable] = true;
  while (!front.empty()) {
    const int variable = front.back();
    front.pop_back();
    for (const int equation : columns.of(variable)) {
      part.equations[equation] = true;
      const int next = matching.variable_of_equation[equation];
      if (part.variables[next]) continue;
      part.variables[next] = true;
      front.push_back(next);
    }
  }
  return part;
}

struct ThreeLists {
  std::vector<int>& over;
  std::vector<int>& under;
  std::vector<int>& well;
};

void distribute(const std::vector<bool>& over, const std::vector<bool>& under, ThreeLists lists) {
  for (int i = 0; i < std::ssize(over); ++i) {
    (over[i] ? lists.over : under[i] ? lists.under : lists.well).push_back(i);
  }
}

std::vector<int> unmatched(const std::vector<int>& partner) {
  std::vector<int> result;
  for (int i = 0; i < std::ssize(partner); ++i) {
    if (partner[i] < 0) result.push_back(i);
  }
  return result;
}

}  // namespace

DulmageMendelsohn dulmage_mendelsohn(const Signature& signature) {
  const Matching matching = maximum_matching(signature).matching;
  DulmageMendelsohn parts;
  parts.unmatched_equations = unmatched(matching.variable_of_equation);
  parts.unmatched_variables = unmatched(matching.equation_of_variable);
  const Part over = overdetermined_part(signature, matching, parts.unmatched_equations);
  const Part under = underdetermined_part(Columns(signature), matching, parts.unmatched_variables);
  distribute(over.equations, under.equations,
             {parts.over_equations, parts.under_equations, parts.well_equations});
  distribute(over.variables, under.variables,
             {parts.over_variables, parts.under_variables, parts.well_variables});
  return parts;
}

}  // namespace daedalus
