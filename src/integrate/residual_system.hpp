// What an integrator sees of a model: F(t, y, y') = 0, its exact sparse derivatives, and what kind of
// component each unknown is. The system is index 1, or a higher index whose components say so.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "integrate/component.hpp"
#include "numerics/saddle_order.hpp"
#include "numerics/sparse_pattern.hpp"

namespace daedalus {

class ResidualSystem {
 public:
  virtual ~ResidualSystem() = default;

  [[nodiscard]] virtual int size() const = 0;
  [[nodiscard]] virtual std::span<const Component> components() const = 0;
  // The common pattern of ∂F/∂y and ∂F/∂y'. May change only when the caller tells the integrator
  // (Integrator::system_changed).
  [[nodiscard]] virtual const SparsePattern& pattern() const = 0;

  // How matrices ∂F/∂y + c ∂F/∂y' can be eliminated without pivoting; null: nothing is known.
  [[nodiscard]] virtual const EliminationPlan* elimination() const { return nullptr; }

  // r = F(t, y, y'). False: some entry is not finite; the integrator then tries a smaller step.
  virtual bool residual(double t, std::span<const double> y, std::span<const double> yp,
                        std::span<double> r) = 0;
  // Values of ∂F/∂y and ∂F/∂y' on the pattern. False as above.
  virtual bool jacobian(double t, std::span<const double> y, std::span<const double> yp, std::span<double> dy,
                        std::span<double> dyp) = 0;
  // Which equation was not finite at the last call that returned false, in the user's words.
  [[nodiscard]] virtual std::string trouble() const { return {}; }
};

}  // namespace daedalus
