#include "numerics/tangent.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using View = Eigen::Map<const MatrixXd>;

// Rows and columns have entries of size one when rank is decided. Derivatives are exact but for rounding, and
// an elimination loses a few digits more: what is left of a dependent row is some 1e-14, of an independent
// one of a mechanism near a singular pose more than 1e-9.
constexpr double rank_tolerance = 1e-10;
// An unknown is open if a direction in which nothing changes moves it by more than this part of its size.
constexpr double open_tolerance = 1e-8;
// Inputs have derivatives of size one: more than this of them that nothing answers to is a contradiction.
constexpr double input_tolerance = 1e-8;
// Each pass halves the digits by which entries differ from one: twelve decades are one within a factor of
// two.
constexpr int scaling_passes = 6;

View view(const DenseMatrix& m) {
  return {m.values.data(), m.rows, m.columns};
}

int first_row_not_finite(const MatrixXd& a, const MatrixXd& b) {
  for (Eigen::Index r = 0; r < a.rows(); ++r) {
    if (!a.row(r).allFinite() || !b.row(r).allFinite()) return static_cast<int>(r);
  }
  return -1;
}

MatrixXd columns_of(const MatrixXd& from, const std::vector<int>& columns) {
  MatrixXd part(from.rows(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k)
    part.col(static_cast<Eigen::Index>(k)) = from.col(columns[k]);
  return part;
}

void put_rows(MatrixXd& to, const std::vector<int>& rows, const MatrixXd& part) {
  for (std::size_t k = 0; k < rows.size(); ++k) to.row(rows[k]) = part.row(static_cast<Eigen::Index>(k));
}

class TangentFinder {
 public:
  explicit TangentFinder(const TangentProblem& problem)
      : problem_(problem), jacobian_(view(problem.jacobian)), input_(view(problem.input_jacobian)) {}

  Tangent find() {
    out_.row = first_row_not_finite(jacobian_, input_);
    if (out_.row >= 0) {
      out_.status = TangentStatus::NotFinite;
      return std::move(out_);
    }
    scale();
    separate();
    if (!choose_states()) {
      out_.status = TangentStatus::InputsHeld;
      return std::move(out_);
    }
    solve_for_highest();
    return std::move(out_);
  }

 private:
  // Rows and columns to the size one, beginning with the unknowns' typical sizes (Ruiz, 2001: both by the
  // roots of their largest entries, again and again), so that nothing depends on units.
  void scale() {
    size_ = Eigen::Map<const VectorXd>(problem_.size.data(), jacobian_.cols());
    jacobian_ = jacobian_ * size_.asDiagonal();
    for (int pass = 0; pass < scaling_passes; ++pass) {
      for (Eigen::Index r = 0; r < jacobian_.rows(); ++r) {
        const double root = std::sqrt(jacobian_.row(r).lpNorm<Eigen::Infinity>());
        if (!(root > 0)) continue;
        jacobian_.row(r) /= root;
        input_.row(r) /= root;
      }
      for (Eigen::Index c = 0; c < jacobian_.cols(); ++c) {
        const double root = std::sqrt(jacobian_.col(c).lpNorm<Eigen::Infinity>());
        if (!(root > 0)) continue;
        jacobian_.col(c) /= root;
        size_(c) /= root;
      }
    }
    for (Eigen::Index u = 0; u < input_.cols(); ++u) {
      const double largest = input_.col(u).lpNorm<Eigen::Infinity>();
      input_size_.push_back(largest > 0 ? largest : 1);
      input_.col(u) /= input_size_.back();
    }
  }

  void separate() {
    for (int c = 0; c < problem_.jacobian.columns; ++c)
      (problem_.highest[static_cast<std::size_t>(c)] ? highest_ : lower_).push_back(c);
    high_ = columns_of(jacobian_, highest_);
    low_ = columns_of(jacobian_, lower_);
  }

  // K δc = -K_u δu, and which of c follow from the others.
  bool choose_states() {
    Eigen::ColPivHouseholderQR<MatrixXd> qr;
    Eigen::Index rank = 0;
    MatrixXd constraints = low_;
    MatrixXd by_input = input_;
    if (high_.cols() > 0 && high_.rows() > 0) {
      qr.setThreshold(rank_tolerance);
      qr.compute(high_);
      rank = qr.rank();
      constraints.applyOnTheLeft(qr.householderQ().adjoint());
      by_input.applyOnTheLeft(qr.householderQ().adjoint());
    }
    const Eigen::Index rows = jacobian_.rows() - rank;
    const MatrixXd k = constraints.bottomRows(rows);
    const MatrixXd k_u = by_input.bottomRows(rows);
    directions_ = MatrixXd::Zero(low_.cols(), 0);
    return follow(k, k_u);
  }

  // The columns of K that follow: of each order as many as the rows left allow, the largest pivots first.
  [[nodiscard]] std::vector<int> followers_in(MatrixXd k) const {
    std::vector<int> followers;
    int highest_order = 0;
    for (const int c : lower_) highest_order = std::max(highest_order, order_of(c));
    for (int order = highest_order; order >= 0 && k.rows() > 0; --order) {
      std::vector<int> columns;
      for (std::size_t c = 0; c < lower_.size(); ++c) {
        if (order_of(lower_[c]) == order) columns.push_back(static_cast<int>(c));
      }
      if (columns.empty()) continue;
      const Eigen::ColPivHouseholderQR<MatrixXd> qr(columns_of(k, columns));
      // Against the rows as they were, not against K: where nothing but rounding is left there is no
      // constraint.
      const VectorXd diagonal = qr.matrixR().diagonal().cwiseAbs();
      Eigen::Index rank = 0;
      while (rank < diagonal.size() && diagonal(rank) > rank_tolerance) ++rank;
      for (Eigen::Index c = 0; c < rank; ++c)
        followers.push_back(columns[static_cast<std::size_t>(qr.colsPermutation().indices()(c))]);
      k.applyOnTheLeft(qr.householderQ().adjoint());
      k = MatrixXd(k.bottomRows(k.rows() - rank));
    }
    std::ranges::sort(followers);
    return followers;
  }

  bool follow(const MatrixXd& k, const MatrixXd& k_u) {
    const Eigen::Index inputs = input_.cols();
    const std::vector<int> followers = followers_in(k);
    std::vector<int> states;
    for (int c = 0; c < static_cast<int>(lower_.size()); ++c) {
      if (!std::ranges::binary_search(followers, c)) states.push_back(c);
    }
    out_.redundant = static_cast<int>(k.rows()) - static_cast<int>(followers.size());
    const auto n = static_cast<Eigen::Index>(states.size());
    directions_ = MatrixXd::Zero(low_.cols(), n + inputs);
    for (Eigen::Index s = 0; s < n; ++s) directions_(states[static_cast<std::size_t>(s)], s) = 1;
    if (k.rows() > 0) {
      const MatrixXd k_f = columns_of(k, followers);
      MatrixXd right(k.rows(), n + inputs);
      right << columns_of(k, states), k_u;
      MatrixXd found = MatrixXd::Zero(k_f.cols(), right.cols());
      if (!followers.empty()) found = -k_f.colPivHouseholderQr().solve(right);
      put_rows(directions_, followers, found);
      if (inputs > 0) {
        const MatrixXd left = (k_f * found + right).rightCols(inputs);
        if (left.cwiseAbs().maxCoeff() > input_tolerance) {
          out_.row = row_with_input();
          return false;
        }
        out_.constrains_inputs = k_u.cwiseAbs().maxCoeff() > rank_tolerance;
      }
    }
    for (const int s : states) out_.states.push_back(lower_[static_cast<std::size_t>(s)]);
    return true;
  }

  [[nodiscard]] int order_of(int column) const { return problem_.order[static_cast<std::size_t>(column)]; }

  [[nodiscard]] int row_with_input() const {
    Eigen::Index row = 0;
    (void)input_.cwiseAbs().rowwise().maxCoeff().maxCoeff(&row);
    return static_cast<int>(row);
  }

  void solve_for_highest() {
    const Eigen::Index n = directions_.cols() - input_.cols();
    MatrixXd right = low_ * directions_;
    right.rightCols(input_.cols()) += input_;
    const int total = problem_.jacobian.columns;
    MatrixXd all = MatrixXd::Zero(total, directions_.cols());
    put_rows(all, lower_, directions_);
    out_.open.assign(static_cast<std::size_t>(total), false);
    if (high_.cols() > 0) {
      Eigen::CompleteOrthogonalDecomposition<MatrixXd> cod;
      cod.setThreshold(rank_tolerance);
      cod.compute(high_);
      put_rows(all, highest_, -cod.solve(right));
      mark_open(cod);
    }
    all = size_.asDiagonal() * all;
    for (Eigen::Index s = 0; s < n; ++s) all.col(s) /= size_(out_.states[static_cast<std::size_t>(s)]);
    for (Eigen::Index u = 0; u < input_.cols(); ++u)
      all.col(n + u) *= input_size_[static_cast<std::size_t>(u)];
    out_.directions = DenseMatrix(total, static_cast<int>(all.cols()));
    std::ranges::copy(all.reshaped(), out_.directions.values.begin());
  }

  // The null space of J_h: what a combination of highest levels may do without anybody noticing.
  void mark_open(const Eigen::CompleteOrthogonalDecomposition<MatrixXd>& cod) {
    const Eigen::Index null = high_.cols() - cod.rank();
    if (null == 0) return;
    MatrixXd basis = MatrixXd::Zero(high_.cols(), null);
    basis.bottomRows(null).setIdentity();
    basis.applyOnTheLeft(cod.matrixZ().adjoint());
    basis = cod.colsPermutation() * basis;
    for (std::size_t h = 0; h < highest_.size(); ++h) {
      out_.open[static_cast<std::size_t>(highest_[h])] =
          basis.row(static_cast<Eigen::Index>(h)).cwiseAbs().maxCoeff() > open_tolerance;
    }
  }

  const TangentProblem& problem_;
  MatrixXd jacobian_, input_, high_, low_, directions_;
  VectorXd size_;  // of the unknowns
  std::vector<double> input_size_;
  std::vector<int> highest_, lower_;
  Tangent out_;
};

}  // namespace

Tangent tangent_of(const TangentProblem& problem) {
  return TangentFinder(problem).find();
}

}  // namespace daedalus
