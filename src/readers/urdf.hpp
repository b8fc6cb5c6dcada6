// URDF, the robot description of ROS: links and joints in a tree. Loops, which URDF does not know, are closed
// by an element of our own in the namespace urn:daedalus:urdf (docs/mechanics.md).
#pragma once

#include "readers/file_reader.hpp"

namespace daedalus::urdf {

// Fills the mechanism; what is wrong is told to the reader. The root link is the ground.
void read(FileReader& reader, const xml::Document& document, Mechanism& mechanism);

}  // namespace daedalus::urdf
