#include "reform/selection.hpp"

#include <algorithm>
#include <cmath>

#include "reform/column_choice.hpp"

namespace daedalus {
namespace {

constexpr double singular_pivot = 1e-12;  // in SelectionCheck: a smaller one is left to the search to judge

// How much rather a column becomes a dummy than another: factors on its size in the choice. A
// preference outweighs what entries of one model usually differ by, and a requirement what a preference does.
constexpr double preferring = 1e3;
constexpr double requiring = 1e6;
double weight(StateSelect select) {
  switch (select) {
    case StateSelect::Never:
      return requiring;
    case StateSelect::Avoid:
      return preferring;
    case StateSelect::Default:
      return 1;
    case StateSelect::Prefer:
      return 1 / preferring;
    case StateSelect::Always:
      return 1 / requiring;
  }
  return 1;
}

// The strongest wish that the user attached to a level, through the variable itself or an alias of it.
std::vector<StateSelect> level_wishes(const LevelSystem& system) {
  std::vector<StateSelect> wish(system.levels.size(), StateSelect::Default);
  for (std::size_t k = 0; k < system.levels.size(); ++k) {
    const Level& level = system.levels[k];
    if (level.order == 0) wish[k] = system.system().variables[level.variable.at()].state_select;
  }
  for (const LevelAlias& alias : system.raised.aliases) {
    const int j = system.incidence.column[alias.target.at()];
    if (alias.order > system.plan.d[static_cast<std::size_t>(j)]) continue;
    const int level = system.level_start[static_cast<std::size_t>(j)] + alias.order;
    StateSelect& at = wish[static_cast<std::size_t>(level)];
    const StateSelect own = system.system().variables[alias.variable.at()].state_select;
    const auto strength = [](StateSelect s) {
      return std::abs(static_cast<int>(s) - static_cast<int>(StateSelect::Default));
    };
    if (strength(own) > strength(at)) at = own;
  }
  return wish;
}

std::vector<std::vector<double>> preferences(const LevelSystem& system, const PivotBlock& block,
                                             const std::vector<StateSelect>& wish) {
  const std::size_t stages = block.stage_rows.size();
  std::vector<std::vector<double>> result(stages, std::vector<double>(block.variables.size()));
  for (std::size_t column = 0; column < block.variables.size(); ++column) {
    const auto j = static_cast<std::size_t>(block.variables[column]);
    const Variable& variable = system.system().variables[system.incidence.unknowns[j].at()];
    const double nominal = variable.has_nominal && variable.nominal != 0 ? std::abs(variable.nominal) : 1;
    // At stage s (from 0) a chosen column takes x_j^(d_j - s - 1) away from the states, and later stages
    // choose among what was chosen: a wish about a lower level counts at every stage above it.
    double wished = 1;
    for (std::size_t s = stages; s-- > 0;) {
      const int order = system.plan.d[j] - static_cast<int>(s) - 1;
      const int level = system.level_start[j] + order;
      if (order >= 0) wished *= weight(wish[static_cast<std::size_t>(level)]);
      result[s][column] =
          nominal * std::clamp(wished, weight(StateSelect::Always), weight(StateSelect::Never));
    }
  }
  return result;
}

}  // namespace

SelectionProblem make_selection_problem(const LevelSystem& system) {
  SelectionProblem problem;
  const std::vector<StateSelect> wish = level_wishes(system);
  const ExprGraph& graph = *system.system().graph;
  std::vector<int> place(system.incidence.unknowns.size(), -1);
  for (const Block& source : system.plan.blocks) {
    PivotBlock block;
    for (const int i : source.equations) {
      if (system.plan.c[static_cast<std::size_t>(i)] > 0) block.equations.push_back(i);
    }
    if (block.equations.empty()) continue;
    block.variables = source.variables;
    for (std::size_t k = 0; k < block.variables.size(); ++k)
      place[static_cast<std::size_t>(block.variables[k])] = static_cast<int>(k);
    for (std::size_t row = 0; row < block.equations.size(); ++row) {
      const auto i = static_cast<std::size_t>(block.equations[row]);
      for (const Partial& partial : system.incidence.rows[i]) {
        const int j = system.incidence.column[graph.variable_of(partial.leaf).at()];
        const int column = place[static_cast<std::size_t>(j)];
        if (column < 0 ||
            graph.order_of(partial.leaf) != system.plan.d[static_cast<std::size_t>(j)] - system.plan.c[i])
          continue;
        block.entries.push_back({.row = static_cast<int>(row),
                                 .column = column,
                                 .value = static_cast<int>(problem.expressions.size())});
        problem.expressions.push_back(partial.value);
      }
    }
    const int most = system.plan.c[static_cast<std::size_t>(block.equations.front())];
    for (int s = 0; s < most; ++s) {
      block.stage_rows.push_back(static_cast<int>(std::ranges::count_if(
          block.equations, [&](int i) { return system.plan.c[static_cast<std::size_t>(i)] > s; })));
    }
    block.preference = preferences(system, block, wish);
    for (const int j : block.variables) place[static_cast<std::size_t>(j)] = -1;
    problem.blocks.push_back(std::move(block));
  }
  return problem;
}

SelectionOutcome select_dummies(const LevelSystem& system, const SelectionProblem& problem,
                                std::span<const double> values, const std::vector<int>& previous,
                                double threshold) {
  SelectionOutcome outcome;
  outcome.taken.assign(system.incidence.unknowns.size(), 0);
  for (const PivotBlock& block : problem.blocks) {
    std::vector<bool> candidate(block.variables.size(), true);
    for (std::size_t s = 0; s < block.stage_rows.size(); ++s) {
      const int rows = block.stage_rows[s];
      std::vector<MatrixEntry> entries;
      for (const PivotEntry& e : block.entries) {
        if (e.row >= rows || !candidate[static_cast<std::size_t>(e.column)]) continue;
        const double value = values[static_cast<std::size_t>(e.value)] *
                             block.preference[s][static_cast<std::size_t>(e.column)];
        entries.push_back({.row = e.row, .column = e.column, .value = value});
      }
      std::vector<int> preferred;
      for (std::size_t k = 0; k < block.variables.size() && !previous.empty(); ++k) {
        const bool before = previous[static_cast<std::size_t>(block.variables[k])] > static_cast<int>(s);
        if (before && candidate[k]) preferred.push_back(static_cast<int>(k));
      }
      const auto choice =
          choose_columns(rows, static_cast<int>(block.variables.size()), entries, preferred, threshold);
      if (choice.columns.empty()) {
        outcome.singular = true;
        outcome.singular_block = equation_text(
            system.system(), system.system().equations[static_cast<std::size_t>(block.equations.front())]);
        break;
      }
      if (!previous.empty()) outcome.growth = std::max(outcome.growth, choice.growth);
      candidate.assign(block.variables.size(), false);
      for (const int k : choice.columns) {
        candidate[static_cast<std::size_t>(k)] = true;
        ++outcome.taken[static_cast<std::size_t>(block.variables[static_cast<std::size_t>(k)])];
      }
    }
  }
  outcome.changed = outcome.taken != previous;
  return outcome;
}

bool SelectionCheck::keeps(const SelectionProblem& problem, std::span<const double> values,
                           std::span<const int> taken, double threshold) {
  for (const PivotBlock& block : problem.blocks) {
    for (std::size_t s = 0; s < block.stage_rows.size(); ++s) {
      if (!keeps(block, s, values, taken, threshold)) return false;
    }
  }
  return true;
}

bool SelectionCheck::keeps(const PivotBlock& block, std::size_t stage, std::span<const double> values,
                           std::span<const int> taken, double threshold) {
  const std::size_t columns = block.variables.size();
  rows_ = static_cast<std::size_t>(block.stage_rows[stage]);
  if (block.stage_rows[stage] > most_dense_rows) return false;
  chosen_.clear();
  candidate_.resize(columns);
  for (std::size_t k = 0; k < columns; ++k) {
    const int times = taken[static_cast<std::size_t>(block.variables[k])];
    candidate_[k] = times >= static_cast<int>(stage) ? 1 : 0;
    if (times > static_cast<int>(stage)) chosen_.push_back(k);
  }
  if (chosen_.size() != rows_) return false;
  matrix_.assign(rows_ * columns, 0);
  for (const PivotEntry& e : block.entries) {
    const auto row = static_cast<std::size_t>(e.row);
    const auto column = static_cast<std::size_t>(e.column);
    if (row < rows_ && candidate_[column] != 0)
      matrix_[(row * columns) + column] =
          values[static_cast<std::size_t>(e.value)] * block.preference[stage][column];
  }
  if (!reduce(columns)) return false;
  for (const std::size_t c : chosen_) candidate_[c] = 0;
  for (std::size_t r = 0; r < rows_; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      if (candidate_[c] != 0 && !(std::abs(matrix_[(r * columns) + c]) <= threshold)) return false;
    }
  }
  return true;
}

