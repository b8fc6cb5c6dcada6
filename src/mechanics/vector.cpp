#include "mechanics/vector.hpp"

#include <algorithm>

namespace daedalus {

Mat3 rotation(const Quaternion& q) {
  const double s = 2 / (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {{1 - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y + q.w * q.z), s * (q.x * q.z - q.w * q.y)},
          {s * (q.x * q.y - q.w * q.z), 1 - s * (q.x * q.x + q.z * q.z), s * (q.y * q.z + q.w * q.x)},
          {s * (q.x * q.z + q.w * q.y), s * (q.y * q.z - q.w * q.x), 1 - s * (q.x * q.x + q.y * q.y)}};
}

Mat3 rotation(const Vec3& axis, double angle) {
  const double s = std::sin(angle / 2) / norm(axis);
  return rotation(Quaternion{.w = std::cos(angle / 2), .x = s * axis.x, .y = s * axis.y, .z = s * axis.z});
}

// The largest of the four components is found first, so that no small number is divided by (Shepperd 1978).
Quaternion quaternion(const Mat3& a) {
  const double trace = a.x.x + a.y.y + a.z.z;
  const double largest = std::max({trace, a.x.x, a.y.y, a.z.z});
  Quaternion q;
  if (largest == trace) {
    q = {.w = 1 + trace, .x = a.y.z - a.z.y, .y = a.z.x - a.x.z, .z = a.x.y - a.y.x};
  } else if (largest == a.x.x) {
    q = {.w = a.y.z - a.z.y, .x = 1 + a.x.x - a.y.y - a.z.z, .y = a.x.y + a.y.x, .z = a.x.z + a.z.x};
  } else if (largest == a.y.y) {
    q = {.w = a.z.x - a.x.z, .x = a.x.y + a.y.x, .y = 1 + a.y.y - a.x.x - a.z.z, .z = a.y.z + a.z.y};
  } else {
    q = {.w = a.x.y - a.y.x, .x = a.x.z + a.z.x, .y = a.y.z + a.z.y, .z = 1 + a.z.z - a.x.x - a.y.y};
  }
  const double size = (q.w < 0 ? -1 : 1) * std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {.w = q.w / size, .x = q.x / size, .y = q.y / size, .z = q.z / size};
}

namespace {

// A unit vector orthogonal to a, near the first of `wishes` that is not nearly parallel to it.
Vec3 orthogonal(const Vec3& a, const Vec3& first, const Vec3& second) {
  for (const Vec3& wish : {first, second}) {
    const Vec3 part = wish - dot(a, wish) * a;
    if (norm(part) > 0.1) return (1 / norm(part)) * part;
  }
  return {};  // not reached: the wishes are orthogonal to each other
}

}  // namespace

Mat3 axes_with_z(const Vec3& z) {
  const Vec3 unit = (1 / norm(z)) * z;
  const Vec3 x = orthogonal(unit, {1, 0, 0}, {0, 1, 0});
  return {x, cross(unit, x), unit};
}

Mat3 shortest_turn_of_z(const Vec3& to) {
  const Vec3 axis{-to.y, to.x, 0};  // z × to
  const double sine = norm(axis) / norm(to);
  if (sine < 1e-15) return to.z > 0 ? Mat3{} : rotation({1, 0, 0}, std::acos(-1.0));
  return rotation(axis, std::atan2(sine, to.z / norm(to)));
}

Mat3 axes_with_x(const Vec3& x) {
  const Vec3 unit = (1 / norm(x)) * x;
  const Vec3 z = orthogonal(unit, {0, 0, 1}, {1, 0, 0});
  return {unit, cross(z, unit), z};
}

}  // namespace daedalus
