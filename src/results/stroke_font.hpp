// Letters as strokes, for pictures of pixels: no font file, no library. The widths are Helvetica's.
#pragma once

#include <string_view>
#include <vector>

#include "results/picture.hpp"

namespace daedalus {

// The strokes of a label, in the picture's pixels.
[[nodiscard]] std::vector<Polyline> label_strokes(const Label& label);

}  // namespace daedalus
