// Puts a mechanism into another pose: values and rates of joints, poses of free bodies.
#pragma once

#include <unordered_map>

#include "mechanics/joint_start.hpp"

namespace daedalus {

struct JointValues {
  std::vector<double> values;  // by freedom; empty: as they are
  std::vector<double> rates;
  std::optional<Quaternion> ball = {};
};

// Bodies that joints of the tree carry follow; those that move freely stay where their pose says.
void move_joints(Mechanism& mechanism, const std::unordered_map<std::int32_t, JointValues>& by_joint);

}  // namespace daedalus
