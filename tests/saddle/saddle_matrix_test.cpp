#include "saddle/saddle_matrix.hpp"

#include <gtest/gtest.h>

#include <complex>

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
  template <class Scalar>
  void load(SaddleMatrix<Scalar>& matrix, Scalar a) const {
    matrix.clear();
    matrix.add(0, values(mass_entries, saddle.mass), Scalar(1));
    matrix.add(1, values(stiffness_entries, stiffness), a);
    matrix.add(2, values(input_entries, input), Scalar(1));
    matrix.add(3, values(constraint_entries, saddle.gradient), Scalar(1));
  }
  template <class Scalar>
  [[nodiscard]] Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> dense(Scalar a) const {
    const int n = saddle.n();
    const int m = saddle.m();
    Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> whole(n + m, n + m);
    whole.setZero();
    whole.topLeftCorner(n, n) = saddle.mass.cast<Scalar>() + a * stiffness.cast<Scalar>();
    whole.topRightCorner(n, m) = input.cast<Scalar>();
    whole.bottomLeftCorner(m, n) = saddle.gradient.cast<Scalar>();
    return whole;
  }

  DenseSaddle saddle;
  Eigen::MatrixXd stiffness, input;
  std::vector<int> order;  // by constraint: its multiplier
  SymbolicMatrix mass_entries, stiffness_entries, input_entries, constraint_entries;
};

// Two points, one after the other, for real and complex a. The condition is below a thousand.
template <class Scalar>
void expect_dense_solutions(const Given& given, std::initializer_list<Scalar> factors) {
  SaddleMatrix<Scalar> matrix(given.shape());
  ASSERT_EQ(matrix.size(), static_cast<std::size_t>(given.saddle.size()));
  for (const Scalar a : factors) {
    given.load(matrix, a);
    ASSERT_TRUE(matrix.factor());
    Eigen::Matrix<Scalar, Eigen::Dynamic, 1> z = given.saddle.b.template cast<Scalar>();
    const Eigen::Matrix<Scalar, Eigen::Dynamic, 1> expected = given.dense(a).fullPivLu().solve(z);
    matrix.solve({z.data(), static_cast<std::size_t>(z.size())});
    EXPECT_LE((z - expected).cwiseAbs().maxCoeff(), 1e-12 * (1 + expected.cwiseAbs().maxCoeff()))
        << matrix.name();
  }
}

class SaddleMatrices : public ::testing::TestWithParam<unsigned> {
 protected:
  [[nodiscard]] Given given() const {
    const int n = 4 + (5 * static_cast<int>(GetParam()));
    return {n, 1 + (n / 3), GetParam()};
  }
};

TEST_P(SaddleMatrices, SolveRealSystems) {
  expect_dense_solutions<double>(given(), {0.5, -1.0});
}

TEST_P(SaddleMatrices, SolveComplexSystems) {
  using Complex = std::complex<double>;
  expect_dense_solutions<Complex>(given(), {Complex(0.3, 0.8), Complex(-0.2, 1.0)});
}

// A copy has factors of its own.
TEST_P(SaddleMatrices, CopiesAreIndependent) {
  const Given one = given();
  SaddleMatrix<double> matrix(one.shape());
  one.load(matrix, 0.5);
  ASSERT_TRUE(matrix.factor());
  SaddleMatrix<double> copy = matrix;
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

// Each constraint finds the column that is its own gradient in other units.
TEST_P(SaddleMatrices, MultipliersArePairedWithTheirConstraints) {
  const Given one = given();
  EXPECT_EQ(
      paired_multipliers(one.input_entries, Given::values(one.input_entries, one.input),
                         one.constraint_entries, Given::values(one.constraint_entries, one.saddle.gradient)),
      one.order);
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
  SaddleMatrix<double> matrix(one.shape());
  one.load(matrix, 0.0);
  EXPECT_FALSE(matrix.factor());
}

// One column has another pattern, one other values: these constraints take the multipliers that nobody else
// has, and every multiplier is taken once.
TEST(PairedMultipliers, ConstraintsWithoutOneTakeWhatIsLeft) {
  Eigen::MatrixXd gradient(3, 3);
  gradient << 1, 2, 0, 0, 1, 4, 1, 0, 1;
  Eigen::MatrixXd input(3, 3);
  input.col(0) << 1, 3, 0;    // no multiple of the first row
  input.col(1) << -2, 0, -2;  // of the third
  input.col(2) << 5, 5, 5;    // of none
  const SymbolicMatrix b = Given::entries_of(input);
  const SymbolicMatrix g = Given::entries_of(gradient);
  EXPECT_EQ(paired_multipliers(b, Given::values(b, input), g, Given::values(g, gradient)),
            (std::vector<int>{0, 2, 1}));
}

// Two constraints with the same gradient do not get the same multiplier.
TEST(PairedMultipliers, EqualConstraintsHaveOneEach) {
  Eigen::MatrixXd gradient(2, 2);
  gradient << 1, 2, 1, 2;
  const Eigen::MatrixXd input = gradient.transpose();
  const SymbolicMatrix b = Given::entries_of(input);
  const SymbolicMatrix g = Given::entries_of(gradient);
  EXPECT_EQ(paired_multipliers(b, Given::values(b, input), g, Given::values(g, gradient)),
            (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace daedalus::testing
