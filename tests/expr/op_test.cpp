// Walks the table of operations: every row is compared with a second implementation and every
// derivative with differences.
#include "expr/op.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "expr/derivative.hpp"
#include "expr/precise.hpp"
#include "expr/random_graph.hpp"

namespace daedalus {
namespace {

using test::Real;

// Points inside the domain of every function, away from jumps and kinks. Asin and Acos need |a| < 1, Log and
// Sqrt and Pow a > 0; the differences reach 4e-3 to either side.
std::vector<std::array<double, 3>> points(Op op) {
  std::vector<std::array<double, 3>> all;
  test::Random random(static_cast<std::uint64_t>(op) + 1);
  const bool positive = op == Op::Log || op == Op::Log10 || op == Op::Sqrt || op == Op::Pow;
  const bool small = op == Op::Asin || op == Op::Acos;
  while (all.size() < 40) {
    const double a = positive ? random.between(0.2, 4)
                     : small  ? random.between(-0.9, 0.9)
                              : random.between(-3, 3);
    const double b = random.between(-3, 3);
    const double c = random.between(-3, 3);
    const bool near_kink = std::abs(a) < 0.1 || std::abs(b) < 0.1 || std::abs(a - b) < 0.1 ||
                           std::abs(a - std::round(a)) < 0.1 ||
                           (op == Op::Tan && std::abs(std::cos(a)) < 0.2);
    if (!near_kink) all.push_back({a, b, c});
  }
  return all;
}

class EveryOperation : public testing::TestWithParam<Op> {};

TEST_P(EveryOperation, RowStandsInItsPlace) {
  const OpInfo& row = info(GetParam());
  EXPECT_EQ(row.op, GetParam());
  EXPECT_FALSE(row.name.empty());
  EXPECT_EQ(row.evaluate == nullptr, row.arity == 0);
  EXPECT_LE(row.arity, 3);
  EXPECT_TRUE(row.choice == nullptr || row.partial == nullptr);
}

// The C library's functions are good to an ulp or so; 4 ε covers it and the one rounding of the result.
TEST_P(EveryOperation, ValueAgreesWithLongDouble) {
  const OpInfo& row = info(GetParam());
  if (row.arity == 0) return;
  for (const auto& [a, b, c] : points(row.op)) {
    const Real expected = test::precise_operation(row.op, a, b, c);
    const Real got = row.evaluate(a, b, c);
    EXPECT_LE(std::abs(got - expected), 4 * std::numeric_limits<double>::epsilon() * std::abs(expected))
        << row.name << " of " << a << ", " << b << ", " << c;
  }
}

// The exponents that have a rule of their own; 3 multiplications round thrice.
TEST(Operations, WholeAndHalfPowersAreAccurate) {
  for (const double b : {-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0}) {
    for (const double a : {0.3, 1.7, 25.0, -0.3, -6.1}) {
      const Real expected = std::pow(Real(a), Real(b));
      const double got = info(Op::Pow).evaluate(a, b, 0);
      EXPECT_EQ(std::isnan(got), std::isnan(expected)) << a << "^" << b;
      if (std::isnan(got)) continue;
      EXPECT_LE(std::abs(got - expected), 2 * std::numeric_limits<double>::epsilon() * std::abs(expected))
          << a << "^" << b;
    }
  }
}

// A square has twice the relative error of its base and half a unit of its own: up to x^n that adds to less
// than n halves of a unit, and one more for a quotient.
TEST(Operations, HighWholePowersAreAccurate) {
  for (const int n : {5, 6, 7, 13, 31, 32, 58, 64, -2, -3, -5, -41, -64}) {
    for (const double a : {0.3, 1.7, 25.0, -0.3, -6.1}) {
      const Real expected = std::pow(Real(a), Real(n));
      const double got = info(Op::Pow).evaluate(a, n, 0);
      const double units = (0.5 * std::abs(n)) + 1;
      EXPECT_LE(std::abs(got - expected), units * std::numeric_limits<double>::epsilon() * std::abs(expected))
          << a << "^" << n;
    }
  }
}

// What std::pow gives at the ends of the numbers.
TEST(Operations, WholePowersOfZeroAndInfinity) {
  for (const double a : {0.0, -0.0, HUGE_VAL, -HUGE_VAL}) {
    for (const int n : {5, 6, -5, -6}) {
      const double got = info(Op::Pow).evaluate(a, n, 0);
      EXPECT_EQ(got, std::pow(a, n)) << a << "^" << n;
      EXPECT_EQ(std::signbit(got), std::signbit(std::pow(a, n))) << a << "^" << n;
    }
  }
}

// The symbolic derivative is evaluated in long double too, so what remains is the differences' own error and
// the one constant that is a rounded double (1/ln 10, ε/2 relative).
TEST_P(EveryOperation, DerivativeAgreesWithDifferences) {
  const OpInfo& row = info(GetParam());
  if (row.arity == 0) return;
  ExprGraph g;
  std::array<NodeId, 3> x{};
  for (std::size_t i = 0; i < 3; ++i) x[i] = g.variable(VariableId(i));
  const NodeId root = row.arity == 1   ? g.apply(row.op, x[0])
                      : row.arity == 2 ? g.apply(row.op, x[0], x[1])
                                       : g.apply(row.op, x[0], x[1], x[2]);
  const std::vector<Partial> partials = gradient(g, root);
  for (const auto& at : points(row.op)) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(row.arity); ++i) {
      const auto leaf = [&](NodeId id) -> Real {
        return at[static_cast<std::size_t>(g.variable_of(id).value)];
      };
      Real symbolic = 0;
      for (const Partial& p : partials) {
        if (p.leaf == x[i]) symbolic = test::precise_value(g, p.value, leaf);
      }
      const test::Difference numeric = test::difference([&](Real step) {
        std::array<Real, 3> moved{at[0], at[1], at[2]};
        moved[i] += step;
        return test::precise_operation(row.op, moved[0], moved[1], moved[2]);
      });
      EXPECT_LE(std::abs(symbolic - numeric.value),
                numeric.error + std::numeric_limits<double>::epsilon() * std::abs(symbolic))
          << row.name << " by argument " << i << " at " << at[0] << ", " << at[1];
      // The differences must be sharp enough to notice a wrong formula.
      EXPECT_LE(numeric.error, 1e-6 * (1 + std::abs(numeric.value)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryOperation, testing::ValuesIn([] {
                           std::vector<Op> ops;
                           for (const OpInfo& row : all_ops()) ops.push_back(row.op);
                           return ops;
                         }()),
                         [](const auto& test) {
                           return "Op" + std::to_string(static_cast<int>(test.param));
                         });

TEST(Operations, FunctionsAreFoundByNameAndOperatorsAreNot) {
  ASSERT_NE(find_function("sin"), nullptr);
  EXPECT_EQ(find_function("sin")->op, Op::Sin);
  EXPECT_EQ(find_function("atan2")->op, Op::Atan2);
  for (const char* name : {"+", "-", "if", "time", "constant", "and", "sine", ""}) {
    EXPECT_EQ(find_function(name), nullptr) << name;
  }
}

// ∂(a^b)/∂b at a = 0: the function is constant zero for b > 0, while a^b log a would be 0 * -∞.
TEST(Operations, PowerByItsExponentAtZeroIsZero) {
  ExprGraph g;
  const NodeId a = g.variable(VariableId(0));
  const NodeId b = g.variable(VariableId(1));
  const std::vector<Partial> partials = gradient(g, g.pow(a, b));
  ASSERT_EQ(partials.size(), 2U);
  const auto leaf = [&](NodeId id) { return id == a ? 0.0 : 2.0; };
  EXPECT_EQ(evaluate(g, partials[0].value, leaf), 0);
  EXPECT_EQ(evaluate(g, partials[1].value, leaf), 0);
}

// d asin = 1/sqrt(1-x²) loses half its digits near 1 if 1-x² is computed as written; (1-x)(1+x) does not:
// five roundings, and the square root halves those before it.
TEST(Operations, ArcsineDerivativeIsAccurateNearOne) {
  ExprGraph g;
  const NodeId x = g.variable(VariableId(0));
  const NodeId slope = gradient(g, g.apply(Op::Asin, x))[0].value;
  const double at = 1 - 1e-12;
  const Real exact = 1 / std::sqrt((1 - Real(at)) * (1 + Real(at)));
  const double got = evaluate(g, slope, [&](NodeId) { return at; });
  EXPECT_LE(std::abs(Real(got) - exact), 4 * std::numeric_limits<double>::epsilon() * exact);
}

}  // namespace
}  // namespace daedalus
