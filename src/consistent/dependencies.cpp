// Which constraints depend on each other: the diagnosis behind "over-specified" and "contradict".
#include <algorithm>
#include <cmath>

#include "consistent/nearest_point.hpp"
#include "consistent/tolerances.hpp"
#include "numerics/dense_algebra.hpp"

namespace daedalus {
namespace {

// Rows or unknowns: 50 MB a matrix, and some seconds for a sentence in a message. Larger models do without.
constexpr int dense_limit = 2500;

struct DenseView {
  Eigen::MatrixXd all;        // scaled columns, every unknown
  std::vector<int> free;      // columns not held
  std::vector<double> scale;  // of rows
};

DenseView dense_jacobian(const ConstraintFunction& constraints, const NearestProblem& problem,
                         std::span<const double> z) {
  std::vector<double> values(constraints.row.size());
  constraints.jacobian(z, values);
  DenseView view;
  view.all = Eigen::MatrixXd::Zero(constraints.rows, constraints.columns);
  for (int column = 0; column < constraints.columns; ++column) {
    if (!problem.held[static_cast<std::size_t>(column)]) view.free.push_back(column);
    for (int k = constraints.column_start[static_cast<std::size_t>(column)];
         k < constraints.column_start[static_cast<std::size_t>(column) + 1]; ++k) {
      view.all(constraints.row[static_cast<std::size_t>(k)], column) =
          values[static_cast<std::size_t>(k)] * problem.scale[static_cast<std::size_t>(column)];
    }
  }
  for (long r = 0; r < view.all.rows(); ++r) {
    const double largest = view.all.row(r).cwiseAbs().maxCoeff();
    const double rounding = problem.rounding.empty()
                                ? 0
                                : consistent::within_rounding * problem.rounding[static_cast<std::size_t>(r)];
    const bool empty = largest <= rounding;
    view.scale.push_back(empty ? 1 : 1 / largest);
    if (empty) {
      view.all.row(r).setZero();
    } else {
      view.all.row(r) *= view.scale.back();
    }
  }
  return view;
}

}  // namespace

std::vector<Dependency> find_dependencies(const ConstraintFunction& constraints,
                                          const NearestProblem& problem, std::span<const double> z) {
  if (constraints.rows > dense_limit || constraints.columns > dense_limit) return {};
  const DenseView view = dense_jacobian(constraints, problem, z);
  if (!view.all.allFinite()) return {};
  std::vector<double> c(static_cast<std::size_t>(constraints.rows));
  constraints.residual(z, c);
  Eigen::MatrixXd kernel;
  if (view.free.empty()) {
    kernel = Eigen::MatrixXd::Identity(constraints.rows, constraints.rows);
  } else {
    Eigen::MatrixXd transposed(static_cast<long>(view.free.size()), constraints.rows);
    for (std::size_t k = 0; k < view.free.size(); ++k)
      transposed.row(static_cast<long>(k)) = view.all.col(view.free[k]).transpose();
    const RankRevealingLu lu(transposed, consistent::dependency_rank);
    if (lu.rank() == constraints.rows) return {};
    kernel = lu.kernel();
  }
  std::vector<Dependency> result;
  for (long k = 0; k < kernel.cols(); ++k) {
    Eigen::VectorXd u = kernel.col(k);
    u /= u.cwiseAbs().maxCoeff();
    Dependency dependency;
    Eigen::VectorXd influence = Eigen::VectorXd::Zero(constraints.columns);
    for (long r = 0; r < u.size(); ++r) {
      if (std::abs(u(r)) < consistent::dependency_rank) continue;
      dependency.rows.push_back(static_cast<int>(r));
      dependency.factors.push_back(u(r) * view.scale[static_cast<std::size_t>(r)]);
      dependency.defect += u(r) * view.scale[static_cast<std::size_t>(r)] * c[static_cast<std::size_t>(r)];
      influence += u(r) * view.all.row(r).transpose();
    }
    // The defect is told in units of the equation that counts most.
    double largest = 0;
    for (const double factor : dependency.factors) largest = std::max(largest, std::abs(factor));
    for (double& factor : dependency.factors) factor /= largest;
    dependency.defect /= largest;
    for (int column = 0; column < constraints.columns; ++column) {
      if (problem.held[static_cast<std::size_t>(column)] &&
          std::abs(influence(column)) > consistent::dependency_rank)
        dependency.held.push_back(column);
    }
    result.push_back(std::move(dependency));
  }
  return result;
}

}  // namespace daedalus
