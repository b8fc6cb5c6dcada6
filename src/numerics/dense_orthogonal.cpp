// Orthogonal factorisations: QR and singular values.
#include <Eigen/QR>
#include <Eigen/SVD>

#include "numerics/dense_algebra.hpp"

namespace daedalus {

struct LeastSquares::Factors {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
};

LeastSquares::LeastSquares(const Eigen::MatrixXd& a)
    : factors_(std::make_unique<Factors>(
          Factors{.decomposition = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(a)})) {}
LeastSquares::~LeastSquares() = default;

Eigen::VectorXd LeastSquares::solve(const Eigen::VectorXd& b) const {
  return factors_->decomposition.solve(b);
}

Eigen::MatrixXd orthogonal_factor(const Eigen::MatrixXd& a) {
  return Eigen::HouseholderQR<Eigen::MatrixXd>(a).householderQ();
}

PivotedQr pivoted_qr(const Eigen::MatrixXd& a) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(a);
  return {.q = qr.householderQ(), .rank = qr.rank()};
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
