// Tables 4.1 to 4.9 of Ascher and Petzold: every method with backward Euler at a constant step over [0, 1].
#pragma once

#include "study/targets.hpp"

namespace daedalus {

[[nodiscard]] Reproduction reproduce_ascher_petzold(const StudyTarget& target, const KeepGoing& keep_going);

}  // namespace daedalus
