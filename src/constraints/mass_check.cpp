#include "constraints/mass_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

// A residual of an equation of motion above this part of its own terms is no matter of rounding or tolerance,
// and in an equation whose terms nearly vanish, this part of the largest terms of all.
// The tolerance decides below this, and is not asked for more than `least`, which is rounding.
constexpr double most = 1e-3;
constexpr double least = 1e-10;
constexpr double in_tolerances = 100;
constexpr double negligible = 1e-6;

}  // namespace

MassCheck::MassCheck(const CompiledModel& model, const ConstrainedForm& original) {
  ExprGraph& graph = original.graph();
  std::vector<NodeId> inertia(static_cast<std::size_t>(original.n()), graph.constant(0));
  for (const SymbolicEntry& entry : original.mass.entries) {
    NodeId& sum = inertia[static_cast<std::size_t>(entry.row)];
    sum = graph.add(sum, graph.mul(entry.value, original.x(entry.column, original.order)));
  }
  std::vector<NodeId> roots;
  for (int i = 0; i < original.n(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    const Equation& equation = original.system().equations[static_cast<std::size_t>(original.dynamics[row])];
    roots.push_back(equation.residual);
    roots.push_back(inertia[row]);
    names_.push_back(equation_text(original.system(), equation));
  }
  values_ = model.compile(roots);
  results_.resize(roots.size());
}

std::string MassCheck::warning(std::span<const double> environment, double rtol) {
  values_.evaluate(environment, results_, workspace_);
  double largest = 0;
  for (const double value : results_) largest = std::max(largest, std::abs(value));
  double worst = std::clamp(in_tolerances * rtol, least, most);
  std::size_t equation = names_.size();
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const double residual = std::abs(results_[2 * i]);
    if (residual <= negligible * largest) continue;
    const double inertia = results_[(2 * i) + 1];
    const double relative = residual / (std::abs(inertia) + std::abs(inertia - results_[2 * i]));
    if (relative <= worst) continue;
    worst = relative;
    equation = i;
  }
  if (equation == names_.size()) return {};
  return fmt::format(
      "singular-mass: γ is no small perturbation of the mass matrix: at the end of the run {} is violated by "
      "{:.2g} of its terms; choose a smaller gamma",
      names_[equation], worst);
}

}  // namespace daedalus
