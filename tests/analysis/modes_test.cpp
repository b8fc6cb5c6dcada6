#include "analysis/modes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace daedalus {
namespace {

// x'' + 2 ζ ω x' + ω² x = 0, and a state of its own that decays with 1/50: the slowest is the first.
TEST(Modes, OfAnOscillatorAndADecay) {
  const double omega = 3, zeta = 0.2;
  DenseMatrix a(3, 3);
  a.at(0, 1) = 1;
  a.at(1, 0) = -omega * omega;
  a.at(1, 1) = -2 * zeta * omega;
  a.at(2, 2) = -0.02;
  const auto modes = modes_of(a);
  ASSERT_EQ(modes.size(), 3U);
  EXPECT_NEAR(modes[0].eigenvalue.real(), -0.02, 1e-14);
  ASSERT_EQ(modes[0].dominant.size(), 1U);
  EXPECT_EQ(modes[0].dominant[0].state, 2);
  EXPECT_NEAR(modes[0].dominant[0].part, 1, 1e-12);
  EXPECT_NEAR(modes[1].damping, zeta, 1e-13);
  EXPECT_NEAR(modes[1].frequency, omega * std::sqrt(1 - (zeta * zeta)) / (2 * std::numbers::pi), 1e-13);
  ASSERT_EQ(modes[1].dominant.size(), 2U);
  EXPECT_NEAR(modes[1].dominant[0].part, 0.5, 1e-12);
}

// A double integrator has one eigenvector only.
TEST(Modes, ADefectiveMatrixHasModes) {
  DenseMatrix a(2, 2);
  a.at(0, 1) = 1;
  const auto modes = modes_of(a);
  ASSERT_EQ(modes.size(), 2U);
  for (const Mode& mode : modes) EXPECT_LT(std::abs(mode.eigenvalue), 1e-12);
}

TEST(Modes, NoStatesNoModes) {
  EXPECT_TRUE(modes_of(DenseMatrix(0, 0)).empty());
}

}  // namespace
}  // namespace daedalus
