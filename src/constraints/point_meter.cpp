#include "constraints/point_meter.hpp"

#include <cmath>
#include <limits>

#include "expr/derivative.hpp"
#include "numerics/dense_algebra.hpp"
#include "numerics/rank_policy.hpp"

namespace daedalus {
namespace {

constexpr Eigen::Index most_states = 250;  // of the frozen motion; beyond, eigenvalues cost too much

// Rows of length 1: a constraint in other units is the same constraint.
Eigen::MatrixXd with_unit_rows(Eigen::MatrixXd matrix) {
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    const double length = matrix.row(i).norm();
    if (length > 0) matrix.row(i) /= length;
  }
  return matrix;
}

double largest_singular_value(const Eigen::MatrixXd& matrix) {
  if (matrix.size() == 0) return 0;
  return matrix.allFinite() ? singular_values(matrix)[0] : std::numeric_limits<double>::infinity();
}

// An orthonormal basis of ker A, and A⁺.
struct NullSpace {
  Eigen::MatrixXd basis;
  Eigen::MatrixXd pseudo_inverse;
};

NullSpace null_space(const Eigen::MatrixXd& a) {
  NullSpace result;
  const Svd svd = full_svd(a);
  const Eigen::VectorXd& sigma = svd.sigma;
  Eigen::Index rank = 0;
  while (rank < sigma.size() && sigma[rank] > RankPolicy::gradient * sigma[0]) ++rank;
  result.basis = svd.v.rightCols(a.cols() - rank);
  result.pseudo_inverse = product(svd.v.leftCols(rank) * sigma.head(rank).cwiseInverse().asDiagonal(),
                                  Eigen::MatrixXd(svd.u.leftCols(rank).transpose()));
  return result;
}

}  // namespace

PointMeter::PointMeter(const CompiledModel& model, const ConstrainedForm& form)
    : model_(model), form_(form), matrices_(model, form) {
  TimeDerivative derivative(form.graph());
  std::vector<NodeId> roots;
  for (const SymbolicEntry& entry : form.constraint.entries) roots.push_back(derivative(entry.value));
  turning_ = model.compile(roots);
  turning_values_.resize(roots.size());
  const LevelSystem& levels = model.levels();
  std::vector<int> row_of(form.system().equations.size(), -1);
  for (std::size_t r = 0; r < levels.equations.size(); ++r) {
    if (levels.equations[r].level == 0)
      row_of[static_cast<std::size_t>(levels.equations[r].equation)] = static_cast<int>(r);
  }
  for (const int equation : form.dynamics)
    dynamics_rows_.push_back(row_of[static_cast<std::size_t>(equation)]);
  for (const int equation : form.companion_equations)
    companion_rows_.push_back(row_of[static_cast<std::size_t>(equation)]);
  position_levels_.resize(static_cast<std::size_t>(form.order) + 1);
  for (int k = 0; k <= form.order; ++k) {
    for (int i = 0; i < form.n(); ++i)
      position_levels_[static_cast<std::size_t>(k)].push_back(levels.level_of(form.x(i, k)));
  }
  for (const Companion& companion : form.companions) {
    std::vector<int> columns;
    for (int k = 0; k <= companion.order; ++k)
      columns.push_back(levels.level_of(form.graph().variable(companion.variable, k)));
    companion_levels_.push_back(std::move(columns));
  }
  jacobian_values_.resize(model.jacobian().row.size());
  column_scale_ = Eigen::VectorXd::Ones(form.n());
  for (int i = 0; i < form.n(); ++i) {
    const Variable& x = form.system().variables[form.positions[static_cast<std::size_t>(i)].at()];
    if (x.has_nominal && x.nominal != 0 && std::isfinite(x.nominal)) column_scale_[i] = std::abs(x.nominal);
  }
}

void PointMeter::evaluate(std::span<const double> environment) {
  matrices_.evaluate(environment);
  mass_ = matrices_.mass();
  b_ = matrices_.input();
  g_ = matrices_.constraint();
  scale_dynamics();
  const Lu lu(mass_);
  mass_singular_ = !mass_.allFinite() || !(lu.rcond() > RankPolicy::mass);
  schur_ = product(g_, mass_singular_ ? Eigen::MatrixXd(g_.transpose()) : lu.solve(b_));
}

