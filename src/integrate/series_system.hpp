// What a Taylor method sees of a model: y' = φ(t, y), and the Taylor coefficients of its solutions.
#pragma once

#include <span>

#include "integrate/ode_system.hpp"

namespace daedalus {

class SeriesSystem : public OdeSystem {
 public:
  // The solution through (t, y) as Σ c_k (time - t)^k, k = 0 … order; c_k are the size() values from
  // k · size() on. False: a value is not finite, or cannot be computed. Allocates nothing once it was called
  // with an order at least as high.
  virtual bool expand(double t, std::span<const double> y, int order, std::span<double> coefficients) = 0;
};

}  // namespace daedalus
