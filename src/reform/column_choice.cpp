#include "reform/column_choice.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

namespace daedalus {
namespace {

constexpr double singular = 1e-13;  // of rows scaled to 1

using Matrix = Eigen::MatrixXd;

Matrix columns_of(const Matrix& h, const std::vector<int>& chosen) {
  Matrix m(h.rows(), static_cast<long>(chosen.size()));
  for (std::size_t k = 0; k < chosen.size(); ++k) m.col(static_cast<long>(k)) = h.col(chosen[k]);
  return m;
}

std::vector<int> by_pivoted_qr(const Matrix& h) {
  Eigen::ColPivHouseholderQR<Matrix> qr(h);
  qr.setThreshold(singular);
  if (qr.rank() < h.rows()) return {};
  std::vector<int> chosen;
  for (long k = 0; k < h.rows(); ++k) chosen.push_back(qr.colsPermutation().indices()(k));
  return chosen;
}

ColumnChoice choose_dense(const Matrix& h, const std::vector<int>& preferred, double threshold) {
  ColumnChoice result;
  bool keep = static_cast<long>(preferred.size()) == h.rows();
  std::vector<int> chosen = preferred;
  if (keep) {
    const Eigen::FullPivLU<Matrix> lu(columns_of(h, chosen));
    keep = lu.isInvertible();
  }
  if (!keep) {
    chosen = by_pivoted_qr(h);
    result.growth = std::numeric_limits<double>::infinity();
    if (chosen.empty()) return result;
  }
  const auto exchanges = 4 * (h.rows() + 1);
  for (long k = 0; k < exchanges; ++k) {
    Matrix t = columns_of(h, chosen).partialPivLu().solve(h);
    for (const int c : chosen) t.col(c).setZero();
    long row = 0;
    long column = 0;
    const double growth = t.size() == 0 ? 0 : t.cwiseAbs().maxCoeff(&row, &column);
    if (k == 0 && keep) result.growth = growth;
    if (!(growth > threshold)) break;
    chosen[static_cast<std::size_t>(row)] = static_cast<int>(column);
  }
  std::ranges::sort(chosen);
  result.columns = std::move(chosen);
  return result;
}

// Left-looking elimination, one row of H at a time (columns of Hᵀ, as Gilbert and Peierls do): the row is
// reduced by the pivots found so far, then a pivot column is chosen.
class SparseChoice {
 public:
  SparseChoice(int rows, int columns, const std::vector<MatrixEntry>& entries,
               const std::vector<int>& preferred)
      : rows_(rows),
        pivot_of_column_(static_cast<std::size_t>(columns), -1),
        work_(static_cast<std::size_t>(columns), 0.0),
        is_preferred_(static_cast<std::size_t>(columns), false),
        start_(static_cast<std::size_t>(rows) + 1, 0) {
    for (const int c : preferred) is_preferred_[static_cast<std::size_t>(c)] = true;
    for (const MatrixEntry& e : entries) ++start_[static_cast<std::size_t>(e.row) + 1];
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) start_[r + 1] += start_[r];
    sorted_.resize(entries.size());
    std::vector<int> next(start_.begin(), start_.end() - 1);
    for (const MatrixEntry& e : entries)
      sorted_[static_cast<std::size_t>(next[static_cast<std::size_t>(e.row)]++)] = e;
  }

  ColumnChoice run(double threshold) {
    ColumnChoice result;
    for (int r = 0; r < rows_; ++r) {
      load(r);
      const int pivot = choose(threshold, result.growth);
      if (pivot < 0) return {.columns = {}, .growth = result.growth};
      store(pivot);
      result.columns.push_back(pivot);
    }
    std::ranges::sort(result.columns);
    return result;
  }

 private:
  struct Term {
    int column;
    double value;
  };

