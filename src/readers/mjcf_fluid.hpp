// Forces of a medium on bodies, by MuJoCo's model of boxes: each body drags like the box that has its mass
// and moments of inertia.
#pragma once

#include "readers/mjcf_bodies.hpp"

namespace daedalus::mjcf {

struct Medium {
  double density = 0;
  double viscosity = 0;
  Vec3 wind;
  [[nodiscard]] bool drags() const { return density > 0 || viscosity > 0; }
};

// Geoms with ellipsoids of their own are refused.
void add_fluid(const MjcfFile& file, const BodyTree& tree, const Medium& medium, Mechanism& mechanism);

}  // namespace daedalus::mjcf
