#include "expr/derivative.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "expr/precise.hpp"
#include "expr/random_graph.hpp"

namespace daedalus {
namespace {

using test::Random;
using test::Real;

const std::vector<Op>& smooth_operations() {
  static const std::vector<Op> ops{Op::Add,   Op::Sub,  Op::Mul,  Op::Div,  Op::Neg,  Op::Pow,
                                   Op::Abs,   Op::Sqrt, Op::Exp,  Op::Log,  Op::Sin,  Op::Cos,
                                   Op::Tan,   Op::Asin, Op::Atan, Op::Sinh, Op::Cosh, Op::Tanh,
                                   Op::Atan2, Op::Min,  Op::Max,  Op::Less, Op::If};
  return ops;
}

// Compares a symbolic derivative with a difference where both are meaningful; true if they were compared.
// The step is small and the point random, so a kink or a pole within reach shows in the error estimate,
// and such a point says nothing.
bool compare(Real symbolic, const test::Difference& numeric, std::uint64_t seed) {
  const Real scale = 1 + std::abs(numeric.value);
  if (!std::isfinite(numeric.value) || !(numeric.error < 1e-7L * scale)) return false;
  // Sixteen operations of rounding beside the difference's own error.
  const Real tolerance = numeric.error + 1e-15L * scale;
  EXPECT_LE(std::abs(symbolic - numeric.value), tolerance) << "seed " << seed;
  return true;
}

TEST(Gradient, AgreesWithDifferencesOnRandomExpressions) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 3000 && !HasFailure(); ++seed) {
    Random random(seed);
    ExprGraph g;
    const auto list =
        test::draw(random, {.variables = 3, .operations = 8, .reach = 6, .ops = smooth_operations()});
    const NodeId root = test::build(g, list).back();
    std::array<Real, 3> at{};
    for (Real& value : at) value = random.between(-2, 2);
    bool all_regular = true;
    const auto value_at = [&](NodeId node, const std::array<Real, 3>& x, bool* note = nullptr) {
      return test::precise_value(
          g, node, [&](NodeId leaf) { return x[g.variable_of(leaf).at()]; }, note);
    };
    (void)value_at(root, at, &all_regular);
    if (!all_regular) continue;
    const std::vector<Partial> partials = gradient(g, root);
    for (std::size_t v = 0; v < 3; ++v) {
      Real symbolic = 0;
      for (const Partial& p : partials) {
        if (g.variable_of(p.leaf).at() == v) symbolic = value_at(p.value, at);
      }
      const test::Difference numeric = test::difference([&](Real step) {
        std::array<Real, 3> moved = at;
        moved[v] += step;
        return value_at(root, moved);
      });
      if (compare(symbolic, numeric, seed)) ++compared;
    }
  }
  EXPECT_GT(compared, 4000);
}

// From the second root on a sweep goes only through what depends on a wanted leaf; what it finds must be what
// a sweep through everything finds, node for node, although the graph grows in between.
TEST(Gradient, IsTheSameForOneRootOfManyAndAlone) {
  std::size_t partials = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    ExprGraph g;
    const auto list =
        test::draw(random, {.variables = 4, .operations = 30, .reach = 8, .ops = smooth_operations()});
    const std::vector<NodeId> roots = test::build(g, list);
    const auto wanted = [&](NodeId leaf) {
      return g.node(leaf).op == Op::Variable && g.variable_of(leaf).at() == seed % 4;
    };
    Gradient many(g, wanted);
    for (const NodeId root : roots) {
      const std::vector<Partial> found = many(root);
      const std::vector<Partial> alone = Gradient(g, wanted)(root);
      ASSERT_EQ(found.size(), alone.size()) << seed;
      for (std::size_t k = 0; k < found.size(); ++k) {
        EXPECT_EQ(found[k].leaf, alone[k].leaf) << seed;
        EXPECT_EQ(found[k].value, alone[k].value) << seed;
      }
      partials += found.size();
    }
  }
  EXPECT_GT(partials, 500U);
}

