#include "simulate/make_driver.hpp"

#include "simulate/dummy_driver.hpp"
#include "simulate/projection_driver.hpp"

namespace daedalus {

Result<std::unique_ptr<RunDriver>> make_driver(const DriverSetting& setting) {
  const Choice& choice = setting.choice;
  if (choice.row->kind == FormulationKind::DummyDerivatives) {
    return std::make_unique<DummyDriver>(setting.model, setting.environment, choice.row_options,
                                         setting.tolerances);
  }
  auto system = reformulate(*choice.row, *choice.form, choice.row_options);
  if (!system) return std::unexpected(system.error());
  if (choice.row->kind == FormulationKind::OrthogonalProjection)
    return OrthogonalProjectionDriver::make(setting, *std::move(system));
  if (choice.row->kind == FormulationKind::SymmetricProjection)
    return std::make_unique<SymmetricProjectionDriver>(setting, *std::move(system));
  return std::make_unique<ReformDriver>(setting, *std::move(system));
}

}  // namespace daedalus
