#include "integrate/radau_stages.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "integrate/rows.hpp"

namespace daedalus {

using radau::kStages;

void RadauStages::set_pattern() {
  const SparsePattern& pattern = evaluator_.system.pattern();
  renew_iteration_solver(real_, evaluator_.system, options_.solver);
  renew_iteration_solver(complex_, evaluator_.system, options_.solver);
  const auto entries = static_cast<std::size_t>(pattern.nonzeros());
  dy_.assign(entries, 0);
  dyp_.assign(entries, 0);
  real_matrix_.assign(entries, 0);
  complex_matrix_.assign(entries, 0);
  const auto n = static_cast<std::size_t>(pattern.size);
  complex_rhs_.resize(n);
  for (StageVectors* vectors : {&z_, &w_, &f_}) {
    for (auto& vector : *vectors) vector.resize(n);
  }
  stage_.resize(n);
  slope_.resize(n);
  have_jacobian_ = false;
  real_ready_ = false;
  complex_ready_ = false;
}

NewtonOutcome RadauStages::evaluate_jacobian(double t, std::span<const double> y,
                                             std::span<const double> yp) {
  real_ready_ = false;
  complex_ready_ = false;
  have_jacobian_ = evaluator_.jacobian(t, y, yp, dy_, dyp_);
  if (!have_jacobian_) return {.status = NewtonStatus::NotFinite};
  return {};
}

NewtonOutcome RadauStages::factor(double h) {
  assert(have_jacobian_);
  const double gamma = radau::kGamma / h;
  const std::complex<double> alpha_beta(radau::kAlpha / h, radau::kBeta / h);
  for (std::size_t p = 0; p < dy_.size(); ++p) {
    real_matrix_[p] = dy_[p] + gamma * dyp_[p];
    complex_matrix_[p] = dy_[p] + alpha_beta * dyp_[p];
  }
  evaluator_.counters.factorizations += 2;
  real_ready_ = real_->factor(real_matrix_);
  complex_ready_ = complex_->factor(complex_matrix_);
  if (ready()) return {};
  const Pivot pivot = real_ready_ ? complex_->weakest_pivot() : real_->weakest_pivot();
  return {.status = NewtonStatus::Singular, .component = pivot.column, .row = pivot.row};
}

void RadauStages::slope_of_stage(int stage, double h) {
  const radau::Vector3& a = radau::kAInverse[index(stage)];
  for (std::size_t i = 0; i < slope_.size(); ++i) {
    slope_[i] = (a[0] * z_[0][i] + a[1] * z_[1][i] + a[2] * z_[2][i]) / h;
  }
}

bool RadauStages::residuals(double t, double h, std::span<const double> y) {
  for (int s = 0; s < kStages; ++s) {
    for (std::size_t i = 0; i < stage_.size(); ++i) stage_[i] = y[i] + z_[index(s)][i];
    slope_of_stage(s, h);
    if (!evaluator_.residual(t + radau::kC[index(s)] * h, stage_, slope_, f_[index(s)])) return false;
  }
  return true;
}

// Solves for Δw, adds it to w and z, and gives its size in Newton's norm.
double RadauStages::correct(const ToleranceNorm& norm) {
  const std::size_t n = stage_.size();
  const auto transform = [](const radau::Vector3& row, const StageVectors& v, std::size_t i) {
    return row[0] * v[0][i] + row[1] * v[1][i] + row[2] * v[2][i];
  };
  for (std::size_t i = 0; i < n; ++i) {
    stage_[i] = -transform(radau::kTInverse[0], f_, i);
    complex_rhs_[i] = {-transform(radau::kTInverse[1], f_, i), -transform(radau::kTInverse[2], f_, i)};
  }
  real_->solve(stage_);
  complex_->solve(complex_rhs_);
  for (std::size_t i = 0; i < n; ++i) {  // f is free now and takes Δw
    f_[0][i] = stage_[i];
    f_[1][i] = complex_rhs_[i].real();
    f_[2][i] = complex_rhs_[i].imag();
    for (std::size_t s = 0; s < kStages; ++s) w_[s][i] += f_[s][i];
    for (std::size_t s = 0; s < kStages; ++s) z_[s][i] = transform(radau::kT[s], w_, i);
  }
  double sum = 0;
  for (const auto& part : f_) {
    const double size = norm.newton(part);
    sum += size * size;
  }
  return std::sqrt(sum / kStages);
}

// A matrix that is singular up to rounding passes for regular and shows only in iterations that go nowhere.
NewtonOutcome RadauStages::explain(NewtonOutcome outcome) const {
  const Pivot pivot = real_->weakest_pivot();
  if (pivot.relative > 4 * std::numeric_limits<double>::epsilon()) return outcome;
  return {.status = NewtonStatus::Singular, .component = pivot.column, .row = pivot.row};
}

// A stalled iteration may still be taken for good, so it leaves what a converged one leaves.
StagesOutcome RadauStages::failed(NewtonStatus status, double step_factor, double h,
                                  const ToleranceNorm& norm) {
  slope_of_stage(kStages - 1, h);
  const NewtonOutcome outcome{.status = status, .component = norm.worst_newton(f_[0])};
  return {.newton = status == NewtonStatus::Stalled ? outcome : explain(outcome), .step_factor = step_factor};
}

StagesOutcome RadauStages::solve(double t, double h, std::span<const double> y, const ToleranceNorm& norm) {
  assert(ready());
  for (std::size_t i = 0; i < stage_.size(); ++i) {
    for (std::size_t s = 0; s < kStages; ++s) {
      const radau::Vector3& row = radau::kTInverse[s];
      w_[s][i] = row[0] * z_[0][i] + row[1] * z_[1][i] + row[2] * z_[2][i];
    }
  }
  // Corrections at round-off; relative to the step as well, for y may be zero and the guess exact.
  const double magnitude = std::max(norm.newton(y), norm.newton(z_[kStages - 1]));
  const double negligible = 100 * std::numeric_limits<double>::epsilon() * magnitude;
  double previous_size = 0;
  double previous_ratio = 1;
  NewtonStatus failure = NewtonStatus::Slow;
  rate_ = 0;
  for (iterations_ = 1; iterations_ <= options_.max_iterations; ++iterations_) {
    ++evaluator_.counters.newton_iterations;
    if (!residuals(t, h, y)) return {.newton = {.status = NewtonStatus::NotFinite}, .step_factor = 0.25};
    const double size = correct(norm);
    if (!std::isfinite(size)) {
      return {.newton = explain({.status = NewtonStatus::NotFinite, .component = norm.worst_newton(f_[0])}),
              .step_factor = 0.25};
    }
    if (size <= negligible) {
      slope_of_stage(kStages - 1, h);
      return {};
    }
    if (iterations_ > 1) {
      const double ratio = size / previous_size;
      rate_ = iterations_ == 2 ? ratio : std::sqrt(ratio * previous_ratio);
      previous_ratio = ratio;
      if (std::max(size, previous_size) <= options_.tolerance) failure = NewtonStatus::Stalled;
      if (rate_ >= 0.99) break;
      const double left = rate_ / (1 - rate_) * size;
      if (left <= options_.tolerance) {
        slope_of_stage(kStages - 1, h);
        return {};
      }
      // What would be left after the last iteration allowed (IV.8.11).
      const int remaining = options_.max_iterations - 1 - iterations_;
      const double predicted = std::pow(rate_, remaining) * left / options_.tolerance;
      if (predicted >= 1) {
        const double factor = 0.8 * std::pow(std::clamp(predicted, 1e-4, 20.0), -1.0 / (4 + remaining));
        return failed(failure, factor, h, norm);
      }
    }
    previous_size = size;
  }
  return failed(failure, 0.5, h, norm);
}

bool RadauStages::estimate_error(double t, double h, std::span<const double> y, std::span<double> error) {
  for (std::size_t i = 0; i < stage_.size(); ++i) {
    const radau::Vector3& e = radau::kError;
    stage_[i] = -(e[0] * z_[0][i] + e[1] * z_[1][i] + e[2] * z_[2][i]) / h;
  }
  if (!evaluator_.residual(t, y, stage_, error)) return false;
  for (double& x : error) x = -x;
  real_->solve(error);
  return true;
}

}  // namespace daedalus
