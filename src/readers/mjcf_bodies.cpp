#include "readers/mjcf_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/options.hpp"
#include "readers/mjcf_mesh.hpp"
#include "readers/mjcf_names.hpp"

namespace daedalus::mjcf {
namespace {

class BodyReader {
 public:
  BodyReader(const MjcfFile& file, int keyframe) : file_(file), reader_(file.reader()), keyframe_(keyframe) {
    tree_.keyframe = keyframe;
  }

  BodyTree run() {
    tree_.bodies.push_back({.name = "world", .parent = -1, .pose = {}, .lift = 0, .rigid = -1, .span = {}});
    tree_.body_numbers["world"] = 0;
    for (const int section : file_.sections("worldbody"))
      pending_.push_back({.node = section, .body = 0, .offset = {}, .childclass = {}});
    std::ranges::reverse(pending_);
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      visit(next);
    }
    return std::move(tree_);
  }

 private:
  // An element whose children are to be read, and the frame that they are written in.
  struct Pending {
    int node;
    int body;
    Frame offset;  // in the body's frame
    std::string childclass;
    std::string suffix = {};  // of names, in what is replicated
  };

  // Inertia and joints decide what the body is; then what it holds.
  void visit(const Pending& at) {
    std::vector<Pending> inner;
    for (const int child : file_[at.node].children) {
      const std::string& tag = file_.tag(child);
      if (tag == "body") {
        inner.push_back(open_body(child, at));
      } else if (tag == "frame") {
        reader_.check_attributes(file_.element(child), attributes_of("frame"));
        inner.push_back({.node = child,
                         .body = at.body,
                         .offset = at.offset * file_.frame(child),
                         .childclass = file_.text(child, "childclass", at.childclass),
                         .suffix = at.suffix});
      } else if (tag == "replicate") {
        replicate(child, at, inner);
      } else {
        read_part(child, at);
      }
    }
    for (std::size_t k = inner.size(); k-- > 0;) pending_.push_back(std::move(inner[k]));
  }

  // Copies, each moved and turned against the one before it, with a number to their names.
  void replicate(int node, const Pending& at, std::vector<Pending>& inner) {
    constexpr int most_copies = 100'000;
    const xml::Element& element = file_.element(node);
    reader_.check_attributes(element, attributes_of("replicate"));
    const int count = static_cast<int>(file_.number(node, "count", 1));
    if (count < 1 || count > most_copies) {
      reader_.complain(fmt::format("the count {} of <replicate> is not between 1 and {}", count, most_copies),
                       element.span);
      return;
    }
    Frame step = file_.frame(node);
    step.origin = file_.vector(node, "offset", {});
    const std::string separator = file_.text(node, "sep", "");
    const std::size_t digits = fmt::format("{}", count - 1).size();
    Frame offset = at.offset;
    for (int k = 0; k < count; ++k) {
      inner.push_back({.node = node,
                       .body = at.body,
                       .offset = offset,
                       .childclass = file_.text(node, "childclass", at.childclass),
                       .suffix = fmt::format("{}{:0{}}{}", separator, k, digits, at.suffix)});
      offset = offset * step;
    }
  }

  void read_part(int node, const Pending& at) {
    const std::string& tag = file_.tag(node);
    const Frame frame = tree_.bodies[static_cast<std::size_t>(at.body)].pose * at.offset;
    if (tag == "geom") return read_geom_of(node, at, frame);
    if (tag == "site") return read_site(node, at, frame);
    if (tag == "joint" || tag == "freejoint" || tag == "inertial") {
      if (at.body == 0)
        reader_.complain(fmt::format("<{}> of the world means nothing: it does not move", tag),
                         file_.element(node).span);
      return;  // read with the body
    }
    if (tag == "camera" || tag == "light") return;
    const auto refused = refused_in_body();
    const auto found = std::ranges::find(refused, std::string_view(tag), &Refused::name);
    if (found != refused.end()) {
      reader_.refuse(found->feature, std::string(found->what), file_.element(node).span);
      return;
    }
    static constexpr std::array<std::string_view, 9> known{"body", "frame", "inertial", "joint", "freejoint",
                                                           "geom", "site",  "camera",   "light"};
    reader_.unknown_element(file_.element(node), known);
  }

