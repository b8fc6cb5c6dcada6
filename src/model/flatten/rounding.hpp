// floor and ceil of values that change continuously. The result jumps, so it must be held between events.
#pragma once

#include "model/flatten/frame.hpp"

namespace daedalus::flatten {

enum class Rounding { Down, Up, Integer };

// Between events the floor n of x is a discrete variable of our own. Two relations watch x leave the interval
// [n, n + 1), with n's value before the event:
//
//   up   : x - (pre(n) + 1) >= 0        n = max(floor(x), pre(n) + 1)
//   down : pre(n) - x > 0               n = min(floor(x), pre(n) - 1)
//   otherwise                           n = pre(n)
//
// The max and min see to it that the step is taken although x may be a rounding error short of the whole
// number at the instant that the event was located. Where relations make no events (noEvent, functions,
// the body of a when) and for discrete x, it is the plain function.
[[nodiscard]] NodeId held_floor(Frame& frame, NodeId x, SourceSpan span);
[[nodiscard]] NodeId held_ceil(Frame& frame, NodeId x, SourceSpan span);

}  // namespace daedalus::flatten
