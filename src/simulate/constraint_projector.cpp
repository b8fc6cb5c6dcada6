#include "simulate/constraint_projector.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

constexpr int iteration_limit = 20;
constexpr int dense_limit = 32;  // constraints

}  // namespace

ConstraintProjector::ConstraintProjector(const CompiledModel& model, const ConstrainedForm& form,
                                         const std::vector<KeptConstraint>& kept)
    : model_(model), form_(form), matrices_(model, form) {
  for (int level = 0; level < form.order; ++level) {
    LevelRows rows;
    rows.level = level;
    std::vector<NodeId> roots;
    for (const KeptConstraint& one : kept) {
      const FormConstraint& constraint = form.constraints[static_cast<std::size_t>(one.constraint)];
      if (constraint.level + one.times != level) continue;
      rows.constraints.push_back(one.constraint);
      roots.push_back(constraint.derivatives[static_cast<std::size_t>(one.times)]);
    }
    if (rows.constraints.empty()) continue;
    rows.residuals = model.compile(roots);
    levels_.push_back(std::move(rows));
  }
  residuals_.resize(static_cast<std::size_t>(form.ny()));
}

void ConstraintProjector::use_norm(Norm norm, Eigen::MatrixXd given) {
  norm_ = norm;
  given_ = std::move(given);
}

bool ConstraintProjector::project(std::span<double> environment) {
  return std::ranges::all_of(levels_,
                             [&](const LevelRows& rows) { return project_level(rows, environment); });
}

// [W Gᵀ; G -δ] [Δ; ν] = [0; c]
bool ConstraintProjector::sparse_step(const Eigen::VectorXd& c, Eigen::VectorXd& step) {
  if (saddle_ == nullptr) {
    saddle_ = std::make_unique<SaddleSolver>(
        matrices_, norm_ == Norm::Mass ? SaddleSolver::Top::Mass : SaddleSolver::Top::Identity,
        SaddleSolver::Right::ConstraintTransposed, 1e-13);
  }
  if (!saddle_->factor()) return false;
  std::vector<double> rhs(saddle_->size(), 0.0);
  std::ranges::copy(c, rhs.begin() + form_.n());
  saddle_->solve(rhs);
  step = Eigen::Map<const Eigen::VectorXd>(rhs.data(), form_.n());
  return step.allFinite();
}

bool ConstraintProjector::project_level(const LevelRows& rows, std::span<double> environment) {
  const auto count = static_cast<Eigen::Index>(rows.constraints.size());
  Eigen::MatrixXd g;
  if (count != form_.ny() || count <= dense_limit || norm_ == Norm::Given) g.resize(count, form_.n());
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < iteration_limit; ++iteration) {
    rows.residuals.evaluate(environment, std::span(residuals_).first(rows.constraints.size()), workspace_);
    const Eigen::Map<const Eigen::VectorXd> c(residuals_.data(), count);
    if (!c.allFinite()) return false;
    if (c.isZero(0)) return true;
    matrices_.evaluate(environment);
    const bool whole = count == form_.ny();
    // W = L Lᵀ: the step of least norm in Lᵀ Δ.
    Eigen::VectorXd step;
    if (whole && count > dense_limit && norm_ != Norm::Given) {
      if (!sparse_step(c, step)) return false;
    } else {
      const Eigen::MatrixXd all = matrices_.constraint();
      for (Eigen::Index r = 0; r < count; ++r)
        g.row(r) = all.row(rows.constraints[static_cast<std::size_t>(r)]);
    }
    if (step.size() > 0) {
      // Done, by the sparse way.
    } else if (norm_ == Norm::Identity) {
      step = g.completeOrthogonalDecomposition().solve(c);
    } else {
      const Eigen::LLT<Eigen::MatrixXd> w(norm_ == Norm::Mass ? matrices_.mass() : given_);
      const Eigen::MatrixXd scaled = w.matrixL().solve(g.transpose()).transpose();
      step = w.matrixU().solve(scaled.completeOrthogonalDecomposition().solve(c));
    }
    double size = 0;
    for (int i = 0; i < form_.n(); ++i) {
      double& x = environment[static_cast<std::size_t>(model_.slot(form_.x(i, rows.level)))];
      x -= step[i];
      size = std::max(size, std::abs(step[i]) / (1 + std::abs(x)));
    }
    if (!std::isfinite(size)) return false;
    // Velocity constraints are linear: the second step is round-off. A step that stops shrinking is, too.
    if (size < 1e-15 || (size < 1e-10 && size > 0.5 * last)) return true;
    last = size;
  }
  return last < 1e-8;
}

}  // namespace daedalus
