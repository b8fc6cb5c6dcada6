// S. E. Mattsson, G. Söderlind 1991: the pendulum's tables, and Examples 1, 2 and 5.
#pragma once

#include "study/targets.hpp"

namespace daedalus {

[[nodiscard]] Reproduction reproduce_pendulum_table(const StudyTarget& target, const KeepGoing& keep_going);
[[nodiscard]] Reproduction reproduce_dummy_example(const StudyTarget& target, const KeepGoing& keep_going);

}  // namespace daedalus
