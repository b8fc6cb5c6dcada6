// Dense products and factorisations behind plain signatures.
//
// Eigen is templates all the way down: a singular value decomposition costs the compiler ten seconds in every
// file that names it. Here each is compiled once; who uses them includes no more of Eigen than its matrices.
#pragma once

#include <Eigen/Core>
#include <memory>

namespace daedalus {

[[nodiscard]] Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
[[nodiscard]] Eigen::VectorXd product(const Eigen::MatrixXd& a, const Eigen::VectorXd& x);
// Aᵀ B, Aᵀ x
[[nodiscard]] Eigen::MatrixXd transposed_product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
[[nodiscard]] Eigen::VectorXd transposed_product(const Eigen::MatrixXd& a, const Eigen::VectorXd& x);

// LU with partial pivoting, of a square matrix.
class Lu {
 public:
  explicit Lu(const Eigen::MatrixXd& a);
  ~Lu();
  Lu(const Lu&) = delete;
  Lu& operator=(const Lu&) = delete;

  // An estimate of 1/(|A| |A⁻¹|) in the 1-norm; 0 where a pivot is zero.
  [[nodiscard]] double rcond() const;
  [[nodiscard]] Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;

 private:
  struct Factors;
  std::unique_ptr<const Factors> factors_;
};

// LU with full pivoting: it tells the rank. A pivot counts when it exceeds `threshold` times the largest;
// without one, round-off times the size.
class RankRevealingLu {
 public:
  explicit RankRevealingLu(const Eigen::MatrixXd& a);
  RankRevealingLu(const Eigen::MatrixXd& a, double threshold);
  ~RankRevealingLu();
  RankRevealingLu(const RankRevealingLu&) = delete;
  RankRevealingLu& operator=(const RankRevealingLu&) = delete;

  [[nodiscard]] Eigen::Index rank() const;
  [[nodiscard]] bool invertible() const;
  // A basis of ker A from the echelon form, so that its vectors are sparse; no columns where A has full rank.
  [[nodiscard]] Eigen::MatrixXd kernel() const;
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& b) const;

 private:
  struct Factors;
  std::unique_ptr<const Factors> factors_;
};

// The x of least norm among those that make |A x - b| least (complete orthogonal decomposition). What is
// below `threshold` of the largest is not told from zero; without one, round-off times the size.
class LeastSquares {
 public:
  explicit LeastSquares(const Eigen::MatrixXd& a);
  LeastSquares(const Eigen::MatrixXd& a, double threshold);
  ~LeastSquares();
  LeastSquares(const LeastSquares&) = delete;
  LeastSquares& operator=(const LeastSquares&) = delete;

  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& b) const;

 private:
  struct Factors;
  std::unique_ptr<const Factors> factors_;
};

// A = L Lᵀ. Only the lower triangle of A is read.
class Cholesky {
 public:
  explicit Cholesky(const Eigen::MatrixXd& a);

  [[nodiscard]] bool positive_definite() const { return positive_definite_; }
  // L⁻¹ B, L⁻ᵀ x
  [[nodiscard]] Eigen::MatrixXd solve_lower(const Eigen::MatrixXd& b) const;
  [[nodiscard]] Eigen::VectorXd solve_upper(const Eigen::VectorXd& x) const;

 private:
  Eigen::MatrixXd lower_;
  bool positive_definite_;
};

// Powers of two that bring the rows of A to a length between 1 and 2, so that nothing is rounded; 1 for zero.
[[nodiscard]] Eigen::VectorXd row_scales(const Eigen::MatrixXd& a);

// The square Q of A = Q R; its last columns are orthogonal to the columns of A.
[[nodiscard]] Eigen::MatrixXd orthogonal_factor(const Eigen::MatrixXd& a);
// The same of A P = Q R with columns exchanged so that the rank shows.
struct PivotedQr {
  Eigen::MatrixXd q;
  Eigen::Index rank = 0;
};
[[nodiscard]] PivotedQr pivoted_qr(const Eigen::MatrixXd& a);

// A = U diag(σ) Vᵀ, σ falling; U and V square.
struct Svd {
  Eigen::MatrixXd u;
  Eigen::VectorXd sigma;
  Eigen::MatrixXd v;
};
[[nodiscard]] Svd full_svd(const Eigen::MatrixXd& a);
[[nodiscard]] Eigen::VectorXd singular_values(const Eigen::MatrixXd& a);

// Of a symmetric matrix: eigenvalues rising, eigenvectors as columns.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
[[nodiscard]] SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& a);

// The largest |λ| of a square matrix.
[[nodiscard]] double spectral_radius(const Eigen::MatrixXd& a);

}  // namespace daedalus
