// Explicit equations y' = φ(t, y) with known solutions, and each of them as F = y' - φ(t, y) for implicit
// methods.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "integrate/ode_system.hpp"
#include "integrate/test_systems.hpp"

namespace daedalus::testing {

class SmallOde : public OdeSystem {
 public:
  explicit SmallOde(int n) : components_(static_cast<std::size_t>(n)) {}
  int size() const override { return static_cast<int>(components_.size()); }
  std::span<const Component> components() const override { return components_; }
  bool derivative(double t, std::span<const double> y, std::span<double> yp) override {
    ++calls;
    phi(t, y, yp);
    for (const double x : yp) {
      if (!std::isfinite(x)) return false;
    }
    return true;
  }
  virtual void phi(double t, std::span<const double> y, std::span<double> yp) const = 0;

  long calls = 0;

 protected:
  std::vector<Component> components_;
};

// y' = y cos t: y = exp(sin t).
class Growth final : public SmallOde {
 public:
  Growth() : SmallOde(1) {}
  static std::vector<double> exact(double t) { return {std::exp(std::sin(t))}; }
  void phi(double t, std::span<const double> y, std::span<double> yp) const override {
    yp[0] = y[0] * std::cos(t);
  }
};

// Motion on the unit circle with the angle t + sin(t)/2.
class Circle final : public SmallOde {
 public:
  Circle() : SmallOde(2) {}
  static std::vector<double> exact(double t) {
    const double angle = t + std::sin(t) / 2;
    return {std::cos(angle), std::sin(angle)};
  }
  void phi(double t, std::span<const double> y, std::span<double> yp) const override {
    const double speed = 1 + std::cos(t) / 2;
    yp[0] = -speed * y[1];
    yp[1] = speed * y[0];
  }
};

// Kepler's problem with eccentricity 0.3 and period 2π, from the pericentre: x'' = -x/r³.
class Kepler final : public SmallOde {
 public:
  Kepler() : SmallOde(4) {}
  static std::vector<double> exact(double t) {
    double anomaly = t;  // E - e sin E = t
    for (int k = 0; k < 50; ++k) {
      anomaly -= (anomaly - kE * std::sin(anomaly) - t) / (1 - kE * std::cos(anomaly));
    }
    const double rate = 1 / (1 - kE * std::cos(anomaly));
    const double b = std::sqrt(1 - kE * kE);
    return {std::cos(anomaly) - kE, b * std::sin(anomaly), -std::sin(anomaly) * rate,
            b * std::cos(anomaly) * rate};
  }
  void phi(double, std::span<const double> y, std::span<double> yp) const override {
    const double r3 = std::pow(std::hypot(y[0], y[1]), 3);
    yp[0] = y[2];
    yp[1] = y[3];
    yp[2] = -y[0] / r3;
    yp[3] = -y[1] / r3;
  }

 private:
  static constexpr double kE = 0.3;
};

// Prothero and Robinson, stiff for large k.
class StiffOde final : public SmallOde {
 public:
  explicit StiffOde(double k) : SmallOde(1), k_(k) {}
  static std::vector<double> exact(double t) { return {std::cos(t)}; }
  void phi(double t, std::span<const double> y, std::span<double> yp) const override {
    yp[0] = -k_ * (y[0] - std::cos(t)) - std::sin(t);
  }

 private:
  double k_;
};

inline std::vector<double> slope_at(const SmallOde& ode, double t, std::span<const double> y) {
  std::vector<double> yp(y.size());
  ode.phi(t, y, yp);
  return yp;
}

// F(t, y, y') = y' - φ(t, y); the derivatives of φ by central differences, which is enough for Newton.
class AsResidual final : public DenseSystem {
 public:
  explicit AsResidual(const SmallOde& ode) : DenseSystem(ode.size()), ode_(ode) {}

 private:
  void equations(double t, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    ode_.phi(t, y, r);
    for (std::size_t i = 0; i < y.size(); ++i) r[i] = yp[i] - r[i];
  }
  void derivatives(double t, std::span<const double> y, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    std::vector<double> moved(y.begin(), y.end());
    for (int j = 0; j < size(); ++j) {
      const auto column = static_cast<std::size_t>(j);
      const double d = 1e-5 * (1 + std::abs(y[column]));
      moved[column] = y[column] + d;
      const std::vector<double> right = slope_at(ode_, t, moved);
      moved[column] = y[column] - d;
      const std::vector<double> left = slope_at(ode_, t, moved);
      moved[column] = y[column];
      for (int i = 0; i < size(); ++i) {
        const auto row = static_cast<std::size_t>(i);
        dy(i, j) = -(right[row] - left[row]) / (2 * d);
      }
      dyp(j, j) = 1;
    }
  }

  const SmallOde& ode_;
};

}  // namespace daedalus::testing
