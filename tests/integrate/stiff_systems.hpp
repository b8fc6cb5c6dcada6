// Classical stiff problems, with hand-coded exact Jacobians.
#pragma once

#include "integrate/test_systems.hpp"

namespace daedalus::testing {

// Robertson's reaction as a DAE: the third equation is the conservation of mass.
class Robertson final : public DenseSystem {
 public:
  Robertson() : DenseSystem(3) {
    components_[1].nominal = 1e-6;
    components_[2].differential = false;
  }

 private:
  void equations(double, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    r[0] = yp[0] + 0.04 * y[0] - 1e4 * y[1] * y[2];
    r[1] = yp[1] - 0.04 * y[0] + 1e4 * y[1] * y[2] + 3e7 * y[1] * y[1];
    r[2] = y[0] + y[1] + y[2] - 1;
  }
  void derivatives(double, std::span<const double> y, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    dyp(0, 0) = 1;
    dy(0, 0) = 0.04;
    dy(0, 1) = -1e4 * y[2];
    dy(0, 2) = -1e4 * y[1];
    dyp(1, 1) = 1;
    dy(1, 0) = -0.04;
    dy(1, 1) = 1e4 * y[2] + 6e7 * y[1];
    dy(1, 2) = 1e4 * y[1];
    for (int j = 0; j < 3; ++j) dy(2, j) = 1;
  }
};

// Van der Pol: y1' = y2, ε y2' = (1 - y1²) y2 - y1, ε = 1e-6.
class VanDerPol final : public DenseSystem {
 public:
  VanDerPol() : DenseSystem(2) {}

 private:
  static constexpr double kEpsilon = 1e-6;
  void equations(double, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    r[0] = yp[0] - y[1];
    r[1] = kEpsilon * yp[1] - (1 - y[0] * y[0]) * y[1] + y[0];
  }
  void derivatives(double, std::span<const double> y, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    dyp(0, 0) = 1;
    dy(0, 1) = -1;
    dyp(1, 1) = kEpsilon;
    dy(1, 0) = 2 * y[0] * y[1] + 1;
    dy(1, 1) = -(1 - y[0] * y[0]);
  }
};

}  // namespace daedalus::testing
