// Interval arithmetic against samples: no value and no slope of an expression may lie outside its bounds.
#include "consistent/course.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "expr/op.hpp"

namespace daedalus {
namespace {

// x(s) = a + b s + c s² on [-1, 1], as a leaf.
struct Parabola {
  double a, b, c;
  [[nodiscard]] double at(double s) const { return a + (b * s) + (c * s * s); }
  [[nodiscard]] Course course(double low, double high) const {
    // Exact at both ends and at the extreme.
    double least = std::min(at(low), at(high));
    double most = std::max(at(low), at(high));
    const double extreme = c == 0 ? low : -b / (2 * c);
    if (extreme > low && extreme < high) {
      least = std::min(least, at(extreme));
      most = std::max(most, at(extreme));
    }
    const double first = b + (2 * c * low);
    const double last = b + (2 * c * high);
    return {.value = {least, most}, .slope = {std::min(first, last), std::max(first, last)}};
  }
};

void expect_within(double x, Bounds b, const std::string& what) {
  if (!std::isfinite(x)) return;  // outside the domain there is nothing to bound
  const double slack = 1e-9 * std::max({1.0, std::abs(b.low), std::abs(b.high), std::abs(x)});
  EXPECT_GE(x, b.low - (std::isfinite(slack) ? slack : 0)) << what;
  EXPECT_LE(x, b.high + (std::isfinite(slack) ? slack : 0)) << what;
}

TEST(Course, BoundsHoldForEveryOperation) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-3, 3);
  for (const OpInfo& op : all_ops()) {
    if (op.arity == 0) continue;
    CourseProgram program;
    const int x = program.leaf(0);
    const int y = op.arity > 1 ? program.leaf(1) : -1;
    const int z = op.arity > 2 ? program.leaf(2) : -1;
    program.apply(op.op, x, y, z);
    CourseProgram::Scratch scratch;
    for (int trial = 0; trial < 300; ++trial) {
      const std::array<Parabola, 3> leaf{Parabola{number(random), number(random), number(random)},
                                         Parabola{number(random), number(random), number(random)},
                                         Parabola{number(random), number(random), number(random)}};
      const double middle = number(random) / 4;
      const double radius = trial % 3 == 0 ? 0.01 : 0.2;
      const auto courses = [&](double low, double high) {
        return std::array{leaf[0].course(low, high), leaf[1].course(low, high), leaf[2].course(low, high)};
      };
      const Course bounds = program.bounds(courses(middle - radius, middle + radius), scratch);
      const auto value = [&](double s) {
        return program.value(std::array{leaf[0].at(s), leaf[1].at(s), leaf[2].at(s)}, scratch);
      };
      double before = value(middle - radius);
      for (int k = -9; k <= 10; ++k) {
        const double s = middle + (radius * k / 10);
        const double v = value(s);
        expect_within(v, bounds.value, std::string(op.name));
        // The mean slope between two points is one of the slopes between them, where it is smooth or has
        // kinks.
        if (std::isfinite(bounds.slope.low) && std::isfinite(bounds.slope.high))
          expect_within((v - before) / (radius / 10), {bounds.slope.low - 1e-6, bounds.slope.high + 1e-6},
                        std::string(op.name) + "'");
        before = v;
      }
    }
  }
}

TEST(Course, PowersByWholeNumbers) {
  for (const double n : {-3.0, -2.0, -1.0, 2.0, 3.0, 4.0, 0.5, 1.5}) {
    CourseProgram program;
    const int x = program.leaf(0);
    program.apply(Op::Pow, x, program.constant(n));
    CourseProgram::Scratch scratch;
    for (const Bounds b : {Bounds{1, 2}, Bounds{-2, -1}, Bounds{-1, 2}, Bounds{0, 1}}) {
      const Course bounds = program.bounds(std::array{Course{.value = b, .slope = {1, 1}}}, scratch);
      for (int k = 0; k <= 10; ++k) {
        const double at = b.low + ((b.high - b.low) * k / 10);
        expect_within(std::pow(at, n), bounds.value, std::to_string(n));
        expect_within(n * std::pow(at, n - 1), bounds.slope, std::to_string(n) + "'");
      }
    }
  }
}

