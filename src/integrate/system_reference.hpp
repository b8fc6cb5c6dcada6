// A system of any of the four kinds, as a method takes it: what a copy of an integrator is to run on.
#pragma once

#include "integrate/mechanical_system.hpp"
#include "integrate/ode_system.hpp"
#include "integrate/residual_system.hpp"
#include "integrate/series_system.hpp"

namespace daedalus {

class SystemReference {
 public:
  SystemReference(ResidualSystem& system) : residual_(&system) {}                     // NOLINT(*-explicit-*)
  SystemReference(OdeSystem& system) : ode_(&system) {}                               // NOLINT(*-explicit-*)
  SystemReference(MechanicalSystem& system) : ode_(&system), mechanical_(&system) {}  // NOLINT(*-explicit-*)
  SystemReference(SeriesSystem& system) : ode_(&system), series_(&system) {}          // NOLINT(*-explicit-*)

  // Null: it is not of this kind. Mechanical systems and those with series are explicit ones as well.
  template <class System>
  [[nodiscard]] System* as() const;

 private:
  ResidualSystem* residual_ = nullptr;
  OdeSystem* ode_ = nullptr;
  MechanicalSystem* mechanical_ = nullptr;
  SeriesSystem* series_ = nullptr;
};

template <>
inline ResidualSystem* SystemReference::as() const {
  return residual_;
}
template <>
inline OdeSystem* SystemReference::as() const {
  return ode_;
}
template <>
inline MechanicalSystem* SystemReference::as() const {
  return mechanical_;
}
template <>
inline SeriesSystem* SystemReference::as() const {
  return series_;
}

}  // namespace daedalus
