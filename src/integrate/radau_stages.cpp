#include "integrate/radau_stages.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "integrate/rows.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {

namespace {

// How much shorter a step is whose iteration would not come to its end (RADAU5, volume II, (IV.8.11)).
constexpr double kPredictedSafety = 0.8;
constexpr double kLeastPredicted = 1e-4;
constexpr double kMostPredicted = 20;
constexpr std::size_t lanes = 2;  // components at a time

Two load(const double* from) {
  Two result;
  std::memcpy(&result, from, sizeof result);
  return result;
}
void store(double* to, Two value) {
  std::memcpy(to, &value, sizeof value);
}

// Σ_s row_s x_s
template <int stages, class Number>
Number row_times(const double* row, const std::array<Number, stages>& x) {
  Number sum = row[0] * x[0];
  for (std::size_t s = 1; s < stages; ++s) sum += row[s] * x[s];
  return sum;
}

// see(i, x) for all components i, x being those of the stages; the last one of an odd number by itself.
template <int stages, class See>
void for_each(const std::vector<std::vector<double>>& v, std::size_t n, const See& see) {
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    std::array<Two, stages> x;  // NOLINT(cppcoreguidelines-pro-type-member-init): written below
    for (std::size_t s = 0; s < stages; ++s) x[s] = load(v[s].data() + i);
    see(i, x);
  }
  for (; i < n; ++i) {
    std::array<double, stages> x;  // NOLINT(cppcoreguidelines-pro-type-member-init): written below
    for (std::size_t s = 0; s < stages; ++s) x[s] = v[s][i];
    see(i, x);
  }
}

void put(double* to, Two value) {
  store(to, value);
}
void put(double* to, double value) {
  *to = value;
}
// Neighbours, each as real and imaginary part.
void put(std::complex<double>* to, Two real, Two imaginary) {
  store(reinterpret_cast<double*>(to), __builtin_shufflevector(real, imaginary, 0, 2));
  store(reinterpret_cast<double*>(to + 1), __builtin_shufflevector(real, imaginary, 1, 3));
}
void put(std::complex<double>* to, double real, double imaginary) {
  *to = {real, imaginary};
}

// `work` for the number of stages that there is.
template <class Work>
void with_stages(int stages, const Work& work) {
  switch (stages) {
    case 1:
      return work(std::integral_constant<int, 1>{});
    case 3:
      return work(std::integral_constant<int, 3>{});
    case 5:
      return work(std::integral_constant<int, 5>{});
    default:
      return work(std::integral_constant<int, 7>{});
  }
}

}  // namespace

void RadauStages::combine(const double* row, const StageVectors& v, double factor,
                          std::span<double> out) const {
  with_stages(stages(), [&](auto count) {
    for_each<count>(v, out.size(), [&](std::size_t i, const auto& x) {
      put(out.data() + i, row_times<count>(row, x) * factor);
    });
  });
}

// out_r = factor Σ_s matrix_rs v_s; the two lie apart.
void RadauStages::transform(const double* matrix, const StageVectors& v, StageVectors& out,
                            double factor) const {
  with_stages(stages(), [&](auto count) {
    for_each<count>(v, stage_.size(), [&](std::size_t i, const auto& x) {
      for (std::size_t r = 0; r < count; ++r)
        put(out[r].data() + i, factor * row_times<count>(matrix + (r * count), x));
    });
  });
}

// -T⁻¹ f into stage_ and the complex right-hand sides.
void RadauStages::prepare_corrections() {
  const double* inverse = tableau_->t_inverse.data();
  with_stages(stages(), [&](auto count) {
    for_each<count>(f_, stage_.size(), [&](std::size_t i, const auto& x) {
      put(stage_.data() + i, -row_times<count>(inverse, x));
      for (std::size_t q = 0; q < count / 2; ++q) {
        const double* row = inverse + ((2 * q + 1) * count);
        put(complex_rhs_[q].data() + i, -row_times<count>(row, x), -row_times<count>(row + count, x));
      }
    });
  });
}

void RadauStages::set_pattern() {
  IterationSolvers solvers(evaluator_.system, options_.solver);
  solvers.renew(real_);
  complex_.resize(index(most_ / 2));
  for (auto& solver : complex_) solvers.renew(solver);
  resize();
  have_jacobian_ = false;
  ready_ = false;
}

void RadauStages::resize() {
  const SparsePattern& pattern = evaluator_.system.pattern();
  const auto entries = static_cast<std::size_t>(pattern.nonzeros());
  dy_.assign(entries, 0);
  dyp_.assign(entries, 0);
  real_matrix_.assign(entries, 0);
  complex_matrix_.assign(entries, 0);
  const auto n = static_cast<std::size_t>(pattern.size);
  complex_rhs_.resize(complex_.size());
  for (auto& vector : complex_rhs_) vector.resize(n);
  for (StageVectors* vectors : {&z_, &w_, &f_, &slopes_}) {
    vectors->resize(index(most_));
    for (auto& vector : *vectors) vector.resize(n);
  }
  stage_.resize(n);
  slope_.resize(n);
}

// Between two steps the stages are those of the last one, and the next one begins with guesses.
void RadauStages::state(Archive& archive) {
  archive.section("radau-stages", 1);
  IterationSolvers solvers(evaluator_.system, options_.solver);
  complex_.resize(index(most_ / 2));
  solvers.state(archive, real_);
  for (auto& solver : complex_) solvers.state(archive, solver);
  if (archive.reading() && archive.ok()) resize();
  archive(rate_, iterations_, have_jacobian_, ready_);
  if (archive.ok() && have_jacobian_) archive.sized(dy_.size(), dy_, dyp_);
}