TEST(Leaves, OfEachOfManyRootsAreThoseOfEveryRootAlone) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    ExprGraph g;
    const auto list = test::draw(random, {.variables = 12, .operations = 200, .reach = 20});
    const std::vector<NodeId> roots = test::build(g, list);
    ASSERT_GT(roots.size(), 128U);  // more than two walks
    const auto found = leaves_of_each(g, roots);
    ASSERT_EQ(found.size(), roots.size());
    for (std::size_t r = 0; r < roots.size(); ++r) EXPECT_EQ(found[r], leaves_of(g, roots[r])) << seed;
  }
}

// Along x_v(t) = a sin(w t + p), every derivative of which is known.
// What the graph remembers, cut down to some leaves, is what a sweep towards these finds: node for node,
// since equal expressions are one node.
TEST(Gradient, IsTheSameFromMemory) {
  std::size_t partials = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    ExprGraph g;
    const auto list =
        test::draw(random, {.variables = 4, .operations = 12, .reach = 6, .ops = smooth_operations()});
    const NodeId root = test::build(g, list).back();
    const auto wanted = [&](NodeId leaf) {
      return g.node(leaf).op == Op::Variable && g.variable_of(leaf).at() % 2 == 0;
    };
    const auto find = [&](Gradient::Memory memory) { return Gradient(g, wanted, memory)(root); };
    const std::vector<Partial> swept = find(Gradient::Memory::Use);
    ASSERT_FALSE(g.known_gradients().find(root).has_value());
    const std::vector<Partial> kept = find(Gradient::Memory::Keep);
    ASSERT_TRUE(g.known_gradients().find(root).has_value());
    const std::vector<Partial> remembered = find(Gradient::Memory::Use);
    for (const auto& other : {kept, remembered}) {
      ASSERT_EQ(swept.size(), other.size()) << seed;
      for (std::size_t k = 0; k < swept.size(); ++k) {
        EXPECT_EQ(swept[k].leaf, other[k].leaf) << seed;
        EXPECT_EQ(swept[k].value, other[k].value) << seed;
      }
    }
    partials += swept.size();
  }
  EXPECT_GT(partials, 200U);
}

TEST(TimeDerivative, AgreesWithDifferencesAlongATrajectory) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 3000 && !HasFailure(); ++seed) {
    Random random(seed);
    ExprGraph g;
    const auto list =
        test::draw(random, {.variables = 3, .operations = 8, .reach = 6, .ops = smooth_operations()});
    NodeId root = test::build(g, list).back();
    root = g.add(root, g.mul(g.time(), g.variable(VariableId(0))));
    const Real amplitude = random.between(0.5, 2);
    const Real frequency = random.between(0.5, 1.5);
    const auto leaf_at = [&](NodeId leaf, Real t) {
      if (leaf == g.time()) return t;
      const int order = g.order_of(leaf);
      const Real phase = g.variable_of(leaf).value + 0.5L * order * std::numbers::pi_v<Real>;
      return amplitude * std::pow(frequency, Real(order)) * std::sin(frequency * t + phase);
    };
    bool all_regular = true;
    const auto value_at = [&](NodeId node, Real t, bool* note = nullptr) {
      return test::precise_value(
          g, node, [&](NodeId leaf) { return leaf_at(leaf, t); }, note);
    };
    const Real t = random.between(-1, 1);
    (void)value_at(root, t, &all_regular);
    if (!all_regular) continue;
    TimeDerivative derivative(g);
    const NodeId dot = derivative(root);
    EXPECT_EQ(derivative(root), dot);
    if (compare(value_at(dot, t), test::difference([&](Real s) { return value_at(root, t + s); }), seed))
      ++compared;
  }
  EXPECT_GT(compared, 1500);
}

