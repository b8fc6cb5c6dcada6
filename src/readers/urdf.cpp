#include "readers/urdf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "core/options.hpp"
#include "mechanics/joint_rows.hpp"
#include "mechanics/quantities.hpp"
#include "mechanics/validate.hpp"
#include "readers/mjcf_softness.hpp"
#include "readers/start_settings.hpp"

namespace daedalus::urdf {
namespace {

constexpr std::string_view loop_namespace = "urn:daedalus:urdf";

struct Link {
  std::string name;
  std::optional<MassPart> mass;  // in the link's frame
  int element = 0;
  int joint = -1;  // that it hangs on; -1: a root
  Frame pose;      // in the world at the start
  int rigid = -1;  // number of its body; -1: the ground
};

struct FileJoint {
  std::string name;
  std::string type;
  int element = 0;
  int parent = -1;
  int child = -1;
  Frame origin;
  Vec3 axis{1, 0, 0};
  JointId joint = {};
  JointMotion motion = JointMotion::Angle;
};

// A radius of gyration of less than 1e-7 m: the inertia of a point, as it was written or after rounding.
bool is_rounding(const MassPart& part) {
  const double least = 1e-14 * part.mass;
  const auto small = [least](const Vec3& v) {
    return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}) < least;
  };
  return small(part.inertia.x) && small(part.inertia.y) && small(part.inertia.z);
}

class UrdfReader {
 public:
  UrdfReader(FileReader& reader, const xml::Document& document, Mechanism& mechanism)
      : reader_(reader), document_(document), mechanism_(mechanism) {}

  void run() {
    mechanism_.name = text(0, "name", "Robot");
    mechanism_.dimension = Dimension::Spatial;
    find_prefix();
    for (const int child : document_[0].children) read_top(child);
    for (const int node : joint_elements_) read_joint(node);
    if (reader_.failed()) return;
    if (!place_links()) return;
    floats_ = reader_.options().floating || is_one_body();
    make_bodies();
    if (mechanism_.bodies.empty())
      reader_.complain("nothing in the file moves: no joint does, and no link has a mass", document_[0].span);
    else if (floats_ && !reader_.options().floating)
      reader_.note("no joint of the file moves, so that it falls freely, as with --float");
    if (reader_.failed()) return;
    for (FileJoint& joint : joints_) make_joint(joint);
    for (const FileJoint& joint : joints_) make_mimic(joint);
    for (const int node : loops_) make_loop(node);
    for (const int node : velocities_) set_velocity(node);
    apply_start_settings([this](const std::string& name) { return reader_.setting(name); }, mechanism_, {});
    reader_.tell_omitted();
    reader_.check_settings();
  }

 private:
  [[nodiscard]] std::string text(int node, std::string_view name, const std::string& otherwise) const {
    const xml::Attribute* attribute = xml::find(document_[node], name);
    return attribute == nullptr ? otherwise : attribute->value;
  }
  [[nodiscard]] double number(int node, std::string_view name, double otherwise) {
    const xml::Attribute* attribute = xml::find(document_[node], name);
    return attribute == nullptr ? otherwise : reader_.number(*attribute).value_or(otherwise);
  }
  [[nodiscard]] Vec3 vector(int node, std::string_view name, const Vec3& otherwise) {
    const xml::Attribute* attribute = xml::find(document_[node], name);
    if (attribute == nullptr) return otherwise;
    const auto v = reader_.numbers(*attribute, 3, 3);
    return v.empty() ? otherwise : Vec3{v[0], v[1], v[2]};
  }
  [[nodiscard]] int child_of(int node, std::string_view name) const {
    for (const int child : document_[node].children) {
      if (document_[child].name == name) return child;
    }
    return -1;
  }
  // <origin xyz rpy>: roll, pitch, yaw about fixed x, y, z.
  [[nodiscard]] Frame origin_of(int node) {
    const int origin = child_of(node, "origin");
    if (origin < 0) return {};
    warn_of_attributes(document_[origin], "xyz rpy");
    const Vec3 rpy = vector(origin, "rpy", {});
    return {.origin = vector(origin, "xyz", {}),
            .axes = rotation({0, 0, 1}, rpy.z) * rotation({0, 1, 0}, rpy.y) * rotation({1, 0, 0}, rpy.x)};
  }

