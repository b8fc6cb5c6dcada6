#include "constraints/basis.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>

#include "support/formed.hpp"
#include "support/model_families.hpp"

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

// Of three particles on rods, six unknowns of position and three constraints; G is any matrix.
struct Wide {
  explicit Wide(BasisPolicy policy, double threshold = 2, bool every_step = true)
      : chain(from_text(chain_text(3))),
        basis(*chain.form,
              {.policy = policy,
               .bases = {{.constraints = {0, 1, 2}, .columns = 3}},
               .of_level = {0, 0},
               .fixed = {}},
              0, threshold, every_step) {}
  Formed chain;
  Basis basis;
};

Eigen::MatrixXd random_gradient(std::mt19937& random) {
  Eigen::MatrixXd g(3, 6);
  for (double& entry : g.reshaped()) entry = (static_cast<double>(random()) / 2147483648.0) - 1;
  return g;
}

double determinant(const Eigen::MatrixXd& g, const std::vector<int>& columns) {
  Eigen::MatrixXd square(3, 3);
  for (int k = 0; k < 3; ++k) square.col(k) = g.col(columns[static_cast<std::size_t>(k)]);
  return std::abs(square.determinant());
}

// An orthonormal basis of ker G, whatever G.
TEST(Basis, TangentsOfManyConstraintsAreOrthonormal) {
  std::mt19937 random(4);
  Wide wide(BasisPolicy::Tangent);
  for (int k = 0; k < 20; ++k) {
    const Eigen::MatrixXd g = random_gradient(random);
    ASSERT_TRUE(wide.basis.update(g));
    const Eigen::MatrixXd& a = wide.basis.matrix();
    EXPECT_LT((g * a).norm(), 1e-13);
    EXPECT_LT((a.transpose() * a - Eigen::MatrixXd::Identity(3, 3)).norm(), 1e-13);
  }
}

// G that moves by ε moves A by as much: the kernel is turned, not exchanged for another basis of it.
TEST(Basis, TangentsMoveNoMoreThanTheKernel) {
  std::mt19937 random(5);
  Wide wide(BasisPolicy::Tangent);
  Eigen::MatrixXd g = random_gradient(random);
  ASSERT_TRUE(wide.basis.update(g));
  for (int k = 0; k < 20; ++k) {
    const Eigen::MatrixXd before = wide.basis.matrix();
    const Eigen::MatrixXd step = 1e-3 * random_gradient(random);
    g += step;
    ASSERT_TRUE(wide.basis.update(g));
    const double smallest = Eigen::JacobiSVD<Eigen::MatrixXd>(g).singularValues()(2);
    // Twice, for the second order.
    EXPECT_LT((wide.basis.matrix() - before).norm(), 2 * step.norm() / smallest);
  }
}

// What no exchange of one coordinate improves by more than the threshold, and regular; of each column one
// entry 1.
TEST(Basis, CoordinatesHaveNearlyTheLargestDeterminant) {
  for (const double threshold : {1.2, 2.0, 4.0}) {
    std::mt19937 random(6);
    Wide wide(BasisPolicy::Coordinates, threshold);
    int changes = 0;
    for (int k = 0; k < 30; ++k) {
      const Eigen::MatrixXd g = random_gradient(random);
      if (wide.basis.update(g)) ++changes;
      std::vector<int> dependent;
      for (int i = 0; i < 6; ++i) {
        const double sum = wide.basis.matrix().row(i).sum();
        EXPECT_TRUE(sum == 0 || sum == 1);
        if (sum == 0) dependent.push_back(i);
      }
      EXPECT_EQ(wide.basis.matrix().sum(), 3);
      ASSERT_EQ(dependent.size(), 3U);
      const double now = determinant(g, dependent);
      for (std::size_t out = 0; out < 3; ++out) {
        for (int in = 0; in < 6; ++in) {
          if (std::ranges::count(dependent, in) > 0) continue;
          std::vector<int> exchanged = dependent;
          exchanged[out] = in;
          EXPECT_LE(determinant(g, exchanged), threshold * (1 + 1e-12) * now) << threshold;
        }
      }
    }
    EXPECT_GE(changes, 2);
  }
}

// Where rank is lost nothing is changed, and what was there is still there.
TEST(Basis, WithoutRankTheOldBasisStays) {
  for (const BasisPolicy policy : {BasisPolicy::Coordinates, BasisPolicy::Tangent}) {
    std::mt19937 random(7);
    Wide wide(policy);
    Eigen::MatrixXd g = random_gradient(random);
    ASSERT_TRUE(wide.basis.update(g));
    const Eigen::MatrixXd before = wide.basis.matrix();
    g.row(2) = g.row(0) - (2 * g.row(1));
    EXPECT_FALSE(wide.basis.update(g));
    EXPECT_FALSE(wide.basis.trouble().empty());
    EXPECT_EQ(wide.basis.matrix(), before);
  }
}

// Read into another one it goes on alike; a coordinate that there is not is refused.
TEST(Basis, SavedStateGoesOnAlike) {
  for (const BasisPolicy policy : {BasisPolicy::Coordinates, BasisPolicy::Tangent}) {
    std::mt19937 random(8);
    Wide wide(policy, 2, false);
    for (int k = 0; k < 3; ++k) (void)wide.basis.update(random_gradient(random));
    const auto bytes = to_bytes(wide.basis);
    ASSERT_TRUE(bytes.has_value());
    Wide other(policy, 2, false);
    ASSERT_TRUE(from_bytes(*bytes, other.basis).has_value());
    EXPECT_EQ(other.basis.matrix(), wide.basis.matrix());
    for (int k = 0; k < 5; ++k) {
      const Eigen::MatrixXd g = random_gradient(random);
      EXPECT_EQ(other.basis.update(g), wide.basis.update(g));
      EXPECT_EQ(other.basis.matrix(), wide.basis.matrix());
    }
    Made small(policy, false);
    EXPECT_FALSE(from_bytes(*bytes, small.basis).has_value()) << "of another size";
  }
}

}  // namespace
}  // namespace daedalus::testing
