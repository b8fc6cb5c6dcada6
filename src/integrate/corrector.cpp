#include "integrate/corrector.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "integrate/rows.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {

Corrector::Corrector(CountedSystem evaluator, CorrectorOptions options)
    : evaluator_(evaluator), options_(options) {}

void Corrector::set_pattern() {
  IterationSolvers(evaluator_.system, options_.solver).renew(solver_);
  resize();
  have_jacobian_ = false;
  have_matrix_ = false;
  jacobian_tired_ = false;
  matrix_tired_ = false;
}

void Corrector::resize() {
  const SparsePattern& pattern = evaluator_.system.pattern();
  const auto entries = static_cast<std::size_t>(pattern.nonzeros());
  dy_.assign(entries, 0);
  dyp_.assign(entries, 0);
  matrix_.assign(entries, 0);
  const auto n = static_cast<std::size_t>(pattern.size);
  e_.resize(n);
  y_.resize(n);
  yp_.resize(n);
  delta_.resize(n);
}

void Corrector::state(Archive& archive) {
  archive.section("corrector", 1);
  IterationSolvers(evaluator_.system, options_.solver).state(archive, solver_);
  if (archive.reading() && archive.ok()) resize();
  archive(matrix_cj_, have_jacobian_, have_matrix_, jacobian_tired_, matrix_tired_);
  if (archive.ok() && have_jacobian_) archive.sized(dy_.size(), dy_, dyp_);
}

// The Jacobian is exact and costs little more than a residual, so it is renewed as soon as convergence slows
// down; when only cj has moved, ∂F/∂y + cj ∂F/∂y' is put together again from the values at hand. Measured
// on the pendulum (Mattsson and Söderlind 1993, section 5, case 2, 83,000 steps): renewing at a rate of 0.02
// instead of 0.2 takes 19,200 Jacobians instead of 4,300 but 166,000 residuals instead of 178,000; the length
// error, which only Newton makes, falls from 5e-11 to 2.3e-12, and that of the energy from 1e-6 to 1e-8.
Corrector::Renewal Corrector::needed(double cj) const {
  constexpr double kChange = 0.1;  // (1 - 0.1)/(1 + 0.1) = 0.82 ≤ cj ratio ≤ 1.22
  if (!have_jacobian_) return Renewal::Jacobian;
  const double ratio = have_matrix_ ? cj / matrix_cj_ : 0;
  const bool cj_moved = ratio < (1 - kChange) / (1 + kChange) || ratio > (1 + kChange) / (1 - kChange);
  if (jacobian_tired_) return Renewal::Jacobian;
  return cj_moved || (matrix_tired_ && cj != matrix_cj_) ? Renewal::Matrix : Renewal::None;
}

NewtonOutcome Corrector::renew(const ImplicitStage& stage, Renewal renewal) {
  if (renewal == Renewal::None) return {};
  have_matrix_ = false;
  if (renewal == Renewal::Jacobian) {
    have_jacobian_ = evaluator_.jacobian(stage.t, stage.y0, stage.yp0, dy_, dyp_);
    if (!have_jacobian_) return {.status = NewtonStatus::NotFinite};
    jacobian_tired_ = false;
  }
  for (std::size_t p = 0; p < matrix_.size(); ++p) matrix_[p] = dy_[p] + stage.cj * dyp_[p];
  ++evaluator_.counters.factorizations;
  if (!solver_->factor(matrix_)) {
    const Pivot pivot = solver_->weakest_pivot();
    return {.status = NewtonStatus::Singular, .component = pivot.column, .row = pivot.row};
  }
  matrix_cj_ = stage.cj;
  matrix_tired_ = false;
  have_matrix_ = true;
  return {};
}

