// MuJoCo's MJCF. docs/mechanics.md lists what is read.
#pragma once

#include "readers/file_reader.hpp"

namespace daedalus::mjcf {

// Fills the mechanism; what is wrong is told to the reader.
void read(FileReader& reader, std::int32_t file, Mechanism& mechanism);

}  // namespace daedalus::mjcf
