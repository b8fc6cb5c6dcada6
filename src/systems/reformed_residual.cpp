#include "systems/reformed_residual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "expr/traverse.hpp"
#include "numerics/elimination.hpp"

namespace daedalus {
namespace {

// Derivatives are written out as long as the equations have fewer operations than this, or share less: the
// operations below each equation, added up, are at most so many times those of all together. Equations of
// motion in joint coordinates share most of what they are made of, so that their derivatives would have a
// hundred times their operations, and take longer to compile than hundreds of differences take to evaluate.
constexpr std::size_t most_written_out = 4000;
constexpr std::size_t most_shared = 6;
// Of one-sided differences: truncation and rounding are about equal. Newton's method asks for no more.
const double difference_step = std::sqrt(std::numeric_limits<double>::epsilon());

// The operations below all roots; and whether those below each, added up, are more than most_shared times as
// many.
bool shares_much(const ExprGraph& graph, std::span<const NodeId> roots) {
  Traversal below;
  below.run(graph, roots);
  const std::size_t all = below.order().size();
  if (all < most_written_out) return false;
  std::size_t sum = 0;
  for (const NodeId root : roots) {
    below.run(graph, std::span(&root, 1));
    sum += below.order().size();
    if (sum > most_shared * all) return true;
  }
  return false;
}

// Columns none of which share a row, greedily.
std::vector<std::vector<int>> independent_columns(const std::vector<std::vector<int>>& rows,
                                                  std::size_t count) {
  std::vector<std::vector<int>> groups;
  std::vector<std::vector<char>> taken;  // by group and row
  for (std::size_t c = 0; c < rows.size(); ++c) {
    if (rows[c].empty()) continue;
    std::size_t g = 0;
    while (g < groups.size() &&
           std::ranges::any_of(rows[c], [&](int r) { return taken[g][static_cast<std::size_t>(r)] != 0; }))
      ++g;
    if (g == groups.size()) {
      groups.emplace_back();
      taken.emplace_back(count, 0);
    }
    groups[g].push_back(static_cast<int>(c));
    for (const int r : rows[c]) taken[g][static_cast<std::size_t>(r)] = 1;
  }
  return groups;
}

}  // namespace

ReformedResidual::ReformedResidual(const CompiledModel& model, ReformulatedSystem system)
    : model_(model), system_(std::make_shared<const ReformulatedSystem>(std::move(system))) {
  lay_out();
}

void ReformedResidual::lay_out() {
  slots_ = model_.layout().size;
  const auto map = std::make_shared<SlotMap>();
  map->model = &model_;
  slot_map_ = map;
  const auto place = [&](NodeId leaf) {
    const int known = slot(leaf);
    if (known >= 0) return known;
    map->own[leaf.value] = slots_;
    return slots_++;
  };
  for (const ReformUnknown& unknown : system_->unknowns) {
    value_slot_.push_back(place(unknown.leaf));
    rate_slot_.push_back(unknown.rate.valid() ? place(unknown.rate) : -1);
    components_.push_back({.differential = unknown.rate.valid(),
                           .error_tested = unknown.tested,
                           .index = unknown.index,
                           .nominal = 1});
    const VariableId v = model_.dae().graph->variable_of(unknown.leaf);
    if (!unknown.own && model_.dae().variables[v.at()].has_nominal) {
      const double nominal = std::abs(model_.dae().variables[v.at()].nominal);
      if (nominal > 0) components_.back().nominal = nominal;
    }
  }
  for (const HeldValue& held : system_->held) place(held.leaf);
  std::vector<int> number(value_slot_.size());
  std::iota(number.begin(), number.end(), 0);
  put_values_ = IndexedCopy(number, value_slot_);
  std::vector<int> rates;
  std::erase_if(number, [this](int k) { return rate_slot_[static_cast<std::size_t>(k)] < 0; });
  for (const int k : number) rates.push_back(rate_slot_[static_cast<std::size_t>(k)]);
  put_rates_ = IndexedCopy(number, rates);
  first_value_ = add_slots(size());
  first_rate_ = add_slots(size());
  for (int k = 0; k < size(); ++k) {
    const ReformUnknown& unknown = system_->unknowns[static_cast<std::size_t>(k)];
    program_slots_[unknown.leaf.value] = first_value_ + k;
    if (unknown.rate.valid()) program_slots_[unknown.rate.value] = first_rate_ + k;
  }
}

int ReformedResidual::add_slots(int count) {
  return std::exchange(slots_, slots_ + count);
}

int ReformedResidual::program_slot(NodeId leaf) const {
  const auto found = program_slots_.find(leaf.value);
  return found == program_slots_.end() ? slot(leaf) : found->second;
}

int ReformedResidual::SlotMap::slot(NodeId leaf) const {
  const auto found = own.find(leaf.value);
  if (found != own.end()) return found->second;
  const Node& node = model->dae().graph->node(leaf);
  const bool of_variable = node.op == Op::Variable || node.op == Op::Discrete || node.op == Op::Pre;
  if (of_variable && static_cast<std::size_t>(node.args[0]) >= model->dae().variables.size()) return -1;
  return model->slot(leaf);
}

std::vector<NodeId> ReformedResidual::roots() const {
  std::vector<NodeId> roots;
  for (const ReformEquation& equation : system_->equations) roots.push_back(equation.residual);
  return roots;
}

// Where something new may be put.
ReformedResidual::Compiled& ReformedResidual::compiled() const {
  if (model_.dae().graph->frozen()) compiled_ = std::make_shared<Compiled>(*compiled_);
  return *compiled_;
}

std::vector<ProgramSize> ReformedResidual::programs() const {
  const SparseJacobianProgram& jacobian = derivatives().program;
  return {size_of(fmt::format("equations in {} unknowns", size()), residuals()),
          {.name = fmt::format("their Jacobian, of a matrix with {} entries", pattern().nonzeros()),
           .results = jacobian.row.size(),
           .operations = jacobian.program().operations(),
           .back_end = {}}};
}

const Program& ReformedResidual::residuals() const {
  if (compiled_->residuals == nullptr) {
    compiled().residuals = std::make_shared<const Program>(Program::compile(
        *model_.dae().graph, roots(), slots_, [this](NodeId leaf) { return program_slot(leaf); }, codegen()));
  }
  return *compiled_->residuals;
}

const ReformedResidual::Derivatives& ReformedResidual::derivatives() const {
  if (compiled_->derivatives != nullptr) return *compiled_->derivatives;
  const int n = size();
  std::unordered_map<std::int32_t, int> column;
  for (int k = 0; k < n; ++k) {
    const ReformUnknown& unknown = system_->unknowns[static_cast<std::size_t>(k)];
    column[unknown.leaf.value] = k;
    if (unknown.rate.valid()) column[unknown.rate.value] = n + k;
  }
  std::vector<std::vector<int>> held = rows_to_difference();
  const int first_column = held.empty() ? 0 : n;  // of those that are written out
  const auto column_of = [&](NodeId leaf) {
    const auto found = column.find(leaf.value);
    return found == column.end() || found->second < first_column ? -1 : found->second;
  };
  auto made = std::make_shared<Derivatives>();
  made->program = SparseJacobianProgram::compile(
      *model_.dae().graph, roots(), 2 * n, column_of, slots_,
      [this](NodeId leaf) { return program_slot(leaf); }, codegen());
  build_pattern(*made, std::move(held));
  compiled().derivatives = std::move(made);
  return *compiled_->derivatives;
}

void ReformedResidual::compile() const {
  (void)residuals();
  (void)derivatives();
}

std::vector<std::vector<int>> ReformedResidual::rows_to_difference() const {
  const ExprGraph& graph = *model_.dae().graph;
  const std::vector<NodeId> all = roots();
  if (!shares_much(graph, all)) return {};
  std::unordered_map<std::int32_t, std::size_t> column;
  for (std::size_t k = 0; k < system_->unknowns.size(); ++k) column[system_->unknowns[k].leaf.value] = k;
  std::vector<std::vector<int>> rows(system_->unknowns.size());
  const std::vector<std::vector<NodeId>> leaves = leaves_of_each(graph, all);
  for (std::size_t r = 0; r < leaves.size(); ++r) {
    for (const NodeId leaf : leaves[r]) {
      const auto found = column.find(leaf.value);
      if (found != column.end()) rows[found->second].push_back(static_cast<int>(r));
    }
  }
  return rows;
}

// Of the program's columns and, if there are any, of those held by differences.
void ReformedResidual::build_pattern(Derivatives& derivatives, std::vector<std::vector<int>> held) {
  const SparseJacobianProgram& jacobian = derivatives.program;
  const std::size_t n = (jacobian.column_start.size() - 1) / 2;
  SparsePattern& pattern = derivatives.pattern;
  std::vector<std::vector<int>> rows = held;
  rows.resize(n);
  for (std::size_t column = 0; column < 2 * n; ++column) {
    for (int k = jacobian.column_start[column]; k < jacobian.column_start[column + 1]; ++k)
      rows[column % n].push_back(jacobian.row[static_cast<std::size_t>(k)]);
  }
  pattern = pattern_of(rows);
  const auto target_of = [&](std::size_t column, int row) {
    const auto begin = pattern.row.begin() + pattern.column_start[column];
    const auto end = pattern.row.begin() + pattern.column_start[column + 1];
    return static_cast<int>(std::lower_bound(begin, end, row) - pattern.row.begin());
  };
  derivatives.rate_entries = jacobian.column_start[n];
  for (std::size_t column = 0; column < 2 * n; ++column) {
    for (int k = jacobian.column_start[column]; k < jacobian.column_start[column + 1]; ++k)
      derivatives.targets.push_back(target_of(column % n, jacobian.row[static_cast<std::size_t>(k)]));
  }
  derivatives.groups = independent_columns(held, n);
  derivatives.differences.resize(held.size());
  for (std::size_t column = 0; column < held.size(); ++column) {
    for (const int row : held[column])
      derivatives.differences[column].push_back({.row = row, .target = target_of(column, row)});
  }
}

void ReformedResidual::scatter(double t, std::span<const double> y, std::span<const double> yp) {
  environment_[static_cast<std::size_t>(model_.layout().time)] = t;
  put_values_(y.data(), environment_.data());
  put_rates_(yp.data(), environment_.data());
}

void ReformedResidual::set_arguments(double t, std::span<const double> y, std::span<const double> yp) {
  environment_[static_cast<std::size_t>(model_.layout().time)] = t;
  const std::span<double> own = environment_;
  copy_values(y, own.subspan(static_cast<std::size_t>(first_value_)));
  copy_values(yp, own.subspan(static_cast<std::size_t>(first_rate_)));
}

void ReformedResidual::gather(std::span<double> y, std::span<double> yp) const {
  for (std::size_t k = 0; k < value_slot_.size(); ++k)
    y[k] = environment_[static_cast<std::size_t>(value_slot_[k])];
  for (std::size_t k = 0; k < yp.size(); ++k)
    yp[k] = rate_slot_[k] >= 0 ? environment_[static_cast<std::size_t>(rate_slot_[k])] : 0;
}

bool ReformedResidual::residual(double t, std::span<const double> y, std::span<const double> yp,
                                std::span<double> r) {
  set_arguments(t, y, yp);
  residuals().evaluate(environment_, r, workspace_);
  if (all_finite(r)) return true;
  const auto bad = std::ranges::find_if(r, [](double v) { return !std::isfinite(v); });
  bad_equation_ = static_cast<int>(bad - r.begin());
  return false;
}

bool ReformedResidual::jacobian(double t, std::span<const double> y, std::span<const double> yp,
                                std::span<double> dy, std::span<double> dyp) {
  set_arguments(t, y, yp);
  const Derivatives& all = derivatives();
  jacobian_values_.resize(all.program.row.size());
  all.program.evaluate(environment_, jacobian_values_, jacobian_workspace_);
  std::ranges::fill(dy, 0.0);
  std::ranges::fill(dyp, 0.0);
  for (std::size_t k = 0; k < all.targets.size(); ++k) {
    auto& into = static_cast<int>(k) < all.rate_entries ? dy : dyp;
    into[static_cast<std::size_t>(all.targets[k])] = jacobian_values_[k];
  }
  if (!all.groups.empty() && !difference(y, dy)) return false;
  if (all_finite(jacobian_values_)) return true;
  const auto bad = std::ranges::find_if(jacobian_values_, [](double v) { return !std::isfinite(v); });
  bad_equation_ = all.program.row[static_cast<std::size_t>(bad - jacobian_values_.begin())];
  return false;
}

// The columns that are not written out, at the arguments that have been set; these stay.
bool ReformedResidual::difference(std::span<const double> y, std::span<double> dy) {
  const Derivatives& all = derivatives();
  base_.resize(y.size());
  moved_.resize(y.size());
  const std::span<double> values =
      std::span(environment_).subspan(static_cast<std::size_t>(first_value_), y.size());
  residuals().evaluate(environment_, base_, workspace_);
  for (const std::vector<int>& group : all.groups) {
    for (const int column : group) {
      const auto c = static_cast<std::size_t>(column);
      values[c] += difference_step * std::max(std::abs(y[c]), components_[c].nominal);
    }
    residuals().evaluate(environment_, moved_, workspace_);
    for (const int column : group) {
      const auto c = static_cast<std::size_t>(column);
      const double by = values[c] - y[c];
      values[c] = y[c];
      for (const Derivatives::Difference& one : all.differences[c]) {
        const auto row = static_cast<std::size_t>(one.row);
        const double slope = (moved_[row] - base_[row]) / by;
        dy[static_cast<std::size_t>(one.target)] = slope;
        if (std::isfinite(slope)) continue;
        bad_equation_ = one.row;
        return false;
      }
    }
  }
  return true;
}

std::string ReformedResidual::trouble() const {
  if (bad_equation_ < 0) return {};
  return system_->equations[static_cast<std::size_t>(bad_equation_)].name;
}

}  // namespace daedalus
