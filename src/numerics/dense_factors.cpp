// Products, LU and Cholesky factorisations.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "numerics/dense_algebra.hpp"

namespace daedalus {

Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a * b;
}
Eigen::VectorXd product(const Eigen::MatrixXd& a, const Eigen::VectorXd& x) {
  return a * x;
}
Eigen::MatrixXd transposed_product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.transpose() * b;
}
Eigen::VectorXd transposed_product(const Eigen::MatrixXd& a, const Eigen::VectorXd& x) {
  return a.transpose() * x;
}

struct Lu::Factors {
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
};

Lu::Lu(const Eigen::MatrixXd& a)
    : factors_(std::make_unique<Factors>(Factors{.lu = Eigen::PartialPivLU<Eigen::MatrixXd>(a)})) {}
Lu::~Lu() = default;

// Eigen's estimate solves with the factors, and a zero on the right hides a pivot that is zero.
double Lu::rcond() const {
  if ((factors_->lu.matrixLU().diagonal().array() == 0).any()) return 0;
  const double estimate = factors_->lu.rcond();
  return std::isfinite(estimate) ? estimate : 0;
}
Eigen::MatrixXd Lu::solve(const Eigen::MatrixXd& b) const {
  return factors_->lu.solve(b);
}

struct RankRevealingLu::Factors {
  Eigen::FullPivLU<Eigen::MatrixXd> lu;
};

RankRevealingLu::RankRevealingLu(const Eigen::MatrixXd& a)
    : factors_(std::make_unique<Factors>(Factors{.lu = Eigen::FullPivLU<Eigen::MatrixXd>(a)})) {}
RankRevealingLu::RankRevealingLu(const Eigen::MatrixXd& a, double threshold) {
  auto factors = std::make_unique<Factors>(Factors{.lu = Eigen::FullPivLU<Eigen::MatrixXd>(a)});
  factors->lu.setThreshold(threshold);
  factors_ = std::move(factors);
}
RankRevealingLu::~RankRevealingLu() = default;

Eigen::Index RankRevealingLu::rank() const {
  return factors_->lu.rank();
}
bool RankRevealingLu::invertible() const {
  return factors_->lu.isInvertible();
}
Eigen::MatrixXd RankRevealingLu::kernel() const {
  // Eigen gives one column of zeros for the kernel {0}.
  if (factors_->lu.dimensionOfKernel() == 0) return {factors_->lu.cols(), 0};
  return factors_->lu.kernel();
}
Eigen::VectorXd RankRevealingLu::solve(const Eigen::VectorXd& b) const {
  return factors_->lu.solve(b);
}

Cholesky::Cholesky(const Eigen::MatrixXd& a) {
  const Eigen::LLT<Eigen::MatrixXd> llt(a);
  positive_definite_ = llt.info() == Eigen::Success;
  lower_ = llt.matrixL();
}
Eigen::MatrixXd Cholesky::solve_lower(const Eigen::MatrixXd& b) const {
  return lower_.triangularView<Eigen::Lower>().solve(b);
}
Eigen::VectorXd Cholesky::solve_upper(const Eigen::VectorXd& x) const {
  return lower_.transpose().triangularView<Eigen::Upper>().solve(x);
}

}  // namespace daedalus
