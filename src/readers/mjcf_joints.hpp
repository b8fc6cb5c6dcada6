// The joints of an MJCF file, its equalities, tendons and actuators.
#pragma once

#include "readers/mjcf_bodies.hpp"

namespace daedalus::mjcf {

// What the armature of actuators adds to what they act on: inertia and damping, by the square of the gear.
struct Rotor {
  double armature = 0;
  Polynomial damping = {};
};

// Adds the joints between rigid bodies, with their armatures.
void add_joints(const MjcfFile& file, BodyTree& tree, Mechanism& mechanism);
// Their springs and dampers, limits and friction.
void add_joint_forces(const MjcfFile& file, BodyTree& tree, StartInertia& inertia, Mechanism& mechanism);
// <equality>: connect, weld, joint, distance.
void add_equalities(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism);
// <tendon>: paths, and what acts along them but actuators. `driven` is what actuators add to tendons.
void add_tendons(const MjcfFile& file, BodyTree& tree, StartInertia& inertia,
                 const std::unordered_map<std::string, Rotor>& driven, Mechanism& mechanism);
// <sensor>: of frames, joints and tendons.
void add_sensors(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism);

// The node of the keyframe that it starts from, or -1; its controls; and where the mechanism starts, from the
// keyframe and
// --set.
[[nodiscard]] int chosen_keyframe(const MjcfFile& file);
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