void RadauStages::use(const RadauTableau& tableau, double tolerance, int max_iterations) {
  assert(tableau.stages <= most_);
  tableau_ = &tableau;
  options_.tolerance = tolerance;
  options_.max_iterations = max_iterations;
  ready_ = false;
}

NewtonOutcome RadauStages::evaluate_jacobian(double t, std::span<const double> y,
                                             std::span<const double> yp) {
  ready_ = false;
  have_jacobian_ = evaluator_.jacobian(t, y, yp, dy_, dyp_);
  if (!have_jacobian_) return {.status = NewtonStatus::NotFinite};
  return {};
}

NewtonOutcome RadauStages::factor(double h) {
  assert(have_jacobian_);
  const double gamma = tableau_->gamma / h;
  for (std::size_t p = 0; p < dy_.size(); ++p) real_matrix_[p] = dy_[p] + gamma * dyp_[p];
  ++evaluator_.counters.factorizations;
  ready_ = real_->factor(real_matrix_);
  Pivot pivot = ready_ ? Pivot{} : real_->weakest_pivot();
  for (std::size_t q = 0; q < tableau_->pairs.size(); ++q) {
    const std::complex<double> pole(tableau_->pairs[q].real() / h, tableau_->pairs[q].imag() / h);
    for (std::size_t p = 0; p < dy_.size(); ++p)
      complex_matrix_[p] = {dy_[p] + pole.real() * dyp_[p], pole.imag() * dyp_[p]};
    ++evaluator_.counters.factorizations;
    if (complex_[q]->factor(complex_matrix_)) continue;
    if (ready_) pivot = complex_[q]->weakest_pivot();
    ready_ = false;
  }
  if (ready()) return {};
  return {.status = NewtonStatus::Singular, .component = pivot.column, .row = pivot.row};
}

void RadauStages::slope_of_stage(int stage, double h) {
  combine(tableau_->inverse.data() + index(stage * stages()), z_, 1 / h, slope_);
}

bool RadauStages::residuals(double t, double h, std::span<const double> y) {
  transform(tableau_->inverse.data(), z_, slopes_, 1 / h);
  for (std::size_t s = 0; s < index(stages()); ++s) {
    for (std::size_t i = 0; i < stage_.size(); ++i) stage_[i] = y[i] + z_[s][i];
    if (!evaluator_.residual(t + tableau_->c[s] * h, stage_, slopes_[s], f_[s])) return false;
  }
  return true;
}

// Solves for Δw, adds it to w and z, and gives its size in Newton's norm.
double RadauStages::correct(const ToleranceNorm& norm) {
  const std::size_t n = stage_.size();
  const auto count = index(stages());
  prepare_corrections();
  real_->solve(stage_);
  // f is free now and takes Δw.
  f_[0].swap(stage_);
  for (std::size_t q = 0; q < tableau_->pairs.size(); ++q) {
    complex_[q]->solve(complex_rhs_[q]);
    for (std::size_t i = 0; i < n; ++i) {
      f_[2 * q + 1][i] = complex_rhs_[q][i].real();
      f_[2 * q + 2][i] = complex_rhs_[q][i].imag();
    }
  }
  double sum = 0;
  for (std::size_t s = 0; s < count; ++s) {
    for (std::size_t i = 0; i < n; ++i) w_[s][i] += f_[s][i];
    const double size = norm.newton(f_[s]);
    sum += size * size;
  }
  transform(tableau_->t.data(), w_, z_, 1);
  return std::sqrt(sum / static_cast<double>(count));
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
  slope_of_stage(stages() - 1, h);
  const NewtonOutcome outcome{.status = status, .component = norm.worst_newton(f_[0])};
  return {.newton = status == NewtonStatus::Stalled ? outcome : explain(outcome), .step_factor = step_factor};
}

StagesOutcome RadauStages::solve(double t, double h, std::span<const double> y, const ToleranceNorm& norm) {
  assert(ready());
  const auto count = index(stages());
  transform(tableau_->t_inverse.data(), z_, w_, 1);
  // Corrections at round-off; relative to the step as well, for y may be zero and the guess exact.
  const double magnitude = std::max(norm.newton(y), norm.newton(z_[count - 1]));
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
      slope_of_stage(stages() - 1, h);
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
        slope_of_stage(stages() - 1, h);
        return {};
      }
      // What would be left after the last iteration allowed (IV.8.11).
      const int remaining = options_.max_iterations - 1 - iterations_;
      const double predicted = std::pow(rate_, remaining) * left / options_.tolerance;
      if (predicted >= 1) {
        const double factor =
            kPredictedSafety *
            std::pow(std::clamp(predicted, kLeastPredicted, kMostPredicted), -1.0 / (4 + remaining));
        return failed(failure, factor, h, norm);
      }
    }
    previous_size = size;
  }
  return failed(failure, 0.5, h, norm);
}

bool RadauStages::estimate_error(double t, double h, std::span<const double> y, std::span<double> error) {
  combine(tableau_->error.data(), z_, -1 / h, stage_);
  if (!evaluator_.residual(t, y, stage_, error)) return false;
  for (double& x : error) x = -x;
  real_->solve(error);
  return true;
}

}  // namespace daedalus