  // Other tools write elements and attributes of their own, which may be meant for something.
  void warn_of_attributes(const xml::Element& element, std::string_view known) {
    for (const xml::Attribute& attribute : element.attributes) {
      const std::string name = " " + attribute.name + " ";
      if ((" " + std::string(known) + " ").find(name) == std::string::npos)
        reader_.warn(
            fmt::format("the attribute '{}' of <{}> is not known and not read", attribute.name, element.name),
            attribute.span);
    }
  }
  void warn_of_element(int node) {
    reader_.warn(fmt::format("the element <{}> is not known and not read", document_[node].name),
                 document_[node].span);
  }

  void find_prefix() {
    for (const xml::Attribute& attribute : document_[0].attributes) {
      if (attribute.value == loop_namespace && attribute.name.starts_with("xmlns:"))
        prefix_ = attribute.name.substr(6) + ":";
    }
  }

  void read_top(int node) {
    const std::string& tag = document_[node].name;
    if (tag == "link") return read_link(node);
    if (tag == "joint") {
      joint_elements_.push_back(node);
    } else if (!prefix_.empty() && tag == prefix_ + "loop") {
      loops_.push_back(node);
    } else if (!prefix_.empty() && tag == prefix_ + "velocity") {
      velocities_.push_back(node);
    } else if (!prefix_.empty() && tag.starts_with(prefix_)) {
      const std::string loop = prefix_ + "loop";
      const std::string velocity = prefix_ + "velocity";
      reader_.unknown_element(document_[node], std::array<std::string_view, 2>{loop, velocity});
    } else if (tag != "material" && tag != "transmission" && tag != "gazebo" && tag != "sensor") {
      warn_of_element(node);
    }
  }

  void read_link(int node) {
    warn_of_attributes(document_[node], "name type");
    Link link{
        .name = text(node, "name", ""), .mass = {}, .element = node, .joint = -1, .pose = {}, .rigid = -1};
    if (link.name.empty()) reader_.complain("a <link> has no name", document_[node].span);
    if (!link_numbers_.emplace(link.name, static_cast<int>(links_.size())).second)
      reader_.complain(fmt::format("the name '{}' of a link is used twice", link.name), document_[node].span);
    for (const int child : document_[node].children) {
      const std::string& tag = document_[child].name;
      static constexpr std::array<std::string_view, 4> known{"inertial", "visual", "collision", "contact"};
      if (tag == "inertial") link.mass = read_inertial(child);
      if (tag == "collision")
        reader_.omit("contacts of collision geometry", document_[child].span, "contact");
      if (std::ranges::find(known, std::string_view(tag)) == known.end()) warn_of_element(child);
    }
    links_.push_back(std::move(link));
  }

  MassPart read_inertial(int node) {
    const int mass = child_of(node, "mass");
    const int inertia = child_of(node, "inertia");
    if (mass < 0 || inertia < 0 || xml::find(document_[mass], "value") == nullptr) {
      reader_.complain("<inertial> needs <mass value=\"…\"/> and <inertia ixx=\"…\" …/>",
                       document_[node].span);
      return {};
    }
    warn_of_attributes(document_[inertia], "ixx ixy ixz iyy iyz izz");
    const double xx = number(inertia, "ixx", 0), yy = number(inertia, "iyy", 0),
                 zz = number(inertia, "izz", 0);
    const double xy = number(inertia, "ixy", 0), xz = number(inertia, "ixz", 0),
                 yz = number(inertia, "iyz", 0);
    return placed(origin_of(node), {.mass = number(mass, "value", 0),
                                    .centre = {},
                                    .inertia = {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}});
  }

  int link_of(int node, const char* child) {
    const int element = child_of(node, child);
    const xml::Attribute* name = element < 0 ? nullptr : xml::find(document_[element], "link");
    if (name != nullptr) return link_named(*name);
    reader_.complain(fmt::format("<{}> needs <{} link=\"…\"/>", document_[node].name, child),
                     document_[node].span);
    return -1;
  }