// Thin spans have thin bounds: this is what ends the search for crossings.
TEST(Course, BoundsShrinkWithTheSpan) {
  CourseProgram program;
  const int x = program.leaf(0);
  program.apply(Op::Sin, program.apply(Op::Mul, x, x));
  CourseProgram::Scratch scratch;
  double width = 0;
  for (const double radius : {1e-2, 1e-3, 1e-4}) {
    const Bounds b =
        program.bounds(std::array{Course{.value = {1 - radius, 1 + radius}, .slope = {1, 1}}}, scratch).value;
    if (width > 0) {
      EXPECT_NEAR((b.high - b.low) / width, 0.1, 0.01);
    }
    width = b.high - b.low;
  }
}

// time - 1e12, at 1e12: the rounding of either.
TEST(Course, RoundingIsThatOfLeavesAndConstants) {
  CourseProgram program;
  const int x = program.leaf(0);
  program.apply(Op::Sub, x, program.constant(1e12));
  CourseProgram::Scratch scratch;
  const double rounding = program.rounding(std::array{1e12}, scratch);
  EXPECT_GE(rounding, 1e12 * std::numeric_limits<double>::epsilon());
  EXPECT_LE(rounding, 4e12 * std::numeric_limits<double>::epsilon());
}

// Of an expression of the graph it has the graph's values, each part once, and of one register what that
// needs alone.
TEST(Course, ProgramsOfExpressionsHaveTheirValues) {
  ExprGraph graph;
  const NodeId t = graph.time();
  const NodeId x = graph.variable(VariableId(0));
  const NodeId y = graph.variable(VariableId(1));
  const NodeId sum = graph.add(graph.mul(x, x), graph.apply(Op::Sin, t));
  const NodeId root = graph.div(sum, graph.add(graph.constant(2), graph.mul(sum, y)));
  CourseProgram program;
  CourseProgram::Registers made{{t, program.leaf(0)}, {x, program.leaf(1)}, {y, program.leaf(2)}};
  const int whole = program.expression(graph, root, made);
  const std::size_t size = program.size();
  EXPECT_EQ(program.expression(graph, root, made), whole);
  EXPECT_EQ(program.size(), size) << "what is there is not made again";
  CourseProgram::Scratch scratch;
  for (const std::array<double, 3>& at : {std::array{0.3, 1.0, 2.0}, std::array{-1.0, 0.5, 0.1}}) {
    const auto leaf = [&](NodeId node) { return node == t ? at[0] : node == x ? at[1] : at[2]; };
    EXPECT_DOUBLE_EQ(program.value(at, scratch), evaluate(graph, root, leaf));
    const CourseProgram part = program.only(made.at(sum));
    EXPECT_DOUBLE_EQ(part.value(at, scratch), evaluate(graph, sum, leaf));
    std::vector<int> places = part.places();
    std::ranges::sort(places);
    EXPECT_EQ(places, (std::vector<int>{0, 1})) << "y is not read";
    EXPECT_LT(part.size(), program.size());
  }
}

// A span of which another one is a part has bounds that hold those of the part.
TEST(Course, LongerSpansHaveWiderBounds) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> number(-2, 2);
  for (const OpInfo& op : all_ops()) {
    if (op.arity != 1) continue;
    CourseProgram program;
    program.apply(op.op, program.leaf(0));
    CourseProgram::Scratch scratch;
    for (int trial = 0; trial < 50; ++trial) {
      const Parabola leaf{number(random), number(random), number(random)};
      const Course small = program.bounds(std::array{leaf.course(-0.1, 0.1)}, scratch);
      const Course large = program.bounds(std::array{leaf.course(-0.3, 0.2)}, scratch);
      if (std::isnan(small.value.low) || std::isnan(large.value.low)) continue;
      const double slack = 1e-12 * (1 + std::abs(small.value.low) + std::abs(small.value.high));
      if (std::isfinite(large.value.low)) {
        EXPECT_LE(large.value.low, small.value.low + slack) << op.name;
      }
      if (std::isfinite(large.value.high)) {
        EXPECT_GE(large.value.high, small.value.high - slack) << op.name;
      }
    }
  }
}

}  // namespace
}  // namespace daedalus
