// Arrays: whole-array arithmetic, constructors, slices, comprehensions.
#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

using Numbers = std::vector<double>;

TEST(FlattenArray, ScalarsAreNamedRowByRow) {
  const DaeSystem system = load("model M Real x[2, 3]; equation x = zeros(2, 3); end M;");
  ASSERT_EQ(system.variables.size(), 6U);
  EXPECT_EQ(system.variables[0].name, "x[1,1]");
  EXPECT_EQ(system.variables[2].name, "x[1,3]");
  EXPECT_EQ(system.variables[3].name, "x[2,1]");
  EXPECT_EQ(system.equations.size(), 6U);
  EXPECT_EQ(system.equations[3].label, "element [2,1]");
}

TEST(FlattenArray, Products) {
  EXPECT_EQ(number("{1,2,3}*{4,5,6}"), 32);
  EXPECT_EQ(numbers("[1,2;3,4]*{5,6}", "2"), (Numbers{17, 39}));
  EXPECT_EQ(numbers("{5,6}*[1,2;3,4]", "2"), (Numbers{23, 34}));
  EXPECT_EQ(numbers("[1,2;3,4]*[0,1;1,0]", "2,2"), (Numbers{2, 1, 4, 3}));
  EXPECT_EQ(numbers("2*{1,2}", "2"), (Numbers{2, 4}));
  EXPECT_EQ(numbers("{2,4}/2", "2"), (Numbers{1, 2}));
  EXPECT_EQ(numbers("[1,1;0,1]^3", "2,2"), (Numbers{1, 3, 0, 1}));
}

TEST(FlattenArray, ElementwiseOperators) {
  EXPECT_EQ(numbers("{1,2} .* {3,4}", "2"), (Numbers{3, 8}));
  EXPECT_EQ(numbers("{2,9} ./ {1,3}", "2"), (Numbers{2, 3}));
  EXPECT_EQ(numbers("{2,3} .^ 2", "2"), (Numbers{4, 9}));
  EXPECT_EQ(numbers("{1,2} .+ 1", "2"), (Numbers{2, 3}));
  EXPECT_EQ(numbers("{1,2} + {10,20} - {1,1}", "2"), (Numbers{10, 21}));
  EXPECT_EQ(numbers("-{1,2}", "2"), (Numbers{-1, -2}));
  EXPECT_EQ(numbers("abs({-1,2})", "2"), (Numbers{1, 2}));
}

