// What an explicit integrator sees of a model: y' = φ(t, y). There are no algebraic components: a formulation
// that wants an explicit method has solved for them inside φ.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "integrate/component.hpp"

namespace daedalus {

// φ as machine code, for small systems whose evaluation costs less than a few calls: t and y are written
// where they are read, and what is behind the positions comes out. Whether it is finite is for the caller to
// see.
struct DirectRates {
  using Code = void (*)(const double* environment, double* registers, double* rates, const std::int32_t*);

  double* t = nullptr;
  double* y = nullptr;
  const double* environment = nullptr;
  double* registers = nullptr;
  Code code = nullptr;   // null: there is none
  bool reviewed = true;  // false: derivative() shall be called soon, which looks at what it computes

  void operator()(double* rates) const { code(environment, registers, rates, nullptr); }
};

class OdeSystem {
 public:
  virtual ~OdeSystem() = default;

  [[nodiscard]] virtual int size() const = 0;
  [[nodiscard]] virtual std::span<const Component> components() const = 0;

  // Where φ would like to find y, if anywhere: what is written there need not be copied. Valid until the next
  // call of anything but this.
  [[nodiscard]] virtual std::span<double> argument() { return {}; }
  // So many of the first states are positions: y_i' = y_(i + positions).
  [[nodiscard]] virtual int positions() const { return 0; }
  // Now, until the next call of anything but this.
  [[nodiscard]] virtual DirectRates direct() { return {}; }
  // yp = φ(t, y), or as many of its last entries as `yp` has, if only the first positions() are missing.
  // False: some entry is not finite or cannot be computed; the integrator then tries a smaller step. It may
  // be called for dense output too, after a step, at times within that step.
  virtual bool derivative(double t, std::span<const double> y, std::span<double> yp) = 0;
  // Which equation was to blame at the last call that returned false, in the user's words.
  [[nodiscard]] virtual std::string trouble() const { return {}; }
};

}  // namespace daedalus
