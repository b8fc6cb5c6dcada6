#include "numerics/static_lu.hpp"

#include <amd.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// The backward error of a solution, and how much smaller a pivot may become until it is measured again.
constexpr double accurate_enough = 1e-8;
constexpr double far = 1e6;

// Products and quotients as formulas have them; those of std::complex look for infinities first.
double times(double a, double b) {
  return a * b;
}
std::complex<double> times(const std::complex<double>& a, const std::complex<double>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
double inverse(double a) {
  return 1 / a;
}
std::complex<double> inverse(const std::complex<double>& a) {
  const double square = a.real() * a.real() + a.imag() * a.imag();
  return {a.real() / square, -a.imag() / square};
}

bool finite(double x) {
  return std::isfinite(x);
}
bool finite(const std::complex<double>& x) {
  return std::isfinite(x.real()) && std::isfinite(x.imag());
}

// Which rows of S each constraint joins.
std::vector<std::vector<int>> constrained_rows(const SparsePattern& pattern, int first) {
  std::vector<std::vector<int>> rows(at(pattern.size - first));
  for (int c = 0; c < pattern.size; ++c) {
    for (int p = pattern.column_start[at(c)]; p < pattern.column_start[at(c) + 1]; ++p) {
      const int r = pattern.row[at(p)];
      if (r >= first && c < first) rows[at(r - first)].push_back(c);
      if (c >= first && r < first) rows[at(c - first)].push_back(r);
    }
  }
  for (std::vector<int>& line : rows) {
    std::ranges::sort(line);
    line.erase(std::unique(line.begin(), line.end()), line.end());
  }
  return rows;
}

SparsePattern joined_pattern(const SparsePattern& pattern, int first,
                             const std::vector<std::vector<int>>& constrained) {
  std::vector<std::vector<int>> columns(at(first));
  for (int c = 0; c < first; ++c) {
    columns[at(c)].push_back(c);
    for (int p = pattern.column_start[at(c)]; p < pattern.column_start[at(c) + 1]; ++p) {
      const int r = pattern.row[at(p)];
      if (r >= first) continue;
      columns[at(c)].push_back(r);
      columns[at(r)].push_back(c);
    }
  }
  for (const std::vector<int>& line : constrained) {
    for (const int i : line) columns[at(i)].insert(columns[at(i)].end(), line.begin(), line.end());
  }
  SparsePattern joined{.size = first, .column_start = {0}, .row = {}};
  for (std::vector<int>& column : columns) {
    std::ranges::sort(column);
    column.erase(std::unique(column.begin(), column.end()), column.end());
    joined.row.insert(joined.row.end(), column.begin(), column.end());
    joined.column_start.push_back(static_cast<int>(joined.row.size()));
  }
  return joined;
}

}  // namespace

std::vector<int> interleaved_saddle_order(const SparsePattern& pattern, int first) {
  const auto constrained = constrained_rows(pattern, first);
  std::vector<int> permutation(at(first));
  if (first > 0) {
    const SparsePattern joined = joined_pattern(pattern, first, constrained);
    const int status = amd_order(joined.size, joined.column_start.data(), joined.row.data(),
                                 permutation.data(), nullptr, nullptr);
    assert(status == AMD_OK || status == AMD_OK_BUT_JUMBLED);
    (void)status;
  }
  const std::vector<int> position = inverse_permutation(permutation);
  std::vector<std::vector<int>> ready(at(first) + 1);  // by position: constraints that can follow it
  for (std::size_t i = 0; i < constrained.size(); ++i) {
    int last = -1;
    for (const int row : constrained[i]) last = std::max(last, position[at(row)]);
    ready[at(last < 0 ? first : last)].push_back(first + static_cast<int>(i));
  }
  std::vector<int> order;
  for (std::size_t k = 0; k <= at(first); ++k) {
    if (k < permutation.size()) order.push_back(permutation[k]);
    order.insert(order.end(), ready[k].begin(), ready[k].end());
  }
  return order;
}

std::vector<int> planned_order(const SparsePattern& pattern, const EliminationPlan& plan) {
  using Turn = EliminationPlan::Turn;
  const auto n = at(pattern.size);
  const std::vector<int> unknown_of = inverse_permutation(plan.equation);
  // Where a column has gone when the early unknowns are eliminated.
  std::vector<int> joined(n);
  for (std::size_t c = 0; c < n; ++c) joined[c] = static_cast<int>(c);
  for (auto c = plan.early.rbegin(); c != plan.early.rend(); ++c)
    joined[at(*c)] = joined[at(plan.next[at(*c)])];
  // What is left, numbered: top, then constraints.
  std::vector<int> core;
  for (const Turn turn : {Turn::Top, Turn::Constraint}) {
    for (std::size_t c = 0; c < n; ++c) {
      if (plan.turn[c] == turn) core.push_back(static_cast<int>(c));
    }
  }
  std::vector<int> number(n, -1);
  for (std::size_t k = 0; k < core.size(); ++k) number[at(core[k])] = static_cast<int>(k);
  std::vector<std::vector<int>> columns(core.size());
  for (std::size_t c = 0; c < n; ++c) {
    const int column = number[at(joined[c])];
    if (column < 0) continue;
    for (int p = pattern.column_start[c]; p < pattern.column_start[c + 1]; ++p) {
      const int row = number[at(unknown_of[at(pattern.row[at(p)])])];
      if (row >= 0) columns[at(column)].push_back(row);
    }
  }
  SparsePattern left{.size = static_cast<int>(core.size()), .column_start = {0}, .row = {}};
  for (std::vector<int>& column : columns) {
    std::ranges::sort(column);
    column.erase(std::unique(column.begin(), column.end()), column.end());
    left.row.insert(left.row.end(), column.begin(), column.end());
    left.column_start.push_back(static_cast<int>(left.row.size()));
  }
  const auto tops = std::ranges::count(plan.turn, Turn::Top);
  std::vector<int> order = plan.early;
  for (const int k : interleaved_saddle_order(left, static_cast<int>(tops))) order.push_back(core[at(k)]);
  for (std::size_t c = 0; c < n; ++c) {
    if (plan.turn[c] == Turn::Late) order.push_back(static_cast<int>(c));
  }
  return order;
}

