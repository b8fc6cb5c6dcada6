// Small systems with hand-coded exact Jacobians and known solutions.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "integrate/residual_system.hpp"

namespace daedalus::testing {

// A full pattern, with the Jacobians given entry by entry.
class DenseSystem : public ResidualSystem {
 public:
  explicit DenseSystem(int n) : components_(static_cast<std::size_t>(n)) {
    pattern_.size = n;
    for (int j = 0; j <= n; ++j) pattern_.column_start.push_back(j * n);
    for (int k = 0; k < n * n; ++k) pattern_.row.push_back(k % n);
  }
  int size() const override { return pattern_.size; }
  std::span<const Component> components() const override { return components_; }
  const SparsePattern& pattern() const override { return pattern_; }
  bool residual(double t, std::span<const double> y, std::span<const double> yp,
                std::span<double> r) override {
    ++residual_calls;
    equations(t, y, yp, r);
    for (const double x : r) {
      if (!std::isfinite(x)) return false;
    }
    return true;
  }
  bool jacobian(double t, std::span<const double> y, std::span<const double> yp, std::span<double> dy,
                std::span<double> dyp) override {
    ++jacobian_calls;
    std::fill(dy.begin(), dy.end(), 0.0);
    std::fill(dyp.begin(), dyp.end(), 0.0);
    const auto n = static_cast<std::size_t>(size());
    derivatives(
        t, y, yp, [&](int i, int j) -> double& { return dy[j * n + i]; },
        [&](int i, int j) -> double& { return dyp[j * n + i]; });
    for (const double x : dy) {
      if (!std::isfinite(x)) return false;
    }
    return true;
  }

  long residual_calls = 0;
  long jacobian_calls = 0;

 protected:
  using Entry = std::function<double&(int, int)>;
  virtual void equations(double t, std::span<const double> y, std::span<const double> yp,
                         std::span<double> r) = 0;
  virtual void derivatives(double t, std::span<const double> y, std::span<const double> yp, const Entry& dy,
                           const Entry& dyp) = 0;

  std::vector<Component> components_;
  SparsePattern pattern_;
};

// Index 1, nonlinear in both unknowns, with a coefficient in front of y' that depends on the solution:
//   (2 + z) x' = (2 + z) cos t - (x - sin t),   2 z + x z = cos t (2 + sin t)
// exact: x = sin t, z = cos t.
class IndexOne final : public DenseSystem {
 public:
  IndexOne() : DenseSystem(2) { components_[1].differential = false; }
  static std::vector<double> exact(double t) { return {std::sin(t), std::cos(t)}; }
  static std::vector<double> exact_slope(double t) { return {std::cos(t), -std::sin(t)}; }

 private:
  void equations(double t, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    r[0] = (2 + y[1]) * (yp[0] - std::cos(t)) + y[0] - std::sin(t);
    r[1] = y[1] * (2 + y[0]) - std::cos(t) * (2 + std::sin(t));
  }
  void derivatives(double t, std::span<const double> y, std::span<const double> yp, const Entry& dy,
                   const Entry& dyp) override {
    dy(0, 0) = 1;
    dy(0, 1) = yp[0] - std::cos(t);
    dyp(0, 0) = 2 + y[1];
    dy(1, 0) = y[1];
    dy(1, 1) = 2 + y[0];
  }
};

// Prothero and Robinson: y' = -k (y - cos t) - sin t, exact y = cos t, stiff for large k.
class StiffLinear final : public DenseSystem {
 public:
  // `count` of them side by side.
  explicit StiffLinear(double k, int count = 1) : DenseSystem(count), k_(k) {}
  static std::vector<double> exact(double t, std::size_t count = 1) {
    return std::vector<double>(count, std::cos(t));
  }
  static std::vector<double> exact_slope(double t, std::size_t count = 1) {
    return std::vector<double>(count, -std::sin(t));
  }

 private:
  void equations(double t, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    for (std::size_t i = 0; i < y.size(); ++i) r[i] = yp[i] + k_ * (y[i] - std::cos(t)) + std::sin(t);
  }
  void derivatives(double, std::span<const double>, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    for (int i = 0; i < size(); ++i) {
      dy(i, i) = k_;
      dyp(i, i) = 1;
    }
  }
  double k_;
};

// Planar pendulum (g = m = L = 1) by dummy derivatives in one fixed vector (x, y, u, v, a, b, λ):
//   x² + y² = 1, xu + yv = 0, xa + u² + yb + v² = 0, a + λx = 0, b + λy + 1 = 0
// and two differential equations, y' = v, v' = b if |x| > |y|, otherwise x' = u, u' = a.
class DummyPendulum final : public DenseSystem {
 public:
  explicit DummyPendulum(bool y_is_state) : DenseSystem(7) { select(y_is_state); }
  bool y_is_state() const { return y_is_state_; }
  void select(bool y_is_state) {
    y_is_state_ = y_is_state;
    for (auto& component : components_) component.differential = false;
    components_[y_is_state ? 1 : 0].differential = true;
    components_[y_is_state ? 3 : 2].differential = true;
  }
  // Consistent values and slopes for the angle φ and its speed w, x = sin φ, y = -cos φ.
  static void initial(double phi, double w, std::vector<double>& y, std::vector<double>& yp) {
    const double x = std::sin(phi), h = -std::cos(phi), u = w * std::cos(phi), v = w * std::sin(phi);
    const double lambda = u * u + v * v - h, a = -lambda * x, b = -lambda * h - 1;
    const double lambda_slope = 2 * (u * a + v * b) - v;
    y = {x, h, u, v, a, b, lambda};
    yp = {u, v, a, b, -lambda_slope * x - lambda * u, -lambda_slope * h - lambda * v, lambda_slope};
  }
  static double energy(std::span<const double> y) { return (y[2] * y[2] + y[3] * y[3]) / 2 + y[1] + 1; }
  static double length_error(std::span<const double> y) { return std::hypot(y[0], y[1]) - 1; }

 private:
  void equations(double, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    const int q = y_is_state_ ? 1 : 0;
    r[0] = yp[q] - y[2 + q];
    r[1] = yp[2 + q] - y[4 + q];
    r[2] = y[0] * y[0] + y[1] * y[1] - 1;
    r[3] = y[0] * y[2] + y[1] * y[3];
    r[4] = y[0] * y[4] + y[2] * y[2] + y[1] * y[5] + y[3] * y[3];
    r[5] = y[4] + y[6] * y[0];
    r[6] = y[5] + y[6] * y[1] + 1;
  }
  void derivatives(double, std::span<const double> y, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    const int q = y_is_state_ ? 1 : 0;
    dyp(0, q) = 1;
    dy(0, 2 + q) = -1;
    dyp(1, 2 + q) = 1;
    dy(1, 4 + q) = -1;
    for (int k = 0; k < 2; ++k) {
      dy(2, k) = 2 * y[k];
      dy(3, k) = y[2 + k];
      dy(3, 2 + k) = y[k];
      dy(4, k) = y[4 + k];
      dy(4, 2 + k) = 2 * y[2 + k];
      dy(4, 4 + k) = y[k];
      dy(5 + k, 4 + k) = 1;
      dy(5 + k, k) = y[6];
      dy(5 + k, 6) = y[k];
    }
  }
  bool y_is_state_ = false;
};

}  // namespace daedalus::testing
