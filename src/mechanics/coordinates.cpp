#include "mechanics/coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mechanics/joint_rows.hpp"
#include "mechanics/joint_tree.hpp"

namespace daedalus {
namespace {

// Half the mass matrix has an entry for every two freedoms on one way to the ground, and its elimination
// works on it; body coordinates cost about this many entries a freedom, however long a chain is.
constexpr int entries_per_freedom = 24;

// Something acts on a joint's coordinate, which is a variable in joint coordinates and has to be made one in
// body coordinates.
bool acts_on_joints(const Mechanism& mechanism) {
  return !mechanism.couplings.empty() || !mechanism.path_couplings.empty() ||
         std::ranges::any_of(mechanism.forces, [](const Force& force) {
           return std::holds_alternative<JointForce>(force) || std::holds_alternative<PathForce>(force);
         });
}

}  // namespace

std::optional<Coordinates> coordinates_named(std::string_view name) {
  if (name == "auto") return Coordinates::Auto;
  if (name == "joint") return Coordinates::Joint;
  if (name == "body") return Coordinates::Body;
  return std::nullopt;
}

CoordinateChoice choose_coordinates(const Mechanism& mechanism, Coordinates wanted) {
  if (wanted != Coordinates::Auto) return {.joint = wanted == Coordinates::Joint, .why = "as was asked for"};
  if (std::ranges::any_of(mechanism.bodies, [](const Body& b) { return b.kind == BodyKind::Massless; }))
    return {.joint = true, .why = "a body has several joints, with links without mass between them"};
  const auto given = std::ranges::find_if(mechanism.bodies, &Body::inertia_as_given);
  if (given != mechanism.bodies.end())
    return {.joint = true, .why = fmt::format("the inertia of {} is that of no body", given->name)};
  const JointTree tree = tree_of(mechanism);
  if (std::ranges::none_of(tree.carries, [](bool carries) { return carries; }))
    return {.joint = false, .why = "no joint carries a body"};
  if (tree.mass_entries > entries_per_freedom * tree.freedoms)
    return {.joint = false,
            .why = fmt::format("the chain of joints is long ({} freedoms one after the other)", tree.depth)};
  const auto loops = std::ranges::count(tree.carries, false);
  if (loops > 0 && !acts_on_joints(mechanism))
    return {.joint = false, .why = fmt::format("{} joints close loops, and nothing acts on angles", loops)};
  return {.joint = true,
          .why = fmt::format("{} freedoms of joints stand for {} bodies", tree.freedoms,
                             mechanism.bodies.size())};
}

}  // namespace daedalus