// One correction; its size in Newton's norm.
NewtonOutcome Corrector::correct(const ImplicitStage& stage, const ToleranceNorm& norm, double* size) {
  ++evaluator_.counters.newton_iterations;
  if (!evaluator_.residual(stage.t, y_, yp_, delta_)) return {.status = NewtonStatus::NotFinite};
  solver_->solve(delta_);
  // A matrix made for another cj: this factor minimises the worst case over the modes (Brenan, Campbell,
  // Petzold, section 5.2.2).
  const double relax = stage.cj == matrix_cj_ ? 1.0 : 2 / (1 + stage.cj / matrix_cj_);
  for (std::size_t i = 0; i < delta_.size(); ++i) {
    const double step = relax * delta_[i];
    delta_[i] = step;
    e_[i] -= step;
    y_[i] = stage.y0[i] + e_[i];
    yp_[i] = stage.yp0[i] + stage.cj * e_[i];
  }
  *size = norm.newton(delta_);
  if (!std::isfinite(*size))
    return {.status = NewtonStatus::NotFinite, .component = norm.worst_newton(delta_)};
  return {};
}

NewtonOutcome Corrector::iterate(const ImplicitStage& stage, const ToleranceNorm& norm) {
  constexpr double kWorstRate = 0.9;   // as in DASSL: slower than that is no convergence
  constexpr double kTiredRate = 0.02;  // a new matrix would make it faster
  std::ranges::fill(e_, 0.0);
  copy_values(stage.y0, y_);
  copy_values(stage.yp0, yp_);
  const double negligible = 100 * std::numeric_limits<double>::epsilon() * norm.newton(stage.y0);
  const double small = std::max(options_.tolerance, options_.stalled);
  double first = 0;
  double before = 0;
  bool stalled = false;
  for (int m = 0; m < options_.max_iterations; ++m) {
    double size = 0;
    const NewtonOutcome outcome = correct(stage, norm, &size);
    if (!outcome.ok()) return outcome;
    if (size <= negligible) return {};
    if (m == 0) {
      first = before = size;
      continue;
    }
    if (size <= options_.stalled && size > 0.5 * before) return {};
    stalled = std::max(size, before) <= small;
    before = size;
    const double rate = std::pow(size / first, 1.0 / m);
    if (rate > kWorstRate) break;
    // With another cj in the matrix than in the formula, it is that which slows the iteration down.
    jacobian_tired_ = rate > kTiredRate && stage.cj == matrix_cj_;
    matrix_tired_ = rate > kTiredRate && stage.cj != matrix_cj_;
    if (rate / (1 - rate) * size <= options_.tolerance) return {};
  }
  return {.status = stalled ? NewtonStatus::Stalled : NewtonStatus::Slow,
          .component = norm.worst_newton(delta_)};
}

// A matrix that is singular up to rounding passes for regular and shows only in iterations that go nowhere.
NewtonOutcome Corrector::explain(const NewtonOutcome& outcome) const {
  if (outcome.status == NewtonStatus::NotFinite && outcome.component < 0)
    return outcome;  // the model's fault
  const Pivot pivot = solver_->weakest_pivot();
  if (pivot.relative > 4 * std::numeric_limits<double>::epsilon()) return outcome;
  return {.status = NewtonStatus::Singular, .component = pivot.column, .row = pivot.row};
}

NewtonOutcome Corrector::solve(const ImplicitStage& stage, const ToleranceNorm& norm) {
  assert(solver_ != nullptr);
  Renewal renewal = needed(stage.cj);
  for (;;) {
    NewtonOutcome outcome = renew(stage, renewal);
    if (outcome.ok()) outcome = iterate(stage, norm);
    if (outcome.ok()) return outcome;
    if (renewal == Renewal::Jacobian) {
      if (outcome.status == NewtonStatus::Stalled) return {};
      ++evaluator_.counters.newton_failures;
      have_jacobian_ = false;
      return have_matrix_ ? explain(outcome) : outcome;
    }
    renewal = Renewal::Jacobian;  // the matrix was an old one: once more with a new one
  }
}

}  // namespace daedalus
