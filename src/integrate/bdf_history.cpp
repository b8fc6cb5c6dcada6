#include "integrate/bdf_history.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "numerics/vectors.hpp"

namespace daedalus {

void BdfHistory::start(std::span<const double> y, std::span<const double> yp) {
  size_ = y.size();
  phi_.assign((kMaxOrder + 2) * size_, 0);
  copy_values(y, phi_mutable(0));
  copy_values(yp, phi_mutable(1));  // times ψ_0, which the first step will tell
  psi_.fill(0);
  psi_[0] = 1;
  h_used_ = 0;
  order_used_ = 0;
  constant_steps_ = 0;
}

void BdfHistory::state(Archive& archive, std::size_t size) {
  archive.section("bdf-history", 1);
  if (archive.reading()) size_ = size;
  archive.sized((kMaxOrder + 2) * size, phi_);
  archive(psi_, psi_before_, alpha_, beta_, sigma_, gamma_, h_, h_used_, cj_, error_factor_);
  archive(order_, order_used_, constant_steps_);
  archive.require(order_ >= 1 && order_ <= kMaxOrder && order_used_ >= 0 && order_used_ <= kMaxOrder,
                  "an order that there is not");
  archive.require(constant_steps_ >= 0 && constant_steps_ <= kMaxOrder + 2, "more equal steps than count");
}

void BdfHistory::scale(int j, double factor) {
  for (double& x : phi_mutable(j)) x *= factor;
}

void BdfHistory::begin_step(double h, int order) {
  assert(h > 0 && order >= 1 && order <= kMaxOrder && order <= order_used_ + 1);
  if (order_used_ == 0) {  // the "last step" is a fiction of the size of this one
    scale(1, h / psi_[0]);
    psi_[0] = h;
  }
  if (h != h_used_ || order != order_used_) constant_steps_ = 0;
  constant_steps_ = std::min(constant_steps_ + 1, order_used_ + 2);
  h_ = h;
  order_ = order;
  psi_before_ = psi_;
  set_coefficients();
  for (int j = constant_steps_; j <= order_; ++j) scale(j, beta_[index(j)]);
}

void BdfHistory::set_coefficients() {
  // The coefficients below constant_steps_ are those of the last step and stay.
  if (order_ + 1 >= constant_steps_) {
    alpha_[0] = 1;
    beta_[0] = 1;
    sigma_[0] = 1;
    gamma_[0] = 0;
    double psi_new = h_;
    for (int i = 1; i <= order_; ++i) {
      const double psi_old = psi_[index(i - 1)];
      psi_[index(i - 1)] = psi_new;
      beta_[index(i)] = beta_[index(i - 1)] * psi_new / psi_old;
      psi_new = psi_old + h_;
      alpha_[index(i)] = h_ / psi_new;
      sigma_[index(i)] = i * sigma_[index(i - 1)] * alpha_[index(i)];
      gamma_[index(i)] = gamma_[index(i - 1)] + alpha_[index(i - 1)] / h_;
    }
    psi_[index(order_)] = psi_new;
  }
  double alpha_s = 0;  // α_s = -Σ 1/j and α^0 = -Σ α_j of the book
  double alpha_0 = 0;
  for (int i = 0; i < order_; ++i) {
    alpha_s -= 1.0 / (i + 1);
    alpha_0 -= alpha_[index(i)];
  }
  const double leading = alpha_[index(order_)];
  const double part = formula_part(order_);
  cj_ = -(alpha_s + part) / h_;
  error_factor_ = std::max(std::abs(leading + alpha_s + part - alpha_0), leading * error_ratio(order_));
}

double BdfHistory::formula_part(int j) const {
  double harmonic = 0;
  for (int i = 1; i <= j; ++i) harmonic += 1.0 / i;
  return kappa_[index(j)] * harmonic;
}

void BdfHistory::restore() {
  psi_ = psi_before_;
  for (int j = constant_steps_; j <= order_; ++j) scale(j, 1 / beta_[index(j)]);
  constant_steps_ = 0;
}

void BdfHistory::predict(std::span<double> y0, std::span<double> yp0) const {
  copy_values(phi(0), y0);
  std::ranges::fill(yp0, 0.0);
  for (int j = 1; j <= order_; ++j) {
    const auto phi_j = phi(j);
    const double gamma = gamma_[index(j)];
    for (std::size_t i = 0; i < size_; ++i) {
      y0[i] += phi_j[i];
      yp0[i] += gamma * phi_j[i];
    }
  }
}

void BdfHistory::complete(std::span<const double> e) {
  order_used_ = order_;
  h_used_ = h_;
  std::ranges::copy(e, phi_mutable(order_ + 1).begin());
  for (int j = order_; j >= 0; --j) {
    const auto above = phi(j + 1);
    const auto here = phi_mutable(j);
    for (std::size_t i = 0; i < size_; ++i) here[i] += above[i];
  }
}

void BdfHistory::move_end(std::span<const double> y) {
  // Before the first step φ_1 is the slope.
  const int last = order_used_ == 0 ? 0 : order_used_ + 1;
  const auto value = phi(0);
  for (std::size_t i = 0; i < size_; ++i) {
    const double moved = y[i] - value[i];
    for (int j = 0; j <= last; ++j) phi_mutable(j)[i] += moved;
  }
}

void BdfHistory::evaluate(double ahead, std::span<double> y, std::span<double> yp) const {
  // Newton's form: c_j = Π_(i<j) (ahead + ψ_(i-1)) / ψ_i with ψ_(-1) = 0, and its derivative d_j.
  Coefficients c{};
  Coefficients d{};
  c[0] = 1;
  double slope = 0;
  double value = 1;
  double factor = ahead / psi_[0];
  for (int j = 1; j <= order_used_; ++j) {
    slope = slope * factor + value / psi_[index(j - 1)];
    value *= factor;
    factor = (ahead + psi_[index(j - 1)]) / psi_[index(j)];
    c[index(j)] = value;
    d[index(j)] = slope;
  }
  copy_values(phi(0), y);
  std::ranges::fill(yp, 0.0);
  for (int j = 1; j <= order_used_; ++j) {
    const auto phi_j = phi(j);
    if (c[index(j)] != 0) {  // not at the end of the step
      for (std::size_t i = 0; i < size_; ++i) y[i] += c[index(j)] * phi_j[i];
    }
    for (std::size_t i = 0; i < yp.size(); ++i) yp[i] += d[index(j)] * phi_j[i];
  }
}

}  // namespace daedalus
