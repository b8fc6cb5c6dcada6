// The part of stepping.inc that has no lanes: settings and statuses.
#pragma once

namespace daedalus {

#define ENSEMBLE_SETTINGS_ONLY
#include "ensemble/stepping.inc"
#undef ENSEMBLE_SETTINGS_ONLY

}  // namespace daedalus
