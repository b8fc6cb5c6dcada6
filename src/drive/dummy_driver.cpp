#include "drive/dummy_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedalus {
namespace {

constexpr std::size_t records_kept = 1000;  // of pivots in the summary; the counter goes on
constexpr double first_threshold = 1.05;    // at the start the best choice is taken
// Singular value of the constraints, relative: below, a failure is blamed on them.
constexpr double nearly_singular = 1e-3;
// An algebraic unknown may have jumped when it moved by more than so many tolerances (Newton solves it to a
// few hundred), or by this part of its size where that is less, and so many times as far as its slope over
// the step before lets expect.
constexpr double far = 1e5;
constexpr double far_part = 0.05;
constexpr double unexpected = 10;
// A slope says nothing of a step that is more than so many times as long as the one that it was taken over:
// where a solution ends slopes grow without bound while steps shrink.
constexpr double foreseen = 2;
// Followed in parts of a step down to this one, it would have been found: steps of Newton's method near a
// regular point converge long before.
constexpr double smallest_part = 1e-5;
// Two ways to the same point agree to this part of what is no jump, or of the way.
constexpr double same_point = 0.5;
constexpr double same_part = 0.1;

// Where noEvent() or a function decides between formulas, values may jump as the model says.
bool has_conditions_without_events(const LevelSystem& system) {
  const ExprGraph& graph = *system.system().graph;
  std::vector<NodeId> residuals;
  for (const LevelEquation& e : system.equations) residuals.push_back(e.residual);
  return std::ranges::any_of(topological_order(graph, residuals), [&](NodeId id) {
    const Op op = graph.node(id).op;
    return op == Op::Less || op == Op::LessEqual;
  });
}

}  // namespace

