// Numbers that were decimal before they were computed with.
#pragma once

namespace daedalus {

// The short decimal number that differs from x by noise only, if there is one: what rounding has made of
// 0.005 or 1 is that again, and two such numbers are equal. Otherwise x.
[[nodiscard]] double without_noise(double x, double noise);

}  // namespace daedalus
