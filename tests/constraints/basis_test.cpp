#include "constraints/basis.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "support/formed.hpp"

namespace daedalus::testing {
namespace {

// G of a bead on a circle at an angle.
Eigen::MatrixXd gradient(double angle) {
  Eigen::MatrixXd g(1, 2);
  g << 2 * std::cos(angle), 2 * std::sin(angle);
  return g;
}

struct Made {
  Made(BasisPolicy policy, bool every_step)
      : bead(from_text(bead_text())),
        basis(*bead.form,
              {.policy = policy,
               .bases = {{.constraints = {0}, .columns = 1}},
               .of_level = {0, 0},
               .fixed = {1, 0}},
              0, 2.0, every_step) {}
  Formed bead;
  Basis basis;
};

// An orthonormal basis of ker G at every point, that turns with it and never back.
TEST(Basis, ATangentIsInTheKernelAndFollowsIt) {
  Made made(BasisPolicy::Tangent, true);
  ASSERT_TRUE(made.basis.used());
  Eigen::MatrixXd before;
  for (double angle = 0; angle < 7; angle += 0.25) {
    ASSERT_TRUE(made.basis.update(gradient(angle)));
    const Eigen::MatrixXd& a = made.basis.matrix();
    EXPECT_NEAR((gradient(angle) * a).norm(), 0, 1e-14);
    EXPECT_NEAR(a.norm(), 1, 1e-14);
    if (before.size() > 0) {
      EXPECT_NEAR((before.transpose() * a).value(), std::cos(0.25), 1e-13);
    }
    before = a;
  }
}

// Not renewed each step: only when the angle between range A and ker G exceeds 60°, whose cosine is 0.5.
TEST(Basis, ATangentIsKeptUntilItIsWorn) {
  Made made(BasisPolicy::Tangent, false);
  ASSERT_TRUE(made.basis.update(gradient(0)));
  const Eigen::MatrixXd first = made.basis.matrix();
  EXPECT_FALSE(made.basis.update(gradient(1.0)));  // 57°
  EXPECT_EQ(made.basis.matrix(), first);
  EXPECT_TRUE(made.basis.update(gradient(1.1)));  // 63°
  EXPECT_NEAR((gradient(1.1) * made.basis.matrix()).norm(), 0, 1e-14);
}

// The coordinate with the larger entry of G is the dependent one, until the other is twice as large.
TEST(Basis, CoordinatesAreExchangedWhenTheOthersAreMuchBetter) {
  Made made(BasisPolicy::Coordinates, false);
  ASSERT_TRUE(made.basis.update(gradient(0.3)));
  EXPECT_EQ(made.basis.matrix(), (Eigen::MatrixXd(2, 1) << 0, 1).finished());
  EXPECT_FALSE(made.basis.update(gradient(std::atan(1.9))));
  EXPECT_TRUE(made.basis.update(gradient(std::atan(2.1))));
  EXPECT_EQ(made.basis.matrix(), (Eigen::MatrixXd(2, 1) << 1, 0).finished());
}

TEST(Basis, WithoutRankThereIsNone) {
  for (const BasisPolicy policy : {BasisPolicy::Coordinates, BasisPolicy::Tangent}) {
    Made made(policy, true);
    EXPECT_FALSE(made.basis.update(Eigen::MatrixXd::Zero(1, 2)));
    EXPECT_NE(made.basis.trouble().find("redundant or singular"), std::string::npos);
    EXPECT_TRUE(made.basis.update(gradient(0.2)));
    EXPECT_TRUE(made.basis.trouble().empty());
  }
}

TEST(Basis, OtherPoliciesAreNotItsBusiness) {
  for (const BasisPolicy policy : {BasisPolicy::None, BasisPolicy::Fixed}) {
    Made made(policy, true);
    EXPECT_FALSE(made.basis.used());
    EXPECT_FALSE(made.basis.update(gradient(0.2)));
  }
}

}  // namespace
}  // namespace daedalus::testing
