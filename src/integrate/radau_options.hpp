// What the option `order` of radau means.
#pragma once

#include <string_view>

#include "integrate/integrator.hpp"

namespace daedalus {

inline bool variable_order(const IntegratorSettings& settings) {
  return settings.selection.text("order") == "variable";
}

inline int first_stages(const IntegratorSettings& settings) {
  const std::string_view order = settings.selection.text("order");
  if (order == "1") return 1;
  return order == "9" ? 5 : order == "13" ? 7 : 3;
}

}  // namespace daedalus