  Pending open_body(int node, const Pending& at) {
    const xml::Element& element = file_.element(node);
    reader_.check_attributes(element, attributes_of("body"));
    const int number = static_cast<int>(tree_.bodies.size());
    FileBody body;
    body.parent = at.body;
    body.span = element.span;
    body.name = file_.text(node, "name", "");
    body.name = body.name.empty() ? fmt::format("body{}", number) : body.name + at.suffix;
    body.pose = tree_.bodies[static_cast<std::size_t>(at.body)].pose * at.offset * file_.frame(node);
    body.pose.axes = orthonormal(body.pose.axes);
    body.moved = tree_.bodies[static_cast<std::size_t>(at.body)].moved;
    body.own = at.offset * file_.frame(node);
    if (file_.flag(node, "mocap", false)) place_mocap(body);
    body.lift = file_.number(node, "gravcomp", 0);
    if (!tree_.body_numbers.emplace(body.name, number).second)
      reader_.complain(fmt::format("the name '{}' of a body is used twice", body.name), element.span);
    const std::string childclass = file_.text(node, "childclass", at.childclass);
    std::vector<FileJoint> joints = read_joints(node, body, childclass, at.suffix);
    const int parent_rigid = tree_.bodies[static_cast<std::size_t>(at.body)].rigid;
    body.rigid = parent_rigid;
    if (!joints.empty()) {
      body.rigid = static_cast<int>(tree_.rigid.size());
      tree_.rigid.push_back({.name = body.name,
                             .parent = parent_rigid,
                             .pose = body.pose,
                             .parts = {},
                             .joints = std::move(joints),
                             .node = node,
                             .span = element.span});
    }
    tree_.bodies.push_back(body);
    const bool geoms_count = read_inertial(node, tree_.bodies.back());
    geoms_count_.resize(tree_.bodies.size(), true);
    geoms_count_[static_cast<std::size_t>(number)] = geoms_count;
    return {.node = node, .body = number, .offset = {}, .childclass = childclass, .suffix = at.suffix};
  }

  // Where the keyframe puts a body that is moved from outside, and here stays there.
  void place_mocap(FileBody& body) {
    const auto number = static_cast<std::size_t>(mocap_bodies_++);
    if (keyframe_ < 0) return;
    const auto numbers = [&](const char* name, std::size_t size) {
      const xml::Attribute* given = xml::find(file_.element(keyframe_), name);
      auto all = given == nullptr ? std::vector<double>{} : reader_.numbers(*given, 0, 1'000'000);
      return all.size() < size * (number + 1)
                 ? std::vector<double>{}
                 : std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(size * number),
                                       all.begin() + static_cast<std::ptrdiff_t>(size * (number + 1)));
    };
    Frame there = body.pose;
    if (const auto p = numbers("mpos", 3); !p.empty()) there.origin = {p[0], p[1], p[2]};
    if (const auto q = numbers("mquat", 4); !q.empty())
      there.axes = rotation(Quaternion{.w = q[0], .x = q[1], .y = q[2], .z = q[3]});
    const Mat3 turn = there.axes * transposed(body.pose.axes);
    body.moved = {.origin = there.origin - turn * body.pose.origin, .axes = turn};
  }

  // Joints may stand in frames of the body, too.
  struct JointNode {
    int node;
    Frame frame;
    std::string childclass;
  };
  std::vector<JointNode> joint_nodes(int body_node, const Frame& pose, const std::string& childclass) const {
    std::vector<JointNode> found;
    std::vector<JointNode> open{{body_node, pose, childclass}};
    for (std::size_t k = 0; k < open.size(); ++k) {
      const JointNode at = open[k];
      for (const int child : file_[at.node].children) {
        const std::string& tag = file_.tag(child);
        if (tag == "joint" || tag == "freejoint") found.push_back({child, at.frame, at.childclass});
        if (tag == "frame")
          open.push_back(
              {child, at.frame * file_.frame(child), file_.text(child, "childclass", at.childclass)});
      }
    }
    return found;
  }

  std::vector<FileJoint> read_joints(int body_node, const FileBody& body, const std::string& body_class,
                                     const std::string& suffix) {
    std::vector<FileJoint> joints;
    for (const auto& [node, frame, childclass] : joint_nodes(body_node, body.pose, body_class)) {
      const xml::Element& element = file_.element(node);
      FileJoint joint;
      joint.span = element.span;
      joint.name = file_.text(node, "name", "");
      if (!joint.name.empty()) joint.name += suffix;
      const bool free = element.name == "freejoint";
      reader_.check_attributes(element, attributes_of(element.name));
      joint.type = free ? "free" : file_.text(node, "type", "hinge", childclass);
      if (!free) read_joint_values(node, childclass, frame, joint);
      joints.push_back(std::move(joint));
    }
    for (std::size_t k = 0; k < joints.size(); ++k) {
      if (!joints[k].name.empty()) continue;
      joints[k].name = joints.size() == 1 ? body.name : fmt::format("{}.{}", body.name, k + 1);
    }
    return joints;
  }

