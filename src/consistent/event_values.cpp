#include "consistent/event_values.hpp"

#include <algorithm>
#include <cmath>

#include "consistent/tolerances.hpp"
#include "numerics/dense_algebra.hpp"
#include "numerics/newton.hpp"
#include "numerics/pattern_builder.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {

EventValues::EventValues(const CompiledModel& model, const Tolerances& tolerances)
    : model_(model), tolerances_(tolerances), algebraic_(model, tolerances) {
  const LevelSystem& system = model.levels();
  d_ = system.plan.d;
  first_level_ = system.level_start;
  c_ = system.plan.c;
  for (const int d : d_) deepest_ = std::min(deepest_, -d);
  missing_.assign(c_.size(), 0);
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
    for (const int below : {0, 1}) {
      if (d_[j] < below) continue;
      const auto level = static_cast<std::size_t>(first_level_[j] + d_[j] - below);
      for (int k = jacobian.column_start[level]; k < jacobian.column_start[level + 1]; ++k) {
        const int row = row_of[static_cast<std::size_t>(jacobian.row[static_cast<std::size_t>(k)])];
        if (row < 0) continue;
        builder.add(row, static_cast<int>(j));
        entries_.push_back({.source = k, .row = row, .column = static_cast<int>(j), .lower = below == 1});
      }
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
  (void)algebraic_.output_rows().mend(jacobian_values_);
  std::ranges::fill(values_, 0.0);
  for (const Entry& e : entries_) {
    if (e.lower == (missing_[static_cast<std::size_t>(e.row)] != 0))
      values_[static_cast<std::size_t>(e.position)] = jacobian_values_[static_cast<std::size_t>(e.source)];
  }
  return solver_->factor(values_);
}

bool EventValues::find_missing_rows(std::span<const double> environment) {
  prepare();
  model_.jacobian().evaluate(environment, jacobian_values_, jacobian_workspace_);
  (void)algebraic_.output_rows().mend(jacobian_values_);
  std::ranges::fill(missing_, 1);
  for (const Entry& e : entries_) {
    if (!e.lower && jacobian_values_[static_cast<std::size_t>(e.source)] != 0)
      missing_[static_cast<std::size_t>(e.row)] = 0;
  }
  return std::ranges::find(missing_, 1) != missing_.end();
}

int EventValues::constraint_at(std::size_t i, int stage) const {
  if (c_[i] + stage >= 0) return equation_[i][static_cast<std::size_t>(c_[i] + stage)];
  return stage == -1 && missing_[i] != 0 ? equation_[i].back() : -1;
}

double EventValues::weight_of(int level, double value) const {
  const Level& of = model_.levels().levels[static_cast<std::size_t>(level)];
  const Variable& variable = model_.dae().variables[of.variable.at()];
  const double nominal = variable.has_nominal && variable.nominal != 0 ? std::abs(variable.nominal) : 1;
  return (tolerances_.relative * std::abs(value)) + (tolerances_.absolute * nominal);
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
    const double value = environment[static_cast<std::size_t>(model_.layout().levels + level)];
    largest = std::max(largest, std::abs(step[j]) / weight_of(level, value));
    if (!std::isfinite(step[j])) return std::numeric_limits<double>::infinity();
  }
  return largest;
}

// J moves(w - w⁻ - jumps) in the rows that hold highest derivatives, F in those of constraints; the negative.
void EventValues::set_right_side(int stage, std::span<const double> environment) {
  model_.residuals.evaluate(environment, residuals_, workspace_);
  rhs_.assign(c_.size(), 0.0);
  for (std::size_t i = 0; i < c_.size(); ++i) {
    const int equation = constraint_at(i, stage);
    if (equation >= 0) rhs_[i] = -residuals_[static_cast<std::size_t>(equation)];
  }
  for (const Entry& e : entries_) {
    const auto i = static_cast<std::size_t>(e.row);
    if (!e.lower && constraint_at(i, stage) < 0)
      rhs_[i] -= values_[static_cast<std::size_t>(e.position)] * moved_[static_cast<std::size_t>(e.column)];
  }
}