  int link_named(const xml::Attribute& attribute) {
    const xml::Attribute* name = &attribute;
    const auto found = link_numbers_.find(name->value);
    if (found != link_numbers_.end()) return found->second;
    std::vector<std::string_view> known;
    for (const Link& link : links_) known.push_back(link.name);
    reader_.complain(unknown_name_message("link", name->value, known), name->span);
    return -1;
  }

  void read_joint(int node) {
    warn_of_attributes(document_[node], "name type");
    FileJoint joint{.name = text(node, "name", ""), .type = text(node, "type", ""), .element = node};
    const SourceSpan span = document_[node].span;
    static constexpr std::array<std::string_view, 7> types{"revolute", "continuous", "prismatic", "fixed",
                                                           "floating", "planar",     "spherical"};
    if (std::ranges::find(types, std::string_view(joint.type)) == types.end())
      reader_.complain(unknown_name_message("type of joint", joint.type, types), span);
    if (joint.name.empty()) reader_.complain("a <joint> has no name", span);
    joint.parent = link_of(node, "parent");
    joint.child = link_of(node, "child");
    joint.origin = origin_of(node);
    if (const int axis = child_of(node, "axis"); axis >= 0) joint.axis = vector(axis, "xyz", joint.axis);
    if (!(norm(joint.axis) > 1e-12)) {
      if (joint.type != "fixed" && joint.type != "floating" && joint.type != "spherical")
        reader_.complain(fmt::format("the axis of joint {} has no direction", joint.name), span);
      joint.axis = {1, 0, 0};
    }
    if (child_of(node, "limit") >= 0 && (joint.type == "revolute" || joint.type == "prismatic"))
      reader_.omit("limits of joints", document_[child_of(node, "limit")].span, "limit");
    if (joint.parent < 0 || joint.child < 0) return;
    Link& child = links_[static_cast<std::size_t>(joint.child)];
    if (child.joint >= 0) {
      reader_.complain(
          fmt::format("link {} is the child of two joints; URDF is a tree, and loops are closed by "
                      "<…:loop> of the namespace {}",
                      child.name, loop_namespace),
          span);
      return;
    }
    child.joint = static_cast<int>(joints_.size());
    joints_.push_back(std::move(joint));
  }

  // Poses from the roots on; links that no root reaches hang in a circle.
  bool place_links() {
    std::vector<std::vector<int>> children(links_.size());
    std::vector<int> order;
    for (std::size_t k = 0; k < links_.size(); ++k) {
      if (links_[k].joint < 0)
        order.push_back(static_cast<int>(k));
      else
        children[static_cast<std::size_t>(joints_[static_cast<std::size_t>(links_[k].joint)].parent)]
            .push_back(static_cast<int>(k));
    }
    if (order.size() > 1)
      reader_.complain(
          fmt::format("links {} and {} both hang on no joint; a robot has one root, which is the ground",
                      links_[static_cast<std::size_t>(order[0])].name,
                      links_[static_cast<std::size_t>(order[1])].name),
          document_[links_[static_cast<std::size_t>(order[1])].element].span);
    for (std::size_t k = 0; k < order.size(); ++k) {
      for (const int child : children[static_cast<std::size_t>(order[k])]) {
        Link& link = links_[static_cast<std::size_t>(child)];
        link.pose = links_[static_cast<std::size_t>(order[k])].pose *
                    joints_[static_cast<std::size_t>(link.joint)].origin;
        link.pose.axes = orthonormal(link.pose.axes);
        order.push_back(child);
      }
    }
    order_ = order;
    if (order.size() == links_.size() && !links_.empty()) return !reader_.failed();
    reader_.complain(
        links_.empty() ? "the robot has no links" : "the joints of the robot form a circle without a root",
        document_[0].span);
    return false;
  }

  [[nodiscard]] bool carries_something(int link) const {
    return std::ranges::any_of(joints_, [link](const FileJoint& joint) { return joint.parent == link; });
  }

