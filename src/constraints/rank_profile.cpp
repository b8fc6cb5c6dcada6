#include "constraints/rank_profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "constraints/constraint_projector.hpp"
#include "numerics/dense_algebra.hpp"
#include "numerics/rank_policy.hpp"
#include "saddle/pairing.hpp"

namespace daedalus {
namespace {

constexpr double aside = 1e-3;    // how far the nearby point is, relative
constexpr double involved = 0.1;  // of the largest entry of a singular vector: a constraint is named
// Of the largest mass in a row: a diagonal entry that makes the row that of its own position.
constexpr double own_mass = 0.5;

Eigen::VectorXd inverse_roots(const Eigen::VectorXd& sizes) {
  return sizes.unaryExpr([](double value) { return value > 0 ? 1 / std::sqrt(value) : 1.0; });
}

// Factors of rows and columns that make the largest entry of each 1 (Ruiz, RAL-TR-2001-034).
struct Balance {
  Eigen::VectorXd rows, columns;
};
Balance balance(Eigen::MatrixXd largest) {
  constexpr int passes = 10;  // the exponents of units are halved in each
  Balance found{.rows = Eigen::VectorXd::Ones(largest.rows()),
                .columns = Eigen::VectorXd::Ones(largest.cols())};
  for (int pass = 0; pass < passes; ++pass) {
    const Eigen::VectorXd rows = inverse_roots(largest.rowwise().maxCoeff());
    const Eigen::VectorXd columns = inverse_roots(largest.colwise().maxCoeff().transpose());
    largest = rows.asDiagonal() * largest * columns.asDiagonal();
    found.rows = found.rows.cwiseProduct(rows);
    found.columns = found.columns.cwiseProduct(columns);
  }
  return found;
}

}  // namespace

std::string combination_text(const ConstrainedForm& form, int redundant, std::span<const int> rows,
                             std::span<const double> factors) {
  constexpr std::size_t most_terms = 60;  // that anyone would read
  const int level = form.constraints[static_cast<std::size_t>(redundant)].level;
  std::vector<std::string> terms;
  std::size_t left_out = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (std::abs(factors[k]) < negligible_factor) continue;
    if (terms.size() == most_terms) {
      ++left_out;
      continue;
    }
    const int of = level - form.constraints[static_cast<std::size_t>(rows[k])].level;
    terms.push_back(fmt::format("{:.6g} · {}[{}]", factors[k],
                                of > 0   ? "derivative of "
                                : of < 0 ? "integral of "
                                         : "",
                                form.constraint_name(rows[k])));
  }
  if (left_out > 0) terms.push_back(fmt::format("{} more", left_out));
  return terms.empty() ? "0" : fmt::format("{}", fmt::join(terms, " + "));
}

RankProfile rank_profile(const std::vector<Eigen::MatrixXd>& schur) {
  RankProfile profile;
  if (schur.empty() || schur.front().size() == 0) return profile;
  Eigen::MatrixXd largest = Eigen::MatrixXd::Zero(schur.front().rows(), schur.front().cols());
  for (const Eigen::MatrixXd& s : schur) largest = largest.cwiseMax(s.cwiseAbs());
  const auto [rows, columns] = balance(largest);
  std::vector<Eigen::VectorXd> sigma;
  double top = 0;
  for (const Eigen::MatrixXd& s : schur) {
    sigma.push_back(singular_values(rows.asDiagonal() * s * columns.asDiagonal()));
    top = std::max(top, sigma.back()[0]);
  }
  for (const Eigen::VectorXd& values : sigma) {
    profile.ranks.push_back(static_cast<int>((values.array() > RankPolicy::square * top).count()));
    profile.regular = std::max(profile.regular, profile.ranks.back());
  }
  profile.sigma_min = profile.regular > 0 ? 1 : 0;
  for (const Eigen::VectorXd& values : sigma) {
    if (profile.regular > 0)
      profile.sigma_min = std::min(profile.sigma_min, values[profile.regular - 1] / top);
  }
  return profile;
}

double CourseRank::sigma(std::span<const double> environment) {
  meter_.evaluate(environment);
  const Eigen::MatrixXd& s = meter_.schur();
  if (!s.allFinite()) return 1;
  largest_ =
      largest_.size() == 0 ? Eigen::MatrixXd(s.cwiseAbs()) : Eigen::MatrixXd(largest_.cwiseMax(s.cwiseAbs()));
  const auto [rows, columns] = balance(largest_);
  scaled_ = rows.asDiagonal() * s * columns.asDiagonal();
  values_ = singular_values(scaled_);
  top_ = std::max(top_, values_[0]);
  return values_[values_.size() - 1] / top_;
}

int CourseRank::rank(double threshold) const {
  return static_cast<int>((values_.array() > threshold * top_).count());
}

std::vector<std::string> CourseRank::weakest() const {
  std::vector<std::string> names;
  const Eigen::VectorXd left = full_svd(scaled_).u.rightCols(1);
  const double largest = left.cwiseAbs().maxCoeff();
  for (int i = 0; i < form_.ny(); ++i) {
    if (std::abs(left[i]) > involved * largest) names.push_back(form_.constraint_name(i));
  }
  return names;
}

