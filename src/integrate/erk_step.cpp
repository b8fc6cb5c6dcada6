#include "integrate/erk_step.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "numerics/vectors.hpp"

namespace daedalus {

void ErkStep::resize(std::size_t n) {
  n_ = n;
  y_begin_.resize(n);
  y_end_.resize(n);
  argument_.resize(n);
  zero_.assign(n, 0);
  k_.assign(tableau_->a.size() * n, 0);
  r_.assign(dense_count() * n, 0);
  assert(dense_count() <= kMaxDense);
}

namespace {

constexpr std::size_t short_vector = 32;
using Four = double __attribute__((vector_size(4 * sizeof(double))));

// out := base + Σ weight_j k_j, four terms at a time; all lie apart.
struct Term {
  double weight;
  const double* k;
};
void sum_up(std::span<const Term> terms, const double* base, double* __restrict out, std::size_t n) {
  for (; terms.size() >= 4; terms = terms.subspan(4), base = out) {
    const auto [a, p] = terms[0];
    const auto [b, q] = terms[1];
    const auto [c, r] = terms[2];
    const auto [d, s] = terms[3];
    for (std::size_t i = 0; i < n; ++i) out[i] = base[i] + (a * p[i] + b * q[i]) + (c * r[i] + d * s[i]);
  }
  for (; terms.size() >= 2; terms = terms.subspan(2), base = out) {
    const auto [a, p] = terms[0];
    const auto [b, q] = terms[1];
    for (std::size_t i = 0; i < n; ++i) out[i] = base[i] + (a * p[i] + b * q[i]);
  }
  if (!terms.empty()) {
    const auto [a, p] = terms[0];
    for (std::size_t i = 0; i < n; ++i) out[i] = base[i] + a * p[i];
  } else if (base != out) {
    std::copy_n(base, n, out);
  }
}

}  // namespace

void ErkStep::add_slopes(const ErkRow& row, std::span<const double> base, std::span<double> out) const {
  if (n_ <= short_vector) return add_short(row, base.data(), out.data());
  std::array<Term, kMaxStages> terms;  // NOLINT(cppcoreguidelines-pro-type-member-init): written below
  assert(row.size() <= terms.size());
  for (std::size_t j = 0; j < row.size(); ++j)
    terms[j] = {.weight = h_ * row[j].value, .k = slope(row[j].stage).data()};
  sum_up(std::span(terms).first(row.size()), base.data(), out.data(), n_);
}

// Four components through all stages, and then the next four: nothing is written in between.
void ErkStep::add_short(const ErkRow& row, const double* base, double* out) const {
  std::size_t i = 0;
  for (; i + 4 <= n_; i += 4) {
    Four sum;
    std::memcpy(&sum, base + i, sizeof sum);
    for (const ErkWeight& weight : row) {
      Four k;
      std::memcpy(&k, k_.data() + static_cast<std::size_t>(weight.stage) * n_ + i, sizeof k);
      sum += h_ * weight.value * k;
    }
    std::memcpy(out + i, &sum, sizeof sum);
  }
  for (; i < n_; ++i) {
    double sum = base[i];
    for (const ErkWeight& weight : row)
      sum += h_ * weight.value * k_[static_cast<std::size_t>(weight.stage) * n_ + i];
    out[i] = sum;
  }
}

void ErkStep::combine(const ErkRow& row, std::span<double> out) const {
  add_slopes(row, zero_, out);
}

bool ErkStep::stage(const OdeEvaluator& evaluator, int number, std::span<double> argument) {
  const auto index = static_cast<std::size_t>(number);
  add_slopes(tableau_->a[index], y_begin_, argument);
  if (number < tableau_->stages && !tableau_->ends.empty()) return half_explicit_stage(evaluator, number);
  return evaluator.derivative(t_ + tableau_->c[index] * h_, argument, slope(number));
}

// With the weights â the stages before this one make its end, up to its own share.
bool ErkStep::half_explicit_stage(const OdeEvaluator& evaluator, int number) {
  const auto index = static_cast<std::size_t>(number);
  const ErkRow row = tableau_->ends[index];
  const std::span<double> end = evaluator.half_explicit->end();
  add_slopes(row.first(row.size() - 1), y_begin_, end);
  double c = 0;
  for (const ErkWeight& weight : row) c += weight.value;
  ++evaluator.counters.residual_evals;
  return evaluator.half_explicit->slope({.t = t_ + tableau_->c[index] * h_,
                                         .t_end = t_ + c * h_,
                                         .weight = h_ * row.back().value,
                                         .y = argument_},
                                        slope(number));
}

bool ErkStep::attempt(const OdeEvaluator& evaluator, double t, double h, std::span<const double> y,
                      std::span<const double> yp) {
  t_ = t;
  h_ = h;
  dense_ready_ = false;
  copy_values(y, y_begin_);
  copy_values(yp, slope(0));
  // The last argument is asked for later on.
  const bool anywhere = tableau_->ends.empty();
  for (int k = 1; k < tableau_->stages; ++k) {
    const std::span<double> wanted =
        anywhere && k + 1 < tableau_->stages ? evaluator.system.argument() : std::span<double>();
    if (!stage(evaluator, k, wanted.empty() ? argument_ : wanted)) return false;
  }
  add_slopes(tableau_->b, y_begin_, y_end_);
  return true;
}

bool ErkStep::finish(const OdeEvaluator& evaluator) {
  return evaluator.derivative(t_ + h_, y_end_, slope(tableau_->stages));
}

// r_0 … r_3: values and slopes of both ends.
void ErkStep::hermite_part() {
  const auto first = slope(0);
  const auto last = slope(tableau_->stages);
  for (std::size_t i = 0; i < n_; ++i) {
    const double change = y_end_[i] - y_begin_[i];
    const double bend = h_ * first[i] - change;
    dense(0)[i] = y_begin_[i];
    dense(1)[i] = change;
    dense(2)[i] = bend;
    dense(3)[i] = change - h_ * last[i] - bend;
  }
}

bool ErkStep::extra_stages(const OdeEvaluator& evaluator) {
  const auto all = static_cast<int>(tableau_->a.size());
  // r_4 is overwritten later, and is room for the argument until then.
  for (int k = tableau_->stages + 1; k < all; ++k) {
    if (!stage(evaluator, k, dense(4))) return false;
  }
  return true;
}

void ErkStep::prepare_dense(const OdeEvaluator& evaluator) {
  if (dense_ready_) return;
  if (!extra_stages(evaluator)) {
    close_dense();
    return;
  }
  hermite_part();
  for (std::size_t j = 4; j < dense_count(); ++j) combine(tableau_->dense[j - 4], dense(j));
  dense_ready_ = true;
}

void ErkStep::close_dense() {
  if (dense_ready_) return;
  hermite_part();
  std::fill(r_.begin() + static_cast<std::ptrdiff_t>(4 * n_), r_.end(), 0.0);
  dense_ready_ = true;
}

void ErkStep::interpolate(double s, std::span<double> y, std::span<double> yp) const {
  assert(dense_ready_);
  // w_j = s w_(j-1) for odd j, (1-s) w_(j-1) for even j, and their derivatives.
  std::array<double, kMaxDense> w{};
  std::array<double, kMaxDense> dw{};
  w[0] = 1;
  for (std::size_t j = 1; j < dense_count(); ++j) {
    const bool odd = j % 2 == 1;
    w[j] = (odd ? s : 1 - s) * w[j - 1];
    dw[j] = (odd ? w[j - 1] : -w[j - 1]) + (odd ? s : 1 - s) * dw[j - 1];
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    double value = 0;
    for (std::size_t j = dense_count(); j-- > 0;) value += w[j] * r_[j * n_ + i];
    y[i] = value;
  }
  for (std::size_t i = 0; i < yp.size(); ++i) {
    double value = 0;
    for (std::size_t j = dense_count(); j-- > 0;) value += dw[j] * r_[j * n_ + i];
    yp[i] = value / h_;
  }
}

}  // namespace daedalus
