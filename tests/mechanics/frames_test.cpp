// What is written in the frame of a body comes back from the world as it was written.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "mechanics/vector.hpp"

namespace daedalus {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

std::vector<Frame> many_frames() {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<Frame> frames;
  for (int k = 0; k < 1000; ++k) {
    const Vec3 axis{value(random), value(random), value(random)};
    frames.push_back({.origin = {3 * value(random), 20 * value(random), value(random)},
                      .axes = rotation(axis, 3 * value(random))});
  }
  return frames;
}

void expect_equal(const Vec3& a, const Vec3& b) {
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.z, b.z);
}

TEST(RelativeTo, DecimalNumbersComeBack) {
  for (const Frame& pose : many_frames()) {
    const Frame written{.origin = {0.005, -1.25, 0}, .axes = {{0, 1, 0}, {-0.6, 0, 0.8}, {0.8, 0, 0.6}}};
    const Frame seen = relative_to(pose, pose * written);
    expect_equal(seen.origin, written.origin);
    expect_equal(seen.axes.x, written.axes.x);
    expect_equal(seen.axes.y, written.axes.y);
    expect_equal(seen.axes.z, written.axes.z);
  }
}

// Others stay what they are but for rounding: nothing is moved by more than what the way through the world
// costs, 64 roundings of the largest number on it.
TEST(RelativeTo, OtherNumbersStay) {
  for (const Frame& pose : many_frames()) {
    const Vec3 written{1.0 / 3, std::sqrt(2.0), 1e-5 * std::exp(1.0)};
    const Vec3 seen = relative_to(pose, pose * Frame{.origin = written, .axes = {}}).origin;
    EXPECT_LE(norm(seen - written), 64 * epsilon * 2 * 25);
    EXPECT_NE(seen.z, 0);
  }
  const Frame tiny{.origin = {1e-30, 0, 0}, .axes = {}};
  EXPECT_EQ(relative_to({}, tiny).origin.x, 1e-30);
  EXPECT_EQ(relative_to({}, {}).origin.x, 0);
}

// 10,000 turns one after the other: right angles stay right to a few roundings, and what is exact is not
// touched.
TEST(Orthonormal, LongProductsStayOrthonormal) {
  const Mat3 turn = rotation({0.3, -0.5, 0.8}, 0.7);
  Mat3 axes;
  for (int k = 0; k < 10000; ++k) axes = orthonormal(axes * turn);
  EXPECT_NEAR(dot(axes.x, axes.x), 1, 4 * epsilon);
  EXPECT_NEAR(dot(axes.y, axes.z), 0, 4 * epsilon);
  EXPECT_NEAR(dot(cross(axes.x, axes.y), axes.z), 1, 8 * epsilon);
  const Mat3 exact = orthonormal({{0, 0, -1}, {0, 1, 0}, {1, 0, 0}});
  expect_equal(exact.x, {0, 0, -1});
  expect_equal(exact.z, {1, 0, 0});
}

// About an axis orthogonal to both, by less than half a turn; along the axes of the coordinates exactly.
TEST(ShortestTurn, BringsZToADirection) {
  for (const Frame& frame : many_frames()) {
    const Vec3 to = frame.axes.x;
    const Mat3 turn = shortest_turn_of_z(3.7 * to);
    EXPECT_LE(norm(turn.z - to), 4 * epsilon);
    EXPECT_LE(std::abs(dot(turn.x, turn.y)), 4 * epsilon);
    EXPECT_LE(norm(cross(turn.x, turn.y) - turn.z), 8 * epsilon);
    const Vec3 axis{-to.y, to.x, 0};
    EXPECT_LE(norm(turn * axis - axis), 8 * epsilon);  // it stays where it is
  }
  const Mat3 to_x = shortest_turn_of_z({2, 0, 0});
  expect_equal(to_x.x, {0, 0, -1});
  expect_equal(to_x.y, {0, 1, 0});
  const Mat3 over = shortest_turn_of_z({0, 0, -0.1});
  expect_equal(over.y, {0, -1, 0});
  // Nearly opposite, where 1 + z is all rounding.
  const Mat3 nearly = shortest_turn_of_z({1e-9, 2e-9, -1});
  EXPECT_LE(norm(cross(nearly.x, nearly.y) - nearly.z), 8 * epsilon);
}

TEST(Rotation, RightAnglesAreExact) {
  const double right = std::acos(-1.0) / 2;
  const Mat3 turn = rotation({0, 0, 1}, right);
  expect_equal(turn.x, {0, 1, 0});
  expect_equal(turn.y, {-1, 0, 0});
  EXPECT_EQ(rotation({1, 0, 0}, 4 * right / 3).y.y, -0.5);  // 120°
}

}  // namespace
}  // namespace daedalus
