// The axes along which a symmetric matrix is diagonal, and the diagonal.
#pragma once

#include "mechanics/vector.hpp"

namespace daedalus {

struct Principal {
  Mat3 axes;
  Vec3 moments;
};
// Of an inertia, by Jacobi's method.
[[nodiscard]] Principal principal_axes(const Mat3& inertia);

}  // namespace daedalus
