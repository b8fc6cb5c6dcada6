// --set elbow.angle=0.5: start values of joints and of bodies that move freely, by the names of the results.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

#include "mechanics/start_state.hpp"

namespace daedalus {

// The value that was given for a name, if one was.
using StartSetting = std::function<std::optional<double>(const std::string& name)>;

// Over `values`, which come from the file.
void apply_start_settings(const StartSetting& setting, Mechanism& mechanism,
                          std::unordered_map<std::int32_t, JointValues> values);

}  // namespace daedalus
