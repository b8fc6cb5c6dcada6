// What a user reads when a model is wrong: the place, the names, the numbers.
#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

struct Mistake {
  const char* text;
  const char* message;
};

class FlattenError : public ::testing::TestWithParam<Mistake> {};

TEST_P(FlattenError, IsNamed) {
  EXPECT_MENTIONS(refusal(GetParam().text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Names, FlattenError,
    ::testing::Values(
        Mistake{"model M Real velocity; equation velocity = 2*velocty; end M;",
                "m.mo:1:46: error: unknown name 'velocty'; did you mean 'velocity'?"},
        Mistake{"model M Real x; equation x = sine(time); end M;",
                "unknown function 'sine'; did you mean 'size' or 'sin'?"},
        Mistake{"model M Real x; equation x = x(1); end M;", "'x' is not a function"},
        Mistake{"model M Reel x; equation x = 1; end M;", "unknown type 'Reel'; did you mean 'Real'?"},
        Mistake{"model M Real x; Real x; equation x = 1; end M;", "'x' is declared twice"},
        Mistake{"model M Real x; parameter Real 'time' = 1; equation x = 'time'; end M;",
                "m.mo:1:32: error: 'time' is the time of the simulation, so nothing else can have this name"},
        Mistake{"model M Real time; equation time = 1; end M;",
                "m.mo:1:14: error: 'time' is the time of the"},
        Mistake{"model M type E = enumeration(one, two); parameter E e = E.tow; end M;",
                "the enumeration 'E' has no literal 'tow'; did you mean 'two'?"},
        Mistake{"model M Real x(strat = 1); equation x = 1; end M;",
                "'x' has no attribute 'strat'; did you mean 'start'?"},
        Mistake{"package P record R Real a; end R; model P R r; equation r.b = 1; end P; end P;",
                "'R' has no field 'b'"},
        Mistake{"model M Real x; equation x = y.z; end M;", "unknown name 'y.z'"},
        Mistake{"model M Real x; equation x = delay(time, 1); end M;",
                "'delay' of a value that changes continuously is not supported"},
        Mistake{"package P type A = B; type B = A; model P A x; end P; end P;",
                "the type 'A' is defined by itself"}));

INSTANTIATE_TEST_SUITE_P(
    Sizes, FlattenError,
    ::testing::Values(
        Mistake{"model M Real x[3]; equation x[4] = 1; end M;", "subscript 1 is 4, but the size there is 3"},
        Mistake{"model M Real x[3]; equation x[0] = 1; end M;", "subscript 1 is 0, but the size there is 3"},
        Mistake{"model M Real x[3]; equation x[1, 2] = 1; end M;",
                "2 subscripts are given, but there are 1 dimensions"},
        Mistake{"model M Real x; equation x[1] = 1; end M;", "a subscript is given, but this is a scalar"},
        Mistake{"model M Real x[3]; equation x = {1, 2}; end M;",
                "the two sides have different sizes: [3] and [2]"},
        Mistake{"model M Real x[3]; equation x = 1; end M;",
                "the two sides have different sizes: [3] and scalar"},
        Mistake{"model M Real x[2]; equation x = {1, 2} + {1, 2, 3}; end M;",
                "'+' needs operands of one size, but here are [2] and [3]"},
        Mistake{"model M Real x[2]; equation x = [1, 2; 3, 4]*{1, 2, 3}; end M;",
                "'*' cannot multiply [2, 2] by [3]"},
        Mistake{"model M Real x[2]; equation x = {1, {2, 3}}; end M;",
                "the elements of an array must have one size"},
        Mistake{"model M Real x[1.5]; equation x = {1}; end M;",
                "the size of 'x' must be a whole number, but it is 1.5"},
        Mistake{"model M Real x[-2]; end M;", "the size of 'x' is -2, but it cannot be negative"},
        Mistake{"model M Real x[1000000000]; end M;",
                "an array of 1000000000 elements is larger than the limit of 2000000"},
        Mistake{"model M Real x[100000, 100000]; end M;",
                "an array of 10000000000 elements is larger than the limit"},
        Mistake{"model M Real x; equation for i in 1:1e12 loop x = i; end for; end M;",
                "larger than the limit"},
        Mistake{"model M Real x = sum(i for i in 1:100000 for j in 1:100000); end M;", "m.mo"},
        Mistake{"model M Real x[3](start = {1, 2}); equation x = {1, 2, 3}; end M;",
                "the attribute 'start' has size [2], but 'x[1]' has size [3]"}));

INSTANTIATE_TEST_SUITE_P(
    Types, FlattenError,
    ::testing::Values(
        Mistake{"model M Boolean b; equation b = 1.5; end M;",
                "an equation cannot have Boolean on the left and Real on the right"},
        Mistake{"model M Real x; equation x = true; end M;",
                "an equation cannot have Real on the left and Boolean on the right"},
        Mistake{"model M Real x = true + 1; end M;", "'+' needs numbers, but here are Boolean and Integer"},
        Mistake{"model M Real x = if time then 1 else 2; end M;",
                "the condition of an if-expression must be Boolean, but this is Real"},
        Mistake{"model M Real x = if time > 1 then 1 else true; end M;",
                "an if-expression cannot hold both Integer and Boolean"},
        Mistake{"model M Boolean b = 1 and true; end M;",
                "'and' needs Booleans, but here are Integer and Boolean"},
        Mistake{"model M Boolean b = not 1; end M;", "'not' needs a Boolean, not Integer"},
        Mistake{"model M Boolean b = \"a\" < 1; end M;", "'<' cannot compare String with Integer"},
        Mistake{"model M Integer n; equation n = 0.5*time; end M;",
                "'n' is Integer, but the other side is Real; use integer(...)"},
        Mistake{"model M parameter Integer n = 1.5; end M;",
                "'n' is Integer, but this is Real; use integer(...) to round down"},
        Mistake{"model M Real x(start = true); equation x = 1; end M;",
                "the attribute 'start' of 'x' is Real, but this is Boolean"},
        Mistake{"model M String s; Real x = 1; equation s = \"a\"; end M;",
                "an equation cannot have String on the left"},
        Mistake{"model M Real x = sin(1, 2); end M;", "'sin' takes 1 argument, but 2 are given"},
        Mistake{"model M Real x = max(1, 2, 3); end M;", "'max' takes 1 to 2 argument(s), but 3 are given"},
        Mistake{"model M Real x = cross({1, 2}, {3, 4}); end M;",
                "'cross' needs a vector of 3 numbers, not Integer[2]"}));

INSTANTIATE_TEST_SUITE_P(
    Events, FlattenError,
    ::testing::Values(
        Mistake{"model M Real x; Boolean b; equation x = der(b); b = x > 1; end M;",
                "'der' needs a Real, not Boolean"},
        Mistake{"model M Real x, y; equation y = der(x); when time > 1 then x = 1; end when; end M;",
                "'x' is discrete (it changes only at events), so it has no derivative"},
        Mistake{"model M Real x, y; equation x = time; y = pre(2*x); end M;",
                "'pre' needs a variable, not an expression"},
        Mistake{"model M Real x; equation x = time; reinit(x, 1); end M;",
                "'reinit' can stand only inside a when"},
        Mistake{"model M Real x; equation x = time; when x > 1 then reinit(2*x, 1); end when; end M;",
                "reinit needs a state"},
        Mistake{"model M Real x; equation when time > 1 then 2*x = 1; end when; end M;",
                "the left side of an equation in a when must be a variable"},
        Mistake{"model M Real x; equation x = 1; when x then end when; end M;",
                "the condition of a when must be Boolean, but this is Real"},
        Mistake{"model M Real T, x; equation T = time; when sample(0, T) then x = 1; end when; end M;",
                "the interval of sample must be known before the simulation, but it depends on T"},
        Mistake{"model M Real x; equation when sample(0, 0) then x = 1; end when; end M;",
                "the interval of sample must be positive, but it is 0"},
        Mistake{"model M Real x; equation if time > 1 then when time > 2 then x = 1; end when; else end if; "
                "end M;",
                "'when' cannot stand in an if whose condition changes"}));

TEST(FlattenErrors, SeveralAreReportedTogether) {
  const std::string text = refusal("model M Real x, y;\nequation\n  x = a;\n  y = b;\nend M;");
  EXPECT_MENTIONS(text, "m.mo:3:7: error: unknown name 'a'");
  EXPECT_MENTIONS(text, "m.mo:4:7: error: unknown name 'b'");
  EXPECT_MENTIONS(text, "  x = a;\n        ^");
}

TEST(FlattenErrors, ALoopReportsItsMistakeOnce) {
  const std::string text =
      refusal("model M Real x[9];\nequation\n  for i in 1:9 loop x[i] = q; end for;\nend M;");
  EXPECT_EQ(text.find("unknown name"), text.rfind("unknown name"));
}

TEST(FlattenErrors, ADeclarationThatFailedMayBeRepeated) {
  EXPECT_MENTIONS(refusal("model M Foo x; Real x = 1; end M;"), "unknown type 'Foo'");
}

TEST(FlattenErrors, OurOwnFunctionsPointAtTheCall) {
  const std::string text =
      refusal("model M Real x = 1; Real y[2] = Modelica.Math.Vectors.normalizeWithAssert({0, 0}); end M;");
  EXPECT_MENTIONS(text,
                  "m.mo:1:33: error: in 'Modelica.Math.Vectors.normalizeWithAssert': assertion failed:");
}

TEST(FlattenErrors, TooManyVariables) {
  EXPECT_MENTIONS(refusal("model M Real x[1800000], y[1800000], z[1800000]; end M;"),
                  "the model has more than 5000000 scalar variables and parameters, which is the limit");
}

TEST(FlattenErrors, ThereIsALimit) {
  std::string text = "model M Real x;\nequation\n";
  for (int i = 0; i < 100; ++i) text += "x = unknown;\n";
  const std::string messages = refusal(text + "end M;");
  std::size_t count = 0;
  for (std::size_t at = messages.find("error:"); at != std::string::npos;
       at = messages.find("error:", at + 1))
    ++count;
  EXPECT_EQ(count, 20U);
}

TEST(FlattenErrors, DeepNestingInsideCallsIsAMessage) {
  // Each call nests 400 parentheses and calls itself again: the limit comes before the stack ends.
  const std::string f = "function f input Real u; output Real y; algorithm y := " + std::string(400, '(') +
                        "f(u)" + std::string(400, ')') + "; end f;";
  const std::string g =
      "function g input Real u; output Real y; algorithm y := "
      "-(-(-(-(-(-(-(-(-(-(-(-(-(-(-(g(u)))))))))))))))); end g;";
  EXPECT_MENTIONS(refusal("package P " + f + " model P Real x = f(time); end P; end P;"), "error:");
  EXPECT_MENTIONS(refusal("package P " + g + " model P Real x = g(time); end P; end P;"), "nested more than");
}

}  // namespace
}  // namespace daedalus::test
