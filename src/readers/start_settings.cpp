#include "readers/start_settings.hpp"

#include <fmt/format.h>

#include <array>

namespace daedalus {
namespace {

// True: something was set.
bool set_free(const StartSetting& setting, Body& body) {
  bool set = false;
  constexpr std::array<std::pair<const char*, double Vec3::*>, 3> axes{
      {{"x", &Vec3::x}, {"y", &Vec3::y}, {"z", &Vec3::z}}};
  const Vec3 arm = body.pose.axes * body.centre;
  for (const auto& [axis, member] : axes) {
    // The place of the centre of mass, as in the results.
    if (const auto value = setting(fmt::format("{}.{}", body.name, axis))) {
      body.pose.origin.*member = *value - arm.*member;
      set = true;
    }
    if (const auto value = setting(fmt::format("{}.v{}", body.name, axis))) {
      if (!body.velocity) body.velocity = Vec3{};
      (*body.velocity).*member = *value;
      set = true;
    }
    if (const auto value = setting(fmt::format("{}.w{}", body.name, axis))) {
      if (!body.angular_velocity) body.angular_velocity = Vec3{};
      (*body.angular_velocity).*member = *value;
      set = true;
    }
  }
  return set;
}

}  // namespace

void apply_start_settings(const StartSetting& setting, Mechanism& mechanism,
                          std::unordered_map<std::int32_t, JointValues> values) {
  const JointTree tree = tree_of(mechanism);
  bool moved = false;
  for (const TreeBody& at : tree.order) {
    if (!at.joint.valid()) {
      if (set_free(setting, mechanism.bodies[at.body.at()])) moved = true;
      continue;
    }
    const Joint& joint = mechanism.joints[at.joint.at()];
    const std::vector<JointStep> steps = steps_of(joint.kind, mechanism.dimension);
    const JointStart start = start_of(mechanism, joint);
    for (std::size_t k = 0; k < steps.size(); ++k) {
      if (steps[k].kind == StepKind::Ball) continue;
      if (const auto value = setting(fmt::format("{}.{}", joint.name, steps[k].coordinate))) {
        std::vector<double>& own = values[at.joint.value].values;
        for (std::size_t j = own.size(); j < steps.size(); ++j) own.push_back(start.steps[j].value);
        own[k] = *value;
      }
      if (const auto value = setting(fmt::format("{}.{}", joint.name, steps[k].rate))) {
        std::vector<double>& own = values[at.joint.value].rates;
        own.resize(steps.size(), 0);
        own[k] = *value;
      }
    }
  }
  // What a free body carries goes with it.
  if (moved || !values.empty()) move_joints(mechanism, values);
}

}  // namespace daedalus
