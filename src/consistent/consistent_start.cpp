#include "consistent/consistent_start.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/linear_solver.hpp"

namespace daedalus {
namespace {

// Of the terms that a condition is made of: what a few operations round off.
constexpr double round_off = 1e-14;
constexpr int newton_limit = 6;
constexpr double newton_tolerance = 1e-12;

class ConsistentStart {
 public:
  ConsistentStart(const ConstraintFunction& constraints, const NearestProblem& problem,
                  const std::vector<bool>& follows)
      : constraints_(constraints), problem_(problem), z_(problem.guess) {
    row_place_.assign(static_cast<std::size_t>(constraints.rows), -1);
    column_place_.assign(static_cast<std::size_t>(constraints.columns), -1);
    for (std::size_t k = 0; k < column_place_.size(); ++k) {
      if (follows[k] && !problem.held[k]) column_place_[k] = static_cast<int>(columns_++);
    }
  }

  std::optional<std::vector<double>> run() {
    residual_.resize(row_place_.size());
    jacobian_.resize(constraints_.row.size());
    if (!evaluate() || !number_rows() || !conditions_hold()) return std::nullopt;
    build_pattern();
    return solve() ? std::optional(std::move(z_)) : std::nullopt;
  }

 private:
  bool evaluate() {
    constraints_.residual(z_, residual_);
    constraints_.jacobian(z_, jacobian_);
    const auto finite = [](double x) { return std::isfinite(x); };
    return std::ranges::all_of(residual_, finite) && std::ranges::all_of(jacobian_, finite);
  }

  template <class F>
  void for_entries(F&& visit) const {
    for (std::size_t column = 0; column < column_place_.size(); ++column) {
      for (int k = constraints_.column_start[column]; k < constraints_.column_start[column + 1]; ++k)
        visit(static_cast<std::size_t>(k), column,
              static_cast<std::size_t>(constraints_.row[static_cast<std::size_t>(k)]));
    }
  }

  // Rows that hold an unknown that follows; there must be as many.
  bool number_rows() {
    std::size_t rows = 0;
    for_entries([&](std::size_t, std::size_t column, std::size_t row) {
      if (column_place_[column] >= 0 && row_place_[row] < 0) {
        row_place_[row] = 0;
        ++rows;
      }
    });
    int next = 0;
    for (int& place : row_place_) {
      if (place == 0) place = next++;
    }
    return rows == columns_ && rows > 0;
  }

  // The other rows, at the start values.
  [[nodiscard]] bool conditions_hold() const {
    std::vector<double> terms(row_place_.size(), 0);
    for_entries([&](std::size_t k, std::size_t column, std::size_t row) {
      terms[row] += std::abs(jacobian_[k]) * std::max(std::abs(z_[column]), problem_.scale[column]);
    });
    for (std::size_t r = 0; r < row_place_.size(); ++r) {
      if (row_place_[r] < 0 && !(std::abs(residual_[r]) <= round_off * terms[r])) return false;
    }
    return true;
  }

  void build_pattern() {
    pattern_.size = static_cast<int>(columns_);
    pattern_.column_start.assign(columns_ + 1, 0);
    for_entries([&](std::size_t k, std::size_t column, std::size_t row) {
      if (column_place_[column] < 0 || row_place_[row] < 0) return;
      ++pattern_.column_start[static_cast<std::size_t>(column_place_[column]) + 1];
      pattern_.row.push_back(row_place_[row]);
      entries_.push_back(k);
    });
    for (std::size_t c = 0; c < columns_; ++c) pattern_.column_start[c + 1] += pattern_.column_start[c];
    values_.resize(entries_.size());
    step_.resize(columns_);
    solver_ = make_linear_solver<double>(pattern_);
  }

  bool solve() {
    for (int iteration = 0; iteration < newton_limit; ++iteration) {
      if (!evaluate()) return false;
      for (std::size_t k = 0; k < entries_.size(); ++k) values_[k] = jacobian_[entries_[k]];
      if (!solver_->factor(values_)) return false;
      for (std::size_t r = 0; r < row_place_.size(); ++r) {
        if (row_place_[r] >= 0) step_[static_cast<std::size_t>(row_place_[r])] = -residual_[r];
      }
      solver_->solve(step_);
      double size = 0;
      for (std::size_t c = 0; c < column_place_.size(); ++c) {
        if (column_place_[c] < 0) continue;
        const double change = step_[static_cast<std::size_t>(column_place_[c])];
        if (!std::isfinite(change)) return false;
        z_[c] += change;
        size = std::max(size, std::abs(change) / (problem_.scale[c] + std::abs(z_[c])));
      }
      if (size <= newton_tolerance) return plausible();
    }
    return false;
  }

  // A matrix that is singular but for rounding "solves" with huge values.
  [[nodiscard]] bool plausible() const {
    constexpr double most = 1e12;
    for (std::size_t c = 0; c < column_place_.size(); ++c) {
      if (column_place_[c] >= 0 && std::abs(z_[c]) > most * problem_.scale[c]) return false;
    }
    return true;
  }

  const ConstraintFunction& constraints_;
  const NearestProblem& problem_;
  std::vector<double> z_;
  std::vector<int> row_place_, column_place_;  // in the square system, or -1
  std::size_t columns_ = 0;
  std::vector<double> residual_, jacobian_, values_, step_;
  std::vector<std::size_t> entries_;  // by entry of the square system: its number in the Jacobian
  SparsePattern pattern_;
  std::unique_ptr<RealSolver> solver_;
};

}  // namespace

std::optional<std::vector<double>> consistent_start(const ConstraintFunction& constraints,
                                                    const NearestProblem& problem,
                                                    const std::vector<bool>& follows) {
  return ConsistentStart(constraints, problem, follows).run();
}

}  // namespace daedalus
