#include "saddle/general_system.hpp"

#include "numerics/pattern_builder.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {

GeneralSystem::GeneralSystem(const SaddleEquations& equations, const ProgramSetting& setting)
    : first_(static_cast<std::size_t>(equations.first)),
      entries_(equations.matrix.entries.size()),
      solution_(equations.rhs.size()) {
  PatternBuilder builder(equations.matrix.rows);
  for (const SymbolicEntry& entry : equations.matrix.entries) builder.add(entry.row, entry.column);
  const PatternBuilder::Built built = builder.build();
  std::vector<NodeId> roots(entries_);
  for (std::size_t k = 0; k < entries_; ++k)
    roots[static_cast<std::size_t>(built.position[k])] = equations.matrix.entries[k].value;
  roots.insert(roots.end(), equations.rhs.begin(), equations.rhs.end());
  system_ = Program::compile(equations.graph, roots, setting);
  values_.resize(roots.size());
  solver_ = make_linear_solver<double>(built.pattern);
}

std::unique_ptr<SaddleSystem> GeneralSystem::copy() const {
  return std::make_unique<GeneralSystem>(*this);
}

bool GeneralSystem::factor(std::span<const double> environment) {
  system_.evaluate(environment, values_, workspace_);
  const std::span<const double> entries = std::span(values_).first(entries_);
  return all_finite(entries) && solver_->factor(entries);
}

bool GeneralSystem::solve_at(std::span<const double> environment) {
  if (!factor(environment)) return false;
  copy_values(std::span<const double>(values_).subspan(entries_), solution_);
  solver_->solve(solution_);
  return all_finite(solution_);
}

}  // namespace daedalus
