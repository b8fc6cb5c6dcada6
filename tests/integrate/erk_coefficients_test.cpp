// The coefficients of the explicit pairs satisfy the order conditions of rooted trees (Hairer, Nørsett,
// Wanner I, theorem II.2.13), those of their dense output included (theorem II.6.1), and not those of one
// order more.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "integrate/erk_tableau.hpp"

namespace daedalus::testing {
namespace {

// A rooted tree by its subtrees, which are earlier trees of the list.
struct Tree {
  int order = 1;
  double gamma = 1;  // density
  std::vector<std::size_t> children;
};

// Extends `children` (in falling order) by trees of the list up to `missing` nodes in all.
void complete_children(std::vector<Tree>& trees, std::size_t known, std::size_t largest, int missing,
                       std::vector<std::size_t>& children) {
  if (missing == 0) {
    Tree tree;
    tree.children = children;
    for (const std::size_t child : children) {
      tree.order += trees[child].order;
      tree.gamma *= trees[child].gamma;
    }
    tree.gamma *= tree.order;
    trees.push_back(tree);
    return;
  }
  for (std::size_t child = 0; child < std::min(known, largest + 1); ++child) {
    if (trees[child].order > missing) break;
    children.push_back(child);
    complete_children(trees, known, child, missing - trees[child].order, children);
    children.pop_back();
  }
}

std::vector<Tree> trees_up_to(int order) {
  std::vector<Tree> trees{Tree{}};
  for (int n = 2; n <= order; ++n) {
    std::vector<std::size_t> children;
    const std::size_t known = trees.size();
    complete_children(trees, known, known, n - 1, children);
  }
  return trees;
}

using Weights = std::vector<double>;

Weights dense_row(const ErkTableau& tableau, ErkRow row) {
  Weights weights(tableau.a.size(), 0);
  for (const ErkWeight& weight : row) weights[static_cast<std::size_t>(weight.stage)] += weight.value;
  return weights;
}

// Φ_i of every tree: the product over the subtrees of Σ_j a_ij Φ_j.
std::vector<Weights> elementary_weights(const ErkTableau& tableau, const std::vector<Tree>& trees) {
  std::vector<Weights> phi;
  for (const Tree& tree : trees) {
    Weights value(tableau.a.size(), 1);
    for (const std::size_t child : tree.children) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        double sum = 0;
        for (const ErkWeight& a : tableau.a[i])
          sum += a.value * phi[child][static_cast<std::size_t>(a.stage)];
        value[i] *= sum;
      }
    }
    phi.push_back(value);
  }
  return phi;
}

// The largest |Σ w_i Φ_i γ / θ^ρ - 1| · (1/γ) over the trees of exactly this order.
double defect(const ErkTableau& tableau, const Weights& weights, int order, double theta = 1) {
  const std::vector<Tree> trees = trees_up_to(order);
  const std::vector<Weights> phi = elementary_weights(tableau, trees);
  double worst = 0;
  for (std::size_t k = 0; k < trees.size(); ++k) {
    if (trees[k].order != order) continue;
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * phi[k][i];
    worst = std::max(worst, std::abs(sum - std::pow(theta, order) / trees[k].gamma));
  }
  return worst;
}

// The weights of the slopes in the dense output at θ, from the formula in erk_tableau.hpp.
Weights dense_output(const ErkTableau& tableau, double theta) {
  const Weights b = dense_row(tableau, tableau.b);
  const auto end = static_cast<std::size_t>(tableau.stages);
  std::vector<double> w{1};
  for (std::size_t j = 1; j < 4 + tableau.dense.size(); ++j) {
    w.push_back(w.back() * (j % 2 == 1 ? theta : 1 - theta));
  }
  Weights weights(b.size(), 0);
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double bend = (i == 0 ? 1.0 : 0.0) - b[i];
    weights[i] = w[1] * b[i] + w[2] * bend + w[3] * (b[i] - (i == end ? 1.0 : 0.0) - bend);
  }
  for (std::size_t j = 0; j < tableau.dense.size(); ++j) {
    for (const ErkWeight& d : tableau.dense[j]) {
      weights[static_cast<std::size_t>(d.stage)] += w[4 + j] * d.value;
    }
  }
  return weights;
}

struct Pair {
  std::string name;
  const ErkTableau& tableau;
  int order, embedded, coarse, dense;
};

std::vector<Pair> pairs() {
  return {{"dopri5", dopri5_tableau(), 5, 4, 0, 4}, {"dop853", dop853_tableau(), 8, 5, 3, 7}};
}