// An equation of motion in other units is the same equation, and a position in other units the same position.
void PointMeter::scale_dynamics() {
  row_scale_ = Eigen::VectorXd::Ones(mass_.rows());
  for (Eigen::Index i = 0; i < mass_.rows(); ++i) {
    const double largest = (mass_.row(i) * column_scale_.asDiagonal()).cwiseAbs().maxCoeff();
    if (largest > 0 && std::isfinite(largest)) row_scale_[i] = 1 / largest;
  }
  mass_ = row_scale_.asDiagonal() * mass_ * column_scale_.asDiagonal();
  b_ = row_scale_.asDiagonal() * b_;
  g_ = g_ * column_scale_.asDiagonal();
}

PointMeasure PointMeter::measure(std::span<const double> environment) {
  evaluate(environment);
  PointMeasure found;
  if (!mass_.allFinite() || !b_.allFinite() || !g_.allFinite()) return found;
  // As it is written, unless only its rows have very different units.
  Eigen::VectorXd sigma = singular_values(matrices_.mass());
  if (!(sigma[sigma.size() - 1] > RankPolicy::mass * sigma[0])) sigma = singular_values(mass_);
  found.mass_condition = sigma[sigma.size() - 1] > RankPolicy::mass * sigma[0]
                             ? sigma[0] / sigma[sigma.size() - 1]
                             : std::numeric_limits<double>::infinity();
  // S: ker G. The rows of `left` are orthogonal to B, so that R = (left M S)⁻¹ left M has R M⁻¹B = 0 and
  // R S = I, as in Ascher, Petzold 1993 (2.4), (2.10).
  const Eigen::MatrixXd unit = with_unit_rows(g_);
  const NullSpace free = null_space(unit);
  const Eigen::MatrixXd left = null_space(with_unit_rows(b_.transpose())).basis.transpose();
  const Eigen::MatrixXd& s = free.basis;
  if (s.cols() == 0 || left.rows() != s.cols()) return found;
  const Eigen::MatrixXd left_mass = product(left, mass_);
  const Lu reduced_mass(product(left_mass, s));
  if (!(reduced_mass.rcond() > RankPolicy::mass)) {
    found.obliqueness = std::numeric_limits<double>::infinity();
    return found;
  }
  const Eigen::MatrixXd r = reduced_mass.solve(left_mass);
  found.obliqueness = largest_singular_value(r);

  // S' = -G⁺ Ġ S for the basis that turns least; R'S = -R S' because R S = I. In the motion
  // u^(m) = … + (m R'S) u^(m-1) + …, Ascher, Petzold 1993 (2.13).
  const Eigen::MatrixXd turned = product(product(free.pseudo_inverse, turning(environment)), s);
  found.constraint_speed = largest_singular_value(turned);
  found.coupling = form_.order * largest_singular_value(product(r, turned));

  evaluate_jacobian(environment);
  find_eigenvalues(left, s, found);
  return found;
}

// Ġ, its rows scaled as those of G are.
Eigen::MatrixXd PointMeter::turning(std::span<const double> environment) {
  turning_.evaluate(environment, turning_values_, workspace_);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(g_.rows(), g_.cols());
  for (std::size_t k = 0; k < turning_values_.size(); ++k) {
    const SymbolicEntry& entry = form_.constraint.entries[k];
    matrix(entry.row, entry.column) = turning_values_[k] * column_scale_[entry.column];
  }
  for (Eigen::Index i = 0; i < g_.rows(); ++i) {
    const double length = g_.row(i).norm();
    if (length > 0) matrix.row(i) /= length;
  }
  return matrix;
}

void PointMeter::evaluate_jacobian(std::span<const double> environment) {
  model_.jacobian().evaluate(environment, jacobian_values_, jacobian_workspace_);
  jacobian_ = Eigen::MatrixXd::Zero(model_.equation_count(), model_.level_count());
  for (int column = 0; column < model_.level_count(); ++column) {
    for (int k = model_.jacobian().column_start[static_cast<std::size_t>(column)];
         k < model_.jacobian().column_start[static_cast<std::size_t>(column) + 1]; ++k) {
      jacobian_(model_.jacobian().row[static_cast<std::size_t>(k)], column) =
          jacobian_values_[static_cast<std::size_t>(k)];
    }
  }
  for (const std::vector<int>& columns : position_levels_) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      jacobian_.col(columns[i]) *= column_scale_[static_cast<Eigen::Index>(i)];
  }
  for (std::size_t i = 0; i < dynamics_rows_.size(); ++i)
    jacobian_.row(dynamics_rows_[i]) *= row_scale_[static_cast<Eigen::Index>(i)];
}

