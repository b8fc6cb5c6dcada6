// The convex hull of points in space.
#pragma once

#include "readers/mesh_mass.hpp"

namespace daedalus {

// Its faces, turned outwards, over the same points; none where all points lie in a plane.
[[nodiscard]] Mesh convex_hull(const std::vector<Vec3>& points);

}  // namespace daedalus
