#include "constraints/basis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "numerics/dense_algebra.hpp"
#include "numerics/eigen_state.hpp"
#include "reform/column_choice.hpp"

namespace daedalus {
namespace {

// A tangent basis that is not renewed each step is when [G; Aᵀ] has lost this much: the sine of the angle
// between range A and ker G.
constexpr double worn_out = 0.5;

}  // namespace

Basis::Basis(const ConstrainedForm& form, const Parametrisation& parametrisation, std::size_t which,
             double threshold, bool every_step)
    : form_(form),
      policy_(parametrisation.policy),
      rows_(parametrisation.bases[which]),
      threshold_(threshold),
      every_step_(every_step),
      a_(Eigen::MatrixXd::Zero(form.n(), rows_.columns)) {
  if (policy_ != BasisPolicy::Fixed) return;
  for (Eigen::Index i = 0; i < a_.rows(); ++i) {
    for (Eigen::Index c = 0; c < a_.cols(); ++c)
      a_(i, c) = parametrisation.fixed[static_cast<std::size_t>((i * a_.cols()) + c)];
  }
}

bool Basis::update(const Eigen::MatrixXd& constraint) {
  trouble_.clear();
  if (!used()) return false;
  Eigen::MatrixXd g(count(), form_.n());
  for (Eigen::Index r = 0; r < count(); ++r)
    g.row(r) = constraint.row(rows_.constraints[static_cast<std::size_t>(r)]);
  return policy_ == BasisPolicy::Coordinates ? choose_coordinates(g) : choose_tangent(g);
}

// ny columns of G of nearly maximal volume are the dependent coordinates; A selects the others.
bool Basis::choose_coordinates(const Eigen::MatrixXd& constraint) {
  std::vector<MatrixEntry> entries;
  for (int r = 0; r < constraint.rows(); ++r) {
    for (int c = 0; c < constraint.cols(); ++c) {
      if (constraint(r, c) != 0) entries.push_back({.row = r, .column = c, .value = constraint(r, c)});
    }
  }
  const ColumnChoice choice = choose_columns(static_cast<int>(count()), form_.n(), entries, dependent_,
                                             dependent_.empty() ? 1.05 : threshold_);
  if (choice.columns.empty()) {
    trouble_ =
        "the constraints are redundant or singular there: no choice of dependent coordinates is regular";
    return false;
  }
  if (choice.columns == dependent_) return false;
  dependent_ = choice.columns;
  a_.setZero();
  int column = 0;
  for (int i = 0; i < form_.n(); ++i) {
    if (!std::ranges::binary_search(dependent_, i)) a_(i, column++) = 1;
  }
  return true;
}

// The last columns of Q in Gᵀ = QR are an orthonormal basis of ker G. It is turned as near as possible to the
// one before (orthogonal Procrustes problem), so that A moves no more than ker G does.
bool Basis::choose_tangent(const Eigen::MatrixXd& constraint) {
  const bool first = a_.isZero(0);
  if (!first && !every_step_) {
    const Eigen::MatrixXd kernel = orthogonal_factor(constraint.transpose()).rightCols(rows_.columns);
    if (singular_values(transposed_product(kernel, a_)).minCoeff() > worn_out) return false;
  }
  const PivotedQr qr = pivoted_qr(constraint.transpose());
  if (qr.rank < count()) {
    trouble_ = "the constraints are redundant or singular there: ker G is larger than the degrees of freedom";
    return false;
  }
  Eigen::MatrixXd kernel = qr.q.rightCols(rows_.columns);
  if (!first) {
    const Svd svd = full_svd(transposed_product(kernel, a_));
    kernel = product(product(kernel, svd.u), Eigen::MatrixXd(svd.v.transpose()));
  }
  a_ = kernel;
  return true;
}

void Basis::state(Archive& archive) {
  archive.section("basis", 1);
  archive(dependent_, trouble_);
  state_of(archive, a_, form_.n(), rows_.columns);
  for (const int i : dependent_) archive.require(i >= 0 && i < form_.n(), "a coordinate that there is not");
}

}  // namespace daedalus