class Derivative : public testing::Test {
 protected:
  ExprGraph g;
  NodeId x = g.variable(VariableId(0));
  NodeId y = g.variable(VariableId(1));
  NodeId zero = g.constant(0);

  NodeId by(NodeId root, NodeId leaf) {
    for (const Partial& p : gradient(g, root)) {
      if (p.leaf == leaf) return p.value;
    }
    return zero;
  }
  double value(NodeId node, double at_x, double at_y = 0) {
    return evaluate(g, node, [&](NodeId leaf) { return leaf == x ? at_x : at_y; });
  }
};

TEST_F(Derivative, HoldsDiscreteThingsAndTakesTimeAsOne) {
  TimeDerivative derivative(g);
  EXPECT_EQ(derivative(g.time()), g.constant(1));
  EXPECT_EQ(derivative(x), g.variable(VariableId(0), 1));
  EXPECT_EQ(derivative(derivative(x)), g.variable(VariableId(0), 2));
  for (const NodeId held : {g.constant(3), g.discrete(VariableId(1)), g.pre(VariableId(1)), g.initial(),
                            g.relation(RelationId(0)), g.sample(SampleId(0)), g.apply(Op::Floor, x),
                            g.apply(Op::Sign, x), g.apply(Op::Less, x, g.time())}) {
    EXPECT_EQ(derivative(held), zero);
  }
}

TEST_F(Derivative, LeavesOutPartialsThatAreZero) {
  const NodeId root = g.add(g.mul(x, y), g.apply(Op::Floor, g.variable(VariableId(2))));
  const std::vector<Partial> partials = gradient(g, root);
  ASSERT_EQ(partials.size(), 2U);
  EXPECT_EQ(partials[0].leaf, x);
  EXPECT_EQ(partials[0].value, y);
  EXPECT_EQ(partials[1].leaf, y);
  EXPECT_TRUE(gradient(g, g.sub(g.mul(x, x), g.mul(x, x))).empty());
}

TEST_F(Derivative, CountsDiscreteLeavesOnRequest) {
  const NodeId p = g.discrete(VariableId(5));
  const NodeId root = g.mul(p, x);
  EXPECT_EQ(gradient(g, root).size(), 1U);
  const std::vector<Partial> both = gradient(g, root, true);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(by(root, x), p);
}

TEST_F(Derivative, OfOneLeafAddsUpAllItsUses) {
  EXPECT_EQ(value(by(g.mul(g.mul(x, x), x), x), 2), 12);
  EXPECT_EQ(by(x, x), g.constant(1));
  EXPECT_TRUE(gradient(g, g.constant(2)).empty());
}

TEST_F(Derivative, OnlyWantedLeavesCost) {
  Gradient sweep(g, [&](NodeId leaf) { return leaf == x; });
  const NodeId root = g.add(x, g.pow(y, g.variable(VariableId(2))));
  const std::size_t size = g.size();
  const std::vector<Partial>& partials = sweep(root);
  ASSERT_EQ(partials.size(), 1U);
  EXPECT_EQ(partials[0].value, g.constant(1));
  EXPECT_LE(g.size(), size + 1);  // the constant 1; nothing for y^z
}

// The branch that is not taken may be infinite or NaN, and so may its derivative; neither must leak.
TEST_F(Derivative, BranchNotTakenDoesNotLeak) {
  const NodeId root_x = g.apply(Op::Sqrt, x);
  const NodeId positive = g.apply(Op::Less, zero, x);
  // if x > 0 then 3 sqrt(x) y else x y
  const NodeId f = g.if_else(positive, g.mul(g.mul(g.constant(3), root_x), y), g.mul(x, y));
  for (const double at : {0.0, -4.0}) {
    EXPECT_EQ(value(by(f, x), at, 7), 7) << "at " << at;
    EXPECT_EQ(value(by(f, y), at, 7), at) << "at " << at;
  }
  EXPECT_EQ(value(by(f, x), 4, 7), 3 * 0.25 * 7);
  EXPECT_EQ(value(by(f, y), 4, 7), 6);
  // The same within an outer choice, reached by two paths, and in time.
  const NodeId nested = g.if_else(g.apply(Op::Less, y, zero), f, g.add(f, g.mul(f, f)));
  EXPECT_EQ(value(by(nested, x), -4, 7), 7 + 2 * (-28) * 7);
  TimeDerivative derivative(g);
  EXPECT_TRUE(std::isfinite(value(derivative(nested), -4, 7)));
}

