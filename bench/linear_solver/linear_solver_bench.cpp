// One Newton iteration matrix: factorise (values changed, pattern the same) and solve twice, dense against
// KLU.
//
//   band    each unknown coupled with two neighbours on either side, as along a line of cells
//   saddle  [I/h² Gᵀ; G 0] of a chain of bodies with one constraint between neighbours
//   random  four entries a column at random places besides the diagonal
//   full    no zeros
#include <benchmark/benchmark.h>

#include <complex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "numerics/linear_solver.hpp"

namespace daedalus {
namespace {

struct Matrix {
  SparsePattern pattern;
  std::vector<double> values;
};

class Builder {
 public:
  explicit Builder(int n) : columns_(static_cast<std::size_t>(n)) {}
  void add(int row, int column) {
    if (row >= 0 && row < size()) columns_[static_cast<std::size_t>(column)].insert(row);
  }
  [[nodiscard]] int size() const { return static_cast<int>(columns_.size()); }
  [[nodiscard]] Matrix build() const {
    Matrix matrix;
    matrix.pattern.size = size();
    matrix.pattern.column_start.push_back(0);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> value(-1, 1);
    for (int j = 0; j < size(); ++j) {
      for (const int i : columns_[static_cast<std::size_t>(j)]) {
        matrix.pattern.row.push_back(i);
        matrix.values.push_back(i == j ? 4 + value(random) : value(random));
      }
      matrix.pattern.column_start.push_back(matrix.pattern.nonzeros());
    }
    return matrix;
  }

 private:
  std::vector<std::set<int>> columns_;
};

Matrix band(int n) {
  Builder builder(n);
  for (int j = 0; j < n; ++j) {
    for (int i = j - 2; i <= j + 2; ++i) builder.add(i, j);
  }
  return builder.build();
}

Matrix saddle(int n) {
  const int bodies = 2 * n / 3;
  Builder builder(n);
  for (int j = 0; j < bodies; ++j) builder.add(j, j);
  for (int k = bodies; k < n; ++k) {
    const int first = 2 * (k - bodies);
    for (int j = first; j < std::min(first + 4, bodies); ++j) {
      builder.add(k, j);
      builder.add(j, k);
    }
  }
  return builder.build();
}

Matrix random_four(int n) {
  Builder builder(n);
  std::mt19937 random(7);
  std::uniform_int_distribution<int> row(0, n - 1);
  for (int j = 0; j < n; ++j) {
    builder.add(j, j);
    for (int k = 0; k < 4; ++k) builder.add(row(random), j);
  }
  return builder.build();
}

Matrix full(int n) {
  Builder builder(n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) builder.add(i, j);
  }
  return builder.build();
}

template <class Scalar>
void factor_and_solve(benchmark::State& state, Matrix (*make)(int), LinearSolverKind kind) {
  const Matrix matrix = make(static_cast<int>(state.range(0)));
  std::vector<Scalar> values(matrix.values.begin(), matrix.values.end());
  std::vector<Scalar> b(static_cast<std::size_t>(matrix.pattern.size), Scalar(1));
  const auto solver = make_linear_solver<Scalar>(matrix.pattern, kind);
  if (!solver->factor(values)) {
    state.SkipWithError("singular");
    return;
  }
  for (auto _ : state) {
    values[0] += Scalar(1e-6);
    benchmark::DoNotOptimize(solver->factor(values));
    solver->solve(b);
    solver->solve(b);
    benchmark::DoNotOptimize(b.data());
    std::fill(b.begin(), b.end(), Scalar(1));
  }
}

struct Shape {
  const char* name;
  Matrix (*make)(int);
};

template <class Scalar>
void register_all(const std::string& scalar) {
  for (const Shape& shape :
       {Shape{"band", band}, Shape{"saddle", saddle}, Shape{"random", random_four}, Shape{"full", full}}) {
    for (const LinearSolverKind kind : {LinearSolverKind::Dense, LinearSolverKind::Klu}) {
      const std::string name =
          scalar + "/" + shape.name + (kind == LinearSolverKind::Dense ? "/dense" : "/klu");
      auto* registered =
          benchmark::RegisterBenchmark(name.c_str(), factor_and_solve<Scalar>, shape.make, kind);
      for (const int n : {3, 6, 9, 12, 15, 18, 24, 30, 42, 60, 90, 150}) registered->Arg(n);
    }
  }
}

}  // namespace
}  // namespace daedalus

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  daedalus::register_all<double>("real");
  daedalus::register_all<std::complex<double>>("complex");
  benchmark::RunSpecifiedBenchmarks();
}
