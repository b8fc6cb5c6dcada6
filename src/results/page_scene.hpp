// A mechanism for a page: what its bodies look like, and where they are at every frame.
#pragma once

#include "mechanics/mechanism.hpp"
#include "record/trajectory.hpp"
#include "results/page_blob.hpp"

namespace daedalus {

// {"planar", "up", "bodies", "joints", "springs", "markers", "time", "poses", "origin", "half", "reactions",
//  "force"}. Poses are seven numbers a body and frame (the centre of mass from `origin` in parts of `half`,
//  and a
// quaternion), reactions three a joint and frame (in parts of `force`, on the second body, along the world's
// axes); both as 16-bit integers. Null if the trajectory is not the mechanism's.
[[nodiscard]] PageJson scene_data(const Mechanism& mechanism, const Trajectory& trajectory,
                                  std::size_t budget, PageBlob& blob);

}  // namespace daedalus
