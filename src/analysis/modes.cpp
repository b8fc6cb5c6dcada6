#include "analysis/modes.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace daedalus {
namespace {

constexpr std::size_t most_named = 3;  // states of a mode
constexpr double least_part = 0.05;    // of a mode that a state must have to be named

// Rows of V⁻¹ are the left eigenvectors. A defective matrix has no inverse; a pseudo-inverse then still says
// who is in the invariant subspace.
std::vector<Participation> dominant_of(const Eigen::MatrixXcd& right, const Eigen::MatrixXcd& left,
                                       Eigen::Index m) {
  std::vector<Participation> parts;
  double sum = 0;
  for (Eigen::Index i = 0; i < right.rows(); ++i) {
    const double part = std::abs(left(m, i) * right(i, m));
    sum += part;
    parts.push_back({.state = static_cast<int>(i), .part = part});
  }
  if (!(sum > 0)) return {};
  for (Participation& p : parts) p.part /= sum;
  std::ranges::stable_sort(parts, std::ranges::greater(), &Participation::part);
  std::erase_if(parts, [](const Participation& p) { return p.part < least_part; });
  if (parts.size() > most_named) parts.resize(most_named);
  return parts;
}

}  // namespace

std::vector<Mode> modes_of(const DenseMatrix& a) {
  std::vector<Mode> modes;
  if (a.rows == 0) return modes;
  const Eigen::Map<const Eigen::MatrixXd> matrix(a.values.data(), a.rows, a.columns);
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(matrix);
  const Eigen::MatrixXcd right = solver.eigenvectors();
  const Eigen::MatrixXcd left = right.completeOrthogonalDecomposition().pseudoInverse();
  for (Eigen::Index m = 0; m < right.cols(); ++m) {
    const std::complex<double> lambda = solver.eigenvalues()(m);
    const double size = std::abs(lambda);
    modes.push_back({.eigenvalue = lambda,
                     .frequency = std::abs(lambda.imag()) / (2 * std::numbers::pi),
                     .damping = size > 0 ? -lambda.real() / size : 0,
                     .dominant = dominant_of(right, left, m)});
  }
  std::ranges::stable_sort(
      modes, [](const Mode& x, const Mode& y) { return x.eigenvalue.real() > y.eigenvalue.real(); });
  return modes;
}

}  // namespace daedalus