  // A box, or a table: its links do not move against each other, and it has a mass.
  [[nodiscard]] bool is_one_body() const {
    return loops_.empty() &&
           std::ranges::all_of(joints_, [](const FileJoint& joint) { return joint.type == "fixed"; }) &&
           std::ranges::any_of(links_, [](const Link& link) { return link.mass && link.mass->mass > 0; });
  }

  // Links on fixed joints are one with their parents.
  void make_bodies() {
    std::vector<std::vector<MassPart>> parts;
    std::vector<int> first;
    for (const int number : order_) {
      Link& link = links_[static_cast<std::size_t>(number)];
      if (link.joint >= 0) {
        const FileJoint& joint = joints_[static_cast<std::size_t>(link.joint)];
        link.rigid = links_[static_cast<std::size_t>(joint.parent)].rigid;
        if (joint.type != "fixed") {
          link.rigid = static_cast<int>(parts.size());
          parts.emplace_back();
          first.push_back(number);
        }
      } else if (floats_) {
        link.rigid = static_cast<int>(parts.size());
        parts.emplace_back();
        first.push_back(number);
      }
      if (link.rigid < 0 || !link.mass) continue;
      const Frame& body = links_[static_cast<std::size_t>(first[static_cast<std::size_t>(link.rigid)])].pose;
      parts[static_cast<std::size_t>(link.rigid)].push_back(placed(relative_to(body, link.pose), *link.mass));
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Link& link = links_[static_cast<std::size_t>(first[k])];
      MassPart all = combined(parts[k]);
      if (is_rounding(all)) all.inertia = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
      const bool massless = !(all.mass > 0);
      if (massless && !carries_something(first[k]))
        reader_.complain(fmt::format("link {} moves but has no mass: give it an <inertial>", link.name),
                         document_[link.element].span);
      const bool doubtful = !massless && !is_of_a_body(all.inertia) && is_not_negative(all.inertia);
      if (doubtful)
        reader_.warn(
            fmt::format("the inertia of link {} is that of no body (none about an axis, or one moment "
                        "larger than the other two together); it is taken as it is",
                        link.name),
            document_[link.element].span);
      mechanism_.bodies.push_back({.name = link.name,
                                   .kind = massless ? BodyKind::Massless : BodyKind::Rigid,
                                   .mass = all.mass,
                                   .centre = all.centre,
                                   .inertia = all.inertia,
                                   .inertia_as_given = doubtful,
                                   .pose = link.pose,
                                   .span = document_[link.element].span});
    }
  }

  [[nodiscard]] BodyId body_of(const Link& link) const {
    return link.rigid < 0 ? ground : BodyId(link.rigid);
  }
  [[nodiscard]] Frame pose_of(const Link& link) const {
    return link.rigid < 0 ? Frame{} : mechanism_.bodies[static_cast<std::size_t>(link.rigid)].pose;
  }

  JointId add(const std::string& name, JointKind kind, const Link& first, const Link& second,
              const Frame& place, SourceSpan span) {
    mechanism_.joints.push_back({.name = reader_.unique(name),
                                 .kind = kind,
                                 .first = body_of(first),
                                 .second = body_of(second),
                                 .on_first = relative_to(pose_of(first), place),
                                 .on_second = relative_to(pose_of(second), place),
                                 .span = span});
    return JointId(mechanism_.joints.size() - 1);
  }

  void make_joint(FileJoint& joint) {
    if (joint.type == "fixed" || joint.type == "floating") return;
    const Link& parent = links_[static_cast<std::size_t>(joint.parent)];
    const Link& child = links_[static_cast<std::size_t>(joint.child)];
    const Vec3 axis = child.pose.axes * joint.axis;
    const bool slides = joint.type == "prismatic";
    const JointKind kind = slides                      ? JointKind::Prismatic
                           : joint.type == "planar"    ? JointKind::Planar
                           : joint.type == "spherical" ? JointKind::Spherical
                                                       : JointKind::Revolute;
    const Frame place{.origin = child.pose.origin, .axes = slides ? axes_with_x(axis) : axes_with_z(axis)};
    const JointId id = add(joint.name, kind, parent, child, place, document_[joint.element].span);
    if (kind == JointKind::Planar || kind == JointKind::Spherical) return;
    joint.joint = id;
    joint.motion = slides ? JointMotion::Displacement : JointMotion::Angle;
    add_forces(joint);
  }

