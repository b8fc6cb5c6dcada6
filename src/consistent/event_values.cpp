#include "consistent/event_values.hpp"

#include <algorithm>
#include <cmath>

#include "consistent/tolerances.hpp"
#include "numerics/dense_algebra.hpp"
#include "numerics/pattern_builder.hpp"

namespace daedalus {

EventValues::EventValues(const CompiledModel& model, const Tolerances& tolerances)
    : model_(model), tolerances_(tolerances), algebraic_(model, tolerances) {
  const LevelSystem& system = model.levels();
  d_ = system.plan.d;
  first_level_ = system.level_start;
  c_ = system.plan.c;
  for (const int d : d_) deepest_ = std::min(deepest_, -d);
  for (std::size_t j = 0; j < d_.size(); ++j) {
    for (int k = 0; k < d_[j]; ++k) lower_.push_back(first_level_[j] + k);
  }
  std::ranges::sort(lower_);
  for (const int c : c_) equation_.emplace_back(static_cast<std::size_t>(c) + 1, -1);
  for (std::size_t k = 0; k < system.equations.size(); ++k) {
    const LevelEquation& e = system.equations[k];
    equation_[static_cast<std::size_t>(e.equation)][static_cast<std::size_t>(e.level)] = static_cast<int>(k);
  }
}

// What the Jacobian is needed for; most models without constraints never ask.
void EventValues::prepare() {
  if (prepared_) return;
  prepared_ = true;
  const SparseJacobianProgram& jacobian = model_.jacobian();
  std::vector<int> row_of(static_cast<std::size_t>(model_.equation_count()), -1);
  for (std::size_t i = 0; i < c_.size(); ++i)
    row_of[static_cast<std::size_t>(equation_[i].back())] = static_cast<int>(i);
  PatternBuilder builder(static_cast<int>(c_.size()));
  for (std::size_t j = 0; j < d_.size(); ++j) {
    const auto level = static_cast<std::size_t>(first_level_[j] + d_[j]);
    for (int k = jacobian.column_start[level]; k < jacobian.column_start[level + 1]; ++k) {
      const int row = row_of[static_cast<std::size_t>(jacobian.row[static_cast<std::size_t>(k)])];
      if (row < 0) continue;
      builder.add(row, static_cast<int>(j));
      entries_.push_back({.source = k, .row = row, .column = static_cast<int>(j)});
    }
  }
  const auto built = builder.build();
  for (std::size_t k = 0; k < entries_.size(); ++k) entries_[k].position = built.position[k];
  values_.resize(built.pattern.row.size());
  jacobian_values_.resize(jacobian.row.size());
  residuals_.resize(static_cast<std::size_t>(model_.equation_count()));
  solver_ = make_linear_solver<double>(built.pattern);
}

bool EventValues::factor(std::span<const double> environment) {
  model_.jacobian().evaluate(environment, jacobian_values_, jacobian_workspace_);
  std::ranges::fill(values_, 0.0);
  for (const Entry& e : entries_)
    values_[static_cast<std::size_t>(e.position)] = jacobian_values_[static_cast<std::size_t>(e.source)];
  return solver_->factor(values_);
}

// The level of column j at a stage, or -1: an impulse.
int EventValues::level_at(std::size_t j, int stage) const {
  return d_[j] + stage < 0 ? -1 : first_level_[j] + d_[j] + stage;
}

double EventValues::size_of(std::span<const double> environment, int stage,
                            std::span<const double> step) const {
  double largest = 0;
  for (std::size_t j = 0; j < d_.size(); ++j) {
    const int level = level_at(j, stage);
    if (level < 0) continue;
    const Level& of = model_.levels().levels[static_cast<std::size_t>(level)];
    const Variable& variable = model_.dae().variables[of.variable.at()];
    const double nominal = variable.has_nominal && variable.nominal != 0 ? std::abs(variable.nominal) : 1;
    const double value = environment[static_cast<std::size_t>(model_.layout().levels + level)];
    const double weight = (tolerances_.relative * std::abs(value)) + (tolerances_.absolute * nominal);
    largest = std::max(largest, std::abs(step[j]) / weight);
    if (!std::isfinite(step[j])) return std::numeric_limits<double>::infinity();
  }
  return largest;
}

// J moves(w - w⁻ - jumps) in the rows that hold highest derivatives, F in those of constraints; the negative.
void EventValues::set_right_side(int stage, std::span<const double> environment) {
  model_.residuals.evaluate(environment, residuals_, workspace_);
  rhs_.assign(c_.size(), 0.0);
  for (std::size_t i = 0; i < c_.size(); ++i) {
    if (c_[i] + stage >= 0)
      rhs_[i] = -residuals_[static_cast<std::size_t>(equation_[i][static_cast<std::size_t>(c_[i] + stage)])];
  }
  for (const Entry& e : entries_) {
    const auto i = static_cast<std::size_t>(e.row);
    if (c_[i] + stage < 0)
      rhs_[i] -= values_[static_cast<std::size_t>(e.position)] * moved_[static_cast<std::size_t>(e.column)];
  }
}

// The columns that reinitialised values answer to a jump of each of them, and what of a jump is needed to
// take each to its value. False: a constraint determines them.
bool EventValues::add_jumps(int stage, std::span<const double> environment, std::span<const Target> targets) {
  const auto n = static_cast<Eigen::Index>(targets.size());
  Eigen::MatrixXd answers(n, n);
  Eigen::VectorXd missing(n);
  std::vector<std::vector<double>> columns;
  for (Eigen::Index k = 0; k < n; ++k) {
    std::vector<double> column(c_.size(), 0.0);
    for (const Entry& e : entries_) {
      const auto i = static_cast<std::size_t>(e.row);
      if (e.column == targets[static_cast<std::size_t>(k)].column && c_[i] + stage < 0)
        column[i] += values_[static_cast<std::size_t>(e.position)];
    }
    solver_->solve(column);
    for (Eigen::Index m = 0; m < n; ++m)
      answers(m, k) = column[static_cast<std::size_t>(targets[static_cast<std::size_t>(m)].column)];
    const Target& target = targets[static_cast<std::size_t>(k)];
    const int level = level_at(static_cast<std::size_t>(target.column), stage);
    missing[k] = target.value - environment[static_cast<std::size_t>(model_.layout().levels + level)] -
                 rhs_[static_cast<std::size_t>(target.column)];
    columns.push_back(std::move(column));
  }
  const Lu lu(answers);
  if (!(lu.rcond() > consistent::independent_reinits)) return false;
  const Eigen::VectorXd jumps = lu.solve(missing);
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto at = static_cast<std::size_t>(k);
    for (std::size_t j = 0; j < rhs_.size(); ++j) rhs_[j] += jumps[k] * columns[at][j];
    // The equations answer to what is beside the jump itself.
    moved_[static_cast<std::size_t>(targets[at].column)] -= jumps[k];
  }
  return true;
}