  void read_joint_values(int node, const std::string& childclass, const Frame& frame, FileJoint& joint) {
    static constexpr std::array<std::string_view, 4> types{"hinge", "slide", "ball", "free"};
    if (std::ranges::find(types, std::string_view(joint.type)) == types.end())
      reader_.complain(unknown_name_message("type of joint", joint.type, types), joint.span);
    const bool turns = joint.type == "hinge";
    const double unit = turns ? file_.compiler().angle_unit : 1;
    joint.point = frame.origin + frame.axes * file_.vector(node, "pos", {}, childclass);
    const Vec3 axis = frame.axes * file_.vector(node, "axis", {0, 0, 1}, childclass);
    if (!(norm(axis) > 1e-12)) {
      reader_.complain(fmt::format("the axis of joint {} has no direction", joint.name), joint.span);
      joint.axis = {0, 0, 1};
    } else {
      joint.axis = (1 / norm(axis)) * axis;
    }
    joint.stiffness = file_.polynomial(node, "stiffness", childclass);
    joint.damping = file_.polynomial(node, "damping", childclass);
    refuse_yield(file_, node, childclass);
    joint.force_has_gravity_compensation = file_.flag(node, "actuatorgravcomp", false, childclass);
    joint.armature = file_.number(node, "armature", 0, childclass);
    joint.reference = unit * file_.number(node, "ref", 0, childclass);
    joint.spring_reference = unit * file_.number(node, "springref", 0, childclass);
    joint.friction = file_.number(node, "frictionloss", 0, childclass);
    read_range(node, "range", "limited", childclass, joint.limited, joint.low, joint.high);
    joint.has_range = file_.find(node, "range", childclass) != nullptr;
    const double range_unit = joint.type == "hinge" || joint.type == "ball" ? file_.compiler().angle_unit : 1;
    joint.low *= range_unit;
    joint.high *= range_unit;
    joint.limit_margin = file_.number(node, "margin", 0, childclass);
    read_range(node, "actuatorfrcrange", "actuatorfrclimited", childclass, joint.force_limited,
               joint.force_low, joint.force_high);
    read_list(node, "solreflimit", childclass, joint.solref_limit);
    read_list(node, "solimplimit", childclass, joint.solimp_limit);
    read_list(node, "solreffriction", childclass, joint.solref_friction);
    read_list(node, "solimpfriction", childclass, joint.solimp_friction);
    if (const xml::Attribute* spring = file_.find(node, "springdamper", childclass)) {
      const auto values = reader_.numbers(*spring, 2, 2);
      if (!values.empty() && values[0] > 0 && values[1] > 0) joint.spring_damper = values;
    }
  }

  // Numbers of an attribute over the first of a list.
  void read_list(int node, const char* name, const std::string& childclass, std::vector<double>& list) {
    const xml::Attribute* given = file_.find(node, name, childclass);
    if (given == nullptr) return;
    const auto values = reader_.numbers(*given, 1, list.size());
    std::ranges::copy(values, list.begin());
  }

  void read_range(int node, const char* name, const char* limited, const std::string& childclass,
                  bool& is_limited, double& low, double& high) {
    const xml::Attribute* given = file_.find(node, name, childclass);
    is_limited =
        file_.flag(node, limited, given != nullptr && file_.compiler().automatic_limits, childclass) &&
        given != nullptr;
    if (given == nullptr) return;
    const auto values = reader_.numbers(*given, 2, 2);
    if (values.empty()) return;
    low = values[0];
    high = values[1];
  }

  // <inertial> and the frame that it is written in.
  std::pair<int, Frame> find_inertial(int body_node, const Frame& pose) const {
    std::pair<int, Frame> found{-1, pose};
    std::vector<std::pair<int, Frame>> open{{body_node, pose}};
    for (std::size_t k = 0; k < open.size(); ++k) {
      const auto at = open[k];
      for (const int child : file_[at.first].children) {
        if (file_.tag(child) == "inertial") found = {child, at.second};
        if (file_.tag(child) == "frame") open.emplace_back(child, at.second * file_.frame(child));
      }
    }
    return found;
  }

