#include "integrate/erk_step.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "numerics/vectors.hpp"
#include "numerics/wide.hpp"

namespace daedalus {
namespace {

// Coefficients of a dense output.
constexpr std::size_t most_dense = 8;

// As ErkStep::interpolate() at each of the fractions s.
DAEDALUS_WIDE void polynomials_at(const double* s, std::size_t count, std::size_t states, const double* r,
                                  double* y) {
  std::array<Four, most_dense> w;
  Four fraction;
  load_four(s, fraction);
  w[0] = Four{1, 1, 1, 1};
  for (std::size_t j = 1; j < count; ++j) w[j] = (j % 2 == 1 ? fraction : 1 - fraction) * w[j - 1];
  for (std::size_t i = 0; i < states; ++i) {
    Four sum{};
    for (std::size_t j = count; j-- > 0;) sum += w[j] * r[(j * states) + i];
    store_four(sum, y + (lane_count * i));
  }
}

}  // namespace

void ErkStep::resize(const ErkSizes& sizes) {
  sizes_ = sizes;
  const std::size_t n = sizes.states;
  y_begin_.resize(n);
  y_end_.resize(n);
  argument_.resize(n);
  k_.assign(tableau_->a.size() * sizes.stride(), 0);
  r_.assign(dense_count() * n, 0);
  assert(dense_count() <= most_dense);
  const auto sum = [this](const ErkRow& row) { return ErkSum(row, *tableau_, sizes_); };
  a_.clear();
  dense_.clear();
  ends_.clear();
  for (const ErkRow& row : tableau_->a) a_.push_back(sum(row));
  for (const ErkRow& row : tableau_->dense) dense_.push_back(sum(row));
  for (const ErkRow& row : tableau_->ends)
    ends_.push_back(sum(row.empty() ? row : row.first(row.size() - 1)));
  b_ = sum(tableau_->b);
  error_ = sum(tableau_->error);
  coarse_error_ = sum(tableau_->coarse_error);
}

// Between two steps there is no code of an attempt.
void ErkStep::state(Archive& archive, const ErkSizes& sizes) {
  archive.section("explicit-step", 1);
  if (archive.reading()) resize(sizes);
  archive(t_, h_, dense_ready_).sized(sizes.states, y_begin_, y_end_, argument_);
  archive.sized(k_.size(), k_);
  if (archive.ok() && dense_ready_) archive.sized(r_.size(), r_);
}

bool ErkStep::stage(const OdeEvaluator& evaluator, int number, std::span<double> argument) {
  const auto index = static_cast<std::size_t>(number);
  a_[index].add(point(), argument.data());
  if (number < tableau_->stages && !tableau_->ends.empty()) return half_explicit_stage(evaluator, number);
  return evaluator.derivative(t_ + tableau_->c[index] * h_, argument, slope(number));
}

// With the weights â the stages before this one make its end, up to its own share.
bool ErkStep::half_explicit_stage(const OdeEvaluator& evaluator, int number) {
  const auto index = static_cast<std::size_t>(number);
  const ErkRow row = tableau_->ends[index];
  ends_[index].add(point(), evaluator.half_explicit->end().data());
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
  copy_values(yp.subspan(sizes_.positions), slope(0));
  if (small_attempt(evaluator)) return true;
  // The last argument is asked for later on.
  const bool anywhere = tableau_->ends.empty();
  for (int k = 1; k < tableau_->stages; ++k) {
    const std::span<double> wanted =
        anywhere && k + 1 < tableau_->stages ? evaluator.system.argument() : std::span<double>();
    if (!stage(evaluator, k, wanted.empty() ? argument_ : wanted)) return false;
  }
  b_.add(point(), y_end_.data());
  return true;
}

// All stages by the code for few states. False: there is none, or a slope is not finite, and the other way
// will say which.
bool ErkStep::small_attempt(const OdeEvaluator& evaluator) {
  direct_ = {};
  if (!is_small()) return false;
  direct_ = evaluator.system.direct();
  if (direct_.code == nullptr) return false;
  if (tableau_->small->stages(small_step(), direct_, argument_.data(), y_end_.data())) {
    evaluator.counters.residual_evals += tableau_->stages - 1;
    return true;
  }
  direct_ = {};
  return false;
}

bool ErkStep::is_small() const {
  return tableau_->small != nullptr && sizes_.slopes() <= ErkSizes::small &&
         sizes_.positions == sizes_.slopes();
}

bool ErkStep::has_small_dense() const {
  return is_small() && tableau_->small->dense != nullptr;
}

SmallStep ErkStep::small_step() {
  return {.t = t_, .h = h_, .y = y_begin_.data(), .k = k_.data(), .n = sizes_.positions};
}

void ErkStep::errors(std::span<double> error, std::span<double> coarse) {
  if (is_small()) return tableau_->small->errors(small_step(), error.data(), coarse.data());
  error_.combine(point(), error.data());
  if (!tableau_->coarse_error.empty()) coarse_error_.combine(point(), coarse.data());
}

bool ErkStep::finish(const OdeEvaluator& evaluator) {
  if (direct_.code != nullptr && direct_.reviewed) {
    *direct_.t = t_ + h_;
    copy_values(y_end_, {direct_.y, y_end_.size()});
    direct_(slope(tableau_->stages).data());
    ++evaluator.counters.residual_evals;
    if (all_finite(slope(tableau_->stages))) return true;
    --evaluator.counters.residual_evals;
  }
  return evaluator.derivative(t_ + h_, y_end_, slope(tableau_->stages));
}

void ErkStep::slope_end(std::span<double> yp) const {
  const std::size_t m = sizes_.positions;
  copy_values(std::span(y_end_).subspan(m, m), yp);
  copy_values(slope(tableau_->stages), yp.subspan(m));
}

void ErkStep::differences(std::span<double> values, std::span<double> slopes) const {
  const std::size_t m = sizes_.positions;
  const auto last = slope(tableau_->stages);
  const auto before = slope(tableau_->stages - 1);
  for (std::size_t i = 0; i < y_end_.size(); ++i) values[i] = y_end_[i] - argument_[i];
  copy_values(values.subspan(m, m), slopes);
  for (std::size_t i = 0; i < last.size(); ++i) slopes[m + i] = last[i] - before[i];
}

// r_0 … r_3: values and slopes of both ends.
void ErkStep::hermite_part() {
  const std::size_t m = sizes_.positions;
  const auto first = slope(0);
  const auto last = slope(tableau_->stages);
  for (std::size_t i = 0; i < sizes_.states; ++i) {
    const double change = y_end_[i] - y_begin_[i];
    const double bend = h_ * (i < m ? y_begin_[m + i] : first[i - m]) - change;
    dense(0)[i] = y_begin_[i];
    dense(1)[i] = change;
    dense(2)[i] = bend;
    dense(3)[i] = change - h_ * (i < m ? y_end_[m + i] : last[i - m]) - bend;
  }
}

bool ErkStep::extra_stages(const OdeEvaluator& evaluator) {
  const auto all = static_cast<int>(tableau_->a.size());
  // r_4 is overwritten later, and is room for the argument until then.
  const bool small = has_small_dense();
  for (int k = tableau_->stages + 1; k < all; ++k) {
    if (!small) {
      if (!stage(evaluator, k, dense(4))) return false;
      continue;
    }
    tableau_->small->dense_argument(small_step(), k, dense(4).data());
    const double t = t_ + tableau_->c[static_cast<std::size_t>(k)] * h_;
    if (!evaluator.derivative(t, dense(4), slope(k))) return false;
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
  if (has_small_dense()) {
    tableau_->small->dense(small_step(), dense(4).data());
  } else {
    for (std::size_t j = 4; j < dense_count(); ++j) dense_[j - 4].combine(point(), dense(j).data());
  }
  dense_ready_ = true;
}

void ErkStep::close_dense() {
  if (dense_ready_) return;
  hermite_part();
  std::fill(r_.begin() + static_cast<std::ptrdiff_t>(4 * sizes_.states), r_.end(), 0.0);
  dense_ready_ = true;
}

void ErkStep::cheap_interpolation(double s, std::span<double> y) const {
  if (dense_ready_) return interpolate(s, y, {});
  const std::size_t m = sizes_.positions;
  const auto first = slope(0);
  const auto last = slope(tableau_->stages);
  const double whole = s * s * (3 - 2 * s);  // of the end, and h times the slopes
  const double left = h_ * s * (1 - s) * (1 - s);
  const double right = h_ * s * s * (s - 1);
  for (std::size_t i = 0; i < m; ++i)
    y[i] = (1 - whole) * y_begin_[i] + whole * y_end_[i] + left * y_begin_[m + i] + right * y_end_[m + i];
  for (std::size_t i = m; i < y.size(); ++i)
    y[i] = (1 - whole) * y_begin_[i] + whole * y_end_[i] + left * first[i - m] + right * last[i - m];
}

void ErkStep::interpolate(double s, std::span<double> y, std::span<double> yp) const {
  assert(dense_ready_);
  const std::size_t count = dense_count();
  // w_j = s w_(j-1) for odd j, (1-s) w_(j-1) for even j.
  std::array<double, most_dense> w;  // as far as it is written
  const std::array<double, 2> factor{1 - s, s};
  w[0] = 1;
  for (std::size_t j = 1; j < count; ++j) w[j] = factor[j % 2] * w[j - 1];
  combine_dense({w.data(), count}, y);
  if (yp.empty()) return;
  std::array<double, most_dense> dw{};
  for (std::size_t j = 1; j < count; ++j)
    dw[j] = (j % 2 == 1 ? w[j - 1] : -w[j - 1]) + factor[j % 2] * dw[j - 1];
  combine_dense({dw.data(), count}, yp);
  for (double& slope : yp) slope /= h_;
}

void ErkStep::interpolate_lanes(std::span<const double, lane_count> s, std::span<double> y) const {
  assert(dense_ready_);
  polynomials_at(s.data(), dense_count(), sizes_.states, r_.data(), y.data());
}

// out = Σ w_j r_j, from the last one on; four components together, which need not wait for each other.
void ErkStep::combine_dense(std::span<const double> w, std::span<double> out) const {
  const std::size_t stride = sizes_.states;
  const double* const last = r_.data() + ((w.size() - 1) * stride);
  std::size_t i = 0;
  for (; i + 4 <= out.size(); i += 4) {
    const double* r = last + i;
    std::array<Two, 2> sum{};
    for (std::size_t j = w.size(); j-- > 0; r -= stride) {
      std::array<Two, 2> part;
      std::memcpy(part.data(), r, sizeof part);
      sum[0] += w[j] * part[0];
      sum[1] += w[j] * part[1];
    }
    std::memcpy(&out[i], sum.data(), sizeof sum);
  }
  for (; i < out.size(); ++i) {
    const double* r = last + i;
    double sum = 0;
    for (std::size_t j = w.size(); j-- > 0; r -= stride) sum += w[j] * *r;
    out[i] = sum;
  }
}

}  // namespace daedalus
