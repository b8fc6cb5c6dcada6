#include "drive/dummy_driver.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedalus {
namespace {

constexpr std::size_t records_kept = 1000;  // of pivots in the summary; the counter goes on
constexpr double first_threshold = 1.05;    // at the start the best choice is taken

}  // namespace

DummyDriver::DummyDriver(const DriverSetting& setting, const ConstrainedForm* form, bool give_up)
    : model_(setting.model),
      residual_(setting.model, setting.plan.row_options.text("superfluous") == "remove"),
      algebraic_(setting.model, setting.tolerances),
      threshold_(setting.plan.row_options.number("pivot")),
      give_up_(give_up) {
  rates_.resize(static_cast<std::size_t>(model_.level_count()));
  selection_values_.resize(model_.selection.expressions.size());
  if (form != nullptr)
    monitor_ = std::make_unique<ConstraintMonitor>(model_, ConstraintMatrices(model_, *form),
                                                   setting.tolerances.relative);
}

void DummyDriver::bind(std::span<double> environment) {
  environment_ = environment;
  residual_.bind(environment);
}

SelectionOutcome DummyDriver::choose(double threshold) const {
  return select_dummies(model_.levels(), model_.selection, selection_values_, taken_, threshold);
}

std::string DummyDriver::begin() {
  model_.selection_values.evaluate(environment_, selection_values_, workspace_);
  const SelectionOutcome outcome = choose(first_threshold);
  if (outcome.singular) {
    return fmt::format(
        "the constraints are singular at the initial point: no choice of states is regular in the "
        "block of {}",
        outcome.singular_block);
  }
  taken_ = outcome.taken;
  residual_.select(taken_);
  algebraic_.select(residual_.states());
  if (monitor_ != nullptr) monitor_->begin(environment_);
  return {};
}

std::unique_ptr<Integrator> DummyDriver::make_integrator(const IntegratorRow& row,
                                                         const IntegratorSettings& settings) {
  return row.make(residual_, settings);
}

bool DummyDriver::pivot() {
  if (model_.selection.blocks.empty()) return false;
  model_.selection_values.evaluate(environment_, selection_values_, workspace_);
  if (selection_values_ == kept_for_) return false;  // often nothing of H changes
  kept_for_ = selection_values_;
  if (check_.keeps(model_.selection, selection_values_, taken_, threshold_)) return false;
  const SelectionOutcome outcome = choose(threshold_);
  // Where nothing is regular the integrator goes on as long as it can, and explains itself when it cannot.
  if (outcome.singular || !outcome.changed) return false;
  note_pivot(outcome.taken);
  taken_ = outcome.taken;
  kept_for_.clear();
  residual_.select(taken_);
  algebraic_.select(residual_.states());
  return true;
}

void DummyDriver::start_values(Integrator* integrator, std::span<double> y, std::span<double> yp) {
  if (integrator != nullptr && pivot()) integrator->system_changed();
  const auto levels = std::span<const double>(environment_)
                          .subspan(static_cast<std::size_t>(model_.layout().levels), rates_.size());
  residual_.gather(levels, y);
  algebraic_.rates(environment_, rates_);
  residual_.gather(rates_, yp);
}

void DummyDriver::scatter(double t, std::span<const double> y, std::span<const double> yp) {
  residual_.scatter(t, y, yp);
}

void DummyDriver::complete_output() {
  (void)algebraic_.solve(environment_, false);
}

bool DummyDriver::make_consistent() {
  return algebraic_.solve(environment_, true) == AlgebraicStatus::Ok;
}

std::string DummyDriver::after_step(Integrator& integrator) {
  if (monitor_ != nullptr) {
    y_.resize(static_cast<std::size_t>(size()));
    yp_.resize(y_.size());
    const std::size_t before = monitor_->changes().size();
    const auto load = [&](double t) {
      integrator.interpolate(t, y_, yp_);
      residual_.scatter(t, y_, yp_);
    };
    monitor_->watch({.t0 = integrator.t_previous(),
                     .t1 = integrator.t(),
                     .load = std::ref(load),
                     .cheap_interpolation = std::ref(load)},
                    environment_);
    if (give_up_ && monitor_->changes().size() > before) return std::string(rank_loss_reason);
  }
  if (pivot()) integrator.system_changed();
  return {};
}

void DummyDriver::note_pivot(const std::vector<int>& taken) {
  ++pivot_count_;
  if (pivots_.size() >= records_kept) return;
  PivotRecord record{
      .t = environment_[static_cast<std::size_t>(model_.layout().time)], .states_out = {}, .states_in = {}};
  const std::vector<int>& before = residual_.states();
  const std::vector<int> after = state_levels(model_.levels(), taken);
  for (const int s : before) {
    if (!std::ranges::binary_search(after, s)) record.states_out.push_back(model_.levels().level_name(s));
  }
  for (const int s : after) {
    if (!std::ranges::binary_search(before, s)) record.states_in.push_back(model_.levels().level_name(s));
  }
  pivots_.push_back(std::move(record));
}

std::string DummyDriver::component_name(int component) const {
  return model_.levels().level_name(residual_.level_of(component));
}

std::string DummyDriver::explain_failure() {
  if (monitor_ == nullptr || monitor_->sigma() > 1e-3) return {};
  return fmt::format("the constraints are nearly singular here (relative singular value {:.2g})",
                     monitor_->sigma());
}

void DummyDriver::state(Archive& archive) {
  archive.section("dummy derivatives", 1);
  archive(taken_, kept_for_, pivots_, pivot_count_);
  archive.require(kept_for_.empty() || kept_for_.size() == selection_values_.size(), "another model");
  const auto levels = model_.level_count();
  for (const int level : taken_) archive.require(level >= -1 && level < levels, "a state that there is not");
  if (!archive.ok()) return;
  if (archive.reading()) {
    residual_.select(taken_);
    algebraic_.select(residual_.states());
  }
  algebraic_.state(archive);
  if (monitor_ != nullptr) monitor_->state(archive);
}

void DummyDriver::finish(Summary& summary) {
  if (monitor_ != nullptr) summary.rank_changes = monitor_->changes();
  summary.pivots = std::move(pivots_);
  summary.pivot_count = pivot_count_;
}

}  // namespace daedalus
