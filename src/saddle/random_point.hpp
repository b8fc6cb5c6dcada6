// Values for all variables at which entries of a matrix are compared, in size and with their mirrored ones.
#pragma once

#include <random>
#include <span>

namespace daedalus {

// Four values are nearly a unit quaternion (4 · 0.5² = 1), so that turning by one after the other, along a
// chain of balls, makes entries neither grow nor shrink.
inline void fill_at_random(std::mt19937& random, std::span<double> environment) {
  std::uniform_real_distribution<double> value(0.3, 0.7);
  for (double& x : environment) x = value(random);
}

}  // namespace daedalus
