#include "study/compare_error.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "expr/traverse.hpp"
#include "reform/constrained_form.hpp"

namespace daedalus {
namespace {

constexpr double least_part = 1e-6;      // of the group's largest scale
constexpr double same_time_part = 1e-9;  // of the span of the reference: two times that are the same
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<bool> differentiated_variables(const DaeSystem& system) {
  std::vector<NodeId> roots;
  for (const Equation& equation : system.equations) roots.push_back(equation.residual);
  Traversal walk;
  walk.run(*system.graph, roots);
  std::vector<bool> differentiated(system.variables.size(), false);
  for (const NodeId id : walk.order()) {
    const Node& node = system.graph->node(id);
    if (node.op == Op::Variable && node.args[1] > 0)
      differentiated[static_cast<std::size_t>(node.args[0])] = true;
  }
  return differentiated;
}

double range_of_column(const Trajectory& trajectory, std::size_t column) {
  double low = infinity;
  double high = -infinity;
  for (std::size_t row = 0; row < trajectory.rows(); ++row) {
    low = std::min(low, trajectory.at(row, column));
    high = std::max(high, trajectory.at(row, column));
  }
  return high - low;
}

double size_of_column(const Trajectory& trajectory, std::size_t column) {
  double size = 0;
  for (std::size_t row = 0; row < trajectory.rows(); ++row)
    size = std::max(size, std::abs(trajectory.at(row, column)));
  return size;
}

}  // namespace

SignalGroups signal_groups(const DaeSystem& system) {
  SignalGroups groups;
  std::vector<std::string> others;
  const std::vector<bool> differentiated = differentiated_variables(system);
  for (std::size_t v = 0; v < system.variables.size(); ++v) {
    if (system.variables[v].kind != VariableKind::Continuous) continue;
    (differentiated[v] ? groups.motion : others).push_back(system.variables[v].name);
  }
  if (groups.motion.empty()) {
    groups.motion = std::move(others);
    return groups;
  }
  const auto form = recognise_constrained_form(system);
  if (!form) {
    groups.multipliers = std::move(others);
    return groups;
  }
  for (const VariableId y : form->multipliers)
    groups.multipliers.push_back(form->system().variables[y.at()].name);
  return groups;
}

std::size_t find_signal(const Trajectory& trajectory, const std::string& name) {
  const auto found = std::ranges::find(trajectory.signals, name, &Signal::name);
  return static_cast<std::size_t>(found - trajectory.signals.begin());
}

std::vector<double> departure(const Trajectory& trajectory, std::size_t column) {
  std::vector<double> values;
  values.reserve(trajectory.rows());
  for (std::size_t row = 0; row < trajectory.rows(); ++row)
    values.push_back(std::abs(trajectory.at(row, column) - trajectory.at(0, column)));
  return values;
}

ErrorMeasure::ErrorMeasure(const Trajectory& reference, const std::vector<std::string>& signals)
    : reference_(reference) {
  for (const std::string& name : signals) {
    const std::size_t column = find_signal(reference, name);
    if (column < reference.signals.size()) columns_.push_back({.name = name, .reference = column});
  }
  const auto largest = [this](double (*measure)(const Trajectory&, std::size_t)) {
    double all = 0;
    for (Column& column : columns_) {
      column.scale = measure(reference_, column.reference);
      all = std::max(all, column.scale);
    }
    return all;
  };
  double group = largest(range_of_column);
  if (!(group > 0)) group = largest(size_of_column);
  if (!(group > 0)) group = 1;
  for (Column& column : columns_) column.scale = std::max(column.scale, least_part * group);
}

double ErrorMeasure::Result::median() const {
  std::vector<double> known;
  std::ranges::copy_if(over_time, std::back_inserter(known), [](double value) { return !std::isnan(value); });
  if (known.empty()) return std::nan("");
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>((known.size() - 1) / 2);
  std::ranges::nth_element(known, middle);
  return *middle;
}

ErrorMeasure::Result ErrorMeasure::of(const Trajectory& run) const {
  std::vector<std::size_t> in_run;
  for (const Column& column : columns_) in_run.push_back(find_signal(run, column.name));
  Result result;
  result.over_time.assign(run.rows(), std::nan(""));
  const auto& times = reference_.times;
  const double same = same_time_part * std::max(times.back() - times.front(), std::abs(times.back()));
  std::size_t k = 0;  // row of the reference
  for (std::size_t row = 0; row < run.rows(); ++row) {
    while (k < times.size() && times[k] < run.times[row] - same) ++k;
    if (k >= times.size() || times[k] > run.times[row] + same) continue;
    double here = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (in_run[c] >= run.signals.size()) continue;
      double size = std::abs(run.at(row, in_run[c]) - reference_.at(k, columns_[c].reference));
      size = std::isfinite(size) ? size / columns_[c].scale : infinity;
      here = std::max(here, size);
      if (size <= result.error) continue;
      result.error = size;
      result.worst = columns_[c].name;
      result.worst_time = run.times[row];
    }
    result.over_time[row] = here;
    ++result.points;
    ++k;
  }
  return result;
}

}  // namespace daedalus
