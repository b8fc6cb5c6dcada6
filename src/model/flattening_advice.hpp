// What to do with a model that is not flat, for messages.
#pragma once

#include <string_view>

namespace daedalus {

inline constexpr std::string_view flattening_advice =
    "flatten the model with a Modelica tool first (OpenModelica: omc --baseModelica MODEL.mo; or Rumoca, "
    "pip install rumoca: python3 -c \"import rumoca; print(rumoca.Session().load('FILE.mo', "
    "model='NAME').render('base-modelica'))\") and give the flat file";

}  // namespace daedalus
