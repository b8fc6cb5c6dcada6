// Bounds against what is known of functions: exact where they rise, both extremes of waves, nothing outside a
// domain, hulls of branches; and whole expressions, made by chance, against samples.
#include "consistent/course.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "expr/op.hpp"

namespace daedalus {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Of values below 10, some roundings.
constexpr double few_roundings = 1e-14;

// f over values from low to high, of a leaf that rises by 1 a unit of time.
Course of(Op op, double low, double high) {
  CourseProgram program;
  program.apply(op, program.leaf(0));
  CourseProgram::Scratch scratch;
  return program.bounds(std::array{Course{.value = {low, high}, .slope = {1, 1}}}, scratch);
}

Course of(Op op, Bounds a, Bounds b) {
  CourseProgram program;
  const int first = program.leaf(0);
  program.apply(op, first, program.leaf(1));
  CourseProgram::Scratch scratch;
  return program.bounds(std::array{Course{.value = a, .slope = {1, 1}}, Course{.value = b, .slope = {0, 0}}},
                        scratch);
}

void expect_bounds(Bounds found, double low, double high, const std::string& what) {
  EXPECT_NEAR(found.low, low, few_roundings * std::max(1.0, std::abs(low))) << what;
  EXPECT_NEAR(found.high, high, few_roundings * std::max(1.0, std::abs(high))) << what;
}

TEST(CourseFamilies, FunctionsThatRiseHaveTheirValuesAtTheEnds) {
  struct Row {
    Op op;
    double low, high;
    double (*value)(double);
    double (*slope)(double);
    bool bends_up;  // its slope rises
  };
  const std::array rows{
      Row{Op::Exp, -1, 2, [](double x) { return std::exp(x); }, [](double x) { return std::exp(x); }, true},
      Row{Op::Log, 0.5, 3, [](double x) { return std::log(x); }, [](double x) { return 1 / x; }, false},
      Row{Op::Sqrt, 0.25, 4, [](double x) { return std::sqrt(x); },
          [](double x) { return 0.5 / std::sqrt(x); }, false},
      Row{Op::Atan, 0.5, 2, [](double x) { return std::atan(x); }, [](double x) { return 1 / (1 + x * x); },
          false},
      Row{Op::Sinh, 0.5, 1.5, [](double x) { return std::sinh(x); }, [](double x) { return std::cosh(x); },
          true},
      Row{Op::Tanh, 0.2, 1.5, [](double x) { return std::tanh(x); },
          [](double x) { return 1 - std::tanh(x) * std::tanh(x); }, false},
      Row{Op::Asin, 0.1, 0.7, [](double x) { return std::asin(x); },
          [](double x) { return 1 / std::sqrt(1 - x * x); }, true},
      Row{Op::Tan, 0.1, 1.2, [](double x) { return std::tan(x); },
          [](double x) { return 1 + std::tan(x) * std::tan(x); }, true}};
  for (const Row& row : rows) {
    const Course bounds = of(row.op, row.low, row.high);
    const std::string name(info(row.op).name);
    expect_bounds(bounds.value, row.value(row.low), row.value(row.high), name);
    const double first = row.slope(row.low);
    const double last = row.slope(row.high);
    expect_bounds(bounds.slope, row.bends_up ? first : last, row.bends_up ? last : first, name + "'");
  }
}

TEST(CourseFamilies, WavesHaveTheirExtremesWhereTheyPassThem) {
  const double quarter = std::numbers::pi / 2;
  for (int turn = -3; turn <= 3; ++turn) {
    const double begin = 4 * quarter * turn;
    expect_bounds(of(Op::Sin, begin + 0.1, begin + 1).value, std::sin(0.1), std::sin(1.0), "rising");
    expect_bounds(of(Op::Sin, begin + 1, begin + 2).value, std::sin(1.0), 1, "over the top");
    expect_bounds(of(Op::Sin, begin - 2, begin - 1).value, -1, std::sin(-1.0), "through the bottom");
    expect_bounds(of(Op::Cos, begin + 0.2, begin + 0.9).value, std::cos(0.9), std::cos(0.2), "falling");
    expect_bounds(of(Op::Cos, begin - 0.2, begin + 0.9).value, std::cos(0.9), 1, "over the top");
    expect_bounds(of(Op::Sin, begin, begin + 7).value, -1, 1, "more than a turn");
  }
}

TEST(CourseFamilies, OutsideADomainThereIsNothingToBound) {
  expect_bounds(of(Op::Sqrt, -1, 4).value, 0, 2, "sqrt");
  EXPECT_EQ(of(Op::Log, -1, 1).value.low, -infinity);
  EXPECT_NEAR(of(Op::Log, -1, std::numbers::e).value.high, 1, few_roundings);
  expect_bounds(of(Op::Asin, -3, 3).value, -std::numbers::pi / 2, std::numbers::pi / 2, "asin");
  expect_bounds(of(Op::Acos, 0.5, 3).value, 0, std::acos(0.5), "acos");
}

// A pole within the span: no bounds, and none that are no numbers.
TEST(CourseFamilies, PolesAreUnbounded) {
  for (const Course& course :
       {of(Op::Div, {1, 2}, {-1, 1}), of(Op::Tan, 1, 2), of(Op::Div, {1, 2}, {0, 0})}) {
    EXPECT_EQ(course.value.low, -infinity);
    EXPECT_EQ(course.value.high, infinity);
  }
  const Course beside = of(Op::Div, {1, 2}, {0, 4});
  EXPECT_EQ(beside.value.low, 0.25);
  EXPECT_EQ(beside.value.high, infinity);
}

TEST(CourseFamilies, ProductsHaveTheirExtremesInTheCorners) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-3, 3);
  for (int trial = 0; trial < 200; ++trial) {
    const auto [a, b] = std::minmax({number(random), number(random)});
    const auto [c, d] = std::minmax({number(random), number(random)});
    const Bounds product = of(Op::Mul, {a, b}, {c, d}).value;
    const auto [least, most] = std::minmax({a * c, a * d, b * c, b * d});
    EXPECT_EQ(product.low, least);
    EXPECT_EQ(product.high, most);
    expect_bounds(of(Op::Sub, {a, b}, {c, d}).value, a - d, b - c, "-");
    expect_bounds(of(Op::Min, {a, b}, {c, d}).value, std::min(a, c), std::min(b, d), "min");
    expect_bounds(of(Op::Max, {a, b}, {c, d}).value, std::max(a, c), std::max(b, d), "max");
  }
}

