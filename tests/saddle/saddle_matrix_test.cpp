#include "saddle/saddle_matrix.hpp"

#include <gtest/gtest.h>

#include "dense_saddle.hpp"

namespace daedalus::testing {
namespace {

// [S B; G 0] with S = M + a K, not symmetric, B = Gᵀ with its columns permuted and scaled: as entries and
// dense.
struct Given {
  Given(int n, int m, unsigned seed)
      : saddle(random_saddle(n, m, Masses::Coupled, seed)),
        stiffness(Eigen::MatrixXd::Zero(n, n)),
        order(n, 0) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> part(-0.3, 0.3);
    for (int i = 0; i < n; ++i) {
      stiffness(i, i) = part(random);
      stiffness(i, (i + 1) % n) = part(random);
    }
    order.resize(static_cast<std::size_t>(m));
    for (int r = 0; r < m; ++r) order[static_cast<std::size_t>(r)] = (r + 1) % m;
    input = Eigen::MatrixXd::Zero(n, m);
    for (int r = 0; r < m; ++r)
      input.col(order[static_cast<std::size_t>(r)]) =
          (r % 2 == 0 ? 2 : -0.5) * saddle.gradient.row(r).transpose();
    mass_entries = entries_of(saddle.mass);
    stiffness_entries = entries_of(stiffness);
    input_entries = entries_of(input);
    constraint_entries = entries_of(saddle.gradient);
  }
  static SymbolicMatrix entries_of(const Eigen::MatrixXd& dense) {
    SymbolicMatrix made{
        .rows = static_cast<int>(dense.rows()), .columns = static_cast<int>(dense.cols()), .entries = {}};
    for (int i = 0; i < dense.rows(); ++i) {
      for (int j = 0; j < dense.cols(); ++j) {
        if (dense(i, j) != 0) made.entries.push_back({.row = i, .column = j, .value = {}});
      }
    }
    return made;
  }
  static std::vector<double> values(const SymbolicMatrix& matrix, const Eigen::MatrixXd& dense) {
    std::vector<double> result;
    for (const SymbolicEntry& one : matrix.entries) result.push_back(dense(one.row, one.column));
    return result;
  }
  [[nodiscard]] SaddleShape shape() const {
    return {.n = saddle.n(),
            .multiplier = order,
            .top = {mass_entries.entries, stiffness_entries.entries},
            .right = input_entries.entries,
            .bottom = constraint_entries.entries};
  }
  void load(SaddleMatrix& matrix, double a) const {
    matrix.clear();
    matrix.add(0, values(mass_entries, saddle.mass), 1);
    matrix.add(1, values(stiffness_entries, stiffness), a);
    matrix.add(2, values(input_entries, input), 1);
    matrix.add(3, values(constraint_entries, saddle.gradient), 1);
  }
  [[nodiscard]] Eigen::MatrixXd dense(double a) const {
    const int n = saddle.n();
    const int m = saddle.m();
    Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(n + m, n + m);
    whole.topLeftCorner(n, n) = saddle.mass + a * stiffness;
    whole.topRightCorner(n, m) = input;
    whole.bottomLeftCorner(m, n) = saddle.gradient;
    return whole;
  }

  DenseSaddle saddle;
  Eigen::MatrixXd stiffness, input;
  std::vector<int> order;  // by constraint: its multiplier
  SymbolicMatrix mass_entries, stiffness_entries, input_entries, constraint_entries;
};

class SaddleMatrices : public ::testing::TestWithParam<unsigned> {
 protected:
  [[nodiscard]] Given given() const {
    const int n = 4 + (5 * static_cast<int>(GetParam()));
    return {n, 1 + (n / 3), GetParam()};
  }
};

// Two points, one after the other, with pivoting and without. The condition is below a thousand. δ is that of
// the multipliers, which stand in their own order.
TEST_P(SaddleMatrices, SolveWhatDenseAlgebraSolves) {
  const Given one = given();
  for (const bool static_order : {false, true}) {
    SaddleShape shape = one.shape();
    shape.static_order = static_order;
    SaddleMatrix matrix(shape);
    ASSERT_EQ(matrix.size(), static_cast<std::size_t>(one.saddle.size()));
    for (const double a : {0.5, -1.0}) {
      for (const double part : {0.0, 0.3}) {
        one.load(matrix, a);
        std::vector<double> delta(static_cast<std::size_t>(one.saddle.m()));
        for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = part * static_cast<double>(i + 1);
        matrix.subtract_delta(delta);
        ASSERT_TRUE(matrix.factor());
        Eigen::MatrixXd dense = one.dense(a);
        // Multiplier order[r] is that of constraint r, whose row the matrix puts there.
        for (int r = 0; r < one.saddle.m(); ++r) {
          const int multiplier = one.order[static_cast<std::size_t>(r)];
          dense(one.saddle.n() + r, one.saddle.n() + multiplier) -=
              delta[static_cast<std::size_t>(multiplier)];
        }
        Eigen::VectorXd z = one.saddle.b;
        const Eigen::VectorXd expected = dense.fullPivLu().solve(z);
        matrix.solve({z.data(), static_cast<std::size_t>(z.size())});
        EXPECT_LE((z - expected).cwiseAbs().maxCoeff(), 1e-12 * (1 + expected.cwiseAbs().maxCoeff()))
            << matrix.name();
      }
    }
  }
}

// A copy has factors of its own.
TEST_P(SaddleMatrices, CopiesAreIndependent) {
  const Given one = given();
  SaddleMatrix matrix(one.shape());
  one.load(matrix, 0.5);
  ASSERT_TRUE(matrix.factor());
  SaddleMatrix copy = matrix;
  std::vector<double> before(one.saddle.b.begin(), one.saddle.b.end());
  std::vector<double> after = before;
  std::vector<double> of_copy = before;
  matrix.solve(before);
  copy.solve(of_copy);
  EXPECT_EQ(of_copy, before);
  one.load(copy, -1.0);
  ASSERT_TRUE(copy.factor());
  matrix.solve(after);
  EXPECT_EQ(after, before);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SaddleMatrices, ::testing::Range(1U, 9U));

TEST(SaddleMatrix, ASingularMatrixIsSaid) {
  Given one(6, 2, 3);
  one.saddle.gradient.row(1) = one.saddle.gradient.row(0);
  one.constraint_entries = Given::entries_of(one.saddle.gradient);
  one.saddle.mass = Eigen::MatrixXd::Identity(6, 6);
  one.mass_entries = Given::entries_of(one.saddle.mass);
  one.input = one.saddle.gradient.transpose();
  one.input_entries = Given::entries_of(one.input);
  one.order = {0, 1};
  SaddleMatrix matrix(one.shape());
  one.load(matrix, 0.0);
  EXPECT_FALSE(matrix.factor());
}

}  // namespace
}  // namespace daedalus::testing