  // What the joint moves, about its axis or along it, at the start.
  [[nodiscard]] double moved_inertia(const FileJoint& joint) const {
    const Frame& at = links_[static_cast<std::size_t>(joint.child)].pose;
    const Vec3 axis = at.axes * joint.axis;
    std::vector<bool> moved(links_.size(), false);
    double sum = 0;
    for (const int number : order_) {
      const auto k = static_cast<std::size_t>(number);
      const Link& link = links_[k];
      const int above = link.joint < 0 ? -1 : joints_[static_cast<std::size_t>(link.joint)].parent;
      moved[k] = number == joint.child || (above >= 0 && moved[static_cast<std::size_t>(above)]);
      if (!moved[k] || !link.mass) continue;
      const MassPart part = placed(link.pose, *link.mass);
      const Vec3 arm = cross(axis, part.centre - at.origin);
      sum +=
          joint.type == "prismatic" ? part.mass : dot(axis, part.inertia * axis) + part.mass * dot(arm, arm);
    }
    return sum;
  }

  // Damping, dry friction, and an effort that --set gives.
  void add_forces(const FileJoint& joint) {
    JointForce force{.name = reader_.unique(joint.name + " effort"),
                     .coordinate = {.joint = joint.joint, .motion = joint.motion},
                     .span = document_[joint.element].span};
    double friction = 0;  // dry, made smooth as that of MJCF
    if (const int dynamics = child_of(joint.element, "dynamics"); dynamics >= 0) {
      warn_of_attributes(document_[dynamics], "damping friction");
      force.damping = number(dynamics, "damping", 0);
      const auto& ignore = reader_.options().ignore;
      if (std::ranges::find(ignore, "friction") == ignore.end())
        friction = std::abs(number(dynamics, "friction", 0));
    }
    const double effort = reader_.setting(joint.name).value_or(0);
    if (effort != 0 && friction == 0) force.law = [effort](Quantities&) { return Expr(effort); };
    if (friction > 0) {
      const double width =
          mjcf::friction_width(friction, moved_inertia(joint), {0.02, 1}, {0.9, 0.95, 0.001, 0.5, 2});
      const JointCoordinate at = force.coordinate;
      force.law = [=](Quantities& q) { return Expr(effort) - friction * tanh(q.rate(at) / width); };
    }
    if (force.damping != 0 || force.law) mechanism_.forces.emplace_back(std::move(force));
  }

  void make_mimic(const FileJoint& joint) {
    const int mimic = child_of(joint.element, "mimic");
    if (mimic < 0) return;
    warn_of_attributes(document_[mimic], "joint multiplier offset");
    const auto other = std::ranges::find(joints_, text(mimic, "joint", ""), &FileJoint::name);
    const bool still = other != joints_.end() && other->type == "fixed";
    if (joint.type == "fixed") return;  // it cannot follow, and nothing asks it to
    if (other == joints_.end() || !(other->joint.valid() || still) || !joint.joint.valid()) {
      reader_.complain(fmt::format("joint {} mimics the joint '{}', which is not there or has no coordinate",
                                   joint.name, text(mimic, "joint", "")),
                       document_[mimic].span);
      return;
    }
    mechanism_.couplings.push_back(
        {.name = reader_.unique(joint.name + " mimic"),
         .y = {.joint = joint.joint, .motion = joint.motion},
         .x = still ? std::nullopt
                    : std::optional(JointCoordinate{.joint = other->joint, .motion = other->motion}),
         .polynomial = still
                           ? std::vector<double>{number(mimic, "offset", 0)}
                           : std::vector<double>{number(mimic, "offset", 0), number(mimic, "multiplier", 1)},
         .span = document_[mimic].span});
  }

