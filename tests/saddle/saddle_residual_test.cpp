#include "saddle/saddle_residual.hpp"

#include <gtest/gtest.h>

#include "dense_saddle.hpp"

namespace daedalus::testing {
namespace {

struct Loaded {
  explicit Loaded(const DenseSaddle& dense)
      : given(dense), e(given), panels(e.equations(), e.setting()), residual(panels) {
    panels.compile();
    panels.load(e.environment);
    residual.fetch(panels);
  }
  [[nodiscard]] std::vector<double> by_position(const Eigen::VectorXd& z) const {
    std::vector<double> out(static_cast<std::size_t>(z.size()));
    for (int i = 0; i < z.size(); ++i) out[static_cast<std::size_t>(panels.position(i))] = z(i);
    return out;
  }

  DenseSaddle given;
  SaddleExpressions e;
  PanelSystem panels;
  SaddleResidual residual;
};

class Residuals : public ::testing::TestWithParam<unsigned> {
 protected:
  [[nodiscard]] DenseSaddle given() const {
    const int size = 5 * static_cast<int>(GetParam());
    return random_saddle(size, size / 2, Masses::Coupled, GetParam());
  }
};

TEST_P(Residuals, AreThoseOfDenseAlgebra) {
  Loaded loaded(given());
  ASSERT_TRUE(loaded.residual.finite());
  const Eigen::VectorXd z = Eigen::VectorXd::LinSpaced(loaded.given.size(), -1, 3);
  const Eigen::VectorXd other = Eigen::VectorXd::LinSpaced(loaded.given.size(), 2, -5);
  for (const Eigen::VectorXd& b : {loaded.given.b, other}) {
    loaded.residual.set_right_side(loaded.by_position(b));
    const std::vector<double> expected = loaded.by_position(b - loaded.given.whole() * z);
    const auto found = loaded.residual(loaded.by_position(z));
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-13);
  }
}

// δ is in the panels, not in the matrix that is asked for.
TEST_P(Residuals, DoNotKnowOfTheRegularisation) {
  Loaded loaded(given());
  loaded.panels.set_delta(std::vector<double>(static_cast<std::size_t>(loaded.given.m()), 0.5));
  loaded.panels.load(loaded.e.environment);
  loaded.residual.fetch(loaded.panels);
  const Eigen::VectorXd solution = loaded.given.solution();
  EXPECT_LE(loaded.residual.backward_error(loaded.by_position(solution)), 1e-14);
}

TEST_P(Residuals, SchurDiagonalIsThatOfTheFormula) {
  const Loaded loaded(given());
  const Eigen::VectorXd expected = loaded.given.schur_diagonal();
  const std::vector<double> found = loaded.residual.schur_diagonal();
  ASSERT_EQ(static_cast<int>(found.size()), loaded.given.m());
  for (int i = 0; i < loaded.given.m(); ++i)
    EXPECT_NEAR(found[static_cast<std::size_t>(i)], expected(i), 1e-14 * expected(i));
}

// Of an exact solution some roundings; of one of which a row of A is wrong by a part, that part of the row or
// less. Whatever the units of unknowns and equations: that is what it is for.
TEST_P(Residuals, BackwardErrorMeasuresByTheTermsOfARow) {
  const DenseSaddle given = this->given();
  const Eigen::VectorXd units =
      Eigen::VectorXd::LinSpaced(given.size(), -3, 3).unaryExpr([](double x) { return std::pow(10, x); });
  for (const bool scaled : {false, true}) {
    Loaded loaded(scaled ? given.scaled(units) : given);
    const Eigen::VectorXd z = loaded.given.solution();
    EXPECT_LE(loaded.residual.backward_error(loaded.by_position(z)), 1e-14);
    for (const double part : {1e-9, 1e-5}) {
      DenseSaddle wrong = loaded.given;
      wrong.gradient.row(0) *= 1 + part;
      const double error = loaded.residual.backward_error(loaded.by_position(wrong.solution()));
      EXPECT_LE(error, part);
      EXPECT_GE(error, 1e-3 * part);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Residuals, ::testing::Range(1U, 7U));

}  // namespace
}  // namespace daedalus::testing
