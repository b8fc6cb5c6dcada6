#include "sensitivity/sensitivity_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/dense_algebra.hpp"
#include "numerics/tangent.hpp"

namespace daedalus {
namespace {

// Others follow from the states by factors of about one when these are chosen; at so many times that others
// are chosen. The elimination loses as many digits.
constexpr double most_growth = 10;
// Rows and columns have entries of size one when rank is decided; see numerics/tangent.cpp.
constexpr double rank_tolerance = 1e-10;
// What redundant constraints contradict each other by, against entries of size one. Rounding is 1e-14, and
// constraints that are dependent on the trajectory alone leave 1.
constexpr double contradiction = 1e-6;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

SensitivityPoint::SensitivityPoint(const CompiledModel& model, const SensitivityModel& sensitivities)
    : model_(model),
      sensitivities_(sensitivities),
      level_count_(model.level_count()),
      values_(sensitivities.equations.row.size()),
      output_values_(std::max(sensitivities.outputs.row.size(), sensitivities.relations.row.size())),
      highest_(at(level_count_), true) {
  const auto& levels = model.levels().levels;
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) highest_[l] = levels[l + 1].order == 0;
}

void SensitivityPoint::evaluate(std::span<const double> environment) {
  sensitivities_.equations.evaluate(environment, values_, workspace_);
}

std::string SensitivityPoint::equation_name(int row) const {
  return model_.levels().equation_name(model_.levels().equations[at(row)]);
}

std::string SensitivityPoint::choose(std::span<const double> environment) {
  evaluate(environment);
  const SparseJacobianProgram& program = sensitivities_.equations;
  TangentProblem problem{.jacobian = DenseMatrix(model_.equation_count(), level_count_),
                         .input_jacobian = DenseMatrix(model_.equation_count(), 0),
                         .highest = highest_,
                         .order = std::vector<int>(at(level_count_)),
                         .size = std::vector<double>(at(level_count_), 1)};
  for (int c = 0; c < level_count_; ++c) {
    for (int e = program.column_start[at(c)]; e < program.column_start[at(c + 1)]; ++e)
      problem.jacobian.at(program.row[at(e)], c) = values_[at(e)];
    const Level& level = model_.levels().levels[at(c)];
    problem.order[at(c)] = level.order;
    problem.size[at(c)] = model_.dae().variables[level.variable.at()].nominal;
  }
  const Tangent tangent = tangent_of(problem);
  if (tangent.status != TangentStatus::Ok)
    return fmt::format("{} has no finite derivatives", equation_name(tangent.row));
  const bool redundant = tangent.redundant > 0;
  open_ = redundant ? tangent.open : std::vector<bool>();
  for (const int state : tangent.states) {
    if (!tangent.open.empty() && tangent.open[at(state + 1)])
      return fmt::format("{} is not determined by the equations", model_.levels().level_name(state + 1));
  }
  if (states_ != tangent.states || other_of_.empty()) {
    states_ = tangent.states;
    lay_out();
  }
  chosen_reach_ = 0;
  return {};
}

void SensitivityPoint::lay_out() {
  other_of_.assign(at(level_count_), -1);
  others_.clear();
  for (int l = 0; l < level_count_; ++l) {
    if (std::ranges::binary_search(states_, l)) continue;
    other_of_[at(l)] = static_cast<int>(others_.size());
    others_.push_back(l);
  }
  square_ = static_cast<int>(others_.size()) == model_.equation_count();
  solver_.reset();
  if (!square_) return;
  SparsePattern pattern{.size = model_.equation_count(), .column_start = {0}, .row = {}};
  const SparseJacobianProgram& program = sensitivities_.equations;
  for (const int l : others_) {
    pattern.row.insert(pattern.row.end(), program.row.begin() + program.column_start[at(l)],
                       program.row.begin() + program.column_start[at(l + 1)]);
    pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
  }
  entries_.resize(pattern.row.size());
  solver_ = make_linear_solver<double>(pattern);
}

// -J_s, then -J_g δg, then -∂/∂t.
void SensitivityPoint::set_right_sides(const Eigen::MatrixXd& given) {
  const SparseJacobianProgram& program = sensitivities_.equations;
  const auto states = static_cast<Eigen::Index>(states_.size());
  const Eigen::Index parameters = given.cols();
  right_.setZero(model_.equation_count(), states + parameters + 1);
  const auto entries = [&](int column, auto&& put) {
    for (int e = program.column_start[at(column)]; e < program.column_start[at(column + 1)]; ++e)
      put(program.row[at(e)], values_[at(e)]);
  };
  for (Eigen::Index s = 0; s < states; ++s)
    entries(states_[static_cast<std::size_t>(s)], [&](int row, double v) { right_(row, s) -= v; });
  for (Eigen::Index g = 0; g < given.rows(); ++g) {
    entries(level_count_ + static_cast<int>(g), [&](int row, double v) {
      for (Eigen::Index p = 0; p < parameters; ++p) right_(row, states + p) -= v * given(g, p);
    });
  }
  entries(level_count_ + static_cast<int>(given.rows()) - 1,
          [&](int row, double v) { right_(row, states + parameters) -= v; });
}

bool SensitivityPoint::solve_square() {
  const SparseJacobianProgram& program = sensitivities_.equations;
  double* to = entries_.data();
  for (const int l : others_)
    to = std::copy(values_.begin() + program.column_start[at(l)],
                   values_.begin() + program.column_start[at(l + 1)], to);
  if (!solver_->factor(entries_)) return false;
  for (Eigen::Index c = 0; c < right_.cols(); ++c)
    solver_->solve({right_.col(c).data(), static_cast<std::size_t>(right_.rows())});
  return right_.allFinite();
}

std::string SensitivityPoint::solve_redundant(const Eigen::MatrixXd& given) {
  set_right_sides(given);
  const SparseJacobianProgram& program = sensitivities_.equations;
  Eigen::MatrixXd matrix =
      Eigen::MatrixXd::Zero(model_.equation_count(), static_cast<Eigen::Index>(others_.size()));
  for (std::size_t c = 0; c < others_.size(); ++c) {
    const int l = others_[c];
    for (int e = program.column_start[at(l)]; e < program.column_start[at(l + 1)]; ++e)
      matrix(program.row[at(e)], static_cast<Eigen::Index>(c)) = values_[at(e)];
  }
  if (!matrix.allFinite() || !right_.allFinite()) return "derivatives of the equations are not finite";
  Eigen::VectorXd size = Eigen::VectorXd::Ones(matrix.cols());
  for (Eigen::Index c = 0; c < matrix.cols(); ++c) {
    const double largest = matrix.col(c).lpNorm<Eigen::Infinity>();
    if (largest > 0) size(c) = 1 / largest;
  }
  matrix = matrix * size.asDiagonal();
  for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
    const double largest = matrix.row(r).lpNorm<Eigen::Infinity>();
    if (!(largest > 0)) continue;
    matrix.row(r) /= largest;
    right_.row(r) /= largest;
  }
  const LeastSquares solver(matrix, rank_tolerance);
  Eigen::MatrixXd solution(matrix.cols(), right_.cols());
  for (Eigen::Index c = 0; c < right_.cols(); ++c) {
    solution.col(c) = solver.solve(right_.col(c));
    const Eigen::VectorXd rest = product(matrix, Eigen::VectorXd(solution.col(c))) - right_.col(c);
    Eigen::Index worst = 0;
    const double scale = 1 + right_.col(c).lpNorm<Eigen::Infinity>();
    if (rest.cwiseAbs().maxCoeff(&worst) > contradiction * scale)
      return fmt::format(
          "constraints that are redundant here are not so for neighbouring values of the parameters ({})",
          equation_name(static_cast<int>(worst)));
  }
  right_ = size.asDiagonal() * solution;
  return {};
}

