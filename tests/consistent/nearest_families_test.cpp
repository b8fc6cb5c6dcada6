// The nearest point where it is known: of linear conditions by the normal equations, of spheres on the ray;
// units of rows, classes of weights; and which conditions depend on each other, planted.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "consistent/nearest_point.hpp"
#include "consistent/support.hpp"

namespace daedalus {
namespace {

using testing::from;

class Numbers {
 public:
  explicit Numbers(unsigned seed) : engine_(seed) {}
  double operator()() { return (static_cast<double>(engine_()) / 2147483648.0) - 1; }

 private:
  std::mt19937 engine_;
};

Eigen::MatrixXd random_matrix(Numbers& number, int rows, int columns) {
  Eigen::MatrixXd a(rows, columns);
  for (double& entry : a.reshaped()) entry = number();
  return a;
}

// A z = b on a full pattern.
ConstraintFunction linear(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  ConstraintFunction made{.rows = static_cast<int>(a.rows()),
                          .columns = static_cast<int>(a.cols()),
                          .column_start = {0},
                          .row = {},
                          .residual =
                              [a, b](std::span<const double> z, std::span<double> c) {
                                Eigen::Map<Eigen::VectorXd>(c.data(), a.rows()) =
                                    a * Eigen::Map<const Eigen::VectorXd>(z.data(), a.cols()) - b;
                              },
                          .jacobian =
                              [a](std::span<const double>, std::span<double> values) {
                                Eigen::Map<Eigen::MatrixXd>(values.data(), a.rows(), a.cols()) = a;
                              }};
  for (int column = 0; column < made.columns; ++column) {
    for (int row = 0; row < made.rows; ++row) made.row.push_back(row);
    made.column_start.push_back(static_cast<int>(made.row.size()));
  }
  return made;
}

// z = z⁰ - D²Aᵀ(A D²Aᵀ)⁻¹(A z⁰ - b), D = s/w, and 0 where z is held.
Eigen::VectorXd by_normal_equations(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                                    const NearestProblem& p) {
  const auto n = static_cast<Eigen::Index>(p.guess.size());
  const Eigen::VectorXd guess = Eigen::Map<const Eigen::VectorXd>(p.guess.data(), n);
  Eigen::VectorXd square(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto at = static_cast<std::size_t>(k);
    square(k) = p.held[at] ? 0 : std::pow(p.scale[at] / p.weight[at], 2);
  }
  const Eigen::MatrixXd weighted = a * square.asDiagonal();
  return guess - weighted.transpose() * (weighted * a.transpose()).ldlt().solve(a * guess - b);
}

TEST(NearestPoint, OfLinearConditionsIsThatOfTheNormalEquations) {
  Numbers number(3);
  for (const auto& [rows, columns] :
       std::initializer_list<std::pair<int, int>>{{1, 2}, {2, 5}, {4, 6}, {10, 30}}) {
    for (int trial = 0; trial < 5; ++trial) {
      const Eigen::MatrixXd a = random_matrix(number, rows, columns);
      const Eigen::VectorXd b = random_matrix(number, rows, 1);
      NearestProblem problem = from({});
      for (int k = 0; k < columns; ++k) {
        problem.guess.push_back(3 * number());
        problem.scale.push_back(std::pow(10, number()));
        problem.weight.push_back(std::pow(10, number() - 1));
        problem.held.push_back(trial > 2 && k % 4 == 1 && columns - rows > columns / 4 + 1);
      }
      const NearestResult found = nearest_point(linear(a, b), problem);
      ASSERT_EQ(found.status, NearestStatus::Ok) << rows << " by " << columns;
      const Eigen::VectorXd expected = by_normal_equations(a, b, problem);
      // The approach ends at steps of 1e-7 of the size; linear conditions are met to rounding.
      for (int k = 0; k < columns; ++k) {
        const double size = problem.scale[static_cast<std::size_t>(k)] + std::abs(expected(k));
        EXPECT_NEAR(found.z[static_cast<std::size_t>(k)], expected(k), 1e-6 * size)
            << rows << " by " << columns;
        if (problem.held[static_cast<std::size_t>(k)]) {
          EXPECT_EQ(found.z[static_cast<std::size_t>(k)], problem.guess[static_cast<std::size_t>(k)]);
        }
      }
      EXPECT_LT(found.residual, 1e-12);
    }
  }
}

// A condition in other units is the same condition.
TEST(NearestPoint, UnitsOfConditionsDoNotMatter) {
  Numbers number(5);
  const Eigen::MatrixXd a = random_matrix(number, 3, 6);
  const Eigen::VectorXd b = random_matrix(number, 3, 1);
  NearestProblem problem = from({0.1, -0.4, 2, 1, -1, 0.5});
  const NearestResult plain = nearest_point(linear(a, b), problem);
  const Eigen::Vector3d units(1e-8, 1, 1e9);
  const NearestResult other = nearest_point(linear(units.asDiagonal() * a, units.asDiagonal() * b), problem);
  ASSERT_EQ(plain.status, NearestStatus::Ok);
  ASSERT_EQ(other.status, NearestStatus::Ok);
  for (std::size_t k = 0; k < plain.z.size(); ++k) EXPECT_NEAR(other.z[k], plain.z[k], 1e-7);
}

// What matters a thousand times less moves a million times as far: the ratio of weights, squared.
TEST(NearestPoint, WhatMattersLessMoves) {
  const Eigen::MatrixXd a = Eigen::MatrixXd::Ones(1, 2);
  for (const double weight : {1e-1, 1e-2, 1e-3}) {
    NearestProblem problem = from({1, 1});
    problem.weight = {1, weight};
    const NearestResult found = nearest_point(linear(a, Eigen::VectorXd::Constant(1, 5)), problem);
    ASSERT_EQ(found.status, NearestStatus::Ok);
    EXPECT_NEAR((found.z[0] - 1) / (found.z[1] - 1), weight * weight, 1e-6) << weight;
    EXPECT_NEAR(found.z[0] + found.z[1], 5, 1e-14);
  }
}

// Of a sphere in any number of dimensions it is on the ray, from inside and from outside.
TEST(NearestPoint, OfASphereIsOnTheRay) {
  Numbers number(7);
  for (const int n : {2, 3, 12}) {
    for (const double radius : {0.2, 1.0, 40.0}) {
      ConstraintFunction sphere{.rows = 1,
                                .columns = n,
                                .column_start = {0},
                                .row = std::vector<int>(static_cast<std::size_t>(n), 0),
                                .residual =
                                    [radius](std::span<const double> z, std::span<double> c) {
                                      c[0] = -radius * radius;
                                      for (const double x : z) c[0] += x * x;
                                    },
                                .jacobian =
                                    [](std::span<const double> z, std::span<double> values) {
                                      for (std::size_t k = 0; k < z.size(); ++k) values[k] = 2 * z[k];
                                    }};
      std::vector<double> guess;
      for (int k = 0; k < n; ++k) {
        sphere.column_start.push_back(k + 1);
        guess.push_back(3 * number());
      }
      const NearestResult found = nearest_point(sphere, from(guess));
      ASSERT_EQ(found.status, NearestStatus::Ok);
      double length = 0;
      for (const double x : guess) length = std::hypot(length, x);
      for (std::size_t k = 0; k < guess.size(); ++k)
        EXPECT_NEAR(found.z[k], guess[k] * radius / length, 1e-5 * radius) << n << " " << radius;
    }
  }
}

// The other rows stay as empty ones.
TEST(NearestPoint, RestrictedToSomeRows) {
  Numbers number(9);
  const Eigen::MatrixXd a = random_matrix(number, 4, 3);
  const Eigen::VectorXd b = random_matrix(number, 4, 1);
  const ConstraintFunction some = restricted_to({true, false, true, false}, linear(a, b));
  EXPECT_EQ(some.rows, 4);
  std::vector<double> c(4);
  std::vector<double> values(some.row.size());
  some.residual(std::vector<double>{1, 2, 3}, c);
  some.jacobian(std::vector<double>{1, 2, 3}, values);
  const Eigen::Vector4d whole = a * Eigen::Vector3d(1, 2, 3) - b;
  EXPECT_EQ(c, (std::vector<double>{whole(0), 0, whole(2), 0}));
  for_entries(some, [&](std::size_t entry, std::size_t column, std::size_t row) {
    const double expected =
        row % 2 == 0 ? a(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)) : 0;
    EXPECT_EQ(values[entry], expected);
  });
}

// Planted: row 3 = 2 row 0 - row 1, off by 0.5 on the right. The combination has no derivative, and says by
// how much the right sides disagree.
TEST(FindDependencies, NamesThePlantedCombination) {
  Numbers number(13);
  for (int trial = 0; trial < 10; ++trial) {
    Eigen::MatrixXd a = random_matrix(number, 5, 8);
    Eigen::VectorXd b = random_matrix(number, 5, 1);
    a.row(3) = 2 * a.row(0) - a.row(1);
    const double off = trial % 2 == 0 ? 0 : 0.5;
    b(3) = 2 * b(0) - b(1) - off;
    const NearestProblem problem = from(std::vector<double>(8, 0.3));
    const auto found = find_dependencies(linear(a, b), problem, problem.guess);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].rows, (std::vector<int>{0, 1, 3}));
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(8);
    double size = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      sum += found[0].factors[k] * a.row(found[0].rows[k]);
      size = std::max(size, std::abs(found[0].factors[k]));
    }
    EXPECT_LT(sum.norm(), 1e-12 * size);
    // 2 C0 - C1 - C3 = -off, in whatever multiple.
    const double multiple = found[0].factors[0] / 2;
    EXPECT_NEAR(found[0].defect, -off * multiple, 1e-12 * size);
    EXPECT_TRUE(found[0].held.empty());
  }
}

// With unknowns held rows may become dependent that were not: the held ones are named.
TEST(FindDependencies, NamesWhatIsHeld) {
  Eigen::MatrixXd a(2, 3);
  a << 1, 1, 0, 1, 1, 1;
  NearestProblem problem = from({1, 2, 3});
  EXPECT_TRUE(find_dependencies(linear(a, Eigen::Vector2d(0, 0)), problem, problem.guess).empty());
  problem.held[2] = true;
  const auto found = find_dependencies(linear(a, Eigen::Vector2d(0, 0)), problem, problem.guess);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].held, (std::vector<int>{2}));
}

}  // namespace
}  // namespace daedalus
