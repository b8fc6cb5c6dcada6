// What the methods for F(t, y, y') = 0 share.
#pragma once

#include <utility>

#include "integrate/integrator.hpp"
#include "integrate/residual_system.hpp"

namespace daedalus {

class ImplicitIntegrator : public Integrator {
 protected:
  ImplicitIntegrator(ResidualSystem& system, IntegratorSettings settings)
      : Integrator(std::move(settings)), system_(system) {}

  [[nodiscard]] int system_size() const final { return system_.size(); }

  ResidualSystem& system_;  // NOLINT(*-non-private-member-variables-in-classes)
};

}  // namespace daedalus
