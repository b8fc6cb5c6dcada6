#include "integrate/integrator.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "numerics/vectors.hpp"

namespace daedalus {

namespace {

// For what gives the values of one point.
template <class Point>
void each_lane(Point&& point, std::vector<double>& one, std::span<double> y) {
  one.resize(y.size() / lane_count);
  for (std::size_t l = 0; l < lane_count; ++l) {
    point(l, one);
    for (std::size_t i = 0; i < one.size(); ++i) y[(lane_count * i) + l] = one[i];
  }
}

}  // namespace

Integrator::Integrator(IntegratorSettings settings) : settings_(std::move(settings)) {}

void Integrator::start(double t, std::span<const double> y, std::span<const double> yp, double t_hint) {
  assert(static_cast<int>(y.size()) == system_size());
  assert(yp.size() == y.size());
  assert(t_hint > t);
  t_ = t;
  t_previous_ = t;
  y_.assign(y.begin(), y.end());
  yp_.assign(yp.begin(), yp.end());
  correction_.clear();
  started_ = true;
  do_start(t_hint);
}

StepOutcome Integrator::step(double t_stop) {
  assert(t_stop > t_);
  StepOutcome outcome = do_step(t_stop);
  if (outcome.ok()) {
    ++counters_.steps;
    correction_.clear();
  }
  assert(!outcome.ok() || (t_ > t_previous_ && t_ <= t_stop));
  return outcome;
}

// Of a step: times of output points are sums, and may lie outside by their rounding.
constexpr double outside_by_rounding = 1e-6;

void Integrator::interpolate(double t, std::span<double> y, std::span<double> yp) const {
  assert(y.size() == y_.size());
  assert(yp.empty() || yp.size() == y_.size());
  [[maybe_unused]] const double slack = outside_by_rounding * last_step();
  assert(t >= t_previous_ - slack && t <= t_ + slack);
  // Before the first step nothing but the start is known; an end that was moved is known exactly.
  if (t_ == t_previous_ || (t == t_ && correction_.active())) {
    copy_values(y_, y);
    if (!yp.empty()) copy_values(yp_, yp);
    return;
  }
  do_interpolate(t, y, yp);
  correction_.apply((t - t_previous_) / last_step(), last_step(), {.y = y_, .yp = yp_}, y, yp);
}

void Integrator::interpolate_lanes(std::span<const double, lane_count> t, std::span<double> y) const {
  assert(y.size() == lane_count * y_.size());
  if (t_ == t_previous_ || correction_.active())
    return each_lane([&](std::size_t l, std::span<double> one) { interpolate(t[l], one, {}); }, lane_, y);
  do_interpolate_lanes(t, y);
}

void Integrator::do_interpolate_lanes(std::span<const double, lane_count> t, std::span<double> y) const {
  each_lane([&](std::size_t l, std::span<double> one) { do_interpolate(t[l], one, {}); }, lane_, y);
}

void Integrator::cheap_interpolation(double t, std::span<double> y) const {
  if (t_ == t_previous_ || t == t_) return interpolate(t, y, {});
  do_cheap_interpolation(t, y);
  correction_.apply((t - t_previous_) / last_step(), last_step(), {.y = y_, .yp = yp_}, y, {});
}

void Integrator::system_changed() {
  do_system_changed();
}

void Integrator::replace_state(std::span<const double> y, std::span<const double> yp, bool sensitive) {
  assert(y.size() == y_.size());
  assert(yp.empty() || yp.size() == y_.size());
  correction_.keep(y_, yp_);
  copy_values(y, y_);
  if (!yp.empty()) copy_values(yp, yp_);
  do_replace_state(!yp.empty(), sensitive);
}

// Rows whose ends cannot be moved say so in the table, and do not come here.
void Integrator::do_replace_state(bool /*slopes_given*/, bool /*sensitive*/) {
  assert(false);
}

std::unique_ptr<Integrator> Integrator::clone_on(const SystemReference& system) const {
  if (!copyable()) return nullptr;
  std::unique_ptr<Integrator> copy = make_on(system);
  if (copy != nullptr && !copy_state(*this, *copy)) copy.reset();
  return copy;
}

void Integrator::state(Archive& archive) {
  archive.section("integrator", 1);
  if (!archive.copying()) settings_state(archive);
  if (!copyable()) archive.fail("the method's memory is inside a foreign library");
  auto size = static_cast<std::size_t>(system_size());
  archive(size, started_, counters_, t_, t_previous_);
  archive.require(size == static_cast<std::size_t>(system_size()), "the system has another size");
  archive.require(std::isfinite(t_) && t_previous_ <= t_, "a time that cannot be");
  if (archive.ok() && started_) {
    archive.sized(size, y_, yp_)(correction_);
    archive.require(!correction_.active() || correction_.fits(size), "a vector has another length");
    if (archive.ok()) do_state(archive);
  }
  if (archive.reading() && !archive.ok()) started_ = false;
}

// Saved with other settings, the memory would not be that of this method.
void Integrator::settings_state(Archive& archive) {
  const IntegratorSettings& now = settings_;
  std::string method = now.selection.to_text();
  Tolerances tolerances = now.tolerances;
  std::array<std::optional<double>, 3> steps{now.fixed_step, now.initial_step, now.max_step};
  archive(method, tolerances, steps);
  const bool same = method == now.selection.to_text() && tolerances.relative == now.tolerances.relative &&
                    tolerances.absolute == now.tolerances.absolute &&
                    steps == std::array{now.fixed_step, now.initial_step, now.max_step};
  archive.require(same, "it was saved by another method, or with other tolerances or options");
}

double Integrator::next_step(double t_stop) const {
  assert(t_stop > t_);
  return do_next_step(t_stop);
}

}  // namespace daedalus
