// Eigenvalues.
#include <Eigen/Eigenvalues>

#include "numerics/dense_algebra.hpp"

namespace daedalus {

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(a);
  return {.values = eigen.eigenvalues(), .vectors = eigen.eigenvectors()};
}

double spectral_radius(const Eigen::MatrixXd& a) {
  return Eigen::EigenSolver<Eigen::MatrixXd>(a, false).eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace daedalus