  // <…:velocity link linear angular>: how the link's centre of mass moves at the start, along the world's
  // axes. What the joints do not allow of it is not taken.
  void set_velocity(int node) {
    reader_.check_attributes(document_[node], "link linear angular");
    const xml::Attribute* name = xml::find(document_[node], "link");
    if (name == nullptr) {
      reader_.complain(fmt::format("<{}> needs the attribute 'link'", document_[node].name),
                       document_[node].span);
      return;
    }
    const int number = link_named(*name);
    if (number < 0) return;
    const Link& link = links_[static_cast<std::size_t>(number)];
    if (link.rigid < 0) {
      reader_.complain(fmt::format("link {} is one with the ground and has no velocity", link.name),
                       document_[node].span);
      return;
    }
    Body& body = mechanism_.bodies[static_cast<std::size_t>(link.rigid)];
    if (xml::find(document_[node], "linear") != nullptr) body.velocity = vector(node, "linear", {});
    if (xml::find(document_[node], "angular") != nullptr) body.angular_velocity = vector(node, "angular", {});
  }

  // A disc or sphere, the child, rolls on the plane z = 0 of <origin> on the parent. The disc's centre is the
  // child's origin; <axis> is its axis in the child's frame.
  void make_rolling(int node, JointKind kind, const Link& first, const Link& second) {
    const double radius = number(node, "radius", 0);
    if (!(radius > 0)) {
      reader_.complain(fmt::format("<{}> that rolls needs a radius", document_[node].name),
                       document_[node].span);
      return;
    }
    Vec3 direction{0, 0, 1};
    if (const int axis = child_of(node, "axis"); axis >= 0) direction = vector(axis, "xyz", direction);
    if (!(norm(direction) > 1e-12)) direction = {0, 0, 1};
    const JointId joint =
        add(text(node, "name", "contact"), kind, first, second, second.pose, document_[node].span);
    Joint& rolling = mechanism_.joints[static_cast<std::size_t>(joint.value)];
    rolling.on_first = relative_to(pose_of(first), first.pose * origin_of(node));
    rolling.on_second.axes = rolling.on_second.axes * axes_with_z(direction);
    rolling.size = radius;
  }

  // <…:loop name type> with <parent link>, <child link>, <origin> in the parent's frame and <axis>.
  void make_loop(int node) {
    reader_.check_attributes(document_[node], "name type radius");
    const int parent = link_of(node, "parent");
    const int child = link_of(node, "child");
    if (parent < 0 || child < 0) return;
    const std::string type = text(node, "type", "spherical");
    const auto table = joint_table();
    const auto row = std::ranges::find(table, std::string_view(type), &JointRow::name);
    if (row == table.end() || row->kind == JointKind::Distance) {
      std::vector<std::string_view> known;
      for (const JointRow& one : table) {
        if (one.kind != JointKind::Distance) known.push_back(one.name);
      }
      reader_.complain(unknown_name_message("type of loop", type, known), document_[node].span);
      return;
    }
    const Link& first = links_[static_cast<std::size_t>(parent)];
    const Link& second = links_[static_cast<std::size_t>(child)];
    if (type.starts_with("rolling")) return make_rolling(node, row->kind, first, second);
    Frame place = first.pose * origin_of(node);
    if (const int axis = child_of(node, "axis"); axis >= 0) {
      const Vec3 direction = place.axes * vector(axis, "xyz", {0, 0, 1});
      const bool along_x = row->slides_along == 'x';
      if (norm(direction) > 1e-12) place.axes = along_x ? axes_with_x(direction) : axes_with_z(direction);
    }
    (void)add(text(node, "name", "loop"), row->kind, first, second, place, document_[node].span);
  }

  FileReader& reader_;
  const xml::Document& document_;
  Mechanism& mechanism_;
  std::string prefix_;  // of our own namespace, with its colon; empty: not used
  std::vector<Link> links_;
  std::vector<FileJoint> joints_;
  bool floats_ = false;  // the root moves freely
  std::vector<int> joint_elements_;
  std::vector<int> loops_;
  std::vector<int> velocities_;
  std::vector<int> order_;  // of links, parents first
  std::unordered_map<std::string, int> link_numbers_;
};

}  // namespace

void read(FileReader& reader, const xml::Document& document, Mechanism& mechanism) {
  UrdfReader(reader, document, mechanism).run();
}

}  // namespace daedalus::urdf
