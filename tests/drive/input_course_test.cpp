// Inputs as polynomials of time in the equations.
#include "drive/input_course.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "expr/graph.hpp"
#include "support/model_text.hpp"

namespace daedalus::testing {
namespace {

DaeSystem example() {
  return from_text(R"(model M
  input Real u(start = 2, unit = "N"), w(start = 1);
  Real x(start = 0, fixed = true), y;
equation
  der(x) = u - x;
  y = w*u;
end M;)");
}

const std::vector<std::string> only_u{"u"};

double value(const DaeSystem& system, NodeId node, const InputCourse& course, const FunctionPiece& piece,
             double t) {
  return evaluate(*system.graph, node, [&](NodeId leaf) {
    const Node& at = system.graph->node(leaf);
    if (at.op == Op::Time) return t;
    const VariableId v = system.graph->variable_of(leaf);
    if (v == course.begin) return piece.begin;
    if (v == course.scale) return 1 / piece.length;
    const auto found = std::ranges::find(course.coefficients, v);
    return found == course.coefficients.end()
               ? 0.0
               : piece.coefficients[static_cast<std::size_t>(found - course.coefficients.begin())];
  });
}

TEST(InputCourse, TheInputIsReportedAndItsCoefficientsAreNot) {
  const auto made = with_input_courses(example(), only_u);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(std::ranges::count(made->variables, "u", &Variable::name), 0);
  EXPECT_EQ(std::ranges::count(made->variables, "w", &Variable::name), 1);
  const auto reported =
      std::ranges::find(made->reported, "u", [](const ReportedValue& r) { return r.attributes.name; });
  ASSERT_NE(reported, made->reported.end());
  EXPECT_EQ(reported->attributes.unit, "N");
  const auto courses = input_courses(*made);
  ASSERT_EQ(courses.size(), 1U);
  EXPECT_EQ(courses[0].name, "u");
  for (const VariableId v : courses[0].coefficients) EXPECT_TRUE(made->variables[v.at()].internal);
  EXPECT_EQ(made->variables[courses[0].coefficients[0].at()].start, 2);
}

// The expression is the piece, whatever its coefficients.
TEST(InputCourse, TheExpressionIsThePolynomial) {
  const auto made = with_input_courses(example(), only_u);
  const InputCourse course = input_courses(*made).front();
  FunctionPiece piece{.begin = 0.7, .length = 0.3};
  for (std::size_t k = 0; k < FunctionPiece::size; ++k)
    piece.coefficients[k] = 1.0 / static_cast<double>(1 + ((3 * k) % 7));
  const auto reported =
      std::ranges::find(made->reported, "u", [](const ReportedValue& r) { return r.attributes.name; });
  for (const double t : {0.7, 0.75, 0.99, 1.0})
    EXPECT_NEAR(value(*made, reported->value, course, piece, t), piece(t), 1e-14);
}

// Between inputs that change at events only, a comparison needs no event of its own; now it does.
TEST(InputCourse, ComparisonsWithItMakeEvents) {
  const DaeSystem system = from_text(R"(model C
  input Real u, w;
  Real x(start = 0, fixed = true);
equation
  der(x) = if u > w then 1 else if w >= 2 then 2 else 3;
end C;)");
  EXPECT_TRUE(system.relations.empty());
  const auto made = with_input_courses(system, only_u);
  ASSERT_TRUE(made.has_value());
  ASSERT_EQ(made->relations.size(), 1U);
  EXPECT_TRUE(made->relations[0].strict);
}

TEST(InputCourse, OnceMoreChangesNothing) {
  const auto once = with_input_courses(example(), only_u);
  const auto twice = with_input_courses(*once, only_u);
  ASSERT_TRUE(twice.has_value());
  EXPECT_EQ(twice->variables.size(), once->variables.size());
  const std::vector<std::string> both{"u", "w"};
  const auto second = with_input_courses(*once, both);
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(input_courses(*second).size(), 2U);
}

TEST(InputCourse, TheModelItselfStaysAsItIs) {
  const DaeSystem system = example();
  const std::size_t nodes = system.graph->size();
  ASSERT_TRUE(with_input_courses(system, only_u).has_value());
  EXPECT_EQ(system.graph->size(), nodes);
  EXPECT_TRUE(input_courses(system).empty());
}

TEST(InputCourse, WhatCannotBeAFunctionIsRefused) {
  const std::vector<std::string> state{"x"};
  const auto no_input = with_input_courses(example(), state);
  ASSERT_FALSE(no_input.has_value());
  EXPECT_EQ(no_input.error().front().message, "unknown input 'x'; did you mean 'u'? (known: u, w)");
  const DaeSystem before = from_text(R"(model B
  input Real u;
  discrete Real d(start = 0, fixed = true);
  Real x(start = 0, fixed = true);
equation
  der(x) = d;
  when x > 1 then
    d = pre(u);
  end when;
end B;)");
  const auto asked_before = with_input_courses(before, only_u);
  ASSERT_FALSE(asked_before.has_value());
  EXPECT_NE(asked_before.error().front().message.find("pre(u)"), std::string::npos);
}

}  // namespace
}  // namespace daedalus::testing