template <class Scalar>
StaticLu<Scalar>::StaticLu(const SparsePattern& pattern, std::span<const int> order)
    : order_(order.begin(), order.end()) {
  gather(pattern);
  analyse();
}

template <class Scalar>
void StaticLu<Scalar>::gather(const SparsePattern& pattern) {
  const std::size_t n = order_.size();
  position_ = inverse_permutation(order_);
  std::vector<std::vector<Source>> sources(n);
  for (int column = 0; column < pattern.size; ++column) {
    for (int p = pattern.column_start[at(column)]; p < pattern.column_start[at(column) + 1]; ++p) {
      const int r = position_[at(pattern.row[at(p)])];
      const int c = position_[at(column)];
      const bool lower = r >= c;
      sources[at(std::max(r, c))].push_back(
          {.position = std::min(r, c), .lower = lower ? p : -1, .upper = lower ? -1 : p});
    }
  }
  source_start_ = {0};
  for (std::vector<Source>& line : sources) {
    std::ranges::sort(line, {}, &Source::position);
    for (const Source& source : line) {
      const bool merges = static_cast<int>(source_.size()) > source_start_.back() &&
                          source_.back().position == source.position;
      if (!merges) source_.push_back(source);
      if (merges && source.lower >= 0) source_.back().lower = source.lower;
      if (merges && source.upper >= 0) source_.back().upper = source.upper;
    }
    source_start_.push_back(static_cast<int>(source_.size()));
  }
}

template <class Scalar>
void StaticLu<Scalar>::analyse() {
  const std::size_t n = order_.size();
  std::vector<int> entries(source_.size());
  std::ranges::transform(source_, entries.begin(), &Source::position);
  l_ = fill_in(source_start_, entries);
  values_.assign(l_.row.size(), {});
  work_.assign(n, {});
  inverse_.assign(n, Scalar(0));
  rhs_.assign(n, Scalar(0));
}

// Row k of L by W(0:k,0:k)ᵀ and column k of W by L(0:k,0:k), side by side.
template <class Scalar>
bool StaticLu<Scalar>::factor(std::span<const Scalar> values) {
  const std::size_t n = order_.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (int p = source_start_[k]; p < source_start_[k + 1]; ++p) {
      const Source& source = source_[at(p)];
      Pair& target = work_[at(source.position)];
      if (source.lower >= 0) target.lower = values[at(source.lower)];
      if (source.upper >= 0) target.upper = values[at(source.upper)];
    }
    Scalar pivot = work_[k].lower;
    work_[k] = {};
    for (int r = l_.line_start[k]; r < l_.line_start[k + 1]; ++r) {
      const auto i = at(l_.line_column[at(r)]);
      const int place = l_.line_place[at(r)];
      const Pair y = work_[i];
      work_[i] = {};
      for (int p = l_.column_start[i]; p < place; ++p) {
        Pair& target = work_[at(l_.row[at(p)])];
        target.lower -= times(values_[at(p)].upper, y.lower);
        target.upper -= times(values_[at(p)].lower, y.upper);
      }
      const Scalar factor = times(y.lower, inverse_[i]);
      pivot -= times(factor, y.upper);
      values_[at(place)] = {.lower = factor, .upper = times(y.upper, inverse_[i])};
    }
    inverse_[k] = inverse(pivot);
    if (pivot == Scalar(0) || !finite(inverse_[k])) {
      std::ranges::fill(work_, Pair{});
      return false;
    }
  }
  return true;
}

template <class Scalar>
void StaticLu<Scalar>::solve(std::span<Scalar> b) {
  const std::size_t n = order_.size();
  for (std::size_t k = 0; k < n; ++k) rhs_[k] = b[at(order_[k])];
  for (std::size_t k = 0; k < n; ++k) {
    const Scalar x = rhs_[k];
    for (int p = l_.column_start[k]; p < l_.column_start[k + 1]; ++p)
      rhs_[at(l_.row[at(p)])] -= times(values_[at(p)].lower, x);
  }
  for (std::size_t k = n; k-- > 0;) {
    Scalar x = times(rhs_[k], inverse_[k]);
    for (int p = l_.column_start[k]; p < l_.column_start[k + 1]; ++p)
      x -= times(values_[at(p)].upper, rhs_[at(l_.row[at(p)])]);
    rhs_[k] = x;
  }
  for (std::size_t k = 0; k < n; ++k) b[at(order_[k])] = rhs_[k];
}