// Of two arguments one of which is smaller throughout, min and max have its slope.
TEST(CourseFamilies, AChoiceThatIsDecidedHasTheSlopeOfWhatIsChosen) {
  EXPECT_EQ(of(Op::Min, {0, 1}, {2, 3}).slope.low, 1);
  EXPECT_EQ(of(Op::Max, {0, 1}, {2, 3}).slope.high, 0);
  EXPECT_EQ(of(Op::Max, {4, 5}, {2, 3}).slope.low, 1);
  const Bounds undecided = of(Op::Max, {0, 2.5}, {2, 3}).slope;
  EXPECT_EQ(undecided.low, 0);
  EXPECT_EQ(undecided.high, 1);
}

// Comparisons are 1 or 0 where they are decided, and rest there.
TEST(CourseFamilies, ComparisonsAreDecidedByBoundsThatDoNotMeet) {
  struct Row {
    Op op;
    Bounds a, b;
    double low, high;
  };
  for (const Row& row : {Row{Op::Less, {0, 1}, {2, 3}, 1, 1}, Row{Op::Less, {2, 3}, {0, 1}, 0, 0},
                         Row{Op::Less, {0, 2}, {1, 3}, 0, 1}, Row{Op::Less, {0, 1}, {1, 1}, 0, 1},
                         Row{Op::LessEqual, {0, 1}, {1, 1}, 1, 1}, Row{Op::LessEqual, {1.5, 2}, {1, 1}, 0, 0},
                         Row{Op::Equal, {1, 1}, {1, 1}, 1, 1}, Row{Op::Equal, {0, 1}, {2, 2}, 0, 0},
                         Row{Op::NotEqual, {0, 1}, {2, 2}, 1, 1}, Row{Op::NotEqual, {0, 3}, {2, 2}, 0, 1},
                         Row{Op::And, {1, 1}, {1, 1}, 1, 1}, Row{Op::And, {0, 1}, {0, 0}, 0, 0},
                         Row{Op::And, {0, 1}, {1, 1}, 0, 1}, Row{Op::Or, {0, 1}, {1, 1}, 1, 1},
                         Row{Op::Or, {0, 0}, {0, 0}, 0, 0}, Row{Op::Or, {0, 1}, {0, 0}, 0, 1}}) {
    const Course course = of(row.op, row.a, row.b);
    EXPECT_EQ(course.value.low, row.low) << info(row.op).name;
    EXPECT_EQ(course.value.high, row.high) << info(row.op).name;
    EXPECT_EQ(std::isfinite(course.slope.high), row.low == row.high) << info(row.op).name;
  }
}

