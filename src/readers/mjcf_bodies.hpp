// The tree of bodies of an MJCF file. A body without a joint is one with its parent.
#pragma once

#include <array>
#include <unordered_map>

#include "mechanics/joint_inertia.hpp"
#include "readers/mjcf_geom.hpp"

namespace daedalus::mjcf {

// f(x) = c0 x + c1 x² + c2 x³ of springs, c1 x |x| in its place of dampers.
using Polynomial = std::array<double, 3>;

struct FileJoint {
  std::string name;
  std::string type;  // hinge, slide, ball, free
  Vec3 point;        // in the world, at the start
  Vec3 axis;         // likewise
  Polynomial stiffness = {};
  Polynomial damping = {};
  double armature = 0;
  double reference = 0;         // value of the coordinate at the start
  double spring_reference = 0;  // value at which the spring is at rest
  bool limited = false;
  bool has_range = false;
  double low = 0;
  double high = 0;
  double limit_margin = 0;
  double friction = 0;  // dry
  std::vector<double> solref_limit{0.02, 1};
  std::vector<double> solimp_limit{0.9, 0.95, 0.001, 0.5, 2};
  std::vector<double> solref_friction{0.02, 1};
  std::vector<double> solimp_friction{0.9, 0.95, 0.001, 0.5, 2};
  bool force_limited = false;  // of the sum of its actuators
  double force_low = 0;
  double force_high = 0;
  bool force_has_gravity_compensation = false;  // which its range then bounds, too
  std::vector<double>
      spring_damper;  // time constant and damping ratio that its spring and damper are to have
  SourceSpan span;
  JointId made = {};   // likewise, of a ball too
  JointId joint = {};  // in the mechanism; invalid: it has no coordinate of its own there
  JointMotion motion = JointMotion::Angle;
  std::optional<std::size_t> spring = {};  // number of the force of the mechanism with its springs
};

struct PlacedMass {
  Frame frame;  // in the world, at the start
  MassPart part;
};

struct FileBody {
  std::string name;
  int parent = -1;                      // -1: the world itself
  Frame pose;                           // in the world, at the start
  Frame own = {};                       // in the body that carries it
  Frame moved = {};                     // from there, by the keyframe, where it is part of a mocap body
  double lift = 0;                      // gravity compensation
  int rigid = -1;                       // which rigid body it belongs to; -1: the ground
  std::vector<PlacedMass> masses = {};  // each in its own frame
  SourceSpan span;
};

struct RigidBody {
  std::string name;
  int parent = -1;  // rigid body that it is joined to; -1: the ground
  Frame pose;
  std::vector<MassPart> parts;  // in the body's frame
  std::vector<FileJoint> joints;
  int node = -1;           // of its element
  double lifted_mass = 0;  // by gravity compensation, and its centre times it, in the body's frame
  Vec3 lifted_moment = {};
  SourceSpan span;
  // A part given in a frame in the world, at the start.
  void add(const Frame& frame, const MassPart& part, double lift) {
    parts.push_back(placed(relative_to(pose, frame), part));
    lifted_mass += lift * part.mass;
    lifted_moment = lifted_moment + (lift * part.mass) * parts.back().centre;
  }
};

struct PlacedGeom {
  Geom geom;
  int rigid = -1;
  Frame frame;  // in the world, at the start
};

struct Place {
  int body = 0;  // number of the FileBody
  Frame frame;   // in the world, at the start
};

struct TendonPath {
  Law length;
  double at_start = 0;
  double at_spring = 0;        // where the springs of the joints are at rest
  StartInertia::Row row = {};  // how a force along it acts on the freedoms at the start
  double armature = 0;
  std::vector<std::pair<std::string, double>> joints = {};  // of a fixed one, with their coefficients
  std::optional<std::pair<double, double>> range = {};
  std::optional<std::pair<double, double>> actuator_force = {};  // of all its actuators together
};

// <option><flag>: what is simulated. A later element counts.
struct Flags {
  bool constraints = true;
  bool equalities = true;
  bool contacts = true;
  bool actuation = true;
  bool clamped_controls = true;
  bool limits = true;
  bool friction = true;
  bool springs = true;
  bool dampers = true;
  bool gravity = true;
  std::vector<int> disabled_groups = {};  // of actuators
};

struct BodyTree {
  std::vector<FileBody> bodies;  // [0]: the world
  std::vector<RigidBody> rigid;
  std::vector<PlacedGeom> geoms;
  std::unordered_map<std::string, int> body_numbers;
  std::unordered_map<std::string, Place> sites;
  std::unordered_map<std::string, Place> named_geoms;
  std::vector<std::string> site_order;
  std::unordered_map<std::string, TendonPath> tendons;
  int keyframe = -1;                // node of the one that it starts from
  std::vector<double> controls;     // of the keyframe that it starts from, by actuator
  std::vector<double> activations;  // likewise, of actuators with a state
  Flags flags;
};

// In the pose of the file, but what is moved from outside as in a keyframe (its node, or -1).
[[nodiscard]] BodyTree read_bodies(const MjcfFile& file, int keyframe);
// Puts the masses of the file's bodies into the rigid bodies, bounded and scaled as <compiler> says.
void settle_masses(const Compiler& compiler, BodyTree& tree);

}  // namespace daedalus::mjcf