template class StaticLu<double>;
template class StaticLu<std::complex<double>>;

namespace {

// The rows of a pattern in another order; within a column they need not be sorted for StaticLu.
SparsePattern with_rows(SparsePattern pattern, std::span<const int> row_of) {
  for (int& row : pattern.row) row = row_of[at(row)];
  return pattern;
}

template <class Scalar>
class SaddleLuSolver final : public LinearSolver<Scalar> {
 public:
  SaddleLuSolver(const SparsePattern& pattern, int first)
      : LinearSolver<Scalar>(pattern), lu_(pattern, interleaved_saddle_order(pattern, first)) {}
  SaddleLuSolver(const SparsePattern& pattern, const EliminationPlan& plan)
      : LinearSolver<Scalar>(pattern),
        unknown_of_(inverse_permutation(plan.equation)),
        lu_(with_rows(pattern, unknown_of_), planned_order(pattern, plan)),
        scratch_(at(pattern.size)) {}

  bool factor(std::span<const Scalar> values) override {
    if (general_ == nullptr) {
      if (lu_.factor(values) && (!suspicious() || accurate(values))) return true;
      general_ = make_linear_solver<Scalar>(this->pattern_);
    }
    return general_->factor(values);
  }
  void solve(std::span<Scalar> b) override { general_ != nullptr ? general_->solve(b) : solve_static(b); }
  Pivot weakest_pivot() const override { return general_ != nullptr ? general_->weakest_pivot() : Pivot{}; }
  std::string_view name() const override { return general_ != nullptr ? general_->name() : "static-lu"; }

 private:
  // A pivot is smaller by far than where solutions were last seen to be accurate.
  bool suspicious() {
    const auto inverse = lu_.inverse_pivots();
    bool any = tried_.empty();
    for (std::size_t k = 0; k < tried_.size() && !any; ++k) any = std::abs(inverse[k]) > far * tried_[k];
    return any;
  }

  void solve_static(std::span<Scalar> b) {
    if (!unknown_of_.empty()) {
      std::ranges::copy(b, scratch_.begin());
      for (std::size_t r = 0; r < b.size(); ++r) b[at(unknown_of_[r])] = scratch_[r];
    }
    lu_.solve(b);
  }

  // Backward, not forward: long chains are ill-conditioned by any method.
  bool accurate(std::span<const Scalar> values) {
    const SparsePattern& pattern = this->pattern_;
    std::vector<Scalar> b(at(pattern.size));
    for (int r = 0; r < pattern.size; ++r) b[at(r)] = Scalar(1 + r % 3);
    std::vector<Scalar> x = b;
    solve_static(x);
    std::vector<double> size(b.size(), 1);
    for (int c = 0; c < pattern.size; ++c) {
      for (int p = pattern.column_start[at(c)]; p < pattern.column_start[at(c) + 1]; ++p) {
        const Scalar product = values[at(p)] * x[at(c)];
        b[at(pattern.row[at(p)])] -= product;
        size[at(pattern.row[at(p)])] += std::abs(product);
      }
    }
    double worst = 0;
    for (std::size_t r = 0; r < b.size(); ++r) worst = std::max(worst, std::abs(b[r]) / size[r]);
    const auto inverse = lu_.inverse_pivots();
    tried_.resize(inverse.size());
    for (std::size_t k = 0; k < inverse.size(); ++k) tried_[k] = std::abs(inverse[k]);
    return worst <= accurate_enough;
  }

  std::vector<int> unknown_of_;  // by equation; empty: as they stand
  StaticLu<Scalar> lu_;
  std::vector<Scalar> scratch_;
  std::unique_ptr<LinearSolver<Scalar>> general_;
  std::vector<double> tried_;  // the inverse pivots, by size, with which solutions were found to be accurate
};

}  // namespace

template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_saddle_solver(const SparsePattern& pattern, int first) {
  return std::make_unique<SaddleLuSolver<Scalar>>(pattern, first);
}

template std::unique_ptr<RealSolver> make_saddle_solver<double>(const SparsePattern&, int);
template std::unique_ptr<ComplexSolver> make_saddle_solver<std::complex<double>>(const SparsePattern&, int);

template <class Scalar>
std::unique_ptr<LinearSolver<Scalar>> make_planned_solver(const SparsePattern& pattern,
                                                          const EliminationPlan& plan) {
  return std::make_unique<SaddleLuSolver<Scalar>>(pattern, plan);
}

template std::unique_ptr<RealSolver> make_planned_solver<double>(const SparsePattern&,
                                                                 const EliminationPlan&);
template std::unique_ptr<ComplexSolver> make_planned_solver<std::complex<double>>(const SparsePattern&,
                                                                                  const EliminationPlan&);

}  // namespace daedalus