  void touch(int column, double value) {
    if (value == 0) return;  // an entry that happens to be zero here has no place in the pattern
    const auto c = static_cast<std::size_t>(column);
    if (work_[c] == 0) {
      pattern_.push_back(column);
      if (pivot_of_column_[c] >= 0) pending_.push(pivot_of_column_[c]);
    }
    work_[c] += value;
    if (work_[c] == 0) work_[c] = std::numeric_limits<double>::min();  // stays in the pattern
  }

  void load(int r) {
    pattern_.clear();
    for (int k = start_[static_cast<std::size_t>(r)]; k < start_[static_cast<std::size_t>(r) + 1]; ++k) {
      const MatrixEntry& e = sorted_[static_cast<std::size_t>(k)];
      touch(e.column, e.value);
    }
    while (!pending_.empty()) {
      const int step = pending_.top();
      pending_.pop();
      const double factor = work_[static_cast<std::size_t>(pivot_column_[static_cast<std::size_t>(step)])];
      for (const Term& term : eliminated_[static_cast<std::size_t>(step)])
        touch(term.column, -factor * term.value);
    }
  }

  int choose(double threshold, double& growth) {
    int best = -1;
    int best_preferred = -1;
    const auto size = [&](int c) { return std::abs(work_[static_cast<std::size_t>(c)]); };
    for (const int c : pattern_) {
      if (pivot_of_column_[static_cast<std::size_t>(c)] >= 0) continue;
      if (best < 0 || size(c) > size(best)) best = c;
      if (is_preferred_[static_cast<std::size_t>(c)] &&
          (best_preferred < 0 || size(c) > size(best_preferred)))
        best_preferred = c;
    }
    if (best < 0 || size(best) < singular) return -1;
    if (best_preferred >= 0) {
      growth = std::max(growth, size(best) / size(best_preferred));
      if (size(best_preferred) * threshold >= size(best)) return best_preferred;
    }
    return best;
  }

  // Keeps the reduced row, scaled to pivot 1 and without the pivot itself.
  void store(int pivot) {
    const double scale = work_[static_cast<std::size_t>(pivot)];
    std::vector<Term> row;
    for (const int c : pattern_) {
      const auto at = static_cast<std::size_t>(c);
      if (pivot_of_column_[at] < 0 && c != pivot) row.push_back({c, work_[at] / scale});
      work_[at] = 0;
    }
    pivot_of_column_[static_cast<std::size_t>(pivot)] = static_cast<int>(pivot_column_.size());
    pivot_column_.push_back(pivot);
    eliminated_.push_back(std::move(row));
  }

  int rows_;
  std::vector<int> pivot_of_column_;
  std::vector<int> pivot_column_;
  std::vector<std::vector<Term>> eliminated_;
  std::vector<double> work_;
  std::vector<bool> is_preferred_;
  std::vector<int> start_;
  std::vector<MatrixEntry> sorted_;
  std::vector<int> pattern_;
  std::priority_queue<int, std::vector<int>, std::greater<>> pending_;
};

}  // namespace

ColumnChoice choose_columns(int rows, int columns, const std::vector<MatrixEntry>& entries,
                            const std::vector<int>& preferred, double threshold) {
  if (rows == 0) return {};
  std::vector<double> scale(static_cast<std::size_t>(rows), 0);
  for (const MatrixEntry& e : entries) {
    double& s = scale[static_cast<std::size_t>(e.row)];
    s = std::max(s, std::abs(e.value));
  }
  std::vector<MatrixEntry> scaled = entries;
  for (MatrixEntry& e : scaled)
    e.value /= scale[static_cast<std::size_t>(e.row)] > 0 ? scale[static_cast<std::size_t>(e.row)] : 1;
  if (rows > most_dense_rows) {
    // Partial pivoting in one row sees less than the whole inverse; a wider threshold avoids idle exchanges.
    return SparseChoice(rows, columns, scaled, preferred).run(5 * threshold);
  }
  Matrix h = Matrix::Zero(rows, columns);
  for (const MatrixEntry& e : scaled) h(e.row, e.column) = e.value;
  if (!h.allFinite()) return {};
  return choose_dense(h, preferred, threshold);
}

}  // namespace daedalus
