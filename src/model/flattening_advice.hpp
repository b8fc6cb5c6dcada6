// What to do with a model that is not flat, for messages.
#pragma once

#include <string_view>

namespace daedalus {

inline constexpr std::string_view flattening_advice =
    "flatten the model with a Modelica tool first (OpenModelica: omc --baseModelica MODEL.mo; or Rumoca, "
    "pip install rumoca, with its base-modelica target) and give the flat file";

}  // namespace daedalus
