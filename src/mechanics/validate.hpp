// What keeps a mechanism from being one.
#pragma once

#include "mechanics/mechanism.hpp"

namespace daedalus {

// Every broken invariant of mechanism.hpp, by name; empty: none.
[[nodiscard]] Diagnostics faults_of(const Mechanism& mechanism);

// Whether an inertia is positive definite and no moment larger than the other two together; whether it is at
// least positive semidefinite.
[[nodiscard]] bool is_of_a_body(const Mat3& inertia);
[[nodiscard]] bool is_not_negative(const Mat3& inertia);

}  // namespace daedalus
