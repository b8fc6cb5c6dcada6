// Which coordinates a mechanism's equations are written in.
#pragma once

#include <string>
#include <string_view>

#include "mechanics/mechanism.hpp"

namespace daedalus {

enum class Coordinates {
  Auto,
  Joint,  // angles and displacements of a tree of joints; loops are closed by constraints
  Body,   // place and orientation of every body; every joint is a constraint
};

[[nodiscard]] std::optional<Coordinates> coordinates_named(std::string_view name);  // auto, joint, body

struct CoordinateChoice {
  bool joint = false;
  std::string why;
};
[[nodiscard]] CoordinateChoice choose_coordinates(const Mechanism& mechanism, Coordinates wanted);

}  // namespace daedalus
