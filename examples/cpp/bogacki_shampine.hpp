#pragma once

#include <daedalus/integrate/rows.hpp>

namespace daedalus {

[[nodiscard]] IntegratorRow bogacki_shampine_row();

}  // namespace daedalus