std::string SensitivityPoint::solve(std::span<const double> environment, const Eigen::MatrixXd& given) {
  evaluate(environment);
  set_right_sides(given);
  if (!square_ || !solve_square()) {
    if (std::string trouble = solve_redundant(given); !trouble.empty()) return trouble;
  }
  const auto states = static_cast<Eigen::Index>(states_.size());
  by_state_.setZero(level_count_, states);
  by_given_.setZero(level_count_, right_.cols() - states);
  for (std::size_t u = 0; u < others_.size(); ++u) {
    const auto row = static_cast<Eigen::Index>(u);
    by_state_.row(others_[u]) = right_.row(row).head(states);
    by_given_.row(others_[u]) = right_.row(row).tail(by_given_.cols());
  }
  for (Eigen::Index s = 0; s < states; ++s) by_state_(states_[static_cast<std::size_t>(s)], s) = 1;
  if (chosen_reach_ == 0) chosen_reach_ = std::max(1.0, reach());
  return {};
}

// The largest factor by which a level that is no highest derivative follows from a state of its own order.
double SensitivityPoint::reach() const {
  double largest = 0;
  const auto& levels = model_.levels().levels;
  for (const int l : others_) {
    if (highest_[at(l)]) continue;
    for (std::size_t s = 0; s < states_.size(); ++s) {
      if (levels[at(states_[s])].order != levels[at(l)].order) continue;
      largest = std::max(largest, std::abs(by_state_(l, static_cast<Eigen::Index>(s))));
    }
  }
  return largest;
}

bool SensitivityPoint::worn() const {
  return reach() > most_growth * chosen_reach_;
}

Eigen::MatrixXd SensitivityPoint::rows_of(const SparseJacobianProgram& program, int rows,
                                          std::span<const double> environment, const Variations& variations) {
  program.evaluate(environment, output_values_, output_workspace_);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(rows, variations.levels.cols());
  const auto add = [&](int column, const auto& variation) {
    for (int e = program.column_start[at(column)]; e < program.column_start[at(column + 1)]; ++e)
      result.row(program.row[at(e)]) += output_values_[at(e)] * variation;
  };
  for (int l = 0; l < level_count_; ++l) add(l, variations.levels.row(l));
  for (Eigen::Index g = 0; g < variations.given.rows(); ++g)
    add(level_count_ + static_cast<int>(g), variations.given.row(g));
  return result;
}

Eigen::MatrixXd SensitivityPoint::outputs(std::span<const double> environment, const Variations& variations) {
  const SparseJacobianProgram& program = sensitivities_.outputs;
  Eigen::MatrixXd rows =
      rows_of(program, static_cast<int>(model_.output_signals.size()), environment, variations);
  for (int l = 0; l < level_count_ && !open_.empty(); ++l) {
    for (int e = program.column_start[at(l)]; open_[at(l)] && e < program.column_start[at(l + 1)]; ++e)
      rows.row(program.row[at(e)]).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  return rows;
}

Eigen::MatrixXd SensitivityPoint::relations(std::span<const double> environment,
                                            const Variations& variations) {
  return rows_of(sensitivities_.relations, static_cast<int>(model_.dae().relations.size()), environment,
                 variations);
}

}  // namespace daedalus
