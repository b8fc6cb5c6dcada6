// Pendulums of index 2 and 3, with hand-coded exact Jacobians.
#pragma once

#include "integrate/test_systems.hpp"

namespace daedalus::testing {

// Pendulum (g = m = L = 1) after Gear, Gupta and Leimkuhler, index 2, unknowns (x, y, u, v, λ, μ):
//   x' = u - μx, y' = v - μy, u' = -λx, v' = -λy - 1, x² + y² = 1, xu + yv = 0.
class GglPendulum final : public DenseSystem {
 public:
  GglPendulum() : DenseSystem(6) {
    for (int k : {4, 5}) components_[k] = {.differential = false, .error_tested = false, .index = 2};
  }

 private:
  void equations(double, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    r[0] = yp[0] - y[2] + y[5] * y[0];
    r[1] = yp[1] - y[3] + y[5] * y[1];
    r[2] = yp[2] + y[4] * y[0];
    r[3] = yp[3] + y[4] * y[1] + 1;
    r[4] = y[0] * y[0] + y[1] * y[1] - 1;
    r[5] = y[0] * y[2] + y[1] * y[3];
  }
  void derivatives(double, std::span<const double> y, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    for (int k = 0; k < 2; ++k) {
      dyp(k, k) = 1;
      dy(k, 2 + k) = -1;
      dy(k, k) = y[5];
      dy(k, 5) = y[k];
      dyp(2 + k, 2 + k) = 1;
      dy(2 + k, k) = y[4];
      dy(2 + k, 4) = y[k];
      dy(4, k) = 2 * y[k];
      dy(5, k) = y[2 + k];
      dy(5, 2 + k) = y[k];
    }
  }
};

// The same at position level, index 3, unknowns (x, y, u, v, λ).
class PositionPendulum final : public DenseSystem {
 public:
  PositionPendulum() : DenseSystem(5) {
    for (int k : {2, 3}) components_[k].index = 2;
    components_[4] = {.differential = false, .error_tested = false, .index = 3};
  }

 private:
  void equations(double, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    r[0] = yp[0] - y[2];
    r[1] = yp[1] - y[3];
    r[2] = yp[2] + y[4] * y[0];
    r[3] = yp[3] + y[4] * y[1] + 1;
    r[4] = y[0] * y[0] + y[1] * y[1] - 1;
  }
  void derivatives(double, std::span<const double> y, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    for (int k = 0; k < 2; ++k) {
      dyp(k, k) = 1;
      dy(k, 2 + k) = -1;
      dyp(2 + k, 2 + k) = 1;
      dy(2 + k, k) = y[4];
      dy(2 + k, 4) = y[k];
      dy(4, k) = 2 * y[k];
    }
  }
};

}  // namespace daedalus::testing
