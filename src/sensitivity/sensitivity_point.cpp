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
constexpr double most_growth = 4;
// Rows and columns have entries of size one when rank is decided; see numerics/tangent.cpp.
constexpr double rank_tolerance = 1e-10;
// What redundant constraints contradict each other by, against entries of size one. Rounding is 1e-14, and
// constraints that are dependent on the trajectory alone leave 1.
constexpr double contradiction = 1e-6;
// Up to so many unknowns in a block dense elimination that leaves zeros alone takes less than the bookkeeping
// of a sparse one.
constexpr int largest_dense_block = 32;
// States are exchanged by pivots that are at least so large against the typical sizes.
constexpr double smallest_exchange = 1e-3;

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
  const SparseJacobianProgram& program = sensitivities.equations;
  program.fill_constants(values_);
  std::vector<bool> has_highest(at(model.equation_count()), false);
  for (int l = 0; l < level_count_; ++l) {
    for (int e = program.column_start[at(l)]; highest_[at(l)] && e < program.column_start[at(l + 1)]; ++e)
      has_highest[at(program.row[at(e)])] = true;
  }
  highest_are_square_ = std::ranges::count(has_highest, true) == std::ranges::count(highest_, true);
}

void SensitivityPoint::evaluate(std::span<const double> environment) {
  sensitivities_.equations.evaluate_varying(environment, values_, workspace_);
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
  if (states_ != tangent.states || !laid_out_) {
    states_ = tangent.states;
    lay_out();
  }
  chosen_reach_ = 0;
  return {};
}

// How levels of an order move with states of that order, in typical sizes, at two points.
struct SensitivityPoint::Moves {
  std::vector<int> levels;
  Eigen::MatrixXd here, there;
};

bool SensitivityPoint::exchange(const Eigen::MatrixXd& here, const Eigen::MatrixXd& there) {
  if (!solved_square_) return false;
  int highest_order = 0;
  for (const int s : states_) highest_order = std::max(highest_order, model_.levels().levels[at(s)].order);
  std::vector<int> chosen;
  for (int order = 0; order <= highest_order; ++order) {
    if (!take_best(moves_of_order(order, here, there), chosen)) return false;
  }
  std::ranges::sort(chosen);
  if (chosen == states_) return false;
  states_ = std::move(chosen);
  lay_out();
  chosen_reach_ = 0;
  return true;
}

SensitivityPoint::Moves SensitivityPoint::moves_of_order(int order, const Eigen::MatrixXd& here,
                                                         const Eigen::MatrixXd& there) const {
  const auto& levels = model_.levels().levels;
  Moves moves;
  std::vector<Eigen::Index> columns;
  for (int l = 0; l < level_count_; ++l) {
    if (levels[at(l)].order == order && !highest_[at(l)]) moves.levels.push_back(l);
  }
  for (std::size_t s = 0; s < states_.size(); ++s) {
    if (levels[at(states_[s])].order == order) columns.push_back(static_cast<Eigen::Index>(s));
  }
  const auto nominal = [&](int level) {
    return std::abs(model_.dae().variables[levels[at(level)].variable.at()].nominal);
  };
  moves.here.resize(static_cast<Eigen::Index>(moves.levels.size()),
                    static_cast<Eigen::Index>(columns.size()));
  moves.there.resizeLike(moves.here);
  for (Eigen::Index c = 0; c < moves.here.cols(); ++c) {
    const Eigen::Index column = columns[static_cast<std::size_t>(c)];
    const double size = nominal(states_[static_cast<std::size_t>(column)]);
    for (Eigen::Index r = 0; r < moves.here.rows(); ++r) {
      const int level = moves.levels[static_cast<std::size_t>(r)];
      moves.here(r, c) = here(level, column) * size / nominal(level);
      moves.there(r, c) = there(level, column) * size / nominal(level);
    }
  }
  return moves;
}

// Those that move most with as many states, at the point where each moves least: elimination at both points
// with the pivots that are largest at the worse of them, against the largest there.
bool SensitivityPoint::take_best(Moves moves, std::vector<int>& chosen) {
  const Eigen::Index count = moves.here.cols();
  for (Eigen::Index k = 0; k < count; ++k) {
    const Eigen::MatrixXd here = moves.here.rightCols(count - k).cwiseAbs();
    const Eigen::MatrixXd there = moves.there.rightCols(count - k).cwiseAbs();
    const double largest_here = here.maxCoeff(), largest_there = there.maxCoeff();
    if (!(largest_here > smallest_exchange && largest_there > smallest_exchange)) return false;
    Eigen::Index row = 0, column = 0;
    const double pivot = (here / largest_here).cwiseMin(there / largest_there).maxCoeff(&row, &column);
    if (!(pivot > smallest_exchange)) return false;
    for (Eigen::MatrixXd* m : {&moves.here, &moves.there}) {
      m->col(k).swap(m->col(k + column));
      for (Eigen::Index c = k + 1; c < count; ++c) m->col(c) -= (*m)(row, c) / (*m)(row, k) * m->col(k);
      m->row(row).setZero();
    }
    chosen.push_back(moves.levels[static_cast<std::size_t>(row)]);
  }
  return true;
}

