// Each factorisation is judged by what defines it, on matrices whose rank, kernel or spectrum is known.
#include "numerics/dense_algebra.hpp"

#include <gtest/gtest.h>

namespace daedalus {
namespace {

// Errors of backward stable methods on matrices of size 5 with entries and condition below 100.
constexpr double round_off = 1e-13;

Eigen::MatrixXd square() {
  Eigen::MatrixXd a(3, 3);
  a << 2, -1, 0, 4, 3, 1, 0, 5, -6;
  return a;
}

// Rank 2: the third row is the sum of the others.
Eigen::MatrixXd deficient() {
  Eigen::MatrixXd a(3, 4);
  a << 1, 0, 2, 3, 0, 1, -1, 1, 1, 1, 1, 4;
  return a;
}

TEST(DenseAlgebra, ProductsByHand) {
  Eigen::MatrixXd b(3, 2);
  b << 1, 0, 2, 1, 0, 3;
  Eigen::MatrixXd ab(3, 2);
  ab << 0, -1, 10, 6, 10, -13;
  EXPECT_EQ(product(square(), b), ab);
  EXPECT_EQ(transposed_product(square().transpose(), b), ab);
  EXPECT_EQ(product(square(), Eigen::VectorXd(b.col(1))), ab.col(1));
  EXPECT_EQ(transposed_product(Eigen::MatrixXd(square().transpose()), Eigen::VectorXd(b.col(1))), ab.col(1));
}

TEST(DenseAlgebra, LuSolvesAndSeesSingularMatrices) {
  const Lu lu(square());
  EXPECT_LT((square() * lu.solve(deficient()) - deficient()).norm(), round_off);
  EXPECT_GT(lu.rcond(), 0.01);
  EXPECT_LT(Lu(deficient().leftCols(3)).rcond(), 1e-15);
}

// A pivot that is zero counts wherever it stands, also where no column of a unit meets it.
TEST(Lu, TheConditionOfSingularMatricesIsZero) {
  Eigen::MatrixXd motion(3, 3);  // x'' = 0 and z' = 50 (x - z)
  motion << 0, 1, 0, 0, 0, 0, 50, 0, -50;
  EXPECT_EQ(Lu(motion).rcond(), 0);
  for (Eigen::Index zero = 0; zero < 4; ++zero) {
    Eigen::MatrixXd diagonal = Eigen::MatrixXd::Identity(4, 4);
    diagonal(zero, zero) = 0;
    EXPECT_EQ(Lu(diagonal).rcond(), 0) << zero;
    diagonal(zero, (zero + 1) % 4) = 3;
    EXPECT_EQ(Lu(diagonal).rcond(), 0) << zero;
  }
  EXPECT_EQ(Lu(Eigen::MatrixXd::Identity(4, 4)).rcond(), 1);
}

TEST(DenseAlgebra, FullPivotingTellsTheRankAndTheKernel) {
  const RankRevealingLu lu(deficient(), 1e-9);
  EXPECT_EQ(lu.rank(), 2);
  EXPECT_FALSE(lu.invertible());
  ASSERT_EQ(lu.kernel().cols(), 2);
  EXPECT_LT((deficient() * lu.kernel()).norm(), round_off);
  EXPECT_EQ(RankRevealingLu(lu.kernel()).rank(), 2);

  const RankRevealingLu regular(square());
  EXPECT_TRUE(regular.invertible());
  EXPECT_EQ(regular.kernel().rows(), 3);
  EXPECT_EQ(regular.kernel().cols(), 0);
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(3, 1, 3);
  EXPECT_LT((square() * regular.solve(b) - b).norm(), round_off);
}

TEST(DenseAlgebra, TheThresholdDecidesWhatCounts) {
  const Eigen::MatrixXd a = Eigen::Vector2d(1, 1e-6).asDiagonal();
  EXPECT_EQ(RankRevealingLu(a).rank(), 2);
  EXPECT_EQ(RankRevealingLu(a, 1e-3).rank(), 1);
}

// A x is as near to b as can be when the rest is orthogonal to range A; x is the shortest when it is
// orthogonal to ker A.
TEST(DenseAlgebra, LeastSquaresOfLeastNorm) {
  const Eigen::VectorXd b = Eigen::Vector3d(1, 2, 5);  // not in the range, 1 + 2 ≠ 5
  const Eigen::VectorXd x = LeastSquares(deficient()).solve(b);
  EXPECT_LT((deficient().transpose() * (deficient() * x - b)).norm(), round_off);
  EXPECT_LT((RankRevealingLu(deficient(), 1e-9).kernel().transpose() * x).norm(), round_off);
}

// A row twice but for noise: with a threshold above it, b with the same noise is solved by the least x.
TEST(DenseAlgebra, LeastSquaresLeaveOutWhatIsBelowTheThreshold) {
  Eigen::MatrixXd a(2, 3);
  a << 3, 4, 0, 3, 4, 1e-12;
  const Eigen::VectorXd b = Eigen::Vector2d(5, 5 + 1e-12);
  EXPECT_LT((LeastSquares(a, 1e-10).solve(b) - Eigen::Vector3d(0.6, 0.8, 0)).norm(), 1e-11);
  EXPECT_NEAR(LeastSquares(a).solve(b)(2), 1, 0.1);  // the noise is taken for an equation
}

// Brought to a length between 1 and 2 by powers of two, so that a scaled matrix comes back to the bit.
TEST(DenseAlgebra, RowScalesRoundNothing) {
  Eigen::MatrixXd a(3, 2);
  a << 3e9, -1e9, 1e-7, 3e-8, 0, 0;
  const Eigen::VectorXd scale = row_scales(a);
  const Eigen::MatrixXd scaled = scale.asDiagonal() * a;
  for (int i = 0; i < 2; ++i) {
    EXPECT_GE(scaled.row(i).norm(), 1);
    EXPECT_LT(scaled.row(i).norm(), 2);
  }
  EXPECT_EQ(scale(2), 1);
  EXPECT_EQ(scale.cwiseInverse().asDiagonal() * scaled, a);
}

// The rank is that of the directions: columns in units that differ by 1e12 are as independent as before, and
// one that is another but for noise is not, however large it is.
TEST(DenseAlgebra, TheRankOfPivotedQrDoesNotDependOnUnits) {
  for (const double unit : {1e-6, 1.0, 1e6}) {
    Eigen::MatrixXd a(4, 2);
    a << 1, 1, 2, 2, 0, 1, 1, 1;
    a.col(1) *= unit;
    EXPECT_EQ(pivoted_qr(a).rank, 2) << unit;
    a.col(1) = unit * (a.col(0) + 1e-12 * Eigen::Vector4d(1, -1, 1, -1));
    EXPECT_EQ(pivoted_qr(a).rank, 1) << unit;
  }
}

TEST(DenseAlgebra, CholeskyAndItsRefusal) {
  const Eigen::MatrixXd a = square() * square().transpose();
  const Cholesky cholesky(a);
  ASSERT_TRUE(cholesky.positive_definite());
  // L⁻¹ A L⁻ᵀ = I
  const Eigen::MatrixXd half = cholesky.solve_lower(a);
  EXPECT_LT((cholesky.solve_lower(half.transpose()) - Eigen::MatrixXd::Identity(3, 3)).norm(), round_off);
  const Eigen::VectorXd x = cholesky.solve_upper(cholesky.solve_lower(Eigen::VectorXd::Ones(3)));
  EXPECT_LT((a * x - Eigen::VectorXd::Ones(3)).norm(), 1e-12);
  EXPECT_FALSE(Cholesky(-a).positive_definite());
}

TEST(DenseAlgebra, LastColumnsOfQAreOrthogonalToTheMatrix) {
  const Eigen::MatrixXd tall = deficient().topRows(2).transpose();
  const PivotedQr pivoted = pivoted_qr(tall);
  EXPECT_EQ(pivoted.rank, 2);
  EXPECT_EQ(pivoted_qr(deficient().transpose()).rank, 2);
  for (const Eigen::MatrixXd& q : {orthogonal_factor(tall), pivoted.q}) {
    ASSERT_EQ(q.cols(), 4);
    EXPECT_LT((q.transpose() * q - Eigen::MatrixXd::Identity(4, 4)).norm(), round_off);
    EXPECT_LT((q.rightCols(2).transpose() * tall).norm(), round_off);
  }
}

TEST(DenseAlgebra, SingularValueDecomposition) {
  const Svd svd = full_svd(deficient());
  ASSERT_EQ(svd.u.cols(), 3);
  ASSERT_EQ(svd.v.cols(), 4);
  EXPECT_LT((svd.u.transpose() * svd.u - Eigen::MatrixXd::Identity(3, 3)).norm(), round_off);
  EXPECT_LT((svd.v.transpose() * svd.v - Eigen::MatrixXd::Identity(4, 4)).norm(), round_off);
  const Eigen::MatrixXd again = svd.u * svd.sigma.asDiagonal() * svd.v.leftCols(3).transpose();
  EXPECT_LT((again - deficient()).norm(), round_off);
  EXPECT_GE(svd.sigma[0], svd.sigma[1]);
  EXPECT_LT(svd.sigma[2], round_off);
  EXPECT_LT((singular_values(deficient()) - svd.sigma).norm(), round_off);
}

TEST(DenseAlgebra, EigenvaluesOfASymmetricMatrix) {
  const Eigen::MatrixXd a = square() + square().transpose();
  const SymmetricEigen eigen = symmetric_eigen(a);
  EXPECT_LT((a * eigen.vectors - eigen.vectors * eigen.values.asDiagonal()).norm(), round_off);
  EXPECT_LE(eigen.values[0], eigen.values[1]);
  EXPECT_LE(eigen.values[1], eigen.values[2]);
}

// λ = 1 ± 2i and 0.5
TEST(DenseAlgebra, SpectralRadiusOfAComplexPair) {
  Eigen::MatrixXd a(3, 3);
  a << 1, 2, 7, -2, 1, 3, 0, 0, 0.5;
  EXPECT_NEAR(spectral_radius(a), std::sqrt(5.0), round_off);
}

}  // namespace
}  // namespace daedalus
