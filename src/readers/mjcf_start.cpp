#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/options.hpp"
#include "readers/mjcf_joints.hpp"
#include "readers/start_settings.hpp"

namespace daedalus::mjcf {
namespace {

// Joints in the order of MuJoCo's state: bodies depth first.
std::vector<std::pair<int, const FileJoint*>> in_order(const BodyTree& tree) {
  std::vector<int> bodies(tree.rigid.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) bodies[k] = static_cast<int>(k);
  std::ranges::stable_sort(bodies, {}, [&](int k) { return tree.rigid[static_cast<std::size_t>(k)].node; });
  std::vector<std::pair<int, const FileJoint*>> found;
  for (const int k : bodies) {
    for (const FileJoint& joint : tree.rigid[static_cast<std::size_t>(k)].joints)
      found.emplace_back(k, &joint);
  }
  return found;
}

}  // namespace

int chosen_keyframe(const MjcfFile& file) {
  const std::string& wanted = file.reader().options().keyframe;
  std::vector<std::string> names;
  int found = -1;
  for (const int section : file.sections("keyframe")) {
    for (const int node : file[section].children) {
      const std::string number = fmt::format("{}", names.size());
      names.push_back(file.text(node, "name", number));
      if (wanted == names.back() || wanted == number) found = found < 0 ? node : found;
    }
  }
  if (wanted.empty()) {
    if (!names.empty())
      file.reader().note(fmt::format("the file has keyframes; --keyframe {} starts from {}", names.front(),
                                     names.size() == 1 ? "it" : "the first"));
    return -1;
  }
  if (found < 0)
    file.reader().complain(
        unknown_name_message("keyframe", wanted, std::vector<std::string_view>(names.begin(), names.end())),
        {});
  return found;
}

namespace {

std::vector<double> numbers_of(const MjcfFile& file, int node, const char* name, std::size_t count) {
  const xml::Attribute* given = xml::find(file.element(node), name);
  if (given == nullptr) return {};
  constexpr std::size_t most = 100'000;
  auto values = file.reader().numbers(*given, 0, most);
  if (values.size() == count || values.empty()) return values;
  file.reader().complain(
      fmt::format("'{}' of the keyframe has {} numbers, but the model has {}", name, values.size(), count),
      given->span);
  return {};
}

}  // namespace

void read_controls(const MjcfFile& file, BodyTree& tree) {
  if (tree.keyframe < 0) return;
  std::size_t actuators = 0;
  for (const int section : file.sections("actuator")) actuators += file[section].children.size();
  tree.controls = numbers_of(file, tree.keyframe, "ctrl", actuators);
  if (const xml::Attribute* given = xml::find(file.element(tree.keyframe), "act"))
    tree.activations = file.reader().numbers(*given, 0, actuators);
}

void set_start(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism) {
  std::unordered_map<std::int32_t, JointValues> values;
  if (tree.keyframe >= 0) {
    const auto joints = in_order(tree);
    std::size_t positions = 0;
    std::size_t velocities = 0;
    for (const auto& [body, joint] : joints) {
      positions += joint->type == "free" ? 7 : joint->type == "ball" ? 4 : 1;
      velocities += joint->type == "free" ? 6 : joint->type == "ball" ? 3 : 1;
    }
    const auto q = numbers_of(file, tree.keyframe, "qpos", positions);
    const auto v = numbers_of(file, tree.keyframe, "qvel", velocities);
    std::size_t at = 0;
    std::size_t rate = 0;
    for (const auto& [number, joint] : joints) {
      const bool ball = joint->type == "ball";
      if (joint->type == "free") {
        Body& body = mechanism.bodies[static_cast<std::size_t>(number)];
        if (!q.empty())
          body.pose = {
              .origin = {q[at], q[at + 1], q[at + 2]},
              .axes = rotation(Quaternion{.w = q[at + 3], .x = q[at + 4], .y = q[at + 5], .z = q[at + 6]})};
        if (!v.empty()) {
          const Vec3 spin = body.pose.axes * Vec3{v[rate + 3], v[rate + 4], v[rate + 5]};
          body.angular_velocity = spin;
          body.velocity = Vec3{v[rate], v[rate + 1], v[rate + 2]} + cross(spin, body.pose.axes * body.centre);
        }
        at += 7;
        rate += 6;
        continue;
      }
      JointValues& one = values[joint->made.value];
      if (!q.empty()) {
        if (ball)
          one.ball = Quaternion{.w = q[at], .x = q[at + 1], .y = q[at + 2], .z = q[at + 3]};
        else
          one.values = {q[at]};
      }
      if (!v.empty())
        one.rates.assign(v.begin() + static_cast<std::ptrdiff_t>(rate),
                         v.begin() + static_cast<std::ptrdiff_t>(rate + (ball ? 3 : 1)));
      at += ball ? 4 : 1;
      rate += ball ? 3 : 1;
    }
  }
  apply_start_settings([&](const std::string& name) { return file.reader().setting(name); }, mechanism,
                       std::move(values));
}

}  // namespace daedalus::mjcf
