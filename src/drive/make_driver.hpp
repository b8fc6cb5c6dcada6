// The driver of a plan's formulation, by the table in make_driver.cpp: a formulation's row makes its driver,
// as an integrator's row makes its integrator.
#pragma once

#include "drive/driver.hpp"
#include "drive/driver_setting.hpp"

namespace daedalus {

// Options that do not fit the model are an error.
[[nodiscard]] Result<std::unique_ptr<RunDriver>> make_driver(const DriverSetting& setting);

}  // namespace daedalus
