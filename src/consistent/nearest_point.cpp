#include "consistent/nearest_point.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "consistent/tolerances.hpp"
#include "numerics/linear_solver.hpp"
#include "numerics/newton.hpp"
#include "numerics/pattern_builder.hpp"

namespace daedalus {
namespace {

// Newton steps by the saddle system, in scaled unknowns ζ = z / s with W = diag(w²):
//   [ W   Cᵀ ] [ Δζ ]   [ W(ζ⁰ - ζ) or 0 ]
//   [ C  -δI ] [ ν  ] = [ -c             ]
// rows of C scaled to largest entry 1. δ keeps redundant rows from breaking the factorisation.
class SaddleSteps {
 public:
  SaddleSteps(const ConstraintFunction& constraints, const NearestProblem& problem)
      : constraints_(constraints), problem_(problem) {
    place_.assign(static_cast<std::size_t>(constraints.columns), -1);
    for (int k = 0; k < constraints.columns; ++k) {
      if (!problem.held[static_cast<std::size_t>(k)]) {
        place_[static_cast<std::size_t>(k)] = static_cast<int>(free_.size());
        free_.push_back(k);
      }
    }
    // Only ratios of weights matter; δ is meant beside the largest.
    double heaviest = 0;
    for (const int k : free_) heaviest = std::max(heaviest, problem.weight[static_cast<std::size_t>(k)]);
    for (const int k : free_) {
      const double w = problem.weight[static_cast<std::size_t>(k)] / heaviest;
      metric_.push_back(w * w);
    }
    size_ = static_cast<int>(free_.size()) + constraints.rows;
    build_pattern();
    jacobian_.resize(constraints.row.size());
    row_scale_.assign(static_cast<std::size_t>(constraints.rows), 1.0);
    term_scale_ = row_scale_;
    rhs_.resize(static_cast<std::size_t>(size_));
  }

  // False: not finite or singular. The phases of the search begin where the last one ended, so the factors
  // are often there already.
  bool factor(std::span<const double> z) {
    if (std::ranges::equal(z, factored_at_)) return true;
    factored_at_.clear();
    if (!factor_anew(z)) return false;
    factored_at_.assign(z.begin(), z.end());
    return true;
  }

  // Δζ (by z's numbers; zero where held) of minimal norm with C Δζ = -c, or the Gauss–Newton step towards
  // the guess when `pull`. The caller owns c.
  void step(std::span<const double> z, std::span<const double> c, bool pull, std::span<double> delta) {
    std::ranges::fill(rhs_, 0.0);
    for (std::size_t k = 0; k < free_.size() && pull; ++k) {
      const auto at = static_cast<std::size_t>(free_[k]);
      rhs_[k] = metric_[k] * (problem_.guess[at] - z[at]) / problem_.scale[at];
    }
    for (std::size_t r = 0; r < c.size(); ++r) rhs_[free_.size() + r] = -c[r] * row_scale_[r];
    solver_->solve(rhs_);
    std::ranges::fill(delta, 0.0);
    for (std::size_t k = 0; k < free_.size(); ++k) delta[static_cast<std::size_t>(free_[k])] = rhs_[k];
  }

  // Largest |c_i| relative to the terms that it is made of.
  [[nodiscard]] double size_of(std::span<const double> c) const {
    const int worst = worst_row(c);
    return worst < 0 ? 0 : size_of_row(c, static_cast<std::size_t>(worst));
  }
  [[nodiscard]] int worst_row(std::span<const double> c) const {
    int worst = -1;
    double largest = 0;
    for (std::size_t r = 0; r < c.size(); ++r) {
      const double value = size_of_row(c, r);
      if (value <= largest) continue;
      largest = value;
      worst = static_cast<int>(r);
    }
    return worst;
  }

 private:
  [[nodiscard]] double rounding(std::size_t r) const {
    return problem_.rounding.empty() ? 0 : consistent::within_rounding * problem_.rounding[r];
  }
  [[nodiscard]] double size_of_row(std::span<const double> c, std::size_t r) const {
    return std::max(0.0, std::abs(c[r]) - rounding(r)) * term_scale_[r];
  }

