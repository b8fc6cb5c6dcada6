// Whether joints move something: the mass matrix of a tree of joints at the start, in numbers.
#pragma once

#include <optional>

#include "mechanics/mechanism.hpp"

namespace daedalus {

// A joint whose motion meets no inertia at the start that those before it do not meet as well; nothing where
// the mass matrix is regular. Only mechanisms with inertias as given (Body::inertia_as_given) can have one.
[[nodiscard]] std::optional<JointId> joint_without_inertia(const Mechanism& mechanism);

}  // namespace daedalus
