// M, B and G at a point against differences of the model's own residuals, the diagonal of G M⁻¹ Gᵀ against
// dense algebra, and the sparse saddle matrix against a dense one.
#include "systems/constraint_matrices.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/model_families.hpp"
#include "values.hpp"

namespace daedalus::testing {
namespace {

struct Family {
  const char* name;
  DaeSystem system;
};

std::vector<Family> families() {
  return {{"bead", from_text(bead_text())},          {"chain", from_text(chain_text(3))},
          {"moving pivot", from_text(moving_pivot)}, {"sled", from_text(sled)},
          {"skew bead", from_text(skew_bead)},       {"slider crank", problem("slider_crank.mo")},
          {"four bars", problem("n_four_bar.mo")},   {"first order", problem("petzold_linear.mo")}};
}

// At a point that is no special one.
struct AtAPoint {
  explicit AtAPoint(const DaeSystem& system, unsigned seed = 5)
      : formed(system), matrices(*formed.model, *formed.form) {
    scatter_numbers(formed.environment, seed);
    matrices.evaluate(formed.environment);
  }
  // ∂(residual)/∂(leaf) here.
  double derivative(NodeId residual, NodeId leaf) {
    double& value = formed.environment[static_cast<std::size_t>(formed.model->slot(leaf))];
    const double before = value;
    const double slope = central_difference([&](double h) {
      value = before + h;
      return value_of(*formed.model, residual, formed.environment);
    });
    value = before;
    return slope;
  }
  Formed formed;
  ConstraintMatrices matrices;
};

// Of central differences with steps of 1e-5: 1e-10 times a third derivative, and rounding of 1e-11 times
// residuals of up to 100.
constexpr double difference_error = 2e-9;

TEST(ConstraintMatrices, AreTheDerivativesOfTheEquations) {
  for (const Family& family : families()) {
    AtAPoint at(family.system);
    const ConstrainedForm& form = *at.formed.form;
    const Eigen::MatrixXd mass = at.matrices.mass();
    const Eigen::MatrixXd input = at.matrices.input();
    const Eigen::MatrixXd gradient = at.matrices.constraint();
    ASSERT_EQ(mass.rows(), form.n());
    ASSERT_EQ(input.cols(), form.ny());
    ASSERT_EQ(gradient.rows(), form.ny());
    for (int i = 0; i < form.n(); ++i) {
      const NodeId dynamics =
          form.system()
              .equations[static_cast<std::size_t>(form.dynamics[static_cast<std::size_t>(i)])]
              .residual;
      for (int j = 0; j < form.n(); ++j)
        EXPECT_NEAR(mass(i, j), at.derivative(dynamics, form.x(j, form.order)), difference_error)
            << family.name;
      for (int j = 0; j < form.ny(); ++j)
        EXPECT_NEAR(input(i, j), at.derivative(dynamics, form.y(j)), difference_error) << family.name;
    }
    for (int i = 0; i < form.ny(); ++i) {
      const FormConstraint& constraint = form.constraints[static_cast<std::size_t>(i)];
      for (int j = 0; j < form.n(); ++j)
        EXPECT_NEAR(gradient(i, j),
                    at.derivative(constraint.derivatives.front(), form.x(j, constraint.level)),
                    difference_error)
            << family.name;
    }
  }
}

// Differentiated once and once more, the highest derivative has the same factor G: what makes it that of all
// levels.
TEST(ConstraintMatrices, GradientsAreThoseOfAllLevels) {
  for (const Family& family : families()) {
    AtAPoint at(family.system);
    const ConstrainedForm& form = *at.formed.form;
    const Eigen::MatrixXd gradient = at.matrices.constraint();
    for (int i = 0; i < form.ny(); ++i) {
      const FormConstraint& constraint = form.constraints[static_cast<std::size_t>(i)];
      for (std::size_t k = 1; k < constraint.derivatives.size(); ++k) {
        const int level = constraint.level + static_cast<int>(k);
        for (int j = 0; j < form.n(); ++j)
          EXPECT_NEAR(gradient(i, j), at.derivative(constraint.derivatives[k], form.x(j, level)),
                      difference_error)
              << family.name << " level " << level;
      }
    }
  }
}

// A copy keeps its own values; the program is shared.
TEST(ConstraintMatrices, CopiesHaveValuesOfTheirOwn) {
  AtAPoint at(from_text(bead_text()));
  const Eigen::MatrixXd here = at.matrices.constraint();
  ConstraintMatrices copy = at.matrices;
  scatter_numbers(at.formed.environment, 6);
  copy.evaluate(at.formed.environment);
  EXPECT_EQ(at.matrices.constraint(), here);
  EXPECT_NE(copy.constraint(), here);
}

TEST(ConstraintMatrices, TheSchurDiagonalIsThatOfDenseAlgebra) {
  for (const Family& family : families()) {
    AtAPoint at(family.system);
    const Eigen::MatrixXd gradient = at.matrices.constraint();
    const Eigen::VectorXd mass = at.matrices.mass().diagonal().cwiseAbs();
    std::vector<double> diagonal(static_cast<std::size_t>(at.formed.form->ny()));
    at.matrices.schur_diagonal(ConstraintMatrices::Norm::Mass, diagonal);
    for (int i = 0; i < gradient.rows(); ++i) {
      double sum = 0;
      for (int j = 0; j < gradient.cols(); ++j) {
        if (mass(j) > 0) sum += gradient(i, j) * gradient(i, j) / mass(j);
      }
      EXPECT_NEAR(diagonal[static_cast<std::size_t>(i)], sum, 1e-13 * sum) << family.name;
    }
    at.matrices.schur_diagonal(ConstraintMatrices::Norm::Identity, diagonal);
    const Eigen::MatrixXd square = gradient * gradient.transpose();
    for (int i = 0; i < gradient.rows(); ++i)
      EXPECT_NEAR(diagonal[static_cast<std::size_t>(i)], square(i, i), 1e-13 * square(i, i)) << family.name;
  }
}

// A gradient that vanishes counts as the largest one, and as 1 where there is no other: never zero.
TEST(ConstraintMatrices, TheSchurDiagonalIsNeverZero) {
  AtAPoint bead(from_text(bead_text()));
  bead.formed.value("x") = 0;
  bead.formed.value("y") = 0;
  bead.matrices.evaluate(bead.formed.environment);
  std::vector<double> one(1);
  bead.matrices.schur_diagonal(ConstraintMatrices::Norm::Mass, one);
  EXPECT_EQ(one[0], 1);
  AtAPoint chain(from_text(chain_text(2)));
  chain.formed.value("x1") = 0.6;
  chain.formed.value("y1") = -0.8;
  chain.formed.value("x2") = 0.6;
  chain.formed.value("y2") = -0.8;
  chain.matrices.evaluate(chain.formed.environment);
  std::vector<double> two(2);
  chain.matrices.schur_diagonal(ConstraintMatrices::Norm::Mass, two);
  EXPECT_NEAR(two[0], 4, 1e-14);
  EXPECT_EQ(two[1], two[0]);
}

// B = Gᵀ but for the order, the signs and the scales of the multipliers; a force askew is none of a
// constraint.
TEST(ConstraintMatrices, MultipliersActAlongConstraintsOrDoNot) {
  const auto act = [](const DaeSystem& system) {
    return AtAPoint(system).matrices.multipliers_act_along_constraints();
  };
  for (const char* force : {"lambda", "-lambda", "(7*lambda)", "(lambda*1e-6)"}) {
    std::string text = bead_text();
    for (std::size_t at = 0; (at = text.find("*lambda", at)) != std::string::npos;
         at += 1 + std::string(force).size())
      text.replace(at + 1, 6, force);
    EXPECT_TRUE(act(from_text(text))) << force;
  }
  EXPECT_TRUE(act(problem("n_four_bar.mo"))) << "in another order than the constraints";
  EXPECT_FALSE(act(from_text(skew_bead)));
}

struct Kind {
  ConstraintSaddle::Top top;
  ConstraintSaddle::Right right;
};

Eigen::MatrixXd dense_saddle(const ConstraintMatrices& matrices, const Kind& kind) {
  const auto n = matrices.constraint().cols();
  const auto ny = matrices.constraint().rows();
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n + ny, n + ny);
  dense.topLeftCorner(n, n) =
      kind.top == ConstraintSaddle::Top::Mass ? matrices.mass() : Eigen::MatrixXd::Identity(n, n);
  dense.topRightCorner(n, ny) = kind.right == ConstraintSaddle::Right::Input
                                    ? matrices.input()
                                    : Eigen::MatrixXd(matrices.constraint().transpose());
  dense.bottomLeftCorner(ny, n) = matrices.constraint();
  return dense;
}

// The sparse matrix with δ against the dense one without: the solution differs by δ = 1e-13 of the Schur
// complement's diagonal times the condition.
TEST(ConstraintSaddle, SolvesWhatDenseAlgebraSolvesInEveryFamily) {
  using Top = ConstraintSaddle::Top;
  using Right = ConstraintSaddle::Right;
  for (const Family& family : families()) {
    AtAPoint at(family.system);
    for (const Kind& kind :
         {Kind{Top::Mass, Right::Input}, Kind{Top::Mass, Right::ConstraintTransposed},
          Kind{Top::Identity, Right::Input}, Kind{Top::Identity, Right::ConstraintTransposed}}) {
      ConstraintSaddle solver(*at.formed.form, kind.top, kind.right);
      ASSERT_TRUE(solver.factor(at.matrices)) << family.name;
      const Eigen::MatrixXd dense = dense_saddle(at.matrices, kind);
      ASSERT_EQ(static_cast<std::size_t>(dense.rows()), solver.size());
      std::vector<double> z(solver.size());
      scatter_numbers(z, 9);
      const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(z.data(), dense.rows());
      const Eigen::VectorXd expected = dense.fullPivLu().solve(b);
      solver.solve(z);
      for (Eigen::Index i = 0; i < b.size(); ++i)
        EXPECT_NEAR(z[static_cast<std::size_t>(i)], expected(i), 1e-9 * (1 + expected.cwiseAbs().maxCoeff()))
            << family.name;
    }
  }
}

// Twice the same constraint: the matrix is singular, and δ keeps it solvable; what is asked for consistently
// is met.
TEST(ConstraintSaddle, RedundantConstraintsAreMetTogether) {
  AtAPoint at(from_text(bead_text("3*x^2 + 3*y^2 = 3;")));
  ConstraintSaddle solver(*at.formed.form, ConstraintSaddle::Top::Identity,
                          ConstraintSaddle::Right::ConstraintTransposed);
  ASSERT_TRUE(solver.factor(at.matrices));
  const Eigen::MatrixXd gradient = at.matrices.constraint();
  // G Δ = (g, 3 g) or (3 g, g), by which row is which.
  const double ratio = gradient(1, 0) / gradient(0, 0);
  std::vector<double> z{0, 0, 0.1, 0.1 * ratio};
  solver.solve(z);
  for (int i = 0; i < 2; ++i)
    EXPECT_NEAR((gradient(i, 0) * z[0]) + (gradient(i, 1) * z[1]), i == 0 ? 0.1 : 0.1 * ratio, 1e-10);
  // The least move is along the gradient.
  EXPECT_NEAR((gradient(0, 0) * z[1]) - (gradient(0, 1) * z[0]), 0, 1e-12);
}

}  // namespace
}  // namespace daedalus::testing
