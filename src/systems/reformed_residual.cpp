#include "systems/reformed_residual.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "numerics/elimination.hpp"

namespace daedalus {

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
  const auto column_of = [&](NodeId leaf) {
    const auto found = column.find(leaf.value);
    return found == column.end() ? -1 : found->second;
  };
  auto made = std::make_shared<Derivatives>();
  made->program = SparseJacobianProgram::compile(
      *model_.dae().graph, roots(), 2 * n, column_of, slots_,
      [this](NodeId leaf) { return program_slot(leaf); }, codegen());
  build_pattern(*made);
  compiled().derivatives = std::move(made);
  return *compiled_->derivatives;
}

void ReformedResidual::compile() const {
  (void)residuals();
  (void)derivatives();
}

void ReformedResidual::build_pattern(Derivatives& derivatives) const {
  const auto n = static_cast<std::size_t>(size());
  const SparseJacobianProgram& jacobian = derivatives.program;
  SparsePattern& pattern = derivatives.pattern;
  std::vector<std::vector<int>> rows(n);
  for (std::size_t column = 0; column < 2 * n; ++column) {
    for (int k = jacobian.column_start[column]; k < jacobian.column_start[column + 1]; ++k)
      rows[column % n].push_back(jacobian.row[static_cast<std::size_t>(k)]);
  }
  pattern = pattern_of(rows);
  derivatives.rate_entries = jacobian.column_start[n];
  for (std::size_t column = 0; column < 2 * n; ++column) {
    const auto begin = pattern.row.begin() + pattern.column_start[column % n];
    const auto end = pattern.row.begin() + pattern.column_start[(column % n) + 1];
    for (int k = jacobian.column_start[column]; k < jacobian.column_start[column + 1]; ++k) {
      const auto found = std::lower_bound(begin, end, jacobian.row[static_cast<std::size_t>(k)]);
      derivatives.targets.push_back(static_cast<int>(found - pattern.row.begin()));
    }
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
  if (all_finite(jacobian_values_)) return true;
  const auto bad = std::ranges::find_if(jacobian_values_, [](double v) { return !std::isfinite(v); });
  bad_equation_ = all.program.row[static_cast<std::size_t>(bad - jacobian_values_.begin())];
  return false;
}

std::string ReformedResidual::trouble() const {
  if (bad_equation_ < 0) return {};
  return system_->equations[static_cast<std::size_t>(bad_equation_)].name;
}

}  // namespace daedalus
