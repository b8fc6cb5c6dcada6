// Stiff problems for dense output, each with values to compare with at any time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "integrate/drive.hpp"
#include "integrate/stiff_systems.hpp"

namespace daedalus::testing {

// x' = -k (x - sin 3t) + 3 cos 3t: x = sin 3t from x(0) = 0.
class FastFollower final : public DenseSystem {
 public:
  explicit FastFollower(double k) : DenseSystem(1), k_(k) {}

 private:
  void equations(double t, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    r[0] = yp[0] + k_ * (y[0] - std::sin(3 * t)) - 3 * std::cos(3 * t);
  }
  void derivatives(double, std::span<const double>, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    dy(0, 0) = k_;
    dyp(0, 0) = 1;
  }
  double k_;
};

// A low-pass of two stages, R C = τ₁ = 1e-5 and τ₂ = 0.2: τ₁ v₁' = sin ωt - v₁, τ₂ v₂' = v₁ - v₂.
class Filter final : public DenseSystem {
 public:
  Filter() : DenseSystem(2) {}
  static constexpr double kFast = 1e-5, kSlow = 0.2, kOmega = 5;
  // The response of one stage to a sin ωt + b cos ωt, and what decays.
  static std::vector<double> exact(double t) {
    const double w1 = kOmega * kFast;
    const double a = 1 / (1 + w1 * w1);
    const double b = -w1 * a;
    const double v1 = a * std::sin(kOmega * t) + b * std::cos(kOmega * t) - b * std::exp(-t / kFast);
    const double w2 = kOmega * kSlow;
    const double c = (a + w2 * b) / (1 + w2 * w2);
    const double d = (b - w2 * a) / (1 + w2 * w2);
    const double e = -b / (1 - kSlow / kFast);  // of exp(-t/τ₁)
    const double v2 = c * std::sin(kOmega * t) + d * std::cos(kOmega * t) + e * std::exp(-t / kFast) -
                      (d + e) * std::exp(-t / kSlow);
    return {v1, v2};
  }

 private:
  void equations(double t, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    r[0] = kFast * yp[0] - std::sin(kOmega * t) + y[0];
    r[1] = kSlow * yp[1] - y[0] + y[1];
  }
  void derivatives(double, std::span<const double>, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    dyp(0, 0) = kFast;
    dy(0, 0) = 1;
    dyp(1, 1) = kSlow;
    dy(1, 0) = -1;
    dy(1, 1) = 1;
  }
};

// Kaps: x' = -(1/ε + 2) x + y²/ε, y' = x - y - y²; x = exp(-2t), y = exp(-t) for any ε.
class Kaps final : public DenseSystem {
 public:
  Kaps() : DenseSystem(2) {}
  static std::vector<double> exact(double t) { return {std::exp(-2 * t), std::exp(-t)}; }

 private:
  static constexpr double kEpsilon = 1e-6;
  void equations(double, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    r[0] = yp[0] + (1 / kEpsilon + 2) * y[0] - y[1] * y[1] / kEpsilon;
    r[1] = yp[1] - y[0] + y[1] + y[1] * y[1];
  }
  void derivatives(double, std::span<const double> y, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    dyp(0, 0) = dyp(1, 1) = 1;
    dy(0, 0) = 1 / kEpsilon + 2;
    dy(0, 1) = -2 * y[1] / kEpsilon;
    dy(1, 0) = -1;
    dy(1, 1) = 1 + 2 * y[1];
  }
};

struct OutputProblem {
  std::string name;
  std::function<std::unique_ptr<ResidualSystem>()> make;
  std::vector<double> y, yp;
  double t_end = 0;
  std::vector<double> scale;                              // the size of each component in the run
  std::function<std::vector<double>(double)> exact = {};  // none: by a run with sharp tolerances
};

inline std::vector<OutputProblem> output_problems() {
  return {{"fast follower",
           [] { return std::make_unique<FastFollower>(1e6); },
           {0},
           {3},
           10,
           {1},
           [](double t) { return std::vector<double>{std::sin(3 * t)}; }},
          {"not stiff",
           [] { return std::make_unique<FastFollower>(2); },
           {0},
           {3},
           10,
           {1},
           [](double t) { return std::vector<double>{std::sin(3 * t)}; }},
          {"filter", [] { return std::make_unique<Filter>(); }, {0, 0}, {0, 0}, 5, {1, 1}, Filter::exact},
          {"kaps", [] { return std::make_unique<Kaps>(); }, {1, 1}, {-2, -1}, 5, {1, 1}, Kaps::exact},
          // Up to shortly before the first jump, at t = 0.807, where errors of time become errors of values.
          {"van der pol",
           [] { return std::make_unique<VanDerPol>(); },
           {2, -0.6666654321121172},
           {-0.6666654321121172, 0},
           0.7,
           {2, 1}},
          {"robertson",
           [] { return std::make_unique<Robertson>(); },
           {1, 0, 0},
           {-0.04, 0.04, 0},
           1000,
           {1, 3.6e-5, 1}}};
}

}  // namespace daedalus::testing