  bool factor_anew(std::span<const double> z) {
    constraints_.jacobian(z, jacobian_);
    for (const double value : jacobian_) {
      if (!std::isfinite(value)) return false;
    }
    std::vector<double> largest(row_scale_.size(), 0);
    std::vector<double> terms(row_scale_.size(), 0);
    for_entries([&](std::size_t k, int column, int row) {
      double& term = terms[static_cast<std::size_t>(row)];
      term = std::max(term, std::abs(jacobian_[k] * z[static_cast<std::size_t>(column)]));
      if (place_[static_cast<std::size_t>(column)] < 0) return;
      double& l = largest[static_cast<std::size_t>(row)];
      l = std::max(l, std::abs(jacobian_[k] * problem_.scale[static_cast<std::size_t>(column)]));
    });
    for (std::size_t r = 0; r < largest.size(); ++r) {
      const bool empty = largest[r] <= rounding(r);
      row_scale_[r] = empty ? 0 : 1 / largest[r];
      const double term = std::max(largest[r], terms[r]);
      term_scale_[r] = term > 0 ? 1 / term : 1;
    }
    fill();
    return solver_->factor(values_);
  }

  template <class F>
  void for_entries(F&& visit) const {
    for (int column = 0; column < constraints_.columns; ++column) {
      const auto begin =
          static_cast<std::size_t>(constraints_.column_start[static_cast<std::size_t>(column)]);
      const auto end =
          static_cast<std::size_t>(constraints_.column_start[static_cast<std::size_t>(column) + 1]);
      for (std::size_t k = begin; k < end; ++k) visit(k, column, constraints_.row[k]);
    }
  }

  // Entries of C in columns that are not held, with the free unknown's number.
  template <class F>
  void for_free_entries(F&& visit) const {
    for_entries([&](std::size_t e, int column, int row) {
      const int k = place_[static_cast<std::size_t>(column)];
      if (k >= 0) visit(e, static_cast<std::size_t>(k), static_cast<std::size_t>(row));
    });
  }

  void build_pattern() {
    const auto nf = static_cast<int>(free_.size());
    PatternBuilder builder(size_);
    builder.reserve(static_cast<std::size_t>(size_) + (2 * constraints_.row.size()));
    for (int k = 0; k < size_; ++k) builder.add(k, k);
    for_free_entries([&](std::size_t, std::size_t k, std::size_t row) {
      builder.add(nf + static_cast<int>(row), static_cast<int>(k));
      builder.add(static_cast<int>(k), nf + static_cast<int>(row));
    });
    const auto built = builder.build();
    std::size_t entry = 0;
    const auto next = [&] { return static_cast<std::size_t>(built.position[entry++]); };
    diagonal_.resize(static_cast<std::size_t>(size_));
    for (std::size_t& position : diagonal_) position = next();
    positions_.resize(constraints_.row.size());
    for_free_entries([&](std::size_t e, std::size_t, std::size_t) {
      positions_[e].first = next();
      positions_[e].second = next();
    });
    values_.resize(built.pattern.row.size());
    solver_ = make_linear_solver<double>(built.pattern);
  }

  void fill() {
    for (std::size_t k = 0; k < free_.size(); ++k) values_[diagonal_[k]] = metric_[k];
    for (std::size_t r = free_.size(); r < diagonal_.size(); ++r)
      values_[diagonal_[r]] = -problem_.regularisation;
    for_free_entries([&](std::size_t e, std::size_t k, std::size_t row) {
      const double value =
          jacobian_[e] * problem_.scale[static_cast<std::size_t>(free_[k])] * row_scale_[row];
      values_[positions_[e].first] = value;
      values_[positions_[e].second] = value;
    });
  }

