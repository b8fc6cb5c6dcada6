#include "integrate/bdf_control.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

constexpr double kStartFraction = 1.0 / (1 << 20);  // first step of a run at fixed step: its error is h²/2^41

// DASSL aims at half the tolerance and lets a step grow only by doubling, so that where it ends, within a
// factor of two, is a matter of luck with the first step. On the pendulum of Mattsson and Söderlind (1993,
// section 5, case 1, tolerance 1e-9) that gives 21,700 to 37,400 steps and energy errors of 3.4e-7 to 2e-8.
// Smaller growth, once the step has been constant for long enough, takes the luck out of it; an eighth of the
// tolerance as the aim costs 12 % more steps than a quarter and halves the error (case 1: 24,600
// steps, 1.8e-7; case 2: 75,500 steps, 1.5e-6). The matrix is cheap to renew when only cj changes.
constexpr double kSafety = 8;
constexpr double kLeastGrowth = 1.2;
constexpr double kGrowthSafety = 0.9;
// Added to errors, as DASSL does: no error lets a step grow without limit.
constexpr double kNoError = 1e-4;

// The factor by which the step may change for this error at this order.
double step_factor(double error, int order) {
  return std::pow(kSafety * error + kNoError, -1.0 / (order + 1));
}

}  // namespace

void BdfControl::start(double h, std::size_t size) {
  h_ = limits_.fixed_step ? *limits_.fixed_step * kStartFraction : h;
  order_ = 1;
  starting_ = true;
  lower_ = false;
  failures_ = 0;
  accepted_ = 0;
  scratch_.resize(size);
}

void BdfControl::state(Archive& archive, std::size_t size) {
  archive.section("bdf-control", 1);
  archive(h_, order_, starting_, lower_, failures_, accepted_, same_, below_, above_);
  archive.require(order_ >= 1 && order_ <= limits_.max_order, "an order that there is not");
  archive.require(h_ > 0, "a step size that is not positive");
  if (archive.reading()) scratch_.resize(size);
}

double BdfControl::judge(const BdfHistory& history, std::span<const double> e, const ToleranceNorm& norm) {
  if (limits_.fixed_step) return 0;
  const int k = order_;
  const double size = norm.error(e);
  same_ = {.error = history.error_constant(k) * size, .term = (k + 1) * history.sigma(k) * size};
  lower_ = false;
  if (k > 1) {
    const auto add = [this](std::span<const double> v, std::span<const double> w) {
      for (std::size_t i = 0; i < scratch_.size(); ++i) scratch_[i] = v[i] + w[i];
    };
    add(history.phi(k), e);
    const double difference = norm.error(scratch_);
    below_ = {.error = history.error_constant(k - 1) * difference,
              .term = k * history.sigma(k - 1) * difference};
    if (k > 2) {
      add(scratch_, history.phi(k - 1));
      const double term = (k - 1) * history.sigma(k - 2) * norm.error(scratch_);
      lower_ = std::max(below_.term, term) <= same_.term;
    } else {
      lower_ = below_.term <= 0.5 * same_.term;
    }
  }
  return history.error_factor() * size;
}

void BdfControl::accepted(const BdfHistory& history, std::span<const double> e, const ToleranceNorm& norm) {
  failures_ = 0;
  ++accepted_;
  if (limits_.fixed_step) {
    after_start(history);
    return;
  }
  if (lower_ || order_ == limits_.max_order) starting_ = false;
  if (starting_) {
    if (accepted_ > 1) {
      ++order_;
      h_ *= 2;
    }
  } else {
    const Move move = choose_order(history, e, norm);
    if (move == Move::Raise) ++order_;
    if (move == Move::Lower) --order_;
    const Estimate& chosen = move == Move::Raise ? above_ : move == Move::Lower ? below_ : same_;
    choose_step(chosen.error, history.constant_steps());
  }
  if (limits_.max_step > 0) h_ = std::min(h_, limits_.max_step);
}

// At fixed step: from a tiny first step of order 1 up to the order and the step asked for, doubling only
// after enough equal steps for the formula to be stable.
void BdfControl::after_start(const BdfHistory& history) {
  order_ = std::min(order_ + 1, limits_.max_order);
  if (history.constant_steps() > limits_.max_order) h_ *= 2;
  h_ = std::min(h_, *limits_.fixed_step);
}

BdfControl::Move BdfControl::choose_order(const BdfHistory& history, std::span<const double> e,
                                          const ToleranceNorm& norm) {
  const int k = order_;
  if (lower_) return Move::Lower;
  // The difference φ_(k+2) means something only after k+1 equal steps.
  const bool just_raised = k - history.order_used() == 1;
  if (k == limits_.max_order || k + 1 >= history.constant_steps() || just_raised) return Move::Keep;
  const auto above = history.phi(k + 1);
  for (std::size_t i = 0; i < scratch_.size(); ++i) scratch_[i] = e[i] - above[i];
  const double size = norm.error(scratch_);
  above_ = {.error = size * history.error_constant_above(), .term = size};
  if (k == 1) return above_.term < 0.5 * same_.term ? Move::Raise : Move::Keep;
  if (below_.term <= std::min(same_.term, above_.term)) return Move::Lower;
  return above_.term < same_.term ? Move::Raise : Move::Keep;
}

void BdfControl::choose_step(double error, int constant_steps) {
  const double factor = step_factor(error, order_);
  if (factor >= 2) {
    h_ *= 2;
  } else if (factor >= kLeastGrowth && constant_steps > order_ + 1) {
    // Only now, when a higher order has had its chance too: it needs as many equal steps.
    h_ *= kGrowthSafety * factor;
  } else if (factor <= 1) {
    h_ *= std::clamp(factor, 0.5, 0.9);
  }
}

void BdfControl::error_test_failed() {
  starting_ = false;
  ++failures_;
  if (failures_ == 1) {
    if (lower_) --order_;
    const double error = lower_ ? below_.error : same_.error;
    h_ *= std::clamp(0.9 * step_factor(error, order_), 0.25, 0.9);
    return;
  }
  if (failures_ == 2 && lower_) --order_;
  if (failures_ > 2) order_ = 1;
  h_ *= 0.25;
}

}  // namespace daedalus
