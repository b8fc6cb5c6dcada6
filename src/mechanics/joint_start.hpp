// Where a joint is at the start, freedom by freedom, from the poses and velocities of its bodies.
#pragma once

#include <optional>
#include <vector>

#include "mechanics/joint_tree.hpp"

namespace daedalus {

struct StepStart {
  double value = 0;
  std::optional<double> rate = {};
  bool held = false;  // to be met exactly
};

struct JointStart {
  std::vector<StepStart> steps;
  Quaternion orientation;         // of a ball: of the second frame in the first
  std::optional<Vec3> spin = {};  // likewise, along the axes of the second frame
};

[[nodiscard]] JointStart start_of(const Mechanism& mechanism, const Joint& joint);
// The second frame in the first at these values of the steps; `ball` where there is one.
[[nodiscard]] Frame frame_at(JointKind kind, Dimension dimension, const std::vector<double>& values,
                             const Quaternion& ball);

}  // namespace daedalus
