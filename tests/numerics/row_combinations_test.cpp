#include "numerics/row_combinations.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace daedalus {
namespace {

struct Given {
  Eigen::MatrixXd g;
  std::vector<RowEntry> entries;
  std::vector<double> values;
  std::vector<int> dependent;
};

// Random rows, of which some are combinations of the two before them, for values that change with the seed.
Given random_rows(unsigned seed, int rows, int columns) {
  Given given;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  given.g = Eigen::MatrixXd::Zero(rows, columns);
  for (int i = 0; i < rows; ++i) {
    if (i % 5 == 4) {
      given.g.row(i) = value(random) * given.g.row(i - 1) + value(random) * given.g.row(i - 3);
      given.dependent.push_back(i);
    } else {
      for (const int j : {i, (i + 1) % columns, (3 * i + 2) % columns}) given.g(i, j) = 0.2 + value(random);
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      if (given.g(i, j) == 0) continue;
      given.entries.push_back({.row = i, .column = j});
      given.values.push_back(given.g(i, j));
    }
  }
  return given;
}

// Each combination gives its row back, and uses independent rows only.
TEST(RowCombinations, GiveTheRowsBack) {
  const Given given = random_rows(1, 40, 60);
  RowCombinations combinations(40, 60, given.entries, given.dependent);
  for (const double size : {1.0, 3.0}) {
    std::vector<double> values = given.values;
    for (double& one : values) one *= size;
    ASSERT_TRUE(combinations.update(values));
    for (std::size_t k = 0; k < given.dependent.size(); ++k) {
      const auto factors = combinations.combination(k);
      const Eigen::Map<const Eigen::VectorXd> c(factors.data(), 40);
      const Eigen::VectorXd row = given.g.row(given.dependent[k]).transpose();
      // Rounding times the square of the condition of the rows, some hundreds.
      EXPECT_LE((given.g.transpose() * c - row).norm(), 1e-11);
      for (const int i : given.dependent) EXPECT_EQ(factors[static_cast<std::size_t>(i)], 0);
    }
  }
}

// The same forces Gᵀy, and the norm that a pseudoinverse gives, of rows in units by which each counts alike.
TEST(RowCombinations, MakeTheLeastOfMany) {
  const Given given = random_rows(2, 30, 45);
  RowCombinations combinations(30, 45, given.entries, given.dependent);
  ASSERT_TRUE(combinations.update(given.values));
  const Eigen::VectorXd y = Eigen::VectorXd::LinSpaced(30, -1, 2);
  for (const double part : {0.0, 0.1}) {
    const Eigen::VectorXd roots = Eigen::VectorXd::Ones(30) + part * Eigen::VectorXd::LinSpaced(30, 0, 30);
    const Eigen::VectorXd weights = roots.cwiseAbs2();
    std::vector<double> least(y.data(), y.data() + 30);
    combinations.make_least(least, {weights.data(), 30});
    const Eigen::MatrixXd scaled = given.g.transpose() * roots.cwiseInverse().asDiagonal();
    const Eigen::VectorXd in_units = scaled.completeOrthogonalDecomposition().solve(given.g.transpose() * y);
    const Eigen::VectorXd expected = roots.cwiseInverse().asDiagonal() * in_units;
    EXPECT_LE((Eigen::Map<Eigen::VectorXd>(least.data(), 30) - expected).norm(), 1e-10);
    EXPECT_LT(in_units.norm(), 0.99 * (roots.asDiagonal() * y).norm());
  }
}

// Rows that are said to be independent and are not, and values that are none.
TEST(RowCombinations, SayWhereTheyDoNotExist) {
  const std::vector<RowEntry> entries{{0, 0}, {1, 0}, {2, 1}};
  RowCombinations combinations(3, 2, entries, std::vector<int>{2});
  EXPECT_FALSE(combinations.update(std::vector<double>{1, 1, 1}));
  RowCombinations good(3, 2, entries, std::vector<int>{1});
  EXPECT_TRUE(good.update(std::vector<double>{2, 1, 1}));
  EXPECT_DOUBLE_EQ(good.combination(0)[0], 0.5);
  EXPECT_FALSE(good.update(std::vector<double>{2, std::nan(""), 1}));
  // Dependent at one point and not at another: (1, s) against (1, 0).
  const std::vector<RowEntry> turning{{0, 0}, {1, 0}, {1, 1}};
  RowCombinations once(2, 2, turning, std::vector<int>{1});
  EXPECT_TRUE(once.update(std::vector<double>{1, 1, 0}));
  EXPECT_FALSE(once.update(std::vector<double>{1, 1, 1e-3}));
}

}  // namespace
}  // namespace daedalus
