// The joints of a body of an MJCF file as one joint of the mechanism, and its equalities and actuators.
#pragma once

#include "mechanics/mjcf_bodies.hpp"

namespace daedalus::mjcf {

// Adds the joints between rigid bodies, with their springs, dampers and armatures.
void add_joints(const MjcfFile& file, BodyTree& tree, Mechanism& mechanism);
// <equality>: connect, weld, joint, distance.
void add_equalities(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism);
// <actuator>: controls are constants, 0 or what --set says.
void add_actuators(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism);

[[nodiscard]] const FileJoint* find_joint(const BodyTree& tree, const std::string& name);
// The joint that an attribute names, with a coordinate of its own; otherwise null, after a complaint.
[[nodiscard]] const FileJoint* named_joint(const MjcfFile& file, const BodyTree& tree,
                                           const xml::Attribute& name);

}  // namespace daedalus::mjcf
