// Curves to polylines.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results/picture.hpp"
#include "results/plot_scale.hpp"

namespace daedalus {

struct Curve {
  const std::vector<double>* times = nullptr;
  std::function<double(std::size_t)> value;  // by row; NaN makes a gap
  bool steps = false;                        // held from one row to the next
};

// In pixels, one piece between two gaps. Of the rows that share a column of pixels only the first, the
// lowest, the highest and the last are kept: the picture is the same, the file small whatever the number of
// rows.
[[nodiscard]] std::vector<Polyline> curve_pieces(const Curve& curve, const Axis& x, const Axis& y);

// The data of an SVG path, "M… L…".
[[nodiscard]] std::string path_text(const std::vector<Polyline>& pieces);
[[nodiscard]] std::string path_data(const Curve& curve, const Axis& x, const Axis& y);

}  // namespace daedalus
