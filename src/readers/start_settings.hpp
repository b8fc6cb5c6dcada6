// --set elbow.angle=0.5: start values of joints and of bodies that move freely, by the names of the results.
#pragma once

#include "mechanics/start_state.hpp"
#include "readers/file_reader.hpp"

namespace daedalus {

// Over `values`, which come from the file.
void apply_start_settings(FileReader& reader, Mechanism& mechanism,
                          std::unordered_map<std::int32_t, JointValues> values);

}  // namespace daedalus
