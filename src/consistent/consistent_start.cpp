#include "consistent/consistent_start.hpp"

#include <algorithm>
#include <cmath>

#include "consistent/tolerances.hpp"
#include "numerics/linear_solver.hpp"
#include "numerics/newton.hpp"
#include "numerics/pattern_builder.hpp"

namespace daedalus {
namespace {

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
    if (!evaluate_at(z_) || !number_rows() || !conditions_hold()) return std::nullopt;
    build_pattern();
    return solve() ? std::optional(std::move(z_)) : std::nullopt;
  }

  // Newton's view of the square system: plain steps.
  bool linearise() {
    for (std::size_t k = 0; k < entries_.size(); ++k)
      values_[static_cast<std::size_t>(positions_[k])] = jacobian_[entries_[k]];
    return solver_->factor(values_);
  }
  double step() {
    for (std::size_t r = 0; r < row_place_.size(); ++r) {
      if (row_place_[r] >= 0) step_[static_cast<std::size_t>(row_place_[r])] = -residual_[r];
    }
    solver_->solve(step_);
    double size = 0;
    for (std::size_t c = 0; c < column_place_.size(); ++c) {
      if (column_place_[c] < 0) continue;
      const double change = step_[static_cast<std::size_t>(column_place_[c])];
      if (!std::isfinite(change)) return std::numeric_limits<double>::infinity();
      trial_[c] = z_[c] + change;
      size = std::max(size, std::abs(change) / (problem_.scale[c] + std::abs(trial_[c])));
    }
    return size;
  }
  [[nodiscard]] static NewtonStep judge(double size) {
    return size <= consistent::consistent_step ? NewtonStep::Last : NewtonStep::Untested;
  }
  bool evaluate(double /*lambda*/) { return evaluate_at(trial_); }
  [[nodiscard]] static bool descends(double /*lambda*/, double /*size*/) { return true; }
  void accept() { z_ = trial_; }

 private:
  bool evaluate_at(std::span<const double> z) {
    constraints_.residual(z, residual_);
    constraints_.jacobian(z, jacobian_);
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
      if (row_place_[r] < 0 && !(std::abs(residual_[r]) <= consistent::rounding_of_terms * terms[r]))
        return false;
    }
    return true;
  }

  void build_pattern() {
    PatternBuilder builder(static_cast<int>(columns_));
    for_entries([&](std::size_t k, std::size_t column, std::size_t row) {
      if (column_place_[column] < 0 || row_place_[row] < 0) return;
      builder.add(row_place_[row], column_place_[column]);
      entries_.push_back(k);
    });
    auto built = builder.build();
    positions_ = std::move(built.position);
    values_.resize(built.pattern.row.size());
    step_.resize(columns_);
    trial_ = z_;
    solver_ = make_linear_solver<double>(built.pattern);
  }

  bool solve() {
    return damped_newton(*this, consistent::consistent_newton).status == DampedStatus::Converged &&
           plausible();
  }

  [[nodiscard]] bool plausible() const {
    for (std::size_t c = 0; c < column_place_.size(); ++c) {
      if (column_place_[c] >= 0 && std::abs(z_[c]) > consistent::implausible * problem_.scale[c])
        return false;
    }
    return true;
  }

  const ConstraintFunction& constraints_;
  const NearestProblem& problem_;
  std::vector<double> z_;
  std::vector<int> row_place_, column_place_;  // in the square system, or -1
  std::size_t columns_ = 0;
  std::vector<double> residual_, jacobian_, values_, step_, trial_;
  std::vector<std::size_t> entries_;  // by entry of the square system: its number in the Jacobian
  std::vector<int> positions_;        // by entry of the square system: where its value stands
  std::unique_ptr<RealSolver> solver_;
};

}  // namespace

std::optional<std::vector<double>> consistent_start(const ConstraintFunction& constraints,
                                                    const NearestProblem& problem,
                                                    const std::vector<bool>& follows) {
  return ConsistentStart(constraints, problem, follows).run();
}

}  // namespace daedalus
