#include "drive/make_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "drive/dummy_driver.hpp"
#include "drive/projection_driver.hpp"
#include "drive/state_space_driver.hpp"

namespace daedalus {

std::string passed_untreated(double t, std::string_view formulation) {
  return fmt::format(
      "at t = {:.6g} the constraints changed their rank: formulation {} does not treat such points, and what "
      "comes after may be another motion; trust-region passes them",
      t, formulation);
}

namespace {

// The form whose rank can be monitored in the level system of dummy derivatives: all its matrices must be
// expressions of levels that are there.
const ConstrainedForm* watchable(const DriverSetting& setting) {
  const ConstrainedForm* form = setting.plan.form.get();
  if (form == nullptr || form->ny() == 0) return nullptr;
  for (const SymbolicMatrix* matrix : {&form->mass, &form->input, &form->constraint}) {
    for (const SymbolicEntry& entry : matrix->entries) {
      for (const NodeId leaf : leaves_of(form->graph(), entry.value)) {
        if (setting.model.slot(leaf) < 0) return nullptr;
      }
    }
  }
  return form;
}

using Made = Result<std::unique_ptr<RunDriver>>;

Made make_dummy(const DriverSetting& setting) {
  return std::make_unique<DummyDriver>(setting, watchable(setting), !setting.plan.fallback.empty());
}

template <class Make>
Made rewritten(const DriverSetting& setting, Make&& make) {
  const bool explicit_method = setting.plan.integrator_row->make == nullptr;
  auto system = reformulate(*setting.plan.row, *setting.plan.form, setting.plan.row_options, explicit_method);
  if (!system) return std::unexpected(system.error());
  return make(*std::move(system));
}

Made make_rewritten(const DriverSetting& setting) {
  return rewritten(setting, [&](ReformulatedSystem system) -> Made {
    return std::make_unique<ReformDriver>(setting, std::move(system));
  });
}

Made make_orthogonal(const DriverSetting& setting) {
  return rewritten(setting, [&](ReformulatedSystem system) {
    return OrthogonalProjectionDriver::make(setting, std::move(system));
  });
}

// Pa and a projection onto the constraints of velocity after each step (Ascher, Petzold 1993, end of §4).
Made make_invariants(const DriverSetting& setting) {
  return setting.plan.row_options.text("velocity") == "projected" ? make_orthogonal(setting)
                                                                  : make_rewritten(setting);
}

// Implicit methods have the parametrisation in their equations, explicit ones in the argument of the ODE.
Made make_parametrised(const DriverSetting& setting) {
  if (setting.plan.integrator_row->make != nullptr) return make_rewritten(setting);
  return rewritten(setting, [&](ReformulatedSystem system) -> Made {
    return std::make_unique<StateSpaceDriver>(setting, std::move(system));
  });
}

// A symmetric method that keeps the constraints itself (rattle) leaves nothing to be done: its steps begin
// and end on them with ν = 0.
Made make_symmetric(const DriverSetting& setting) {
  if (setting.plan.integrator_row->keeps_constraints) return make_rewritten(setting);
  return rewritten(setting, [&](ReformulatedSystem system) -> Made {
    return SymmetricProjectionDriver::make(setting, std::move(system));
  });
}

struct DriverRow {
  std::string_view formulation;
  Made (*make)(const DriverSetting& setting);
};

// Every formulation that is not here is a rewriting of the constrained form and nothing more.
constexpr auto drivers = std::to_array<DriverRow>({
    {"dummy-derivatives", make_dummy},
    {"orthogonal-projection", make_orthogonal},
    {"symmetric-projection", make_symmetric},
    {"projected-invariants", make_invariants},
    {"coordinate-partitioning", make_parametrised},
    {"tangent-plane", make_parametrised},
});

}  // namespace

Result<std::unique_ptr<RunDriver>> make_driver(const DriverSetting& setting) {
  const auto* const row = std::ranges::find(drivers, setting.plan.row->name, &DriverRow::formulation);
  return row != drivers.end() ? row->make(setting) : make_rewritten(setting);
}

}  // namespace daedalus