TEST(CourseFamilies, BranchesCountAsLongAsTheyMayBeTaken) {
  CourseProgram program;
  const int condition = program.leaf(0);
  const int yes = program.leaf(1);
  program.apply(Op::If, condition, yes, program.leaf(2));
  CourseProgram::Scratch scratch;
  const auto bounds = [&](Bounds truth) {
    return program
        .bounds(std::array{Course{.value = truth, .slope = {0, 0}}, Course{.value = {1, 2}, .slope = {1, 1}},
                           Course{.value = {5, 6}, .slope = {-1, -1}}},
                scratch)
        .value;
  };
  expect_bounds(bounds({1, 1}), 1, 2, "true");
  expect_bounds(bounds({0, 0}), 5, 6, "false");
  expect_bounds(bounds({0, 1}), 1, 6, "either");
}

TEST(CourseFamilies, WholeNumbersJump) {
  const Course within = of(Op::Floor, 2.1, 2.9);
  expect_bounds(within.value, 2, 2, "floor");
  EXPECT_EQ(within.slope.high, 0);
  const Course over = of(Op::Ceil, 1.5, 2.5);
  expect_bounds(over.value, 2, 3, "ceil");
  EXPECT_EQ(over.slope.high, infinity);
}

// An expression of some depth, of operations that have values everywhere.
int grow(CourseProgram& program, std::mt19937& random, int depth) {
  static constexpr std::array one{Op::Sin, Op::Cos, Op::Neg, Op::Abs, Op::Atan, Op::Tanh};
  static constexpr std::array two{Op::Add, Op::Sub, Op::Mul, Op::Min, Op::Max};
  const auto pick = [&random](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  if (depth == 0)
    return pick(3) == 0 ? program.constant(static_cast<double>(pick(5)) - 2)
                        : program.leaf(static_cast<int>(pick(2)));
  if (pick(2) == 0) {
    const int argument = grow(program, random, depth - 1);
    return program.apply(one[pick(one.size())], argument);
  }
  const int first = grow(program, random, depth - 1);
  const int second = grow(program, random, depth - 1);
  return program.apply(two[pick(two.size())], first, second);
}

TEST(CourseFamilies, ExpressionsStayWithinTheirBounds) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-2, 2);
  for (int trial = 0; trial < 100; ++trial) {
    CourseProgram program;
    (void)grow(program, random, 4);
    CourseProgram::Scratch scratch;
    const std::array<double, 2> begin{number(random), number(random)};
    const std::array<double, 2> rate{number(random), number(random)};
    const double length = trial % 2 == 0 ? 0.5 : 0.01;
    std::array<Course, 2> leaves;
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      const auto [low, high] = std::minmax({begin[k], begin[k] + (rate[k] * length)});
      leaves[k] = {.value = {low, high}, .slope = {rate[k], rate[k]}};
    }
    const Course bounds = program.bounds(leaves, scratch);
    double before = 0;
    constexpr int samples = 16;
    for (int k = 0; k <= samples; ++k) {
      const double t = length * k / samples;
      const double value =
          program.value(std::array{begin[0] + (rate[0] * t), begin[1] + (rate[1] * t)}, scratch);
      const double slack = few_roundings * (1 + std::abs(value));
      EXPECT_GE(value, bounds.value.low - slack) << trial;
      EXPECT_LE(value, bounds.value.high + slack) << trial;
      if (k > 0) {
        const double slope = (value - before) * samples / length;
        const double rounding = slack * samples / length;
        EXPECT_GE(slope, bounds.slope.low - rounding) << trial;
        EXPECT_LE(slope, bounds.slope.high + rounding) << trial;
      }
      before = value;
    }
  }
}

}  // namespace
}  // namespace daedalus
