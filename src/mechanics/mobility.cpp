#include "mechanics/mobility.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "mechanics/joint_rows.hpp"

namespace daedalus {

Mobility mobility_of(const Mechanism& mechanism) {
  const bool planar = mechanism.dimension == Dimension::Planar;
  Mobility count{.bodies = static_cast<int>(mechanism.bodies.size()),
                 .joints = static_cast<int>(mechanism.joints.size())};
  for (const Body& body : mechanism.bodies) {
    const int turns = body.kind == BodyKind::Point ? 0 : planar ? 1 : 3;
    count.freedoms += (planar ? 2 : 3) + turns;
  }
  for (const Joint& joint : mechanism.joints)
    count.conditions += static_cast<int>(rows_of(joint.kind, mechanism.dimension).size());
  count.conditions += static_cast<int>(mechanism.couplings.size() + mechanism.path_couplings.size() +
                                       mechanism.motions.size());
  std::vector<std::string> parts;
  for (const JointRow& row : joint_table()) {
    const auto used = std::ranges::count(mechanism.joints, row.kind, &Joint::kind);
    if (used > 0) parts.push_back(fmt::format("{} {}", used, row.name));
  }
  if (!mechanism.couplings.empty()) parts.push_back(fmt::format("{} coupling", mechanism.couplings.size()));
  if (!mechanism.motions.empty()) parts.push_back(fmt::format("{} motion", mechanism.motions.size()));
  count.parts = fmt::format("{}", fmt::join(parts, ", "));
  return count;
}

}  // namespace daedalus
