#include "constraints/independent.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "constraints/rank_profile.hpp"
#include "expr/derivative.hpp"
#include "numerics/dependent_rows.hpp"
#include "numerics/row_combinations.hpp"
#include "numerics/vectors.hpp"
#include "reform/point.hpp"
#include "systems/compiled_model.hpp"
#include "systems/constraint_matrices.hpp"

namespace daedalus {
namespace {

const std::string mark = "redundant ";

std::string signal_name(const std::string& constraint, int level) {
  return fmt::format("{}{} {}", mark, level, constraint);
}

// By the names of signals: their columns.
std::unordered_map<std::string, std::size_t> columns_of(const Trajectory& trajectory) {
  std::unordered_map<std::string, std::size_t> columns;
  for (std::size_t k = 0; k < trajectory.signals.size(); ++k) columns[trajectory.signals[k].name] = k;
  return columns;
}

// Moves the residuals of dropped constraints from the signals to the drift.
class ResidualMover {
 public:
  ResidualMover(const IndependentSystem& independent, RunResult& result)
      : independent_(independent), trajectory_(result.trajectory), summary_(result.summary) {}

  double run() {
    const auto columns = columns_of(trajectory_);
    std::unordered_set<std::size_t> gone;
    double worst = 0;
    for (const std::string& name : independent_.names) {
      for (int level = 0; level < 2; ++level) {
        const auto found = columns.find(signal_name(name, level));
        if (found == columns.end()) continue;
        gone.insert(found->second);
        const double size = measure(found->second, level, name);
        if (level == 0) worst = std::max(worst, size);
      }
    }
    erase(gone);
    return worst;
  }

 private:
  double measure(std::size_t column, int level, const std::string& name) {
    const auto l = static_cast<std::size_t>(level);
    double largest = 0;
    for (std::size_t row = 0; row < trajectory_.rows(); ++row) {
      const double value = std::abs(trajectory_.at(row, column));
      largest = std::max(largest, std::isfinite(value) ? value : INFINITY);
      if (l < trajectory_.drift.size() && row < trajectory_.drift[l].size())
        trajectory_.drift[l][row] = std::max(trajectory_.drift[l][row], value);
    }
    if (l < summary_.drift.levels.size() && largest > summary_.drift.levels[l]) {
      summary_.drift.levels[l] = largest;
      if (l < summary_.drift.worst.size()) summary_.drift.worst[l] = name;
    }
    return largest;
  }

  void erase(const std::unordered_set<std::size_t>& gone) {
    std::vector<double> values;
    for (std::size_t row = 0; row < trajectory_.rows(); ++row) {
      for (std::size_t column = 0; column < trajectory_.signals.size(); ++column) {
        if (!gone.contains(column)) values.push_back(trajectory_.at(row, column));
      }
    }
    std::vector<Signal> signals;
    for (std::size_t column = 0; column < trajectory_.signals.size(); ++column) {
      if (!gone.contains(column)) signals.push_back(trajectory_.signals[column]);
    }
    trajectory_.values = std::move(values);
    trajectory_.signals = std::move(signals);
    std::erase_if(summary_.final_values, [](const auto& value) { return value.first.starts_with(mark); });
  }

  const IndependentSystem& independent_;
  Trajectory& trajectory_;
  Summary& summary_;
};

std::vector<RowEntry> entries_of(const ConstrainedForm& form) {
  std::vector<RowEntry> entries;
  for (const SymbolicEntry& entry : form.constraint.entries)
    entries.push_back({.row = entry.row, .column = entry.column});
  return entries;
}

// The same forces Gᵀλ by the least λ, each of which counts by the acceleration that it makes, as in
// RegularisedSystem: N and N m do not mix.
class LeastNorm {
 public:
  LeastNorm(const ConstrainedForm& form, const CompiledModel& model, std::span<const int> dropped,
            RunResult& result)
      : form_(form),
        model_(model),
        result_(result),
        matrices_(model, form),
        combinations_(form.ny(), form.n(), entries_of(form), dropped),
        lambda_(static_cast<std::size_t>(form.ny())),
        weights_(static_cast<std::size_t>(form.ny())),
        environment_(model.fresh_environment()) {
    const auto columns = columns_of(result.trajectory);
    const DaeSystem& system = form.system();
    for (std::size_t k = 0; k < system.variables.size(); ++k)
      note(columns, system.variables[k].name, VariableId(k));
    find_dependents(columns);
  }

