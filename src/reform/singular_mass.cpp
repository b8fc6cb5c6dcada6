// The wrapper for singular mass matrices (paper 000 §4.3): the equations of motion in the least-squares
// sense,
//
//   min ½|M x^(m) - (f - B y)|²  with a bound on |x^(m)|   →   (MᵀM + γI) x^(m) = Mᵀf - MᵀB y        (4.11)
//
// after which any formulation applies. γ is given, or 1e-10 times the mean of the diagonal of MᵀM: what is
// small beside a mass matrix of 1 kg is not beside one of 1e-6 kg m².
#include <map>

#include "reform/reform_builder.hpp"

namespace daedalus {
namespace {

// Aᵀ C, entry by entry.
SymbolicMatrix transposed_product(ExprGraph& graph, const SymbolicMatrix& a, const SymbolicMatrix& c) {
  std::map<std::pair<int, int>, NodeId> sums;
  for (const SymbolicEntry& left : a.entries) {
    for (const SymbolicEntry& right : c.entries) {
      if (left.row != right.row) continue;
      const NodeId product = graph.mul(left.value, right.value);
      const auto [place, fresh] = sums.try_emplace({left.column, right.column}, product);
      if (!fresh) place->second = graph.add(place->second, product);
    }
  }
  SymbolicMatrix result{.rows = a.columns, .columns = c.columns, .entries = {}};
  for (const auto& [key, value] : sums)
    result.entries.push_back({.row = key.first, .column = key.second, .value = value});
  return result;
}

// Of the mean of the diagonal of MᵀM: its rounding is 1e-16, so that γ is well above what is lost, and the
// solution moves by the square root of it at most where M is singular.
constexpr double relative_gamma = 1e-10;

NodeId relative_to(ExprGraph& graph, const SymbolicMatrix& square) {
  NodeId trace = graph.constant(0);
  for (const SymbolicEntry& entry : square.entries) {
    if (entry.row == entry.column) trace = graph.add(trace, entry.value);
  }
  return graph.mul(graph.constant(relative_gamma / square.rows), trace);
}

}  // namespace

ConstrainedForm with_regularised_mass(const ConstrainedForm& form, std::optional<double> given) {
  ConstrainedForm result = form;
  ExprGraph& graph = form.graph();
  std::vector<NodeId> residuals(static_cast<std::size_t>(form.n()), graph.constant(0));
  for (const SymbolicEntry& entry : form.mass.entries) {
    const Equation& equation =
        form.system().equations[static_cast<std::size_t>(form.dynamics[static_cast<std::size_t>(entry.row)])];
    NodeId& sum = residuals[static_cast<std::size_t>(entry.column)];
    sum = graph.add(sum, graph.mul(entry.value, equation.residual));
  }
  result.mass = transposed_product(graph, form.mass, form.mass);
  result.input = transposed_product(graph, form.mass, form.input);
  const NodeId gamma = given ? graph.constant(*given) : relative_to(graph, result.mass);
  for (int i = 0; i < form.n(); ++i) {
    const NodeId bound = graph.mul(gamma, form.x(i, form.order));
    Equation& equation =
        result.raised.system.equations[static_cast<std::size_t>(form.dynamics[static_cast<std::size_t>(i)])];
    equation.residual = graph.add(residuals[static_cast<std::size_t>(i)], bound);
    bool found = false;
    for (SymbolicEntry& entry : result.mass.entries) {
      if (entry.row != i || entry.column != i) continue;
      entry.value = graph.add(entry.value, gamma);
      found = true;
    }
    if (!found) result.mass.entries.push_back({.row = i, .column = i, .value = gamma});
  }
  result.symmetric = false;
  return result;
}

}  // namespace daedalus