std::vector<Redundancy> find_redundancies(const ConstrainedForm& form, const Eigen::MatrixXd& constraint) {
  std::vector<Redundancy> found;
  std::vector<int> independent;
  Eigen::MatrixXd basis(constraint.cols(), 0);  // orthonormal, of the rows that were kept
  Eigen::MatrixXd kept(constraint.cols(), 0);
  for (int i = 0; i < form.ny(); ++i) {
    const Eigen::VectorXd row = constraint.row(i).transpose();
    Eigen::VectorXd rest = row;
    for (int pass = 0; pass < 2; ++pass) rest -= product(basis, transposed_product(basis, rest));
    if (rest.norm() > RankPolicy::gradient * row.norm()) {
      basis.conservativeResize(Eigen::NoChange, basis.cols() + 1);
      basis.rightCols(1) = rest.normalized();
      kept.conservativeResize(Eigen::NoChange, kept.cols() + 1);
      kept.rightCols(1) = row;
      independent.push_back(i);
      continue;
    }
    Eigen::VectorXd factors = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(independent.size()));
    if (kept.cols() > 0) factors = LeastSquares(kept).solve(row);
    found.push_back({.constraint = i,
                     .name = form.constraint_name(i),
                     .combination = combination_text(
                         form, i, independent, {factors.data(), static_cast<std::size_t>(factors.size())})});
  }
  return found;
}

std::vector<double> nearby_point(const CompiledModel& model, const ConstrainedForm& form,
                                 std::span<const double> environment, double length) {
  std::vector<double> moved(environment.begin(), environment.end());
  moved[static_cast<std::size_t>(model.layout().time)] += aside * length;
  for (int i = 0; i < form.n(); ++i) {
    double& x = moved[static_cast<std::size_t>(model.slot(form.x(i, 0)))];
    // Fixed, but in no simple ratio to each other.
    const double direction = std::cos(1 + (2.399963229728653 * i));
    x += aside * direction * std::max(1.0, std::abs(x));
  }
  std::vector<KeptConstraint> kept;
  for (int i = 0; i < form.ny(); ++i) {
    if (form.constraints[static_cast<std::size_t>(i)].level == 0)
      kept.push_back({.constraint = i, .times = 0});
  }
  ConstraintProjector projector(model, ConstraintMatrices(model, form), kept);
  if (!projector.idle() && !projector.project(moved)) return {environment.begin(), environment.end()};
  return moved;
}

namespace {

// Which dynamic equation is that of which position: the one with its largest mass. As numbered where that is
// not unique.
std::vector<Eigen::Index> rows_by_position(const Eigen::MatrixXd& mass) {
  std::vector<Eigen::Index> rows(static_cast<std::size_t>(mass.cols()), -1);
  for (Eigen::Index r = 0; r < mass.rows(); ++r) {
    Eigen::Index column = 0;
    mass.row(r).cwiseAbs().maxCoeff(&column);
    if (mass(r, r) != 0 && std::abs(mass(r, r)) >= own_mass * std::abs(mass(r, column))) column = r;
    Eigen::Index& row = rows[static_cast<std::size_t>(column)];
    if (row >= 0) {
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Eigen::Index>(i);
      return rows;
    }
    row = r;
  }
  return rows;
}

}  // namespace

namespace {

// Constraints without a multiplier of their own take the one that acts most along them, the one of the same
// number first; those that cross them at right angles, but for this cosine, last.
void take_most_along(const Eigen::MatrixXd& g, const Eigen::MatrixXd& b, std::vector<int>& multiplier) {
  constexpr double hardly_along = 0.1;     // 84 degrees and more
  constexpr double equal_cosines = 1e-12;  // roundings: the first one counts
  const auto ny = static_cast<Eigen::Index>(multiplier.size());
  std::vector<bool> taken(multiplier.size(), false);
  for (const int j : multiplier) {
    if (j >= 0) taken[static_cast<std::size_t>(j)] = true;
  }
  for (const double least : {hardly_along, -1.0}) {
    for (Eigen::Index i = 0; i < ny; ++i) {
      int& best = multiplier[static_cast<std::size_t>(i)];
      if (best >= 0) continue;
      double largest = least;
      for (Eigen::Index k = 0; k < ny; ++k) {
        const Eigen::Index j = (i + k) % ny;
        const double lengths = g.row(i).norm() * b.col(j).norm();
        const double cosine = lengths > 0 ? std::abs(g.row(i).dot(b.col(j))) / lengths : 0;
        if (taken[static_cast<std::size_t>(j)] || !(cosine > largest)) continue;
        best = static_cast<int>(j);
        largest = cosine + equal_cosines;
      }
      if (best >= 0) taken[static_cast<std::size_t>(best)] = true;
    }
  }
}

}  // namespace

std::vector<int> multipliers_of_constraints(const CompiledModel& model, const ConstrainedForm& form,
                                            std::span<const double> environment) {
  ConstraintMatrices matrices(model, form);
  matrices.evaluate(environment);
  const Eigen::MatrixXd g = matrices.constraint();
  const Eigen::MatrixXd b = matrices.input()(rows_by_position(matrices.mass()), Eigen::all);
  std::vector<SparseLine> gradients(static_cast<std::size_t>(g.rows()));
  std::vector<SparseLine> forces(static_cast<std::size_t>(g.rows()));
  for (Eigen::Index i = 0; i < g.rows(); ++i) {
    for (Eigen::Index k = 0; k < g.cols(); ++k) {
      if (g(i, k) != 0) gradients[static_cast<std::size_t>(i)].emplace_back(static_cast<int>(k), g(i, k));
      if (b(k, i) != 0) forces[static_cast<std::size_t>(i)].emplace_back(static_cast<int>(k), b(k, i));
    }
  }
  std::vector<int> multiplier = pair_multipliers(std::move(gradients), std::move(forces)).multiplier;
  take_most_along(g, b, multiplier);
  return multiplier;
}

}  // namespace daedalus
