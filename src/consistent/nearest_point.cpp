#include "consistent/nearest_point.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "numerics/linear_solver.hpp"

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
    size_ = static_cast<int>(free_.size()) + constraints.rows;
    build_pattern();
    solver_ = make_linear_solver<double>(pattern_);
    jacobian_.resize(constraints.row.size());
    values_.resize(pattern_.row.size());
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
      const double w = problem_.weight[at];
      rhs_[k] = w * w * (problem_.guess[at] - z[at]) / problem_.scale[at];
    }
    for (std::size_t r = 0; r < c.size(); ++r) rhs_[free_.size() + r] = -c[r] * row_scale_[r];
    solver_->solve(rhs_);
    std::ranges::fill(delta, 0.0);
    for (std::size_t k = 0; k < free_.size(); ++k) delta[static_cast<std::size_t>(free_[k])] = rhs_[k];
  }

  // Largest |c_i| relative to the terms that it is made of.
  [[nodiscard]] double size_of(std::span<const double> c) const {
    const int worst = worst_row(c);
    return worst < 0
               ? 0
               : std::abs(c[static_cast<std::size_t>(worst)]) * term_scale_[static_cast<std::size_t>(worst)];
  }
  [[nodiscard]] int worst_row(std::span<const double> c) const {
    int worst = -1;
    double largest = 0;
    for (std::size_t r = 0; r < c.size(); ++r) {
      const double value = std::abs(c[r]) * term_scale_[r];
      if (value <= largest) continue;
      largest = value;
      worst = static_cast<int>(r);
    }
    return worst;
  }

 private:
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
      row_scale_[r] = largest[r] > 0 ? 1 / largest[r] : 1;
      term_scale_[r] = 1 / std::max(1 / row_scale_[r], terms[r]);
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

  // Columns of the free unknowns hold the diagonal, then C; those of the multipliers Cᵀ, then the diagonal.
  // Entries are met with ascending columns and, within those, rows, so both halves come out sorted.
  void build_pattern() {
    const std::size_t nf = free_.size();
    std::vector<int>& start = pattern_.column_start;
    start.assign(static_cast<std::size_t>(size_) + 1, 1);
    start[0] = 0;
    for_free_entries([&](std::size_t, std::size_t k, std::size_t row) {
      ++start[k + 1];
      ++start[nf + row + 1];
    });
    std::partial_sum(start.begin(), start.end(), start.begin());
    pattern_.size = size_;
    pattern_.row.resize(static_cast<std::size_t>(start.back()));
    std::vector<int> next(start.begin(), start.end() - 1);
    const auto place = [&](std::size_t column, std::size_t row) {
      const int at = next[column]++;
      pattern_.row[static_cast<std::size_t>(at)] = static_cast<int>(row);
      return static_cast<std::size_t>(at);
    };
    diagonal_.resize(static_cast<std::size_t>(size_));
    for (std::size_t k = 0; k < nf; ++k) diagonal_[k] = place(k, k);
    positions_.resize(constraints_.row.size());
    for_free_entries([&](std::size_t e, std::size_t k, std::size_t row) {
      positions_[e] = {place(k, nf + row), place(nf + row, k)};
    });
    for (auto r = nf; r < static_cast<std::size_t>(size_); ++r) diagonal_[r] = place(r, r);
  }

  void fill() {
    constexpr double delta = 1e-13;
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const double w = problem_.weight[static_cast<std::size_t>(free_[k])];
      values_[diagonal_[k]] = w * w;
    }
    for (std::size_t r = free_.size(); r < diagonal_.size(); ++r) values_[diagonal_[r]] = -delta;
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
  int size_ = 0;
  SparsePattern pattern_;
  std::unique_ptr<RealSolver> solver_;
  std::vector<double> factored_at_;  // z of the factors; empty: there are none
  std::vector<double> jacobian_;
  std::vector<double> values_;
  std::vector<std::size_t> diagonal_;  // where W and -δI stand in values_
  std::vector<std::pair<std::size_t, std::size_t>>
      positions_;                   // by entry of C: where it and its mirror stand
  std::vector<double> row_scale_;   // largest entry of a row of C becomes 1
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

 private:
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

  void move(double lambda, std::span<const double> from) {
    for (std::size_t k = 0; k < trial_.size(); ++k)
      trial_[k] = from[k] + (lambda * delta_[k] * problem_.scale[k]);
  }

  // Damped Newton with steps of minimal norm.
  bool feasible() {
    double lambda = 1;
    for (; result_.iterations < problem_.max_iterations; ++result_.iterations) {
      if (!steps_.factor(result_.z)) {
        end(NearestStatus::Singular, -1);
        return false;
      }
      steps_.step(result_.z, c_, false, delta_);
      const double size = norm(delta_);
      if (!std::isfinite(size)) {
        end(NearestStatus::Singular, -1);
        return false;
      }
      if (relative_step() <= problem_.tolerance) {
        // A vanishing step with constraints that do not hold: a least-squares point, not a solution.
        if (steps_.size_of(c_) <= 1e-6) return true;
        end(NearestStatus::NoConvergence, steps_.worst_row(c_));
        return false;
      }
      lambda = std::min(1.0, lambda * 4);
      bool accepted = false;
      for (; lambda > 1e-10; lambda *= 0.5) {
        move(lambda, result_.z);
        constraints_.residual(trial_, trial_c_);
        if (first_not_finite(trial_c_) >= 0) continue;
        steps_.step(trial_, trial_c_, false, simplified_);
        if (norm(simplified_) <= (1 - (lambda / 4)) * size) {
          accepted = true;
          break;
        }
      }
      if (!accepted) {
        // Rounding may end the descent of the steps before the tolerance does.
        if (relative_step() <= 1e-7 && steps_.size_of(c_) <= 1e-9) return true;
        end(NearestStatus::NoConvergence, steps_.worst_row(c_));
        return false;
      }
      std::swap(result_.z, trial_);
      std::swap(c_, trial_c_);
    }
    end(NearestStatus::NoConvergence, steps_.worst_row(c_));
    return false;
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
    const int limit = 40;
    for (int k = 0; k < limit; ++k, ++result_.iterations) {
      if (!steps_.factor(result_.z)) return;
      steps_.step(result_.z, c_, true, delta_);
      if (!std::isfinite(norm(delta_)) || relative_step() < 1e-7) return;
      const double before = distance(result_.z);
      bool accepted = false;
      for (double lambda = 1; lambda > 1e-3; lambda *= 0.5) {
        move(lambda, result_.z);
        constraints_.residual(trial_, trial_c_);
        if (first_not_finite(trial_c_) >= 0) continue;
        // The distance may not grow, and curvature may cost only what Newton can repair.
        if (distance(trial_) < before && steps_.size_of(trial_c_) < 0.1) {
          accepted = true;
          break;
        }
      }
      if (!accepted) return;
      std::swap(result_.z, trial_);
      std::swap(c_, trial_c_);
    }
  }

  // Full Newton steps of minimal norm until they are round-off or stop shrinking.
  void polish() {
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 20; ++k, ++result_.iterations) {
      if (!steps_.factor(result_.z)) break;
      steps_.step(result_.z, c_, false, delta_);
      const double size = relative_step();
      if (!(size < last)) break;
      last = size;
      move(1, result_.z);
      constraints_.residual(trial_, trial_c_);
      if (first_not_finite(trial_c_) >= 0) break;
      std::swap(result_.z, trial_);
      std::swap(c_, trial_c_);
      if (size <= 1e-15) break;
    }
    result_.residual = steps_.size_of(c_);
    result_.bad_row = steps_.worst_row(c_);
    result_.status = result_.residual < 1e-6 ? NearestStatus::Ok : NearestStatus::NoConvergence;
  }

  const ConstraintFunction& constraints_;
  const NearestProblem& problem_;
  SaddleSteps steps_;
  NearestResult result_;
  std::vector<double> c_, trial_c_;
  std::vector<double> delta_, simplified_, trial_;
};

}  // namespace

NearestResult nearest_point(const ConstraintFunction& constraints, const NearestProblem& problem) {
  return NearestSolver(constraints, problem).run();
}

}  // namespace daedalus
