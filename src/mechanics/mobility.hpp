// How far a mechanism can move, by counting (Grübler, Kutzbach). What the rank says stands in the report of
// check.
#pragma once

#include <string>

#include "mechanics/mechanism.hpp"

namespace daedalus {

struct Mobility {
  int bodies = 0;
  int joints = 0;
  int freedoms = 0;    // 6 or 3 a rigid body, 3 or 2 a point mass
  int conditions = 0;  // equations of joints, couplings and motions
  std::string parts;   // joints by kind: "4 revolute, 1 prismatic"
  [[nodiscard]] int grubler() const { return freedoms - conditions; }
};

[[nodiscard]] Mobility mobility_of(const Mechanism& mechanism);

}  // namespace daedalus