  // True: geoms give the body its inertia.
  bool read_inertial(int body_node, FileBody& body) {
    using enum Compiler::FromGeoms;
    const auto [inertial, around] = find_inertial(body_node, body.pose);
    if (inertial < 0 || file_.compiler().inertia_from_geoms == Yes)
      return file_.compiler().inertia_from_geoms != No;
    const xml::Element& element = file_.element(inertial);
    reader_.check_attributes(element, attributes_of("inertial"));
    const Frame frame = around * file_.frame(inertial);
    if (xml::find(element, "mass") == nullptr) {
      reader_.complain("<inertial> needs the attribute 'mass'", element.span);
      return false;
    }
    MassPart part;
    part.mass = file_.number(inertial, "mass", 0);
    part.inertia = read_moments(inertial, element);
    body.masses.push_back({.frame = frame, .part = part});
    return false;
  }

  Mat3 read_moments(int node, const xml::Element& element) {
    if (const xml::Attribute* full = xml::find(element, "fullinertia")) {
      const auto v = reader_.numbers(*full, 6, 6);
      if (v.empty()) return {};
      return {{v[0], v[3], v[4]}, {v[3], v[1], v[5]}, {v[4], v[5], v[2]}};
    }
    const Vec3 d = file_.vector(node, "diaginertia", {0, 0, 0});
    return {{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}};
  }

  void read_geom_of(int node, const Pending& at, const Frame& frame) {
    Geom geom = read_geom(file_, node, at.childclass);
    if (!geom.name.empty()) geom.name += at.suffix;
    const int rigid = tree_.bodies[static_cast<std::size_t>(at.body)].rigid;
    const bool counts = at.body > 0 && geom.counts &&
                        static_cast<bool>(geoms_count_[static_cast<std::size_t>(at.body)]) &&
                        (rigid >= 0 || file_.compiler().total_mass > 0);
    if (counts) {
      if (!geom.fitted.empty())
        fit_to_mesh(file_, node, at.childclass, geom);
      else if (geom.mesh != nullptr)
        weigh_mesh(node, at.childclass, geom);
      if (geom.mass)
        tree_.bodies[static_cast<std::size_t>(at.body)].masses.push_back(
            {.frame = frame * geom.frame, .part = placed(relative_to(geom.frame, Frame{}), *geom.mass)});
    }
    if (!geom.name.empty())
      tree_.named_geoms.emplace(geom.name, Place{.body = at.body, .frame = frame * geom.frame});
    const Frame in_world = frame * geom.frame;
    tree_.geoms.push_back({.geom = std::move(geom), .rigid = rigid, .frame = in_world});
  }

  void weigh_mesh(int node, const std::string& childclass, Geom& geom) {
    const xml::Attribute* mass = file_.find(node, "mass", childclass);
    const double density = file_.number(node, "density", 1000, childclass);
    const double given = mass == nullptr ? -1 : reader_.number(*mass).value_or(-1);
    if (given == 0 || (mass == nullptr && density == 0)) return;
    auto part = mesh_mass(file_, *geom.mesh, file_.flag(node, "shellinertia", false, childclass));
    if (!part) return;
    const double factor = given > 0 ? given / part->mass : density;
    part->mass *= factor;
    part->inertia = {factor * part->inertia.x, factor * part->inertia.y, factor * part->inertia.z};
    geom.mass = placed(geom.frame, *part);
  }

  void read_site(int node, const Pending& at, const Frame& frame) {
    reader_.check_attributes(file_.element(node), attributes_of("site"));
    Frame own = file_.frame(node, at.childclass);
    if (const xml::Attribute* ends = file_.find(node, "fromto", at.childclass)) {
      const auto p = reader_.numbers(*ends, 6, 6);
      if (!p.empty()) own.origin = 0.5 * (Vec3{p[0], p[1], p[2]} + Vec3{p[3], p[4], p[5]});
    }
    if (file_.text(node, "name", "").empty()) return;
    const std::string name = file_.text(node, "name", "") + at.suffix;
    if (!tree_.sites.emplace(name, Place{.body = at.body, .frame = frame * own}).second)
      reader_.complain(fmt::format("the name '{}' of a site is used twice", name), file_.element(node).span);
    else
      tree_.site_order.push_back(name);
  }

  const MjcfFile& file_;
  FileReader& reader_;
  int keyframe_;
  int mocap_bodies_ = 0;
  BodyTree tree_;
  std::vector<Pending> pending_;
  std::vector<bool> geoms_count_{true};  // by body
};

}  // namespace

BodyTree read_bodies(const MjcfFile& file, int keyframe) {
  return BodyReader(file, keyframe).run();
}

}  // namespace daedalus::mjcf
