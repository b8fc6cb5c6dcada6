// A comparison as a picture: error and drift of every row over time.
#pragma once

#include "results/picture.hpp"
#include "study/compare.hpp"

namespace daedalus {

// Of several tolerances the tightest; rows without curves are left out.
[[nodiscard]] Picture comparison_picture(const Comparison& comparison);

}  // namespace daedalus
