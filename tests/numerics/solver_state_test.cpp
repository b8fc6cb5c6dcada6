// A factorisation that was copied or saved is the same to the bit, and so is what is made of it later.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <string>

#include "numerics/linear_solver.hpp"
#include "numerics/static_lu.hpp"
#include "numerics/test_matrices.hpp"

namespace daedalus::testing {
namespace {

template <class Scalar>
struct Solver {
  std::string name;
  std::function<std::unique_ptr<LinearSolver<Scalar>>(const SparsePattern&)> make;
};

template <class Scalar>
std::vector<Solver<Scalar>> solvers() {
  return {{"dense", [](const SparsePattern& pattern) { return make_dense_solver<Scalar>(pattern); }},
          {"klu", [](const SparsePattern& pattern) { return make_klu_solver<Scalar>(pattern); }},
          {"static", [](const SparsePattern& pattern) {
             return make_static_solver<Scalar>(pattern, saddle_structure(pattern, pattern.size));
           }}};
}

// The values of the k-th factorisation: a little different each time, and at times so much that pivots are
// chosen anew, or that there are none.
template <class Scalar>
std::vector<Scalar> values_at(const TestMatrix<Scalar>& matrix, int k) {
  std::mt19937 random(static_cast<unsigned>(k));
  std::vector<Scalar> values = matrix.values;
  for (Scalar& value : values) {
    Scalar change;
    draw(random, change);
    value *= Scalar(1) + (k % 5 == 3 ? Scalar(1e3) * change * change : Scalar(0.01) * change);
  }
  if (k % 7 == 5) std::ranges::fill(values, Scalar(0));
  return values;
}

template <class Scalar>
std::vector<Scalar> solution(LinearSolver<Scalar>& solver) {
  std::vector<Scalar> b(static_cast<std::size_t>(solver.pattern().size));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = Scalar(1.0 + static_cast<double>(i % 3));
  solver.solve(b);
  return b;
}

template <class Scalar>
void expect_equal(LinearSolver<Scalar>& one, LinearSolver<Scalar>& other, bool factored,
                  const std::string& where) {
  EXPECT_EQ(one.name(), other.name()) << where;
  const Pivot a = one.weakest_pivot();
  const Pivot b = other.weakest_pivot();
  EXPECT_EQ(a.column, b.column) << where;
  EXPECT_EQ(a.row, b.row) << where;
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a.relative), std::bit_cast<std::uint64_t>(b.relative)) << where;
  if (factored) {
    EXPECT_EQ(solution(one), solution(other)) << where;
  }
}

template <class Scalar>
void expect_copies(int n, int factorisations) {
  const TestMatrix<Scalar> matrix = random_matrix<Scalar>(n, 4, 3);
  for (const Solver<Scalar>& kind : solvers<Scalar>()) {
    if (n > 200 && kind.name == "dense") continue;
    const auto solver = kind.make(matrix.pattern);
    for (int k = 0; k < factorisations; ++k) {
      const std::string where = kind.name + " at " + std::to_string(k);
      const bool factored = solver->factor(values_at(matrix, k));
      const auto bytes = to_bytes(*solver);
      ASSERT_TRUE(bytes.has_value()) << where;
      const auto loaded = kind.make(matrix.pattern);
      ASSERT_TRUE(from_bytes(*bytes, *loaded).has_value()) << where;
      const auto sibling = solver->sibling();
      ASSERT_TRUE(copy_state(*solver, *sibling)) << where;
      expect_equal(*solver, *loaded, factored, where);
      expect_equal(*solver, *sibling, factored, where);
      // What follows, too.
      const bool next = sibling->factor(values_at(matrix, k + 1));
      EXPECT_EQ(next, loaded->factor(values_at(matrix, k + 1))) << where;
      const auto on_its_way = kind.make(matrix.pattern);
      for (int j = 0; j <= k + 1; ++j) (void)on_its_way->factor(values_at(matrix, j));
      expect_equal(*on_its_way, *sibling, next, where);
      expect_equal(*on_its_way, *loaded, next, where);
    }
  }
}

TEST(SolverState, ContinuesWithTheSameBits) {
  expect_copies<double>(6, 16);
  expect_copies<double>(60, 16);
  expect_copies<std::complex<double>>(60, 16);
}

// Large matrices have their rows matched to columns by the first values.
TEST(SolverState, OfALargeMatrixKeepsItsNumberingOfRows) {
  expect_copies<double>(1200, 7);
}

TEST(SolverState, IsRefusedByAnotherPattern) {
  const TestMatrix<double> matrix = random_matrix<double>(12, 3, 1);
  const TestMatrix<double> other = random_matrix<double>(13, 3, 1);
  for (const Solver<double>& kind : solvers<double>()) {
    const auto solver = kind.make(matrix.pattern);
    ASSERT_TRUE(solver->factor(matrix.values));
    const auto bytes = to_bytes(*solver);
    EXPECT_FALSE(from_bytes(*bytes, *kind.make(other.pattern)).has_value()) << kind.name;
  }
}

}  // namespace
}  // namespace daedalus::testing
