// What keeps a mechanism from being one.
#pragma once

#include "mechanics/mechanism.hpp"

namespace daedalus {

// Every broken invariant of mechanism.hpp, by name; empty: none.
[[nodiscard]] Diagnostics faults_of(const Mechanism& mechanism);

}  // namespace daedalus
