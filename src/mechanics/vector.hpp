// Vectors and matrices of three dimensions, of numbers or of expressions. A planar mechanism uses the same
// ones with z = 0, so that joints and forces are written once.
#pragma once

#include <cmath>

#include "model/builder.hpp"

namespace daedalus {

template <class T>
struct Vector3 {
  T x = 0;
  T y = 0;
  T z = 0;
};
using Vec3 = Vector3<double>;
using ExprVec3 = Vector3<Expr>;

template <class T>
[[nodiscard]] Vector3<T> operator+(const Vector3<T>& a, const Vector3<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
[[nodiscard]] Vector3<T> operator-(const Vector3<T>& a, const Vector3<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
[[nodiscard]] Vector3<T> operator-(const Vector3<T>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class T>
[[nodiscard]] Vector3<T> operator*(const T& s, const Vector3<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
[[nodiscard]] T dot(const Vector3<T>& a, const Vector3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
[[nodiscard]] Vector3<T> cross(const Vector3<T>& a, const Vector3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
[[nodiscard]] inline double norm(const Vec3& a) {
  return std::sqrt(dot(a, a));
}
[[nodiscard]] inline ExprVec3 symbolic(const Vec3& a) {
  return {a.x, a.y, a.z};
}
[[nodiscard]] inline ExprVec3 der(const ExprVec3& a) {
  return {der(a.x), der(a.y), der(a.z)};
}

// By columns: what becomes of the unit vectors. The axes of a frame, in the coordinates of another.
template <class T>
struct Matrix3 {
  Vector3<T> x{1, 0, 0};
  Vector3<T> y{0, 1, 0};
  Vector3<T> z{0, 0, 1};
};
using Mat3 = Matrix3<double>;
using ExprMat3 = Matrix3<Expr>;

template <class T>
[[nodiscard]] Vector3<T> operator*(const Matrix3<T>& a, const Vector3<T>& v) {
  return v.x * a.x + v.y * a.y + v.z * a.z;
}
template <class T>
[[nodiscard]] Matrix3<T> operator*(const Matrix3<T>& a, const Matrix3<T>& b) {
  return {a * b.x, a * b.y, a * b.z};
}
// aᵀ v: the components of v along the columns of a.
template <class T>
[[nodiscard]] Vector3<T> along(const Matrix3<T>& a, const Vector3<T>& v) {
  return {dot(a.x, v), dot(a.y, v), dot(a.z, v)};
}
template <class T>
[[nodiscard]] Matrix3<T> transposed(const Matrix3<T>& a) {
  return {{a.x.x, a.y.x, a.z.x}, {a.x.y, a.y.y, a.z.y}, {a.x.z, a.y.z, a.z.z}};
}
[[nodiscard]] inline ExprMat3 symbolic(const Mat3& a) {
  return {symbolic(a.x), symbolic(a.y), symbolic(a.z)};
}

// A place with axes, in the coordinates of another frame.
struct Frame {
  Vec3 origin;
  Mat3 axes;
};
// `inner` is given in the coordinates of `outer`; the result in those that `outer` is given in.
[[nodiscard]] inline Frame operator*(const Frame& outer, const Frame& inner) {
  return {.origin = outer.origin + outer.axes * inner.origin, .axes = outer.axes * inner.axes};
}
// The frame `inner`, given in the same coordinates as `outer`, as seen from `outer`. What rounding leaves of
// a short decimal number is that number again: the lengths of a link are those that its user wrote, wherever
// it is and however it is turned, and links that are alike have equal equations.
[[nodiscard]] Frame relative_to(const Frame& outer, const Frame& inner);
// Axes that long products of frames have made slightly longer, shorter or skew.
[[nodiscard]] Mat3 orthonormal(const Mat3& axes);

struct Quaternion {
  double w = 1;
  double x = 0;
  double y = 0;
  double z = 0;
};
// Right angles and others with decimal sines are exact. q need not be of length 1, only not zero.
[[nodiscard]] Mat3 rotation(const Quaternion& q);
[[nodiscard]] Mat3 rotation(const Vec3& axis, double angle);
[[nodiscard]] Quaternion quaternion(const Mat3& rotation);
// Axes with the given one as z (or x), the others chosen near those of the coordinates.
[[nodiscard]] Mat3 axes_with_z(const Vec3& z);
[[nodiscard]] Mat3 axes_with_x(const Vec3& x);
// The smallest turn that brings the z axis to this direction.
[[nodiscard]] Mat3 shortest_turn_of_z(const Vec3& to);

}  // namespace daedalus
