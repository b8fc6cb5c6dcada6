#include "simulate/advice_rank.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "simulate/constraint_projector.hpp"

namespace daedalus {
namespace {

constexpr double rank_tolerance = 1e-9;
constexpr double aside = 1e-3;  // how far the nearby point is, relative

std::string combination_text(const ConstrainedForm& form, int redundant, const std::vector<int>& rows,
                             const Eigen::VectorXd& factors) {
  const int level = form.constraints[static_cast<std::size_t>(redundant)].level;
  std::vector<std::string> terms;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double factor = factors[static_cast<Eigen::Index>(k)];
    if (std::abs(factor) < 1e-8) continue;
    const int of = level - form.constraints[static_cast<std::size_t>(rows[k])].level;
    terms.push_back(fmt::format("{:.6g} · {}[{}]", factor,
                                of > 0   ? "derivative of "
                                : of < 0 ? "integral of "
                                         : "",
                                form.constraint_name(rows[k])));
  }
  return terms.empty() ? "0" : fmt::format("{}", fmt::join(terms, " + "));
}

}  // namespace

RankProfile rank_profile(const std::vector<Eigen::MatrixXd>& schur) {
  RankProfile profile;
  if (schur.empty() || schur.front().size() == 0) return profile;
  Eigen::MatrixXd largest = Eigen::MatrixXd::Zero(schur.front().rows(), schur.front().cols());
  for (const Eigen::MatrixXd& s : schur) largest = largest.cwiseMax(s.cwiseAbs());
  const auto scale = [](double value) { return value > 0 ? 1 / std::sqrt(value) : 1.0; };
  const Eigen::VectorXd rows = largest.rowwise().maxCoeff().unaryExpr(scale);
  const Eigen::VectorXd columns = largest.colwise().maxCoeff().transpose().unaryExpr(scale);
  std::vector<Eigen::VectorXd> sigma;
  double top = 0;
  for (const Eigen::MatrixXd& s : schur) {
    sigma.push_back(
        Eigen::BDCSVD<Eigen::MatrixXd>(rows.asDiagonal() * s * columns.asDiagonal()).singularValues());
    top = std::max(top, sigma.back()[0]);
  }
  for (const Eigen::VectorXd& values : sigma) {
    profile.ranks.push_back(static_cast<int>((values.array() > rank_tolerance * top).count()));
    profile.regular = std::max(profile.regular, profile.ranks.back());
  }
  profile.sigma_min = profile.regular > 0 ? 1 : 0;
  for (const Eigen::VectorXd& values : sigma) {
    if (profile.regular > 0)
      profile.sigma_min = std::min(profile.sigma_min, values[profile.regular - 1] / top);
  }
  return profile;
}

std::vector<Redundancy> find_redundancies(const ConstrainedForm& form, const Eigen::MatrixXd& constraint) {
  std::vector<Redundancy> found;
  std::vector<int> independent;
  Eigen::MatrixXd basis(constraint.cols(), 0);  // orthonormal, of the rows that were kept
  Eigen::MatrixXd kept(constraint.cols(), 0);
  for (int i = 0; i < form.ny(); ++i) {
    const Eigen::VectorXd row = constraint.row(i).transpose();
    Eigen::VectorXd rest = row;
    for (int pass = 0; pass < 2; ++pass) rest -= basis * (basis.transpose() * rest);
    if (rest.norm() > rank_tolerance * row.norm()) {
      basis.conservativeResize(Eigen::NoChange, basis.cols() + 1);
      basis.rightCols(1) = rest.normalized();
      kept.conservativeResize(Eigen::NoChange, kept.cols() + 1);
      kept.rightCols(1) = row;
      independent.push_back(i);
      continue;
    }
    Eigen::VectorXd factors(0);
    if (kept.cols() > 0) factors = kept.colPivHouseholderQr().solve(row);
    found.push_back({.constraint = i,
                     .name = form.constraint_name(i),
                     .combination = combination_text(form, i, independent, factors)});
  }
  return found;
}

std::vector<double> nearby_point(const CompiledModel& model, const ConstrainedForm& form,
                                 std::span<const double> environment, double horizon) {
  std::vector<double> moved(environment.begin(), environment.end());
  moved[static_cast<std::size_t>(model.layout().time)] += aside * horizon;
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
  ConstraintProjector projector(model, form, kept);
  if (!projector.idle() && !projector.project(moved)) return {environment.begin(), environment.end()};
  return moved;
}

}  // namespace daedalus
