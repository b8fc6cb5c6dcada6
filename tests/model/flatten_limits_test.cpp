// What expansion may cost: every kind of it ends in a message with a place, and a large model fits well.
#include <ctime>

#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

std::string refused_by(const LoadLimits& limits, std::string text) {
  const auto sources = std::make_shared<SourceMap>();
  const std::int32_t file = sources->add("m.mo", std::move(text));
  const auto result = load_model(sources, file, {.settings = {}, .remove_aliases = true, .limits = limits});
  EXPECT_FALSE(result.has_value()) << "the model was accepted";
  return messages(result, *sources);
}

TEST(FlattenLimits, OfOneArray) {
  const LoadLimits limits{.elements = 1000};
  for (const std::string expression :
       {"{i for i in 1:1001}", "{{i*j for j in 1:40} for i in 1:40}", "fill(1, 40, 40)",
        "fill({i for i in 1:40}, 40)", "zeros(1001)", "identity(40)", "1:1001", "linspace(0, 1, 1001)"}) {
    const std::string text =
        refused_by(limits, "model M\n  Real x;\nequation\n  x = sum(" + expression + ");\nend M;");
    EXPECT_MENTIONS(text, "m.mo:4:");
    EXPECT_MENTIONS(text, "elements is larger than the limit of 1000; make it smaller");
  }
}

TEST(FlattenLimits, OfLoops) {
  const LoadLimits limits{.iterations = 1000};
  for (const std::string section :
       {"equation\n  for i in 1:30, j in 1:40 loop\n  end for;\n",
        "equation\n  x = sum(i*j for i in 1:30, j in 1:40);\n",
        "algorithm\n  for i in 1:30 loop for j in 1:40 loop x := i; end for; end for;\n"}) {
    const std::string text = refused_by(limits, "model M\n  Real x;\n" + section + "end M;");
    EXPECT_MENTIONS(text, "m.mo:4:");
    EXPECT_MENTIONS(text, "the loops of the model run more than 1000 times in all, which is the limit");
    EXPECT_MENTIONS(text, "make their ranges smaller");
  }
}

TEST(FlattenLimits, OfFunctionCallsAndTexts) {
  const std::string fib =
      "function fib input Integer n; output Integer y; algorithm y := if n < 2 then n else fib(n - 1) + "
      "fib(n - 2); "
      "end fib; model M Real x = fib(40); end M;";
  EXPECT_MENTIONS(refused_by({.function_calls = 1000}, fib),
                  "the functions of the model are called more than 1000 times in all, which is the limit");
  const std::string doubled =
      "function s input Integer n; output String y; algorithm y := \"aaaaaaaaaa\"; for i in 1:n loop y := y "
      "+ y; end "
      "for; end s; model M parameter String t = s(40); Real x = 1; end M;";
  EXPECT_MENTIONS(refused_by({.text = 1000}, doubled), "this String is longer than 1000 characters");
}

// Work that no single array and no loop shows: products of matrices, arrays read again and again, functions
// that call each other twice.
TEST(FlattenLimits, OfAllWorkTogether) {
  const LoadLimits limits{.work = 5000};
  const std::string doubling =
      "function f0 input Real u; output Real y; algorithm y := u + 1; end f0; "
      "function f1 input Real u; output Real y; algorithm y := f0(u) + f0(u + 1) + f0(u + 2) + f0(u + 3); "
      "end f1; "
      "function f2 input Real u; output Real y; algorithm y := f1(u) + f1(u + 1) + f1(u + 2) + f1(u + 3); "
      "end f2; "
      "function f3 input Real u; output Real y; algorithm y := f2(u) + f2(u + 1) + f2(u + 2) + f2(u + 3); "
      "end f3; "
      "function f4 input Real u; output Real y; algorithm y := f3(u) + f3(u + 1) + f3(u + 2) + f3(u + 3); "
      "end f4; "
      "function f5 input Real u; output Real y; algorithm y := f4(u) + f4(u + 1) + f4(u + 2) + f4(u + 3); "
      "end f5; ";
  for (const std::string model :
       {"model M parameter Real a[30, 30] = identity(30); parameter Real b[30, 30] = a*a; Real x = b[1, 1]; "
        "end M;",
        "model M parameter Real a[30, 30] = identity(30)^20; Real x = a[1, 1]; end M;",
        "model M Real x[200]; equation for i in 1:200 loop x[i] = sum(x); end for; end M;"})
    EXPECT_MENTIONS(refused_by(limits, model), "need more than 5000 expressions and elements in all");
  EXPECT_MENTIONS(refused_by(limits, "package P " + doubling + "model P Real x = f5(time); end P; end P;"),
                  "need more than 5000 expressions and elements in all");
}

