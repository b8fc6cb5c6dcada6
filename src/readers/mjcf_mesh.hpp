// Meshes of an MJCF file, for their inertia.
#pragma once

#include "readers/mesh_mass.hpp"
#include "readers/mjcf_file.hpp"

namespace daedalus::mjcf {

// Mass and inertia for the density 1 of the mesh asset that an attribute names, in the coordinates of the
// geom; nothing after a complaint.
[[nodiscard]] std::optional<MassPart> mesh_mass(const MjcfFile& file, const xml::Attribute& name, bool shell);

}  // namespace daedalus::mjcf