// The motion u, z with x = S u, S fixed, the multipliers eliminated by `left`; the companions z come along:
//
//   left (D_m S u^(m) + … + D_0 S u + …) = 0,   C_(m-1) S u^(m-1) + … + (companions) = 0.
//
// Highest levels: u^(m), then of each companion. States: u, u', … u^(m-1), then of each companion.
PointMeter::Pencil PointMeter::frozen_pencil(const Eigen::MatrixXd& left,
                                             const Eigen::MatrixXd& kernel) const {
  const Eigen::Index nu = kernel.cols();
  const Eigen::Index rows = nu + static_cast<Eigen::Index>(companion_rows_.size());
  const auto block = [&](const std::vector<int>& columns) {
    Eigen::MatrixXd both(rows, static_cast<Eigen::Index>(columns.size()));
    both << product(left, Eigen::MatrixXd(jacobian_(dynamics_rows_, columns))),
        jacobian_(companion_rows_, columns);
    return both;
  };
  Pencil pencil{.top = Eigen::MatrixXd::Zero(rows, rows), .low = Eigen::MatrixXd::Zero(rows, states(nu))};
  pencil.top.leftCols(nu) = product(block(position_levels_.back()), kernel);
  Eigen::Index at = 0;
  for (std::size_t k = 0; k + 1 < position_levels_.size(); ++k, at += nu)
    pencil.low.middleCols(at, nu) = product(block(position_levels_[k]), kernel);
  for (std::size_t c = 0; c < companion_levels_.size(); ++c) {
    const std::vector<int>& columns = companion_levels_[c];
    pencil.top.col(nu + static_cast<Eigen::Index>(c)) = block({columns.back()});
    for (std::size_t k = 0; k + 1 < columns.size(); ++k) pencil.low.col(at++) = block({columns[k]});
  }
  return pencil;
}

Eigen::Index PointMeter::states(Eigen::Index free) const {
  Eigen::Index count = free * form_.order;
  for (const Companion& companion : form_.companions) count += companion.order;
  return count;
}

// The largest and the smallest |λ|. They stay zero where there are too many states to say.
void PointMeter::find_eigenvalues(const Eigen::MatrixXd& left, const Eigen::MatrixXd& kernel,
                                  PointMeasure& found) const {
  const Eigen::Index nu = kernel.cols();
  const Eigen::Index size = states(nu);
  if (size == 0 || size > most_states || companion_rows_.size() != companion_levels_.size()) return;
  const Pencil pencil = frozen_pencil(left, kernel);
  const Lu lu(pencil.top);
  if (!pencil.top.allFinite() || !pencil.low.allFinite() ||
      !(lu.rcond() > RankPolicy::mass * RankPolicy::mass))
    return;
  const Eigen::MatrixXd highest = -lu.solve(pencil.low);
  Eigen::MatrixXd motion = Eigen::MatrixXd::Zero(size, size);
  Eigen::Index at = nu * (form_.order - 1);
  for (Eigen::Index k = 0; k < at; ++k) motion(k, k + nu) = 1;
  motion.middleRows(at, nu) = highest.topRows(nu);
  at += nu;
  for (std::size_t c = 0; c < companion_levels_.size(); ++c) {
    const auto order = static_cast<Eigen::Index>(companion_levels_[c].size()) - 1;
    for (Eigen::Index k = 0; k + 1 < order; ++k) motion(at + k, at + k + 1) = 1;
    if (order > 0) motion.row(at + order - 1) = highest.row(nu + static_cast<Eigen::Index>(c));
    at += order;
  }
  if (!motion.allFinite()) return;
  found.stiffness = spectral_radius(motion);
  const Lu inverse(motion);
  if (inverse.rcond() > RankPolicy::mass)
    found.slowest = 1 / spectral_radius(inverse.solve(Eigen::MatrixXd::Identity(size, size)));
}

}  // namespace daedalus
