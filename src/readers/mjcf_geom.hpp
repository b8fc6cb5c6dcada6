// Geoms: the inertia that they have, and whether they may touch something.
#pragma once

#include <optional>

#include "readers/mjcf_file.hpp"

namespace daedalus::mjcf {

struct Geom {
  std::string name;
  std::string type;
  std::string fitted;  // the primitive that is fitted to its mesh, whose type is mesh until then
  const xml::Attribute* mesh = nullptr;  // its name, where the type is mesh
  Frame frame;                           // in the frame that it was written in
  std::vector<double> size;              // as the type has it
  std::optional<MassPart> mass;  // in the same frame; nothing: a plane, or a type whose volume is not known
  bool own_fluid = false;        // fluidshape="ellipsoid"
  bool counts = true;            // its group counts for inertia
  int contact_type = 1;
  int contact_affinity = 1;
  bool asks_for_contact = false;  // an attribute of contacts is written
  SourceSpan span;
};

[[nodiscard]] Geom read_geom(const MjcfFile& file, int node, const std::string& childclass);

// Makes the primitive of a geom that is fitted to its mesh.
void fit_to_mesh(const MjcfFile& file, int node, const std::string& childclass, Geom& geom);

// What it looks like, its frame in that of the geom; nothing where the type has no simple form.
[[nodiscard]] std::optional<Solid> solid_of(const Geom& geom);

// Solid bodies of a mass, about their centre along their axes; z is the axis of cylinder and capsule.
[[nodiscard]] Mat3 box_inertia(double mass, const Vec3& half);
[[nodiscard]] Mat3 ellipsoid_inertia(double mass, const Vec3& half);
[[nodiscard]] Mat3 cylinder_inertia(double mass, double radius, double half);
[[nodiscard]] Mat3 capsule_inertia(double mass, double radius, double half);

}  // namespace daedalus::mjcf
