// Matrices on patterns, and plain multiplication with them: the independent route to check a solution.
#pragma once

#include <algorithm>
#include <complex>
#include <initializer_list>
#include <random>
#include <span>
#include <vector>

#include "numerics/sparse_pattern.hpp"

namespace daedalus::testing {

template <class Scalar>
struct TestMatrix {
  SparsePattern pattern;
  std::vector<Scalar> values;

  [[nodiscard]] std::vector<Scalar> times(std::span<const Scalar> x) const {
    std::vector<Scalar> b(x.size(), Scalar(0));
    for (int j = 0; j < pattern.size; ++j) {
      for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
        b[pattern.row[p]] += values[p] * x[j];
      }
    }
    return b;
  }
};

// Row by row; zeros are left out of the pattern.
inline TestMatrix<double> from_rows(std::initializer_list<std::initializer_list<double>> rows) {
  TestMatrix<double> matrix;
  matrix.pattern.size = static_cast<int>(rows.size());
  matrix.pattern.column_start.push_back(0);
  for (std::size_t j = 0; j < rows.size(); ++j) {
    int i = 0;
    for (const auto& row : rows) {
      if (const double value = row.begin()[j]; value != 0) {
        matrix.pattern.row.push_back(i);
        matrix.values.push_back(value);
      }
      ++i;
    }
    matrix.pattern.column_start.push_back(matrix.pattern.nonzeros());
  }
  return matrix;
}

inline void draw(std::mt19937& random, double& x) {
  x = std::uniform_real_distribution<double>(-1, 1)(random);
}
inline void draw(std::mt19937& random, std::complex<double>& x) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double real = uniform(random);
  x = {real, uniform(random)};
}

// A random pattern with a permuted diagonal that dominates its column, so that the matrix is regular and well
// conditioned but its plain diagonal is of no use.
template <class Scalar>
TestMatrix<Scalar> random_matrix(int n, int per_column, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> heavy(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) heavy[i] = i;
  std::shuffle(heavy.begin(), heavy.end(), random);
  std::uniform_int_distribution<int> any(0, n - 1);
  TestMatrix<Scalar> matrix;
  matrix.pattern.size = n;
  matrix.pattern.column_start.push_back(0);
  for (int j = 0; j < n; ++j) {
    std::vector<int> rows{heavy[j]};
    for (int k = 1; k < per_column; ++k) rows.push_back(any(random));
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (const int i : rows) {
      matrix.pattern.row.push_back(i);
      Scalar value;
      draw(random, value);
      matrix.values.push_back(i == heavy[j] ? value + Scalar(2.0 * per_column) : value);
    }
    matrix.pattern.column_start.push_back(matrix.pattern.nonzeros());
  }
  return matrix;
}

}  // namespace daedalus::testing
