// Curves to SVG paths.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results/plot_scale.hpp"

namespace daedalus {

struct Curve {
  const std::vector<double>* times = nullptr;
  std::function<double(std::size_t)> value;  // by row; NaN makes a gap
  bool steps = false;                        // held from one row to the next
};

// The path data ("M… L…"). Of the rows that share a column of pixels only the first, the lowest, the highest
// and the last are kept: the picture is the same, the file small whatever the number of rows.
[[nodiscard]] std::string path_data(const Curve& curve, const Axis& x, const Axis& y);

}  // namespace daedalus
