// The joints of an MJCF file, its equalities, tendons and actuators.
#pragma once

#include "readers/mjcf_bodies.hpp"

namespace daedalus::mjcf {

// Adds the joints between rigid bodies, with their springs, dampers and armatures.
void add_joints(const MjcfFile& file, BodyTree& tree, Mechanism& mechanism);
// <equality>: connect, weld, joint, distance.
void add_equalities(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism);
// <tendon>: paths, and what acts along them.
void add_tendons(const MjcfFile& file, BodyTree& tree, Mechanism& mechanism);
// <actuator>: controls are constants, 0 or what --set says.
void add_actuators(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism);

// The keyframe that it starts from, with its controls; and where the mechanism starts, from the keyframe and
// --set.
void read_controls(const MjcfFile& file, BodyTree& tree);
void set_start(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism);

// A body of the mechanism and a place on it.
struct End {
  BodyId body;
  Frame pose;   // of the body, in the world at the start
  Frame place;  // in the world at the start
};
// A place on a body of the file, which may be one with its parent.
[[nodiscard]] End end_of(const BodyTree& tree, int body, const Frame& place);
// The site that an attribute of an element names; otherwise nothing, after a complaint.
[[nodiscard]] std::optional<End> named_site(const MjcfFile& file, const BodyTree& tree, int node,
                                            const char* attribute);

[[nodiscard]] const FileJoint* find_joint(const BodyTree& tree, const std::string& name);
// The joint that an attribute names, with a coordinate of its own; otherwise null, after a complaint.
[[nodiscard]] const FileJoint* named_joint(const MjcfFile& file, const BodyTree& tree,
                                           const xml::Attribute& name);

}  // namespace daedalus::mjcf
