// Several joints on one body are a chain of joints with links without mass between them. In body coordinates
// every body needs a mass, so that such chains are put together to one joint where there is one of that kind.
#pragma once

#include "mechanics/mechanism.hpp"

namespace daedalus {

// Two hinges that cross at a right angle are universal, three through one point spherical, a slide and a
// hinge along one axis cylindrical, two slides and a hinge across them planar, three slides translational,
// and three slides with a ball or three hinges leave the body free. What acts on the coordinates of such a
// joint stays where the joint has that coordinate; otherwise the chain needs joint coordinates, which is an
// error that says so.
[[nodiscard]] Result<Mechanism> without_massless_links(const Mechanism& mechanism);

}  // namespace daedalus
