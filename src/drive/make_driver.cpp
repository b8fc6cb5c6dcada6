#include "drive/make_driver.hpp"

#include "drive/dummy_driver.hpp"
#include "drive/projection_driver.hpp"

namespace daedalus {
namespace {

// The form whose rank can be watched in the level system of dummy derivatives: all its matrices must be
// expressions of levels that are there.
const ConstrainedForm* watchable(const DriverSetting& setting) {
  const ConstrainedForm* form = setting.choice.form.get();
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

}  // namespace

Result<std::unique_ptr<RunDriver>> make_driver(const DriverSetting& setting) {
  const RunPlan& choice = setting.choice;
  if (choice.row->kind == FormulationKind::DummyDerivatives) {
    return std::make_unique<DummyDriver>(setting, watchable(setting), choice.fallback);
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
