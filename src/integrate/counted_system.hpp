// The model, with every call counted.
#pragma once

#include <span>

#include "integrate/integrator.hpp"

namespace daedalus {

struct CountedSystem {
  ResidualSystem& system;
  Counters& counters;

  bool residual(double t, std::span<const double> y, std::span<const double> yp, std::span<double> r) const {
    ++counters.residual_evals;
    return system.residual(t, y, yp, r);
  }
  bool jacobian(double t, std::span<const double> y, std::span<const double> yp, std::span<double> dy,
                std::span<double> dyp) const {
    ++counters.jacobian_evals;
    return system.jacobian(t, y, yp, dy, dyp);
  }
};

}  // namespace daedalus