TEST(FlattenArray, Constructors) {
  EXPECT_EQ(numbers("[1,2;3,4]", "2,2"), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(numbers("[{1,2},{3,4}]", "2,2"), (Numbers{1, 3, 2, 4}));  // vectors are columns
  EXPECT_EQ(numbers("1:4", "4"), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(numbers("1:2:6", "3"), (Numbers{1, 3, 5}));
  EXPECT_EQ(numbers("0:0.1:1", "11").size(), 11U);
  EXPECT_EQ(numbers("5:-2:1", "3"), (Numbers{5, 3, 1}));
  EXPECT_EQ(numbers("fill(7, 2, 2)", "2,2"), (Numbers{7, 7, 7, 7}));
  EXPECT_EQ(numbers("identity(2)", "2,2"), (Numbers{1, 0, 0, 1}));
  EXPECT_EQ(numbers("diagonal({2,3})", "2,2"), (Numbers{2, 0, 0, 3}));
  EXPECT_EQ(numbers("linspace(1, 2, 3)", "3"), (Numbers{1, 1.5, 2}));
  EXPECT_EQ(numbers("cat(1, {1}, {2,3})", "3"), (Numbers{1, 2, 3}));
  EXPECT_EQ(numbers("cat(2, [1;2], [3;4])", "2,2"), (Numbers{1, 3, 2, 4}));
  EXPECT_EQ(numbers("ones(2)", "2"), (Numbers{1, 1}));
}

TEST(FlattenArray, MatrixFunctions) {
  EXPECT_EQ(numbers("transpose([1,2,3;4,5,6])", "3,2"), (Numbers{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(numbers("cross({1,2,3},{4,5,6})", "3"), (Numbers{-3, 6, -3}));
  EXPECT_EQ(numbers("skew({1,2,3})*{4,5,6}", "3"), (Numbers{-3, 6, -3}));  // skew(a)*b is cross(a, b)
  EXPECT_EQ(numbers("outerProduct({1,2},{3,4})", "2,2"), (Numbers{3, 4, 6, 8}));
  EXPECT_EQ(numbers("symmetric([1,2;9,3])", "2,2"), (Numbers{1, 2, 2, 3}));
  EXPECT_EQ(numbers("vector([1,2,3])", "3"), (Numbers{1, 2, 3}));
  EXPECT_EQ(numbers("matrix({1,2})", "2,1"), (Numbers{1, 2}));
  EXPECT_EQ(number("scalar({{4}})"), 4);
}

TEST(FlattenArray, Reductions) {
  EXPECT_EQ(number("sum([1,2;3,4])"), 10);
  EXPECT_EQ(number("product({2,3,4})"), 24);
  EXPECT_EQ(number("min({3,1,2}) + max({3,1,2})"), 4);
  EXPECT_EQ(number("sum(i^2 for i in 1:3)"), 14);
  EXPECT_EQ(number("sum(i*j for i in 1:2, j in 1:3)"), 18);
  EXPECT_EQ(number("product(i for i in {2,5})"), 10);
  EXPECT_EQ(number("max(abs(i) for i in -3:2)"), 3);
  EXPECT_EQ(number("sum(i for i in 1:0)"), 0);
  EXPECT_EQ(number("sum(x)", "Real x[3];", {{"x[1]", 1}, {"x[2]", 2}, {"x[3]", 4}}), 7);
}

TEST(FlattenArray, Comprehensions) {
  EXPECT_EQ(numbers("{i^2 for i in 1:3}", "3"), (Numbers{1, 4, 9}));
  EXPECT_EQ(numbers("{10*i + j for i in 1:2, j in 1:2}", "2,2"), (Numbers{11, 12, 21, 22}));
}

TEST(FlattenArray, SlicesAndEnd) {
  const std::string m = "parameter Real a[3,3] = [1,2,3;4,5,6;7,8,9];";
  EXPECT_EQ(numbers("a[2,:]", "3", m), (Numbers{4, 5, 6}));
  EXPECT_EQ(numbers("a[:,1]", "3", m), (Numbers{1, 4, 7}));
  EXPECT_EQ(numbers("a[2:end,end]", "2", m), (Numbers{6, 9}));
  EXPECT_EQ(numbers("a[{3,1},2]", "2", m), (Numbers{8, 2}));
  EXPECT_EQ(number("a[end,end-1]", m), 8);
  EXPECT_EQ(numbers("a[3]", "3", m), (Numbers{7, 8, 9}));
  EXPECT_EQ(number("(a*{1,0,0})[2]", m), 4);
}

TEST(FlattenArray, SlicesOfVariables) {
  const std::string x = "Real x[2,2];";
  const Point at{{"x[1,1]", 1}, {"x[1,2]", 2}, {"x[2,1]", 3}, {"x[2,2]", 4}};
  EXPECT_EQ(numbers("x[:,2]", "2", x, at), (Numbers{2, 4}));
  EXPECT_EQ(number("x[1,:]*x[2,:]", x, at), 11);
}

TEST(FlattenArray, Sizes) {
  EXPECT_EQ(number("size(x, 2) + 10*size(x, 1) + 100*ndims(x)", "Real x[3,4];"), 234);
  EXPECT_EQ(numbers("size(x)", "2", "Real x[3,4];"), (Numbers{3, 4}));
  EXPECT_EQ(number("n", "Real x[7]; parameter Integer n = size(x, 1);"), 7);
}

TEST(FlattenArray, SizesFromParameters) {
  const DaeSystem system =
      load("model M parameter Integer n = 2; Real x[n, n + 1]; equation x = zeros(n, n + 1); end M;",
           {{"n", "3"}});
  EXPECT_EQ(system.variables.size(), 12U);
}

// An exporter declares the elements one by one, but still names the array.
TEST(FlattenArray, ElementsDeclaredOneByOne) {
  const std::string d =
      "Real 'v[1]', 'v[2]'; parameter Real 'm[1,1]' = 1, 'm[1,2]' = 2, 'm[2,1]' = 3, 'm[2,2]' = 4;";
  const Point at{{"v[1]", 5}, {"v[2]", 6}};
  EXPECT_EQ(number("'v'*'v'", d, at), 61);
  EXPECT_EQ(numbers("'m'*'v'", "2", d, at), (Numbers{17, 39}));
  EXPECT_EQ(number("'v'[2] + 'm'[2,1]", d, at), 9);
}

TEST(FlattenArray, QuotedElementOfADeclaredArray) {
  EXPECT_EQ(number("'v[2]'", "Real v[3];", {{"v[2]", 8}}), 8);
}

TEST(FlattenArray, BindingAndAttributesOfWholeArrays) {
  const DaeSystem system = load(
      "model M Real x[2](start = {1, 2}, each fixed = true, each unit = \"m\") = {time, 2*time}; end M;");
  EXPECT_EQ(variable(system, "x[2]").start, 2);
  EXPECT_TRUE(variable(system, "x[1]").fixed);
  EXPECT_EQ(variable(system, "x[1]").unit, "m");
  EXPECT_EQ(residual(system, 1, {{"x[2]", 10}, {"time", 3}}), 4);
}

TEST(FlattenArray, ArraysOfSizeZero) {
  const DaeSystem system =
      load("model M parameter Integer n = 0; Real x[n]; Real y; equation x = zeros(n); y = sum(x); end M;");
  EXPECT_EQ(system.variables.size(), 1U);
  EXPECT_EQ(system.equations.size(), 1U);
}

}  // namespace
}  // namespace daedalus::test