  void run() {
    Trajectory& trajectory = result_.trajectory;
    std::vector<double> values(dependents_.size());
    std::vector<double> workspace;
    for (std::size_t row = 0; row < trajectory.rows(); ++row) {
      double* at = trajectory.values.data() + row * trajectory.signals.size();
      environment_[static_cast<std::size_t>(model_.layout().time)] = trajectory.times[row];
      for (const auto& [slot, column] : sources_) environment_[slot] = at[column];
      matrices_.evaluate(environment_);
      for (int k = 0; k < form_.ny(); ++k) lambda_[static_cast<std::size_t>(k)] = environment_[slot_of(k)];
      // Where the rank is another than at the start, the reactions are left as they are.
      if (combinations_.update(matrices_.constraint_values())) {
        matrices_.schur_diagonal(ConstraintMatrices::Norm::Mass, weights_);
        combinations_.make_least(lambda_, weights_);
      }
      put(at);
      program_.evaluate(environment_, values, workspace);
      for (std::size_t k = 0; k < values.size(); ++k) at[dependents_[k]] = values[k];
    }
    const auto columns = columns_of(trajectory);
    if (trajectory.rows() == 0) return;
    for (auto& [name, value] : result_.summary.final_values) {
      const auto found = columns.find(name);
      if (found != columns.end()) value = trajectory.at(trajectory.rows() - 1, found->second);
    }
  }

 private:
  void note(const std::unordered_map<std::string, std::size_t>& columns, const std::string& name,
            VariableId v) {
    const auto found = columns.find(name);
    const int slot = model_.slot(form_.graph().variable(v));
    if (found != columns.end() && slot >= 0)
      sources_.emplace_back(static_cast<std::size_t>(slot), found->second);
  }

  // Reported values that depend on multipliers and on nothing but positions besides.
  void find_dependents(const std::unordered_map<std::string, std::size_t>& columns) {
    std::unordered_set<std::int32_t> multipliers;
    for (const VariableId v : form_.multipliers) multipliers.insert(v.value);
    std::vector<NodeId> roots;
    for (const ReportedValue& reported : form_.system().reported) {
      bool depends = false;
      bool known = true;
      for (const NodeId leaf : leaves_of(form_.graph(), reported.value)) {
        if (form_.graph().node(leaf).op != Op::Variable) continue;
        depends = depends || multipliers.contains(form_.graph().variable_of(leaf).value);
        known = known && form_.graph().order_of(leaf) == 0;
      }
      const auto found = columns.find(reported.attributes.name);
      if (!depends || !known || found == columns.end()) continue;
      roots.push_back(reported.value);
      dependents_.push_back(found->second);
    }
    program_ = model_.compile(roots);
    for (const VariableId v : form_.multipliers) {
      const auto found = columns.find(form_.system().variables[v.at()].name);
      multiplier_columns_.push_back(found == columns.end() ? -1 : static_cast<std::ptrdiff_t>(found->second));
    }
  }

  [[nodiscard]] std::size_t slot_of(int k) const { return static_cast<std::size_t>(model_.slot(form_.y(k))); }

  void put(double* row) {
    for (int k = 0; k < form_.ny(); ++k) {
      const double value = lambda_[static_cast<std::size_t>(k)];
      environment_[slot_of(k)] = value;
      const std::ptrdiff_t column = multiplier_columns_[static_cast<std::size_t>(k)];
      if (column >= 0) row[column] = value;
    }
  }

  const ConstrainedForm& form_;
  const CompiledModel& model_;
  RunResult& result_;
  ConstraintMatrices matrices_;
  RowCombinations combinations_;
  std::vector<double> lambda_, weights_;
  std::vector<double> environment_;
  std::vector<std::pair<std::size_t, std::size_t>> sources_;  // slot in the environment, column
  std::vector<std::size_t> dependents_;                       // columns
  std::vector<std::ptrdiff_t> multiplier_columns_;
  Program program_;
};

}  // namespace

namespace {

// Of G at the start values, by entry.
std::vector<double> gradients_at_start(const ConstrainedForm& form) {
  std::vector<NodeId> nodes;
  for (const SymbolicEntry& entry : form.constraint.entries) nodes.push_back(entry.value);
  return SamplePoint(form.system(), 0, 0).evaluate(nodes);
}

}  // namespace

std::vector<Redundancy> redundant_at_start(const ConstrainedForm& form) {
  const std::vector<double> values = gradients_at_start(form);
  if (!all_finite(values)) return {};
  std::vector<SparseRow> rows(static_cast<std::size_t>(form.ny()));
  for (std::size_t k = 0; k < values.size(); ++k) {
    const SymbolicEntry& entry = form.constraint.entries[k];
    rows[static_cast<std::size_t>(entry.row)].emplace_back(entry.column, values[k]);
  }
  std::vector<Redundancy> found;
  for (const int i : dependent_rows(rows, form.n()))
    found.push_back({.constraint = i, .name = form.constraint_name(i), .combination = {}});
  return found;
}

void find_combinations(const ConstrainedForm& form, std::span<Redundancy> redundant) {
  if (!RowCombinations::fit(static_cast<std::size_t>(form.ny()), redundant.size())) return;
  std::vector<int> dependent;
  for (const Redundancy& r : redundant) dependent.push_back(r.constraint);
  RowCombinations combinations(form.ny(), form.n(), entries_of(form), dependent);
  if (!combinations.update(gradients_at_start(form))) return;
  std::vector<int> all(static_cast<std::size_t>(form.ny()));
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t k = 0; k < redundant.size(); ++k)
    redundant[k].combination = combination_text(form, dependent[k], all, combinations.combination(k));
}

