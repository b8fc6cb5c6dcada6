// Several points side by side: where values are those of `lane_count` points at once, value k of point l
// stands at lane_count k + l, so that one instruction of the processor takes them all.
#pragma once

#include <cstddef>

namespace daedalus {

inline constexpr std::size_t lane_count = 4;

}  // namespace daedalus
