// The coefficients by their definitions: simplifying assumptions, inverse, transformation, embedded formula.
#include "numerics/radau_coefficients.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace daedalus::radau {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
// Sums of three products of numbers up to about 10.
constexpr double kRounding = 40 * kEps;

Matrix3 product(const Matrix3& a, const Matrix3& b) {
  Matrix3 c{};
  for (int i = 0; i < kStages; ++i) {
    for (int j = 0; j < kStages; ++j) {
      for (int k = 0; k < kStages; ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

void expect_equal(const Matrix3& a, const Matrix3& b) {
  for (int i = 0; i < kStages; ++i) {
    for (int j = 0; j < kStages; ++j) EXPECT_NEAR(a[i][j], b[i][j], kRounding) << i << "," << j;
  }
}

constexpr Matrix3 kIdentity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

// B(5): Σ b_i c_i^(k-1) = 1/k for k = 1 … 5: the quadrature has order 5. b is the last row of A.
TEST(RadauCoefficients, QuadratureHasOrderFive) {
  for (int k = 1; k <= 6; ++k) {
    double sum = 0;
    for (int i = 0; i < kStages; ++i) sum += kA[kStages - 1][i] * std::pow(kC[i], k - 1);
    if (k <= 5) {
      EXPECT_NEAR(sum, 1.0 / k, kRounding) << k;
    } else {
      EXPECT_GT(std::abs(sum - 1.0 / k), 1e-4) << "order 5, not 6";
    }
  }
}

// C(3): Σ_j a_ij c_j^(k-1) = c_i^k / k for k = 1 … 3: the stages have order 3.
TEST(RadauCoefficients, StagesHaveOrderThree) {
  for (int k = 1; k <= 3; ++k) {
    for (int i = 0; i < kStages; ++i) {
      double sum = 0;
      for (int j = 0; j < kStages; ++j) sum += kA[i][j] * std::pow(kC[j], k - 1);
      EXPECT_NEAR(sum, std::pow(kC[i], k) / k, kRounding) << i << " " << k;
    }
  }
}

// D(2): Σ_i b_i c_i^(k-1) a_ij = b_j (1 - c_j^k) / k for k = 1, 2. With B(5) and C(3) this gives order 5
// (Butcher).
TEST(RadauCoefficients, SatisfiesTheTransposedAssumption) {
  for (int k = 1; k <= 2; ++k) {
    for (int j = 0; j < kStages; ++j) {
      double sum = 0;
      for (int i = 0; i < kStages; ++i) sum += kA[2][i] * std::pow(kC[i], k - 1) * kA[i][j];
      EXPECT_NEAR(sum, kA[2][j] * (1 - std::pow(kC[j], k)) / k, kRounding) << j << " " << k;
    }
  }
}

TEST(RadauCoefficients, InverseAndTransformationAreInverses) {
  expect_equal(product(kA, kAInverse), kIdentity);
  expect_equal(product(kT, kTInverse), kIdentity);
}

TEST(RadauCoefficients, TransformationMakesOneRealAndOneComplexBlock) {
  const Matrix3 block{{{kGamma, 0, 0}, {0, kAlpha, -kBeta}, {0, kBeta, kAlpha}}};
  expect_equal(product(kTInverse, product(kAInverse, kT)), block);
}

// y' + Σ e_i z_i / h must vanish for every polynomial of degree 3 (the embedded formula has order 3) and must
// not for degree 4. With h = 1 and y = x^k from x = 0, z_i = c_i^k and y'(0) = 1 for k = 1, else 0.
TEST(RadauCoefficients, EmbeddedFormulaHasOrderThree) {
  for (int k = 1; k <= 4; ++k) {
    double defect = k == 1 ? 1 : 0;
    for (int i = 0; i < kStages; ++i) defect += kError[i] * std::pow(kC[i], k);
    if (k <= 3) {
      EXPECT_NEAR(defect, 0, kRounding) << k;
    } else {
      EXPECT_GT(std::abs(defect), 1e-2);
    }
  }
}

}  // namespace
}  // namespace daedalus::radau
