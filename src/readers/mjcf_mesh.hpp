// Meshes of an MJCF file, for their inertia.
#pragma once

#include "readers/mesh_mass.hpp"
#include "readers/mjcf_file.hpp"

namespace daedalus::mjcf {

// Mass and inertia for the density 1 of the mesh asset that an attribute names, in the coordinates of the
// geom; nothing after a complaint.
[[nodiscard]] std::optional<MassPart> mesh_mass(const MjcfFile& file, const xml::Attribute& name, bool shell);

// The box that primitives are fitted to, likewise: that with the same inertia, or (<compiler fitaabb>) the
// one around the mesh along its axes of inertia.
struct Box {
  Frame frame;
  Vec3 half;
};
[[nodiscard]] std::optional<Box> mesh_box(const MjcfFile& file, const xml::Attribute& name);

}  // namespace daedalus::mjcf