  const ConstraintFunction& constraints_;
  const NearestProblem& problem_;
  std::vector<int> place_;  // by unknown: its number among the free ones, or -1
  std::vector<int> free_;
  std::vector<double> metric_;  // w² by free unknown, 1 for the heaviest
  int size_ = 0;
  std::unique_ptr<RealSolver> solver_;
  std::vector<double> factored_at_;  // z of the factors; empty: there are none
  std::vector<double> jacobian_;
  std::vector<double> values_;
  std::vector<std::size_t> diagonal_;  // where W and -δI stand in values_
  std::vector<std::pair<std::size_t, std::size_t>>
      positions_;                   // by entry of C: where it and its mirror stand
  std::vector<double> row_scale_;   // largest entry of a row of C becomes 1; 0: an empty row
  std::vector<double> term_scale_;  // largest term of a row at z becomes 1
  std::vector<double> rhs_;
};

int first_not_finite(std::span<const double> c) {
  const auto found = std::ranges::find_if(c, [](double v) { return !std::isfinite(v); });
  return found == c.end() ? -1 : static_cast<int>(found - c.begin());
}

class NearestSolver {
 public:
  NearestSolver(const ConstraintFunction& constraints, const NearestProblem& problem)
      : constraints_(constraints), problem_(problem), steps_(constraints, problem) {
    const auto n = static_cast<std::size_t>(constraints.columns);
    result_.z = problem.first.empty() ? problem.guess : problem.first;
    c_.resize(static_cast<std::size_t>(constraints.rows));
    trial_c_ = c_;
    delta_.resize(n);
    simplified_.resize(n);
    trial_.resize(n);
  }

  NearestResult run() {
    constraints_.residual(result_.z, c_);
    if (const int bad = first_not_finite(c_); bad >= 0) return end(NearestStatus::NotFinite, bad);
    if (!feasible()) return result_;
    approach();
    polish();
    return result_;
  }

  // Newton's view of it. The three phases differ in the step, in what is small and in what descends.
  bool linearise() { return steps_.factor(result_.z); }
  double step() {
    steps_.step(result_.z, c_, phase_ == Phase::Approach, delta_);
    if (phase_ == Phase::Approach) distance_ = distance(result_.z);
    return norm(delta_);
  }
  NewtonStep judge(double /*size*/) {
    const double size = relative_step();
    switch (phase_) {
      case Phase::Feasible:
        return size <= problem_.tolerance ? NewtonStep::None : NewtonStep::Tested;
      case Phase::Approach:
        return size < consistent::approach_step ? NewtonStep::None : NewtonStep::Tested;
      case Phase::Polish:
        if (!(size < last_polish_)) return NewtonStep::None;
        last_polish_ = size;
        return size <= consistent::polished_step ? NewtonStep::Last : NewtonStep::Untested;
    }
    return NewtonStep::None;
  }
  bool evaluate(double lambda) {
    for (std::size_t k = 0; k < trial_.size(); ++k)
      trial_[k] = result_.z[k] + (lambda * delta_[k] * problem_.scale[k]);
    constraints_.residual(trial_, trial_c_);
    return first_not_finite(trial_c_) < 0;
  }
  bool descends(double lambda, double size) {
    // The distance may not grow, and curvature may cost only what Newton can repair.
    if (phase_ == Phase::Approach)
      return distance(trial_) < distance_ && steps_.size_of(trial_c_) < consistent::approach_residual;
    steps_.step(trial_, trial_c_, false, simplified_);
    return naturally_monotone(norm(simplified_), size, lambda);
  }
  void accept() {
    std::swap(result_.z, trial_);
    std::swap(c_, trial_c_);
  }

 private:
  enum class Phase { Feasible, Approach, Polish };

  NearestResult end(NearestStatus status, int row) {
    result_.status = status;
    result_.bad_row = row;
    result_.residual = steps_.size_of(c_);
    return result_;
  }

  [[nodiscard]] double norm(std::span<const double> delta) const {
    double sum = 0;
    for (const double d : delta) sum += d * d;
    return std::sqrt(sum);
  }