// Coefficients up to 43 in the stages and 527 in the dense output, in double precision.
constexpr double kRounding = 1e-13;
constexpr double kDenseRounding = 1e-11;
// What a violated condition is at least; the conditions themselves are 1/γ ≥ 1/9!.
constexpr double kViolated = 1e-8;

TEST(RootedTrees, AreAsManyAsKnown) {
  // Hairer, Nørsett, Wanner I, table II.2.1: 1, 1, 2, 4, 9, 20, 48, 115 trees of orders 1 to 8.
  const std::vector<std::size_t> all{1, 2, 4, 8, 17, 37, 85, 200};
  for (int order = 1; order <= 8; ++order) {
    EXPECT_EQ(trees_up_to(order).size(), all[static_cast<std::size_t>(order) - 1]);
  }
}

TEST(ErkCoefficients, NodesAreTheRowSums) {
  for (const Pair& pair : pairs()) {
    ASSERT_EQ(pair.tableau.c.size(), pair.tableau.a.size());
    for (std::size_t k = 0; k < pair.tableau.a.size(); ++k) {
      double sum = 0;
      for (const ErkWeight& weight : pair.tableau.a[k]) {
        EXPECT_LT(weight.stage, static_cast<int>(k)) << pair.name << ": explicit";
        sum += weight.value;
      }
      EXPECT_NEAR(sum, pair.tableau.c[k], kRounding) << pair.name << " stage " << k;
    }
  }
}

TEST(ErkCoefficients, HaveTheOrderOfTheTableAndNoMore) {
  for (const Pair& pair : pairs()) {
    EXPECT_EQ(pair.tableau.order, pair.order);
    const Weights b = dense_row(pair.tableau, pair.tableau.b);
    for (int order = 1; order <= pair.order; ++order) {
      EXPECT_LE(defect(pair.tableau, b, order), kRounding) << pair.name << " order " << order;
    }
    EXPECT_GE(defect(pair.tableau, b, pair.order + 1), kViolated) << pair.name;
  }
}

TEST(ErkCoefficients, ErrorEstimatesAreDifferencesToFormulasOfLowerOrder) {
  for (const Pair& pair : pairs()) {
    const Weights b = dense_row(pair.tableau, pair.tableau.b);
    for (const auto& [row, p] :
         {std::pair{pair.tableau.error, pair.embedded}, {pair.tableau.coarse_error, pair.coarse}}) {
      if (p == 0) continue;
      Weights embedded = dense_row(pair.tableau, row);
      for (std::size_t i = 0; i < b.size(); ++i) embedded[i] = b[i] - embedded[i];
      for (int order = 1; order <= p; ++order) {
        EXPECT_LE(defect(pair.tableau, embedded, order), kRounding) << pair.name << " order " << order;
      }
      EXPECT_GE(defect(pair.tableau, embedded, p + 1), kViolated) << pair.name << " order " << p;
    }
  }
}

TEST(ErkCoefficients, DenseOutputHasItsOrderEverywhere) {
  for (const Pair& pair : pairs()) {
    for (const double theta : {0.1, 0.37, 0.5, 0.81, 1.0}) {
      const Weights weights = dense_output(pair.tableau, theta);
      for (int order = 1; order <= pair.dense; ++order) {
        EXPECT_LE(defect(pair.tableau, weights, order, theta), kDenseRounding)
            << pair.name << " order " << order << " at " << theta;
      }
    }
    EXPECT_GE(defect(pair.tableau, dense_output(pair.tableau, 0.37), pair.dense + 1, 0.37), kViolated)
        << pair.name;
  }
}

// Murua's half-explicit method: the ends of the stages fulfil Σ â_ij c_j^(q-1) = ĉ_i^q / q for q = 1, 2, 3,
// the velocities of the constrained directions being of order 3 there, and the last end is that of the step.
TEST(ErkCoefficients, EndsOfHalfExplicitStagesAreOfOrderThree) {
  const ErkTableau& tableau = hem5_tableau();
  ASSERT_EQ(tableau.ends.size(), 6U);
  for (std::size_t i = 1; i < tableau.ends.size(); ++i) {
    const ErkRow row = tableau.ends[i];
    EXPECT_EQ(row.back().stage, static_cast<int>(i));
    double node = 0;
    for (const ErkWeight& weight : row) node += weight.value;
    for (int q = 1; q <= 3; ++q) {
      double sum = 0;
      for (const ErkWeight& weight : row)
        sum += weight.value * std::pow(tableau.c[static_cast<std::size_t>(weight.stage)], q - 1);
      EXPECT_NEAR(sum, std::pow(node, q) / q, kRounding) << "stage " << i << " q " << q;
    }
  }
  EXPECT_EQ(tableau.ends.back().data(), tableau.b.data());
}

}  // namespace
}  // namespace daedalus::testing
