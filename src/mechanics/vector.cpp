#include "mechanics/vector.hpp"

#include <algorithm>
#include <limits>

#include "core/decimal.hpp"

namespace daedalus {

namespace {

double size_of(const Vec3& a) {
  return std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)});
}

constexpr double a_rounding = std::numeric_limits<double>::epsilon();
constexpr double roundings_of_a_turn = 8;    // from an angle or a quaternion to a matrix
constexpr double roundings_of_a_frame = 64;  // from the frame of a body to the world and back

Vec3 each_without_noise(const Vec3& a, double noise) {
  return {without_noise(a.x, noise), without_noise(a.y, noise), without_noise(a.z, noise)};
}

Mat3 each_without_noise(const Mat3& a, double noise) {
  return {each_without_noise(a.x, noise), each_without_noise(a.y, noise), each_without_noise(a.z, noise)};
}

}  // namespace

Frame relative_to(const Frame& outer, const Frame& inner) {
  const double size = size_of(outer.origin) + size_of(inner.origin);
  const double noise = roundings_of_a_frame * a_rounding;
  const Mat3 axes{along(outer.axes, inner.axes.x), along(outer.axes, inner.axes.y),
                  along(outer.axes, inner.axes.z)};
  return {.origin = each_without_noise(along(outer.axes, inner.origin - outer.origin), noise * size),
          .axes = each_without_noise(axes, noise)};
}

// A (3 - AᵀA) / 2, a step of Newton's method for AᵀA = 1, which changes nothing where that holds.
Mat3 orthonormal(const Mat3& a) {
  const auto column = [&](const Vec3& one) { return 1.5 * one - 0.5 * (a * along(a, one)); };
  return {column(a.x), column(a.y), column(a.z)};
}

Mat3 rotation(const Quaternion& q) {
  const double s = 2 / (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  const Mat3 turn{
      {1 - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y + q.w * q.z), s * (q.x * q.z - q.w * q.y)},
      {s * (q.x * q.y - q.w * q.z), 1 - s * (q.x * q.x + q.z * q.z), s * (q.y * q.z + q.w * q.x)},
      {s * (q.x * q.z + q.w * q.y), s * (q.y * q.z - q.w * q.x), 1 - s * (q.x * q.x + q.y * q.y)}};
  return each_without_noise(turn, roundings_of_a_turn * a_rounding);
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

// 1 + [v]ₓ + [v]ₓ² / (1 + z) with v = (0, 0, 1) × (x, y, z): Rodrigues' formula without angles.
Mat3 shortest_turn_of_z(const Vec3& to) {
  constexpr double straight = 1e-30;  // the square of rounding: against z, any half turn is the shortest
  const Vec3 u = (1 / norm(to)) * to;
  const double sine_squared = u.x * u.x + u.y * u.y;
  if (sine_squared < straight && u.z < 0) return {{1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  const double k = u.z < 0 ? (1 - u.z) / sine_squared : 1 / (1 + u.z);
  return {{1 - k * u.x * u.x, -k * u.x * u.y, -u.x}, {-k * u.x * u.y, 1 - k * u.y * u.y, -u.y}, u};
}

Mat3 axes_with_x(const Vec3& x) {
  const Vec3 unit = (1 / norm(x)) * x;
  const Vec3 z = orthogonal(unit, {0, 0, 1}, {1, 0, 0});
  return {unit, cross(z, unit), z};
}

}  // namespace daedalus