bool EventValues::move(int stage, std::span<double> environment, const std::vector<Reinit>& reinits) {
  const auto levels = environment.subspan(static_cast<std::size_t>(model_.layout().levels));
  targets_.clear();
  for (const Reinit& reinit : reinits) {
    for (std::size_t j = 0; j < d_.size(); ++j) {
      if (level_at(j, stage) == reinit.level)
        targets_.push_back({.column = static_cast<int>(j), .value = reinit.value});
    }
  }
  const bool constrained = std::ranges::any_of(c_, [stage](int c) { return c + stage >= 0; });
  if (!constrained) {
    changed_ = changed_ || !targets_.empty();
    for (const Target& target : targets_)
      levels[static_cast<std::size_t>(level_at(static_cast<std::size_t>(target.column), stage))] =
          target.value;
    return true;
  }
  prepare();
  moved_.assign(d_.size(), 0.0);
  for (int iteration = 0; iteration < consistent::event_iterations; ++iteration) {
    if (!factor(environment)) return false;
    set_right_side(stage, environment);
    for (const double r : rhs_) {
      if (!std::isfinite(r)) return false;
    }
    solver_->solve(rhs_);
    if (!targets_.empty() && !add_jumps(stage, environment, targets_)) return false;
    const double size = size_of(environment, stage, rhs_);
    if (!std::isfinite(size)) return false;
    if (!changed_ && targets_.empty() && size < consistent::drifted) return true;
    changed_ = true;
    for (std::size_t j = 0; j < d_.size(); ++j) {
      moved_[j] += rhs_[j];
      const int level = level_at(j, stage);
      if (level >= 0) levels[static_cast<std::size_t>(level)] += rhs_[j];
    }
    for (const Target& target : targets_)  // to the last bit
      levels[static_cast<std::size_t>(level_at(static_cast<std::size_t>(target.column), stage))] =
          target.value;
    if (size < consistent::last_step || (iteration > 2 && size < consistent::stalled_step)) return true;
  }
  return false;
}

bool EventValues::solve(std::span<double> environment, const std::vector<Reinit>& reinits) {
  before_.assign(environment.begin(), environment.end());
  bool found = true;
  changed_ = false;
  for (int stage = deepest_; stage < 0 && found; ++stage) found = move(stage, environment, reinits);
  if (found) {
    if (!selected_) algebraic_.select_highest();
    selected_ = true;
    found = algebraic_.solve(environment, true) == AlgebraicStatus::Ok;
  }
  if (!found) std::ranges::copy(before_, environment.begin());
  return found;
}

}  // namespace daedalus
