// What a stepper is asked and told between its steps: output points, new values.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/float_mode.hpp"
#include "numerics/wide.hpp"
#include "stepping/stepper.hpp"

namespace daedalus {

Stepper::OutputPoints::~OutputPoints() {
  if (bound_) stepper_.driver_->bind(stepper_.environment_);
}

std::span<const double> Stepper::OutputPoints::at(double t) {
  const Integrator* const integrator = stepper_.integrator_.get();
  const bool inside = integrator != nullptr && stepper_.restarted_ && t >= integrator->t_previous() &&
                      t <= integrator->t() && t != stepper_.t_;
  if (inside) return within(t);
  trouble_.clear();
  return stepper_.environment_;
}

std::span<const double> Stepper::OutputPoints::within(double t) {
  RunDriver& driver = *stepper_.driver_;
  if (!bound_) {
    stepper_.output_ = stepper_.environment_;
    driver.bind(stepper_.output_);
    bound_ = true;
  }
  const std::span<double> y = stepper_.y_;
  const std::span<double> rates =
      driver.reads_rates() ? std::span<double>(stepper_.yp_) : std::span<double>();
  stepper_.integrator_->interpolate(t, y, rates);
  driver.place(t, y, rates);
  trouble_ = for_ == For::Asked ? driver.complete_asked() : driver.complete_output();
  return stepper_.output_;
}

bool Stepper::prepare_lanes() {
  if (!lanes_.empty()) return true;
  if (!driver_->prepare_lanes()) return false;
  lanes_.resize(lane_count * environment_.size());
  return true;
}

std::span<const double> Stepper::OutputPoints::lanes(std::span<const double, lane_count> times) {
  const Integrator& integrator = *stepper_.integrator_;
  const std::span<double> all = stepper_.lanes_;
  if (all.empty() || !(times.front() > integrator.t_previous() && times.back() < integrator.t())) return {};
  if (!spread_) {
    double* to = all.data();
    for (const double value : stepper_.environment_) {
      store_four(Four{value, value, value, value}, to);
      to += lane_count;
    }
    spread_ = true;
  }
  RunDriver& driver = *stepper_.driver_;
  integrator.interpolate_lanes(times, driver.lane_states(all));
  std::ranges::copy(times,
                    all.begin() + static_cast<std::ptrdiff_t>(lane_count) * stepper_.model_.layout().time);
  if (!driver.complete_lanes(all)) return {};
  return all;
}

std::span<const double> Stepper::output_now() {
  output_trouble_.clear();
  if (complete_ || integrator_ == nullptr || !restarted_) return environment_;
  OutputPoints point(*this, OutputPoints::For::Asked);
  const std::span<const double> values = point.within(t_);
  output_trouble_ = point.trouble();
  return values;
}

bool Stepper::levels_nearby(std::span<const double> directions, std::vector<double>& sizes,
                            std::vector<double>& here, std::vector<double>& moved) {
  if (integrator_ == nullptr || !restarted_) return false;
  output_ = environment_;
  driver_->bind(output_);
  const double t = integrator_->t();
  const std::span<double> rates = driver_->reads_rates() ? std::span<double>(yp_) : std::span<double>();
  integrator_->interpolate(t, y_, rates);
  const auto follow = [&](std::vector<double>& levels) {
    driver_->place(t, y_, rates);
    const bool found = driver_->complete_output().empty();
    const auto first = output_.begin() + model_.layout().levels;
    levels.assign(first, first + model_.level_count());
    return found;
  };
  bool found = follow(here);
  sizes.resize(y_.size(), 0);
  for (std::size_t i = 0; i < y_.size(); ++i) {
    sizes[i] = std::max(sizes[i], std::abs(y_[i]));
    y_[i] += directions[i % directions.size()] *
             (settings_.tolerances.relative * sizes[i] + settings_.tolerances.absolute);
  }
  found = found && follow(moved);
  driver_->bind(environment_);
  return found;
}

Result<void> Stepper::take_functions(std::span<const InputFunction> inputs) {
  changed_ = changed_ || !inputs.empty();
  return inputs_.take(inputs);
}

void Stepper::set_input(std::string_view name, double value) {
  inputs_.hold(name, value, environment_);
  changed_ = true;
}

std::span<const double> Stepper::values_after_event(double t, std::span<const double> before,
                                                    const std::vector<int>& crossed) {
  std::ranges::copy(before, environment_.begin());
  t_ = t;
  environment_[static_cast<std::size_t>(model_.layout().time)] = t;
  handle_event(crossed);
  return failed_ ? std::span<const double>() : std::span<const double>(environment_);
}

void Stepper::set_slot(int slot, double value) {
  environment_[static_cast<std::size_t>(slot)] = value;
  changed_ = true;
}

void Stepper::set_level(int level, double value) {
  std::erase_if(changed_levels_, [level](const Reinit& reinit) { return reinit.level == level; });
  changed_levels_.push_back({.level = level, .value = value});
  changed_ = true;
}

std::string Stepper::take_up_changes() {
  if (!changed_ || failed_) return {};
  const FloatMode mode(FloatMode::tiny_is_zero());
  changed_ = false;
  if (restarted_ && !complete_) load(t_);
  if (std::string trouble = inputs_.begin(t_, latest_step_end(), environment_); !trouble.empty())
    return trouble;
  if (std::string reason = make_consistent(std::exchange(changed_levels_, {})); !reason.empty())
    return reason;
  handle_event({});
  if (failed_) return summary_.reason;
  if (integrator_ != nullptr) restart();
  return {};
}

double Stepper::latest_step_end() const {
  return t_ < settings_.end ? settings_.end : t_ + std::max(settings_.end - settings_.start, 1.0);
}

std::vector<double> Stepper::drift() {
  std::vector<double> residuals(static_cast<std::size_t>(model_.equation_count()));
  std::vector<double> workspace;
  model_.residuals.evaluate(output_now(), residuals, workspace);
  std::vector<double> largest;
  const LevelSystem& levels = model_.levels();
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    const LevelEquation& equation = levels.equations[k];
    if (levels.plan.c[static_cast<std::size_t>(equation.equation)] == 0) continue;
    const auto level = static_cast<std::size_t>(levels.constraint_level(equation));
    if (largest.size() <= level) largest.resize(level + 1, 0.0);
    largest[level] = std::max(largest[level], std::abs(residuals[k]));
  }
  return largest;
}

}  // namespace daedalus