void SensitivityPoint::lay_out() {
  laid_out_ = true;
  others_.clear();
  for (int l = 0; l < level_count_; ++l) {
    if (!std::ranges::binary_search(states_, l)) others_.push_back(l);
  }
  square_ = static_cast<int>(others_.size()) == model_.equation_count();
  if (!square_) return;
  SparsePattern pattern{.size = model_.equation_count(), .column_start = {0}, .row = {}};
  const SparseJacobianProgram& program = sensitivities_.equations;
  for (const int l : others_) {
    pattern.row.insert(pattern.row.end(), program.row.begin() + program.column_start[at(l)],
                       program.row.begin() + program.column_start[at(l + 1)]);
    pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
  }
  entries_.resize(pattern.row.size());
  elimination_ = BlockElimination(pattern);
  square_ = elimination_.regular();
  solver_.reset();
  if (elimination_.largest_block() > largest_dense_block) solver_ = make_linear_solver<double>(pattern);
}

// -J_s, then -J_g δg, then -∂/∂t, into zeros.
void SensitivityPoint::put_right_sides(const Eigen::MatrixXd& given, const auto& place) const {
  const SparseJacobianProgram& program = sensitivities_.equations;
  const int states = static_cast<int>(states_.size());
  const int parameters = static_cast<int>(given.cols()), leaves = static_cast<int>(given.rows());
  const auto entries = [&](int column, auto&& put) {
    for (int e = program.column_start[at(column)]; e < program.column_start[at(column + 1)]; ++e)
      put(program.row[at(e)], values_[at(e)]);
  };
  for (int s = 0; s < states; ++s) entries(states_[at(s)], [&](int row, double v) { place(row, s) -= v; });
  for (int g = 0; g < leaves; ++g) {
    entries(level_count_ + g, [&](int row, double v) {
      for (int p = 0; p < parameters; ++p) place(row, states + p) -= v * given(g, p);
    });
  }
  entries(level_count_ + leaves - 1, [&](int row, double v) { place(row, states + parameters) -= v; });
}

void SensitivityPoint::set_right_sides(const Eigen::MatrixXd& given) {
  right_.setZero(model_.equation_count(), static_cast<Eigen::Index>(states_.size()) + given.cols() + 1);
  put_right_sides(given, [&](int row, int column) -> double& { return right_(row, column); });
}

bool SensitivityPoint::solve_square(const Eigen::MatrixXd& given) {
  const SparseJacobianProgram& program = sensitivities_.equations;
  double* to = entries_.data();
  for (const int l : others_)
    to = std::copy(values_.begin() + program.column_start[at(l)],
                   values_.begin() + program.column_start[at(l + 1)], to);
  if (solver_ == nullptr) return eliminate(given);
  set_right_sides(given);
  if (!solver_->factor(entries_)) return false;
  for (Eigen::Index c = 0; c < right_.cols(); ++c)
    solver_->solve({right_.col(c).data(), static_cast<std::size_t>(right_.rows())});
  if (!right_.allFinite()) return false;
  put_solution();
  return true;
}

bool SensitivityPoint::eliminate(const Eigen::MatrixXd& given) {
  const int states = static_cast<int>(states_.size());
  const int parameters = static_cast<int>(given.cols());
  elimination_.begin(states + parameters + 1);
  put_right_sides(given, [&](int row, int column) -> double& { return elimination_.right(row)[column]; });
  if (!elimination_.solve(entries_)) return false;
  for (std::size_t u = 0; u < others_.size(); ++u) {
    const std::span<const double> solution = elimination_.solution(static_cast<int>(u));
    for (int s = 0; s < states; ++s) by_state_(others_[u], s) = solution[at(s)];
    for (int p = 0; p <= parameters; ++p) by_given_(others_[u], p) = solution[at(states + p)];
  }
  return true;
}

void SensitivityPoint::put_solution() {
  const auto states = static_cast<Eigen::Index>(states_.size());
  for (std::size_t u = 0; u < others_.size(); ++u) {
    const auto row = static_cast<Eigen::Index>(u);
    by_state_.row(others_[u]) = right_.row(row).head(states);
    by_given_.row(others_[u]) = right_.row(row).tail(by_given_.cols());
  }
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
  const auto states = static_cast<Eigen::Index>(states_.size());
  by_state_.setZero(level_count_, states);
  by_given_.setZero(level_count_, given.cols() + 1);
  for (Eigen::Index s = 0; s < states; ++s) by_state_(states_[static_cast<std::size_t>(s)], s) = 1;
  solved_square_ = square_ && solve_square(given);
  if (!solved_square_) {
    if (std::string trouble = solve_redundant(given); !trouble.empty()) return trouble;
    put_solution();
  }
  if (chosen_reach_ == 0) chosen_reach_ = std::max(1.0, reach(by_state_));
  return {};
}

// The largest factor by which a level that is no highest derivative follows from a state of its own order.
double SensitivityPoint::reach(const Eigen::MatrixXd& by_state) const {
  double largest = 0;
  const auto& levels = model_.levels().levels;
  for (const int l : others_) {
    if (highest_[at(l)]) continue;
    for (std::size_t s = 0; s < states_.size(); ++s) {
      if (levels[at(states_[s])].order != levels[at(l)].order) continue;
      largest = std::max(largest, std::abs(by_state(l, static_cast<Eigen::Index>(s))));
    }
  }
  return largest;
}

bool SensitivityPoint::worn(const Eigen::MatrixXd& by_state) const {
  return reach(by_state) > most_growth * chosen_reach_;
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