// The guard must be the condition, not "the weight is zero": at y = 0 the weight of sqrt(x) vanishes in the
// branch taken, but ∂²/∂x∂y (y sqrt(x)) = 1/(2 sqrt(x)) does not.
TEST_F(Derivative, SecondDerivativeInsideABranchIsRight) {
  const NodeId f = g.if_else(g.apply(Op::Less, zero, x), g.mul(y, g.apply(Op::Sqrt, x)), zero);
  EXPECT_EQ(value(by(by(f, x), y), 4, 0), 0.25);
  EXPECT_EQ(value(by(by(f, y), x), 4, 0), 0.25);
  EXPECT_EQ(value(by(by(f, x), y), -4, 0), 0);
}

TEST_F(Derivative, MinAndMaxFollowTheArgumentTaken) {
  // max(1, sqrt(x)) at 0: the constant is taken, though the root's slope is infinite.
  const NodeId top = g.apply(Op::Max, g.constant(1), g.apply(Op::Sqrt, x));
  EXPECT_EQ(value(by(top, x), 0), 0);
  EXPECT_EQ(value(by(top, x), 4), 0.25);
  const NodeId low = g.apply(Op::Min, x, y);
  EXPECT_EQ(value(by(low, x), 1, 2), 1);
  EXPECT_EQ(value(by(low, y), 1, 2), 0);
  EXPECT_EQ(value(by(low, x), 2, 2), 1);  // a tie: the first
  EXPECT_EQ(value(by(low, y), 2, 2), 0);
  TimeDerivative derivative(g);
  const auto rate = [&](NodeId leaf) { return g.order_of(leaf) == 1 ? 5.0 : 0.0; };
  EXPECT_EQ(evaluate(g, derivative(top), rate), 0);
}

// sqrt(max(x, 0)) for x < 0: constant, hence without slope, though that of the root is infinite.
TEST_F(Derivative, OfARootOfAChoiceIsZeroWhereTheChoiceIsConstant) {
  const NodeId f = g.apply(Op::Sqrt, g.apply(Op::Max, x, zero));
  EXPECT_EQ(value(by(f, x), -1), 0);
  EXPECT_EQ(value(by(f, x), 4), 0.25);
  TimeDerivative derivative(g);
  const auto falling = [&](NodeId leaf) { return leaf == x ? -1.0 : -3.0; };
  EXPECT_EQ(evaluate(g, derivative(f), falling), 0);
  const auto rising = [&](NodeId leaf) { return leaf == x ? 4.0 : 3.0; };
  EXPECT_EQ(evaluate(g, derivative(f), rising), 0.75);
}

// A chain of else-ifs must not square the work.
TEST_F(Derivative, LongChainsOfBranchesCostLinearly) {
  const auto grown_by = [](int branches) {
    ExprGraph graph;
    const NodeId u = graph.variable(VariableId(0));
    NodeId f = graph.constant(0);
    for (int k = 1; k <= branches; ++k) {
      const NodeId limit = graph.constant(k);
      f = graph.if_else(graph.apply(Op::Less, u, limit), graph.apply(Op::Log, graph.add(u, limit)), f);
    }
    const std::size_t before = graph.size();
    (void)gradient(graph, f);
    return graph.size() - before;
  };
  EXPECT_LE(grown_by(2000), 2 * grown_by(1000) + 100);
}

}  // namespace
}  // namespace daedalus
