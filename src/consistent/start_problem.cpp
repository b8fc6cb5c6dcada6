#include "consistent/start_problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "consistent/tolerances.hpp"
#include "expr/rounding.hpp"

namespace daedalus {

using consistent::weight_of_default;
using consistent::weight_of_guess;
using consistent::weight_of_nothing;
using consistent::weight_of_wish;

StartProblem::StartProblem(const CompiledModel& model, std::span<double> environment,
                           std::vector<LevelStart> starts)
    : model_(model),
      environment_(environment),
      starts_(std::move(starts)),
      parameters_(model.start_conditions().parameters) {
  pose();
}

void StartProblem::pose() {
  const LevelSystem& system = model_.levels();
  for (std::size_t k = 0; k < starts_.size(); ++k) {
    const LevelStart& start = starts_[k];
    const Level& level = system.levels[k];
    const int j = system.incidence.column[level.variable.at()];
    const bool can_be_state = level.order < system.plan.d[static_cast<std::size_t>(j)];
    const double state_weight = start.given ? weight_of_wish : weight_of_default;
    const double other_weight = start.given ? weight_of_guess : weight_of_nothing;
    posed.guess.push_back(start.value);
    posed.scale.push_back(start.scale);
    posed.weight.push_back(can_be_state ? state_weight : other_weight);
    posed.held.push_back(start.fixed);
  }
  for (const VariableId v : parameters_) {
    const Variable& variable = model_.dae().variables[v.at()];
    posed.guess.push_back(variable.start);
    posed.scale.push_back(
        std::max(variable.has_nominal ? std::abs(variable.nominal) : 1.0, std::abs(variable.start)));
    posed.weight.push_back(weight_of_default);
    posed.held.push_back(false);
  }
}

int StartProblem::conditions() const {
  return static_cast<int>(std::ranges::count(starts_, true, &LevelStart::fixed)) +
         static_cast<int>(model_.dae().initial_equations.size()) - static_cast<int>(parameters_.size());
}

bool StartProblem::matters(std::size_t k) const {
  return posed.weight[k] >= weight_of_default;
}

bool StartProblem::is_guess(std::size_t k) const {
  return given(k) && !matters(k) && (model_.levels().levels[k].order == 0 || posed.guess[k] != 0);
}

Willingness StartProblem::willingness(std::size_t k) const {
  if (posed.held[k]) return Willingness::Held;
  if (is_wish(k)) return Willingness::Given;
  if (is_guess(k)) return Willingness::Guess;
  return is_default(k) ? Willingness::Default : Willingness::Free;
}

std::vector<bool> StartProblem::follows() const {
  std::vector<bool> follows;
  for (std::size_t k = 0; k < posed.weight.size(); ++k) follows.push_back(!matters(k));
  return follows;
}

int StartProblem::slot(std::size_t k) const {
  const auto levels = static_cast<std::size_t>(model_.level_count());
  if (k < levels) return model_.layout().levels + static_cast<int>(k);
  return model_.layout().discrete_slot[parameters_[k - levels].at()];
}

void StartProblem::put(std::span<const double> z) const {
  for (std::size_t k = 0; k < z.size(); ++k) environment_[static_cast<std::size_t>(slot(k))] = z[k];
}

ConstraintFunction StartProblem::constraints_by(const Program& residuals,
                                                const SparseJacobianProgram& jacobian) const {
  return {.rows = static_cast<int>(residuals.roots()),
          .columns = model_.level_count() + static_cast<int>(parameters_.size()),
          .column_start = jacobian.column_start,
          .row = jacobian.row,
          .residual =
              [this, &residuals, workspace = std::vector<double>()](std::span<const double> z,
                                                                    std::span<double> c) mutable {
                put(z);
                residuals.evaluate(environment_, c, workspace);
              },
          .jacobian =
              [this, &jacobian, workspace = std::vector<double>()](std::span<const double> z,
                                                                   std::span<double> values) mutable {
                put(z);
                jacobian.evaluate(environment_, values, workspace);
              }};
}

const ConstraintFunction& StartProblem::constraints() const {
  if (!has_constraints_) {
    const StartConditions& conditions = model_.start_conditions();
    constraints_ = conditions.as_compiled ? constraints_by(model_.residuals, model_.jacobian())
                                          : constraints_by(conditions.residuals, conditions.jacobian);
    has_constraints_ = true;
  }
  return constraints_;
}

bool StartProblem::has_start_jacobian() const {
  return model_.start_conditions().as_compiled && model_.spares_jacobian();
}

ConstraintFunction StartProblem::constraints_with_start_jacobian() const {
  return constraints_by(model_.residuals, model_.start_jacobian());
}

BlockWiseProblem StartProblem::block_problem() const {
  const LevelSystem& system = model_.levels();
  BlockWiseProblem problem;
  if (graph_ == nullptr) graph_ = std::make_unique<ExprGraph>(*model_.dae().graph);
  problem.graph = graph_.get();
  for (const LevelEquation& e : system.equations) problem.rows.push_back(e.residual);
  for (const Equation& e : model_.dae().initial_equations) problem.rows.push_back(e.residual);
  for (const Level& level : system.levels)
    problem.columns.push_back(graph_->variable(level.variable, level.order));
  for (const VariableId v : parameters_) problem.columns.push_back(graph_->discrete(v));
  problem.scale = posed.scale;
  for (std::size_t k = 0; k < posed.weight.size(); ++k) problem.willing.push_back(willingness(k));
  problem.leaf = [this](NodeId leaf) { return environment_[static_cast<std::size_t>(model_.slot(leaf))]; };
  return problem;
}

std::vector<double> StartProblem::rounding_at(std::span<const double> z) const {
  put(z);
  const BlockWiseProblem problem = block_problem();
  std::vector<double> rounding;
  for (const Rounded& row : evaluate_rounded(*problem.graph, problem.rows, problem.leaf))
    rounding.push_back(row.error);
  return rounding;
}

std::string StartProblem::row_text(int row) const {
  const LevelSystem& system = model_.levels();
  const auto equations = static_cast<int>(system.equations.size());
  if (row < equations) return system.equation_name(system.equations[static_cast<std::size_t>(row)]);
  return "initial equation " +
         equation_text(model_.dae(),
                       model_.dae().initial_equations[static_cast<std::size_t>(row - equations)]);
}

SourceSpan StartProblem::row_span(int row) const {
  const LevelSystem& system = model_.levels();
  const auto equations = static_cast<int>(system.equations.size());
  if (row >= equations) return model_.dae().initial_equations[static_cast<std::size_t>(row - equations)].span;
  const int equation = system.equations[static_cast<std::size_t>(row)].equation;
  return model_.dae().equations[static_cast<std::size_t>(equation)].span;
}

std::string StartProblem::name(std::size_t k) const {
  const auto levels = static_cast<std::size_t>(model_.level_count());
  return k < levels ? model_.levels().level_name(static_cast<int>(k))
                    : model_.dae().variables[parameters_[k - levels].at()].name;
}

std::string StartProblem::value_text(std::size_t k, std::span<const double> z) const {
  return fmt::format("{} = {:.8g}", name(k), z[k]);
}

std::string StartProblem::values_in_row(int row, std::span<const double> z) const {
  constexpr std::size_t shown = 8;  // values that fit two lines
  std::vector<std::string> parts;
  for_entries(constraints(), [&](std::size_t, std::size_t column, std::size_t r) {
    if (static_cast<int>(r) == row && parts.size() < shown) parts.push_back(value_text(column, z));
  });
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace daedalus