DummyDriver::DummyDriver(const DriverSetting& setting, const ConstrainedForm* form, bool give_up)
    : model_(setting.model),
      residual_(setting.model,
                {.leave_out_superfluous = setting.plan.row_options.text("superfluous") == "remove",
                 .compute_explicit = setting.plan.row_options.text("explicit") == "compute"}),
      algebraic_(setting.model, setting.tolerances),
      tolerances_(setting.tolerances),
      threshold_(setting.plan.row_options.number("pivot")),
      give_up_(give_up) {
  rates_.resize(static_cast<std::size_t>(model_.level_count()));
  before_.resize(rates_.size());
  followed_.resize(rates_.size());
  const LevelSystem& system = model_.levels();
  const std::vector<bool> explicit_once = output_only(*model_.dae().graph, system.incidence);
  for (std::size_t j = 0; j < explicit_once.size(); ++j) {
    // What is computed follows from others, which jump with it.
    const int level = system.level_start[j];
    if (system.plan.d[j] == 0 && !explicit_once[j] && !residual_.computes(level)) untested_.push_back(level);
  }
  may_jump_ = has_conditions_without_events(model_.levels());
  slopes_.resize(untested_.size());
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
  select_states();
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
  select_states();
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

std::span<double> DummyDriver::levels() const {
  return environment_.subspan(static_cast<std::size_t>(model_.layout().levels), rates_.size());
}

std::string DummyDriver::trouble_of(AlgebraicStatus status) const {
  const double t = environment_[static_cast<std::size_t>(model_.layout().time)];
  const int worst = algebraic_.worst_equation();
  const std::string equation =
      worst >= 0 && worst < model_.equation_count()
          ? model_.levels().equation_name(model_.levels().equations[static_cast<std::size_t>(worst)])
          : std::string("the equations");
  if (status == AlgebraicStatus::NotFinite)
    return fmt::format("at t = {:.10g} there is no finite value: {}", t, equation);
  return fmt::format("at t = {:.10g} no values near those before fulfil {}", t, equation);
}

void DummyDriver::select_states() {
  algebraic_.select(residual_.states());
  asked_.reset();
}

std::string DummyDriver::complete(AlgebraicSolver& solver) {
  const std::span<double> here = levels();
  interpolated_.assign(here.begin(), here.end());
  AlgebraicStatus status = AlgebraicStatus::Ok;
  for (const bool robust : {false, true}) {
    status = solver.solve(environment_, robust);
    if (status == AlgebraicStatus::Ok) return {};
    std::ranges::copy(interpolated_, here.begin());
  }
  return trouble_of(status);
}

std::string DummyDriver::complete_output() {
  return complete(algebraic_);
}

// With a matrix of this point, and not one that another question left.
std::string DummyDriver::complete_asked() {
  if (!asked_) {
    asked_.emplace(model_, tolerances_);
    asked_->select(residual_.states());
  }
  asked_->forget();
  return complete(*asked_);
}

double DummyDriver::allowed_jump(int level, double a, double b) const {
  const Variable& variable =
      model_.dae().variables[model_.levels().levels[static_cast<std::size_t>(level)].variable.at()];
  const double nominal = variable.has_nominal && variable.nominal != 0 ? std::abs(variable.nominal) : 1;
  return std::min(far * tolerances_.relative, far_part) * std::max(std::abs(a), std::abs(b)) +
         far * tolerances_.absolute * nominal;
}

// Error tests do not see algebraic unknowns: where their solution ends (a fold), the next step may converge
// to another one far away, or to none. One that moved much farther than expected is followed from the last
// step on: if Newton's method, damped so that it does not cross singular points, does not come to the same
// values in ever smaller parts of the step, the solution has ended.
std::string DummyDriver::check_step(const Integrator& integrator) {
  if (untested_.empty()) return {};
  y_.resize(static_cast<std::size_t>(size()));
  yp_.resize(y_.size());
  const auto load = [&](double t) {
    integrator.interpolate(t, y_, yp_);
    residual_.scatter(t, y_, yp_);
  };
  const double t0 = integrator.t_previous();
  if (!before_known_ || before_time_ != t0) {
    load(t0);
    std::ranges::copy(levels(), before_.begin());
    std::ranges::fill(slopes_, 0.0);
  }
  load(integrator.t());
  const std::span<double> here = levels();
  const double h = integrator.last_step();
  const double reach = std::min(h, foreseen * before_step_);
  int jumped = -1;
  for (std::size_t k = 0; k < untested_.size(); ++k) {
    const auto level = static_cast<std::size_t>(untested_[k]);
    const double move = std::abs(here[level] - before_[level]);
    const double usual = unexpected * std::abs(slopes_[k]) * reach;
    slopes_[k] = move / h;
    if (jumped < 0 && !(move <= usual + allowed_jump(untested_[k], before_[level], here[level])))
      jumped = untested_[k];
  }
  interpolated_.assign(here.begin(), here.end());
  const bool ends = jumped >= 0 && !follows(integrator, interpolated_);
  if (ends && may_jump_) {
    note_jump(t0, integrator.t(), jumped);
  } else if (ends) {
    before_known_ = false;
    return fmt::format(
        "the integration stopped at t = {:.10g}: the solution that {} follows ends there or shortly after; "
        "the next step, to t = {:.10g}, would take it from {:.6g} to {:.6g}, which is none of its "
        "continuation",
        t0, model_.levels().level_name(jumped), integrator.t(), before_[static_cast<std::size_t>(jumped)],
        interpolated_[static_cast<std::size_t>(jumped)]);
  }
  std::swap(before_, interpolated_);
  before_time_ = integrator.t();
  before_step_ = h;
  before_known_ = true;
  return {};
}

void DummyDriver::note_jump(double t0, double t1, int level) {
  constexpr std::size_t jumps_told = 3;  // a warning each
  if (++jump_count_ > jumps_told) return;
  const auto at = static_cast<std::size_t>(level);
  jumps_.push_back(fmt::format(
      "between t = {:.10g} and {:.10g} {} jumps from {:.6g} to {:.6g} without an event: a condition within "
      "noEvent() or a function changes there, or the equations have several solutions",
      t0, t1, model_.levels().level_name(level), before_[at], interpolated_[at]));
}

// From the values at the beginning of the step to `end`, its end.
bool DummyDriver::follows(const Integrator& integrator, std::span<const double> end) {
  const double t0 = integrator.t_previous();
  const double h = integrator.last_step();
  followed_ = before_;
  std::vector<bool> is_state(followed_.size(), false);
  for (const int s : residual_.states()) is_state[static_cast<std::size_t>(s)] = true;
  double done = 0;
  double part = 1;
  while (done < 1) {
    const double next = std::min(1.0, done + part);
    const double t = next == 1 ? integrator.t() : t0 + next * h;
    integrator.interpolate(t, y_, yp_);
    residual_.scatter(t, y_, yp_);
    const std::span<double> here = levels();
    for (std::size_t level = 0; level < followed_.size(); ++level) {
      if (!is_state[level]) here[level] = followed_[level];
    }
    if (algebraic_.solve(environment_, true) == AlgebraicStatus::Ok) {
      std::ranges::copy(here, followed_.begin());
      done = next;
      part *= 2;
    } else {
      part /= 4;
      if (part < smallest_part) return false;
    }
  }
  return std::ranges::all_of(untested_, [&](int level) {
    const auto k = static_cast<std::size_t>(level);
    const double allowed = same_point * allowed_jump(level, followed_[k], end[k]);
    return std::abs(followed_[k] - end[k]) <= std::max(allowed, same_part * std::abs(end[k] - before_[k]));
  });
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
  if (monitor_ == nullptr || monitor_->sigma() > nearly_singular) return {};
  return fmt::format("the constraints are nearly singular here (relative singular value {:.2g})",
                     monitor_->sigma());
}

void DummyDriver::state(Archive& archive) {
  archive.section("dummy derivatives", 4);
  archive(taken_, kept_for_, pivots_, pivot_count_, before_time_, before_step_, before_known_, jump_count_,
          jumps_);
  archive.sized(before_.size(), before_).sized(slopes_.size(), slopes_);
  archive.require(kept_for_.empty() || kept_for_.size() == selection_values_.size(), "another model");
  const auto levels = model_.level_count();
  for (const int level : taken_) archive.require(level >= -1 && level < levels, "a state that there is not");
  if (!archive.ok()) return;
  if (archive.reading()) {
    residual_.select(taken_);
    select_states();
  }
  algebraic_.state(archive);
  if (monitor_ != nullptr) monitor_->state(archive);
}

void DummyDriver::finish(Summary& summary) {
  if (monitor_ != nullptr) summary.rank_changes = monitor_->changes();
  summary.warnings.insert(summary.warnings.end(), jumps_.begin(), jumps_.end());
  if (jump_count_ > jumps_.size())
    summary.warnings.push_back(fmt::format("{} more jumps without an event", jump_count_ - jumps_.size()));
  // With another choice of states dummy derivatives may get past such a point, on one branch or another.
  if (monitor_ != nullptr && !monitor_->changes().empty())
    summary.warnings.push_back(passed_untreated(monitor_->changes().front().t, "dummy-derivatives"));
  summary.pivots = std::move(pivots_);
  summary.pivot_count = pivot_count_;
}

}  // namespace daedalus