  // Largest step relative to what the unknowns can resolve.
  [[nodiscard]] double relative_step() const {
    double largest = 0;
    for (std::size_t k = 0; k < delta_.size(); ++k) {
      const double s = problem_.scale[k];
      largest = std::max(largest, std::abs(delta_[k]) * s / (s + std::abs(result_.z[k])));
    }
    return largest;
  }

  // Damped Newton with steps of minimal norm.
  bool feasible() {
    phase_ = Phase::Feasible;
    const DampedOutcome outcome = damped_newton(
        *this,
        {.iterations = problem_.max_iterations, .smallest_damping = consistent::smallest_nearest_damping});
    result_.iterations += outcome.iterations;
    bool solved = false;
    switch (outcome.status) {
      case DampedStatus::Singular:
        end(NearestStatus::Singular, -1);
        return false;
      case DampedStatus::Converged:
        // A vanishing step with constraints that do not hold: a least-squares point, not a solution.
        solved = steps_.size_of(c_) <= consistent::fulfilled;
        break;
      case DampedStatus::NoDescent:
        // Rounding may end the descent of the steps before the tolerance does.
        solved = relative_step() <= consistent::stagnating_step &&
                 steps_.size_of(c_) <= consistent::stagnating_residual;
        break;
      case DampedStatus::TooManyIterations:
        break;
    }
    if (!solved) end(NearestStatus::NoConvergence, steps_.worst_row(c_));
    return solved;
  }

  [[nodiscard]] double distance(std::span<const double> z) const {
    double sum = 0;
    for (std::size_t k = 0; k < z.size(); ++k) {
      const double d = problem_.weight[k] * (z[k] - problem_.guess[k]) / problem_.scale[k];
      sum += d * d;
    }
    return sum;
  }

  // Gauss–Newton towards the guess while that makes the distance smaller and the constraints stay near.
  void approach() {
    phase_ = Phase::Approach;
    result_.iterations += damped_newton(*this, consistent::approach_limits).iterations;
  }

  // Full Newton steps of minimal norm until they are round-off or stop shrinking.
  void polish() {
    phase_ = Phase::Polish;
    last_polish_ = std::numeric_limits<double>::infinity();
    result_.iterations += damped_newton(*this, consistent::polish_limits).iterations;
    result_.residual = steps_.size_of(c_);
    result_.bad_row = steps_.worst_row(c_);
    result_.status =
        result_.residual < consistent::fulfilled ? NearestStatus::Ok : NearestStatus::NoConvergence;
  }

  const ConstraintFunction& constraints_;
  const NearestProblem& problem_;
  SaddleSteps steps_;
  NearestResult result_;
  std::vector<double> c_, trial_c_;
  std::vector<double> delta_, simplified_, trial_;
  Phase phase_ = Phase::Feasible;
  double distance_ = 0;     // of z, when its step was computed
  double last_polish_ = 0;  // the step before
};

}  // namespace

ConstraintFunction restricted_to(const std::vector<bool>& rows, const ConstraintFunction& constraints) {
  ConstraintFunction restricted = constraints;
  restricted.residual = [residual = constraints.residual, rows](std::span<const double> z,
                                                                std::span<double> c) {
    residual(z, c);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (!rows[r]) c[r] = 0;
    }
  };
  std::vector<int> gone;
  for (std::size_t k = 0; k < constraints.row.size(); ++k) {
    if (!rows[static_cast<std::size_t>(constraints.row[k])]) gone.push_back(static_cast<int>(k));
  }
  restricted.jacobian = [jacobian = constraints.jacobian, gone](std::span<const double> z,
                                                                std::span<double> values) {
    jacobian(z, values);
    for (const int entry : gone) values[static_cast<std::size_t>(entry)] = 0;
  };
  return restricted;
}

NearestResult nearest_point(const ConstraintFunction& constraints, const NearestProblem& problem) {
  return NearestSolver(constraints, problem).run();
}

}  // namespace daedalus
