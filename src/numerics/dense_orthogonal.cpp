// Orthogonal factorisations: QR and singular values.
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "numerics/dense_algebra.hpp"
#include "numerics/rank_policy.hpp"

namespace daedalus {

struct LeastSquares::Factors {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
};

LeastSquares::LeastSquares(const Eigen::MatrixXd& a)
    : factors_(std::make_unique<Factors>(
          Factors{.decomposition = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(a)})) {}
LeastSquares::LeastSquares(const Eigen::MatrixXd& a, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(a.rows(), a.cols());
  decomposition.setThreshold(threshold);
  decomposition.compute(a);
  factors_ = std::make_unique<Factors>(Factors{.decomposition = std::move(decomposition)});
}
LeastSquares::~LeastSquares() = default;

Eigen::VectorXd LeastSquares::solve(const Eigen::VectorXd& b) const {
  return factors_->decomposition.solve(b);
}

Eigen::VectorXd row_scales(const Eigen::MatrixXd& a) {
  return a.rowwise().norm().unaryExpr(
      [](double length) { return length > 0 ? std::ldexp(1.0, -std::ilogb(length)) : 1.0; });
}

Eigen::MatrixXd orthogonal_factor(const Eigen::MatrixXd& a) {
  return Eigen::HouseholderQR<Eigen::MatrixXd>(a).householderQ();
}

PivotedQr pivoted_qr(const Eigen::MatrixXd& a) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(a);
  // A diagonal entry of R is the distance of its column from those before it.
  const Eigen::VectorXd lengths = (a * qr.colsPermutation()).colwise().norm();
  Eigen::Index rank = 0;
  for (Eigen::Index k = 0; k < std::min(a.rows(), a.cols()); ++k)
    rank += std::abs(qr.matrixR()(k, k)) > RankPolicy::gradient * lengths(k) ? 1 : 0;
  return {.q = qr.householderQ(), .rank = rank};
}

// Jacobi's method, not divide and conquer: that is faster beyond a hundred rows only, which nobody asks for,
// and costs the compiler three times as much.
Svd full_svd(const Eigen::MatrixXd& a) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {.u = svd.matrixU(), .sigma = svd.singularValues(), .v = svd.matrixV()};
}

Eigen::VectorXd singular_values(const Eigen::MatrixXd& a) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(a).singularValues();
}

}  // namespace daedalus
