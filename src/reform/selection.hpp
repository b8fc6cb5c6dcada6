// Dummy derivatives: which levels are states (Mattsson, Söderlind 1991 §3, §6; pivoting §4).
//
// In a block with m differentiated equations, m of its highest derivatives x_j^(d_j) become dummies: the
// columns of H = ∂h/∂z that make a well-conditioned M. Then, one level down, the equations differentiated
// at least twice choose among those columns, and so on. taken[j] counts how often variable j was chosen:
// x_j^(k) is a state for k < d_j - taken[j].
//
// Columns are chosen for (nearly) maximal volume: no exchange of a chosen column with another one raises
// |det M| by more than a threshold, i.e. |M⁻¹H| ≤ threshold. The same measure, looked at after each step,
// says when to pivot.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reform/level_system.hpp"

namespace daedalus {

// One entry of H of a block: rows are numbered within the block, columns too.
struct PivotEntry {
  int row = 0;
  int column = 0;
  int value = 0;  // number of its expression in SelectionProblem::expressions
};

// A block with differentiated equations.
struct PivotBlock {
  std::vector<int> equations;  // only the differentiated ones, c descending
  std::vector<int> variables;  // columns: unknowns j of the block
  std::vector<PivotEntry> entries;
  std::vector<int> stage_rows;  // stage_rows[s]: how many of the equations have c > s
  // preference[s][column]: weight of the column at stage s. Large: rather a dummy (stateSelect never, avoid);
  // small: rather a state (prefer, always).
  std::vector<std::vector<double>> preference;
};

struct SelectionProblem {
  std::vector<PivotBlock> blocks;
  std::vector<NodeId> expressions;  // ∂f_i/∂x_j^(d_j - c_i)
};

[[nodiscard]] SelectionProblem make_selection_problem(const LevelSystem& system);

struct SelectionOutcome {
  std::vector<int> taken;      // by column j of the incidence
  bool changed = false;        // against the previous selection
  bool singular = false;       // some M has no regular choice at this point
  std::string singular_block;  // the equations involved
  double growth = 1;           // largest |M⁻¹H| that was found before any exchange
};

// `values`: of problem.expressions at the current point. `previous`: empty at the start. `threshold` > 1.
[[nodiscard]] SelectionOutcome select_dummies(const LevelSystem& system, const SelectionProblem& problem,
                                              std::span<const double> values,
                                              const std::vector<int>& previous, double threshold);

// Whether select_dummies() would find nothing to exchange: after nearly every step it would not, and this is
// known for less, and without allocation after the first time.
class SelectionCheck {
 public:
  [[nodiscard]] bool keeps(const SelectionProblem& problem, std::span<const double> values,
                           std::span<const int> taken, double threshold);

 private:
  [[nodiscard]] bool keeps(const PivotBlock& block, std::size_t stage, std::span<const double> values,
                           std::span<const int> taken, double threshold);
  // M⁻¹H, H being rows_ x columns in matrix_, its columns in chosen_ those of M. False: M is singular.
  [[nodiscard]] bool reduce(std::size_t columns);

  std::size_t rows_ = 0;
  std::vector<double> matrix_;  // by rows
  std::vector<char> candidate_;
  std::vector<std::size_t> chosen_;
};

// The levels that are states under a selection, ascending.
[[nodiscard]] std::vector<int> state_levels(const LevelSystem& system, const std::vector<int>& taken);

}  // namespace daedalus