// Gauss and Jordan, with partial pivoting in rows scaled to 1. Row k of the result is the one with pivot k;
// where it stands does not matter.
bool SelectionCheck::reduce(std::size_t columns) {
  const auto row = [&](std::size_t r) { return std::span(matrix_).subspan(r * columns, columns); };
  for (std::size_t r = 0; r < rows_; ++r) {
    double largest = 0;
    for (const double value : row(r)) largest = std::max(largest, std::abs(value));
    if (!(largest > 0) || !std::isfinite(largest)) return false;
    for (double& value : row(r)) value /= largest;
  }
  for (std::size_t k = 0; k < rows_; ++k) {
    const std::size_t c = chosen_[k];
    std::size_t best = k;
    for (std::size_t r = k + 1; r < rows_; ++r) {
      if (std::abs(row(r)[c]) > std::abs(row(best)[c])) best = r;
    }
    const double pivot = row(best)[c];
    if (!(std::abs(pivot) > singular_pivot)) return false;
    if (best != k) std::ranges::swap_ranges(row(best), row(k));
    for (double& value : row(k)) value /= pivot;
    for (std::size_t r = 0; r < rows_; ++r) {
      const double factor = row(r)[c];
      if (r == k || factor == 0) continue;
      for (std::size_t j = 0; j < columns; ++j) row(r)[j] -= factor * row(k)[j];
    }
  }
  return true;
}

std::vector<int> state_levels(const LevelSystem& system, const std::vector<int>& taken) {
  std::vector<int> states;
  for (std::size_t j = 0; j < taken.size(); ++j) {
    for (int k = 0; k < system.plan.d[j] - taken[j]; ++k) states.push_back(system.level_start[j] + k);
  }
  return states;
}

}  // namespace daedalus