TEST(FlattenLimits, OfVariablesAndEquations) {
  EXPECT_MENTIONS(refused_by({.variables = 1000}, "model M Real x[600], y[600]; end M;"),
                  "more than 1000 scalar variables and parameters");
  EXPECT_MENTIONS(refused_by({.variables = 1000},
                             "model M parameter Real p[600] = 1:600, q[600] = p; Real x = p[1]; end M;"),
                  "more than 1000 scalar variables and parameters");
  EXPECT_MENTIONS(refused_by({.equations = 1000}, "model M Real x[2000]; equation der(x) = -x; end M;"),
                  "more than 1000 scalar equations");
}

// A model with a million equations needs at most a quarter of what is allowed: here are 10,000, with 1/400 of
// it.
TEST(FlattenLimits, LeaveRoomForLargeModels) {
  LoadLimits limits;
  for (std::size_t* limit :
       {&limits.elements, &limits.variables, &limits.equations, &limits.iterations, &limits.work})
    *limit /= limit == &limits.iterations ? 200 : 400;  // of iterations half
  const auto sources = std::make_shared<SourceMap>();
  const std::int32_t file = sources->add(
      "m.mo",
      "model Chain constant Integer N = 1000; parameter Real m = 1, k = 1000, c = 10, L = 1, g = 9.81; "
      "Real x[2*N](start = {i*L for i in 1:2*N}), y[2*N](each start = 0); Real vx[2*N], vy[2*N]; "
      "Real f[N], r[N]; equation for i in 1:2*N loop der(x[i]) = vx[i]; der(y[i]) = vy[i]; end for; "
      "f[1] = k*(1 - L/sqrt(x[1]^2 + y[1]^2)) + c*vx[1]; for i in 2:N loop "
      "f[i] = k*(1 - L/sqrt((x[2*i-1] - x[2*i-2])^2 + (y[2*i-1] - y[2*i-2])^2)) + c*(vx[2*i-1] - vx[2*i-2]); "
      "end for; "
      "for i in 1:N loop (x[2*i] - x[2*i-1])^2 + (y[2*i] - y[2*i-1])^2 = L^2; end for; "
      "m*der(vx[1]) = -f[1]*x[1] + r[1]*(x[2] - x[1]); m*der(vy[1]) = -f[1]*y[1] + r[1]*(y[2] - y[1]) - m*g; "
      "for i in 2:N loop "
      "m*der(vx[2*i-1]) = -f[i]*(x[2*i-1] - x[2*i-2]) + r[i]*(x[2*i] - x[2*i-1]); "
      "m*der(vy[2*i-1]) = -f[i]*(y[2*i-1] - y[2*i-2]) + r[i]*(y[2*i] - y[2*i-1]) - m*g; end for; "
      "for i in 1:N-1 loop "
      "m*der(vx[2*i]) = -r[i]*(x[2*i] - x[2*i-1]) + f[i+1]*(x[2*i+1] - x[2*i]); "
      "m*der(vy[2*i]) = -r[i]*(y[2*i] - y[2*i-1]) + f[i+1]*(y[2*i+1] - y[2*i]) - m*g; end for; "
      "m*der(vx[2*N]) = -r[N]*(x[2*N] - x[2*N-1]); m*der(vy[2*N]) = -r[N]*(y[2*N] - y[2*N-1]) - m*g; end "
      "Chain;");
  const auto result = load_model(sources, file, {.settings = {}, .remove_aliases = false, .limits = limits});
  ASSERT_TRUE(result.has_value()) << messages(result, *sources);
  EXPECT_EQ(result->equations.size(), 10'000U);
}

double processor_seconds(const std::string& text) {
  const std::clock_t begin = std::clock();
  (void)load(text);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// Ten times the expansion costs ten times the time; were a step quadratic it would cost a hundred times.
TEST(FlattenLimits, ExpansionIsLinear) {
  for (const std::string declaration :
       {"parameter Real a[n] = {i^2 for i in 1:n}; Real x = a[n]",
        "parameter Real a[n, 10] = {{i*j for j in 1:10} for i in 1:n}; Real x = a[n, 1]",
        "Real x = sum(sin(i*time) for i in 1:n)", "Real x = sum({sin(i*time) for i in 1:n})",
        "parameter Real a[2*n] = cat(1, 1:n, n:-1:1); Real x = a[n]"}) {
    const auto model = [&](int n) {
      return "model M constant Integer n = " + std::to_string(n) + "; " + declaration + "; end M;";
    };
    (void)processor_seconds(model(2'000));
    const double small = processor_seconds(model(10'000));
    const double large = processor_seconds(model(100'000));
    EXPECT_LT(large, 40 * small + 0.05) << declaration;
  }
}

}  // namespace
}  // namespace daedalus::test
