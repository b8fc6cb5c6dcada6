// The value that the ways in make and `equations_of` turns into a DaeSystem: rigid bodies, joints, forces.
// It is plain data and does not change once made. docs/mechanics.md has the conventions in full.
//
// Invariants (`faults_of` in validate.hpp names what breaks them)
//  - names of bodies are different, and so are those of joints, couplings, motions and forces;
//  - every BodyId and JointId is one of this mechanism; an invalid BodyId is the ground;
//  - masses are positive and inertias positive definite (or as given, and joint coordinates are needed);
//  frames are right-handed and orthonormal;
//  - in a planar mechanism everything lies in the plane of x and y, and what turns turns about z;
//  - a joint's frames have their z axis along what it turns about and their x axis along what it slides in;
//    where it does both (cylindrical), z is both.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/index.hpp"
#include "mechanics/vector.hpp"
#include "model/dae_system.hpp"

namespace daedalus {

using BodyId = Index<struct BodyTag>;
using JointId = Index<struct JointTag>;
inline constexpr BodyId ground{};

class Quantities;  // quantities.hpp: what a law may depend on

// A force, torque or motion as an expression of time and state.
using Law = std::function<Expr(Quantities&)>;
using VectorLaw = std::function<ExprVec3(Quantities&)>;

enum class BodyKind {
  Rigid,
  Point,     // a mass without extent: position, no orientation
  Massless,  // a link between two joints of one body; it needs joint coordinates, or to be put together with
             // others
};

// What a body looks like, for pictures only.
enum class Outline { Sphere, Capsule, Cylinder, Ellipsoid, Box };
struct Solid {
  Outline outline = Outline::Sphere;
  Frame frame = {};  // in the body's frame; z is the axis of capsule and cylinder
  Vec3 half = {};    // half the extent along each axis; a capsule's without its caps along z
};

struct Body {
  std::string name;
  BodyKind kind = BodyKind::Rigid;
  double mass = 1;
  Vec3 centre = {};                   // of mass, in the body's frame
  Mat3 inertia = {};                  // about the centre of mass, along the body's axes; planar: zz counts
  bool inertia_as_given = false;      // it may be that of no body, if only it is not negative
  Frame pose = {};                    // of the body's frame at the start
  std::optional<Vec3> velocity = {};  // of the centre of mass at the start, along the world's axes
  std::optional<Vec3> angular_velocity = {};  // likewise
  bool held = false;                          // pose and velocity are to be met exactly, not nearly
  std::vector<Solid> solids = {};
  SourceSpan span = {};
};

enum class JointKind {
  Fixed,
  Revolute,
  Prismatic,
  Cylindrical,
  Universal,
  Spherical,
  Planar,
  Translational,  // moves in every direction, turns in none
  PointOnLine,
  PointOnPlane,
  Distance,
  RollingDisc,  // without slip on the plane z = 0 of the first frame; the disc's axis is z of the second
  RollingSphere,
};

struct Joint {
  std::string name;
  JointKind kind = JointKind::Revolute;
  BodyId first;  // ground unless said otherwise
  BodyId second;
  Frame on_first = {};  // in the body's frame
  Frame on_second = {};
  double size = 0;  // length of a distance, radius of what rolls
  // By freedom (joint_tree.hpp), where it is known: the value at the start, of angles with their turns (the
  // poses of the bodies say the rest), and its rate; of a ball the angular velocity along the axes of the
  // second frame.
  std::vector<double> start = {};
  std::vector<double> start_rate = {};
  JointId merged = {};  // it is a part of that joint (massless_links.hpp) and has no equations
  SourceSpan span = {};
};

// What a joint leaves free: the angle about its axis, or the displacement along it.
enum class JointMotion { Angle, Displacement };
struct JointCoordinate {
  JointId joint;
  JointMotion motion = JointMotion::Angle;
};

// y = c0 + c1 x + c2 x² + …; without x: y = c0. Gears, racks and screws are couplings of first degree.
struct Coupling {
  std::string name;
  JointCoordinate y;
  std::optional<JointCoordinate> x;
  std::vector<double> polynomial;
  SourceSpan span = {};
};

// Likewise of lengths of paths: y = c0 + c1 x + …, each an expression of the coordinates.
struct PathCoupling {
  std::string name;
  Law y;
  Law x = {};  // empty: y = c0
  std::vector<double> polynomial;
  SourceSpan span = {};
};

// A joint coordinate as a given function of time.
struct Motion {
  std::string name;
  JointCoordinate coordinate;
  Law law;
  SourceSpan span = {};
};

// A spring and damper between two points: force stiffness (L - natural_length) + damping L' in tension, and
// `law` in addition if there is one.
struct Spring {
  std::string name;
  BodyId first;
  BodyId second;
  Vec3 on_first = {};
  Vec3 on_second = {};
  double stiffness = 0;
  double damping = 0;
  double natural_length = 0;
  Law law = {};
  SourceSpan span = {};
};

// At a joint's coordinate u: -stiffness (u - reference) - damping u' + law, on the second body, and armature,
// an inertia that moves with the coordinate.
struct JointForce {
  std::string name;
  JointCoordinate coordinate;
  double stiffness = 0;
  double damping = 0;
  double reference = 0;
  double armature = 0;
  Law law = {};
  SourceSpan span = {};
};

// Springs and dampers along and about all three axes between two frames, for small rotations.
struct Bushing {
  std::string name;
  BodyId first;
  BodyId second;
  Frame on_first = {};
  Frame on_second = {};
  Vec3 stiffness = {};  // N/m along the axes of the first frame
  Vec3 damping = {};
  Vec3 torsional_stiffness = {};  // N m/rad about them
  Vec3 torsional_damping = {};
  SourceSpan span = {};
};

// A force at a point and a torque, along the world's axes or those of the body. Either law may be empty.
struct Load {
  std::string name;
  BodyId body;
  Vec3 point = {};
  VectorLaw force = {};
  VectorLaw torque = {};
  bool along_body = false;
  SourceSpan span = {};
};

// A force along a path whose length is any expression of the coordinates (a tendon, a slider and crank):
// `tension`, of the length and its rate, pulls the length together; and armature, a mass that moves with it.
struct PathForce {
  std::string name;
  Law length;
  std::function<Expr(Quantities&, const Expr& length, const Expr& rate)> tension;
  double armature = 0;
  SourceSpan span = {};
};

// At a spherical joint: stiffness times the rotation vector from the pose in which both frames agree, damping
// times the angular velocity between them, and armature times its rate along the axes of the second frame.
struct BallForce {
  std::string name;
  JointId joint;
  double stiffness = 0;
  double damping = 0;
  double armature = 0;
  SourceSpan span = {};
};

using Force = std::variant<Spring, JointForce, Bushing, Load, PathForce, BallForce>;

// A point whose path is reported.
struct Marker {
  std::string name;
  BodyId body;
  Vec3 point = {};
};

// What is reported of a frame on a body, or of a law. Vectors are along the world's axes but for what a
// device that is fixed to the frame measures.
enum class SensorKind {
  Place,
  Orientation,  // quaternion
  XAxis,
  YAxis,
  ZAxis,
  Velocity,
  AngularVelocity,
  Acceleration,  // that of gravity taken away, as accelerometers have it
  AngularAcceleration,
  Velocimeter,
  Gyroscope,
  Accelerometer,
  ByLaw
};
struct Sensor {
  std::string name;
  SensorKind kind = SensorKind::Place;
  BodyId body;
  Frame place = {};  // in the body's frame
  Law law = {};
  std::string unit = {};  // of the law
};

enum class Dimension { Planar, Spatial };

struct Mechanism {
  std::string name = "Mechanism";
  Dimension dimension = Dimension::Spatial;
  Vec3 gravity = {0, 0, -9.81};
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<Coupling> couplings;
  std::vector<PathCoupling> path_couplings;
  std::vector<Motion> motions;
  std::vector<Force> forces;
  std::vector<Marker> markers;
  std::vector<Sensor> sensors;
  std::vector<std::string> settable;  // what --set may give values to: controls, start values
  Experiment experiment;
  std::shared_ptr<const SourceMap> sources;  // of the spans; may be null
  Diagnostics warnings;                      // of reading it
};

}  // namespace daedalus
