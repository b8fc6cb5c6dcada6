// Actuators of MJCF: what drives them (mjcf_drive.hpp) and what they act on.
#pragma once

#include <map>

#include "readers/mjcf_drive.hpp"
#include "readers/mjcf_joints.hpp"

namespace daedalus::mjcf {

class Actuators {
 public:
  // Controls are constants, 0, those of the keyframe, or what --set says.
  Actuators(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism);

  // Armatures and dampers of joints, which act even where actuation is off; those of tendons, by name.
  const std::unordered_map<std::string, Rotor>& add_rotors();
  // Their forces. The tendons are known now.
  void add_forces(StartInertia& inertia);

 private:
  enum class Target { Coordinate, Ball, Free, Tendon, Site };
  struct Actuator {
    int node = -1;
    std::string name;
    Drive drive;
    Target target = Target::Coordinate;
    const FileJoint* joint = nullptr;
    int rigid = -1;          // that the joint carries
    bool in_parent = false;  // the axes of the gear are those of the parent
    std::string tendon = {};
    bool active = true;
    double control = 0;
    double activation = 0;
  };
  // A length and its rate, both without the gear.
  struct Transmission {
    Law length;
    Law rate;
    StartInertia::Row row;  // how a force acts on the freedoms at the start
    std::optional<std::pair<double, double>> range = {};
  };
  // Where a force of 1 acts on a body: along the world's axes.
  struct Wrench {
    BodyId body;
    Vec3 point;
    VectorLaw force;
    VectorLaw torque;
    BodyId against = {};  // bears the torque
  };

  void read(int node, std::size_t number);
  [[nodiscard]] bool is_known(const Actuator& one);
  [[nodiscard]] bool find_target(Actuator& one);
  [[nodiscard]] bool find_joint_target(Actuator& one, const xml::Attribute& on);
  [[nodiscard]] bool find_tendon_target(Actuator& one, const xml::Attribute& on);
  void refuse(int node, const std::string& what) const;
  [[nodiscard]] SourceSpan span_of(const Actuator& one) const { return file_.element(one.node).span; }

  [[nodiscard]] Drive settled(const Actuator& one, const Transmission& on, double gear);
  [[nodiscard]] Law law_of(const Actuator& one, const Transmission& on, double gear);
  void on_coordinate(const Actuator& one);
  void on_tendon(const Actuator& one);
  void on_site(const Actuator& one);
  void on_ball(const Actuator& one);
  void on_free(const Actuator& one);
  void apply(const Actuator& one, const Wrench& wrench, const StartInertia::Row& row);
  void apply_to_tendons();
  void apply_to_limited_joints();
  [[nodiscard]] bool reaches_limited(const StartInertia::Row& row) const;
  [[nodiscard]] bool is_above_limited(int rigid) const;

  const MjcfFile& file_;
  FileReader& reader_;
  const BodyTree& tree_;
  Mechanism& mechanism_;
  StartInertia* inertia_ = nullptr;
  std::vector<Actuator> actuators_;
  std::size_t states_ = 0;
  std::unordered_map<std::string, Rotor> rotors_;
  std::vector<std::pair<const FileJoint*, std::vector<Law>>> limited_;  // in the order of the file
  struct TendonForces {  // put together before they act; without the gear
    double gear = 1;
    std::vector<Law> laws = {};
  };
  std::map<std::string, TendonForces> on_tendons_;
};

}  // namespace daedalus::mjcf