std::optional<IndependentSystem> independent_system(const DaeSystem& system, const ConstrainedForm& form,
                                                    std::span<const Redundancy> redundant) {
  if (redundant.empty() || !form.symmetric) return std::nullopt;
  std::unordered_map<std::string, std::size_t> by_label;
  for (std::size_t k = 0; k < system.equations.size(); ++k) {
    if (system.equations[k].keep) by_label[system.equations[k].label] = k;
  }
  IndependentSystem out{.system = system, .dropped = {}, .names = {}};
  ExprGraph& graph = *system.graph;
  TimeDerivative derivative(graph);
  for (const Redundancy& r : redundant) {
    const FormConstraint& constraint = form.constraints[static_cast<std::size_t>(r.constraint)];
    const Equation& equation = form.system().equations[static_cast<std::size_t>(constraint.equation)];
    const auto found = by_label.find(equation.label);
    if (!equation.keep || found == by_label.end() || constraint.level != 0) return std::nullopt;
    Equation& dropped = out.system.equations[found->second];
    NodeId residual = dropped.residual;
    for (int level = 0; level < 2; ++level) {
      ReportedValue reported;
      reported.attributes.name = signal_name(r.name, level);
      reported.value = residual;
      out.system.report_order.push_back(reported.attributes.name);
      out.system.reported.push_back(std::move(reported));
      residual = derivative(residual);
    }
    dropped.residual = graph.variable(form.multipliers[static_cast<std::size_t>(r.constraint)]);
    out.dropped.push_back(r.constraint);
    out.names.push_back(r.name);
  }
  return out;
}

std::unique_ptr<const CompiledModel> full_model(const ConstrainedForm& form,
                                                const IndependentSystem& independent) {
  if (!RowCombinations::fit(static_cast<std::size_t>(form.ny()), independent.dropped.size())) return nullptr;
  auto model = CompiledModel::compile(level_system_of(form));
  return model ? *std::move(model) : nullptr;
}

double share_among_redundant(const ConstrainedForm& form, const IndependentSystem& independent,
                             const CompiledModel* model, RunResult& result) {
  const double worst = ResidualMover(independent, result).run();
  const std::string names = fmt::format("{}", fmt::join(independent.names, ", "));
  if (model != nullptr) {
    LeastNorm(form, *model, independent.dropped, result).run();
    result.summary.warnings.push_back(
        fmt::format("redundant: {}; left out of the equations and held within {:.2g} all the same; reactions "
                    "that redundancy leaves "
                    "undetermined are those of least norm",
                    names, worst));
  } else {
    result.summary.warnings.push_back(
        fmt::format("redundant: {}; left out of the equations and held within {:.2g} all the same; of the "
                    "reactions that redundancy "
                    "leaves undetermined theirs are set to zero",
                    names, worst));
  }
  return worst;
}

bool is_measure(std::string_view signal) {
  return signal.starts_with(mark);
}

void share_at(const ConstrainedForm& form, const IndependentSystem& independent, const CompiledModel* model,
              std::span<const Signal> signals, double t, std::vector<double>& row) {
  RunResult one;
  one.trajectory.signals.assign(signals.begin(), signals.end());
  one.trajectory.times.push_back(t);
  one.trajectory.values = std::move(row);
  (void)share_among_redundant(form, independent, model, one);
  row = std::move(one.trajectory.values);
}

void share_along_run(const ConstrainedForm& form, const IndependentSystem& independent,
                     const CompiledModel* model, const RunResult& result, DenseOutput& course) {
  RunResult rows{.trajectory = course.rows(), .summary = result.summary};
  rows.trajectory.drift.assign(result.trajectory.drift.size(),
                               std::vector<double>(rows.trajectory.rows(), 0));
  (void)share_among_redundant(form, independent, model, rows);
  course.replace(std::move(rows.trajectory));
}

}  // namespace daedalus