// At the same levels and the same time, with what is discrete before the event and now.
bool EventValues::changes_constraints(int stage, std::span<const double> environment) {
  if (past_.empty()) return false;
  const auto levels = environment.subspan(static_cast<std::size_t>(model_.layout().levels),
                                          static_cast<std::size_t>(model_.level_count()));
  std::ranges::copy(levels, past_.begin() + model_.layout().levels);
  const auto time = static_cast<std::size_t>(model_.layout().time);
  past_[time] = environment[time];
  past_residuals_.resize(residuals_.size());
  model_.residuals.evaluate(environment, residuals_, workspace_);
  model_.residuals.evaluate(past_, past_residuals_, workspace_);
  change_.assign(c_.size(), 0.0);
  bool any = false;
  for (std::size_t i = 0; i < c_.size(); ++i) {
    const int equation = constraint_at(i, stage);
    if (equation < 0) continue;
    const auto at = static_cast<std::size_t>(equation);
    change_[i] = past_residuals_[at] - residuals_[at];
    any = any || change_[i] != 0;
  }
  if (!any) return false;
  solver_->solve(change_);
  return size_of(environment, stage, change_) >= consistent::stalled_step;
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
      if (e.column == targets[static_cast<std::size_t>(k)].column && !e.lower && constraint_at(i, stage) < 0)
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

// The values of one stage, which its constraints and the reinits determine.
struct EventValues::Steps {
  EventValues& values;
  int stage;
  std::span<double> environment;
  int taken = 0;

  bool linearise() {
    if (!values.factor(environment)) return false;
    values.set_right_side(stage, environment);
    if (!all_finite(values.rhs_)) return false;
    values.solver_->solve(values.rhs_);
    return values.targets_.empty() || values.add_jumps(stage, environment, values.targets_);
  }
  double step() { return values.size_of(environment, stage, values.rhs_); }
  NewtonStep judge(double size) {
    const bool drift = !values.changed_ && values.targets_.empty() && size < consistent::drifted;
    if (drift && !values.changes_constraints(stage, environment)) return NewtonStep::None;
    const bool last = size < consistent::last_step || (taken++ > 2 && size < consistent::stalled_step);
    return last ? NewtonStep::Last : NewtonStep::Untested;
  }
  static bool evaluate(double /*lambda*/) { return true; }
  static bool descends(double /*lambda*/, double /*size*/) { return true; }
  void accept() {
    const auto levels = environment.subspan(static_cast<std::size_t>(values.model_.layout().levels));
    values.changed_ = true;
    for (std::size_t j = 0; j < values.d_.size(); ++j) {
      values.moved_[j] += values.rhs_[j];
      const int level = values.level_at(j, stage);
      if (level >= 0) levels[static_cast<std::size_t>(level)] += values.rhs_[j];
    }
    for (const Target& target : values.targets_)  // to the last bit
      levels[static_cast<std::size_t>(values.level_at(static_cast<std::size_t>(target.column), stage))] =
          target.value;
  }
};

bool EventValues::move(int stage, std::span<double> environment, const std::vector<Reinit>& reinits) {
  const auto levels = environment.subspan(static_cast<std::size_t>(model_.layout().levels));
  targets_.clear();
  for (const Reinit& reinit : reinits) {
    for (std::size_t j = 0; j < d_.size(); ++j) {
      if (level_at(j, stage) == reinit.level)
        targets_.push_back({.column = static_cast<int>(j), .value = reinit.value});
    }
  }
  bool constrained = false;
  for (std::size_t i = 0; i < c_.size(); ++i) constrained = constrained || constraint_at(i, stage) >= 0;
  if (!constrained) {
    changed_ = changed_ || !targets_.empty();
    for (const Target& target : targets_)
      levels[static_cast<std::size_t>(level_at(static_cast<std::size_t>(target.column), stage))] =
          target.value;
    return true;
  }
  prepare();
  moved_.assign(d_.size(), 0.0);
  Steps steps{.values = *this, .stage = stage, .environment = environment};
  return damped_newton(steps, {.iterations = consistent::event_iterations}).status == DampedStatus::Converged;
}

bool EventValues::move_all(std::span<double> environment, const std::vector<Reinit>& reinits) {
  changed_ = false;
  for (int stage = deepest_; stage < 0; ++stage) {
    if (!move(stage, environment, reinits)) return false;
  }
  return true;
}

EventValues::Outcome EventValues::solve(std::span<double> environment, const std::vector<Reinit>& reinits) {
  before_.assign(environment.begin(), environment.end());
  std::ranges::fill(missing_, 0);
  if (move_all(environment, reinits)) {
    if (!selected_) algebraic_.select_highest();
    selected_ = true;
    if (algebraic_.solve(environment, true) == AlgebraicStatus::Ok) return Outcome::Solved;
  }
  std::ranges::copy(before_, environment.begin());
  if (find_missing_rows(environment) && move_all(environment, reinits)) return Outcome::LowerSolved;
  std::ranges::copy(before_, environment.begin());
  return Outcome::NotFound;
}

int EventValues::jumped(std::span<const double> environment) const {
  double largest = consistent::drifted;
  int most = -1;
  for (std::size_t j = 0; j < d_.size(); ++j) {
    for (int level = first_level_[j]; level < first_level_[j] + d_[j]; ++level) {
      const auto slot = static_cast<std::size_t>(model_.layout().levels + level);
      const double change = std::abs(environment[slot] - before_[slot]) / weight_of(level, before_[slot]);
      if (!(change > largest)) continue;
      largest = change;
      most = level;
    }
  }
  return most;
}

}  // namespace daedalus
