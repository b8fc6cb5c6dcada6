// Texts of units, and which equations are warned of.
#include "model/units.hpp"

#include "model/flatten_support.hpp"
#include "model/parser.hpp"

namespace daedalus::test {
namespace {

TEST(Units, TextsAreProductsOfPowers) {
  const auto check = [](const char* text, std::array<double, 7> powers, double factor) {
    const auto unit = parse_unit(text);
    ASSERT_TRUE(unit) << text;
    EXPECT_EQ(unit->powers, powers) << text;
    EXPECT_DOUBLE_EQ(unit->factor, factor) << text;
  };
  check("kg.m/s2", {1, 1, -2}, 1);
  check("N", {1, 1, -2}, 1);
  check("kN", {1, 1, -2}, 1000);
  check("W/(m2.K)", {0, 1, -3, 0, -1}, 1);
  check("1/min", {0, 0, -1}, 1 / 60.0);
  check("mm", {1}, 1e-3);
  check("min", {0, 0, 1}, 60);
  check("s-1", {0, 0, -1}, 1);
  check("J/kg/K", {2, 0, -2, 0, -1}, 1);
  check("rad/s", {0, 0, -1}, 1);
  check("1", {}, 1);
  for (const char* text : {"", "degC", "foo", "m/", "(m", "m s", "2m"})
    EXPECT_FALSE(parse_unit(text)) << text;
  EXPECT_EQ(unit_text(*parse_unit("kN")), "1000 m.kg/s2");
  EXPECT_EQ(unit_text(*parse_unit("W/(m2.K)")), "kg/(s3.K)");
  EXPECT_EQ(unit_text(*parse_unit("rad")), "1");
}

// The warnings of a model with these units.
std::vector<std::string> warnings(const std::string& equations) {
  SourceMap sources;
  const std::int32_t file = sources.add("m.mo",
                                        "package P type Length = Real(unit = \"m\"); model P Length x; Real "
                                        "v(unit = \"m/s\"); Real t(unit = \"s\"); Real F(unit "
                                        "= \"N\"); Real kF(unit = \"kN\"); parameter Real m(unit = \"kg\") = "
                                        "1; Real free; Real A(unit = \"m2\"); equation " +
                                            equations + " end P; end P;");
  const auto tree = parse(sources, file);
  if (!tree) return {"does not parse"};
  std::vector<std::string> texts;
  for (const Diagnostic& d : unit_warnings(*tree, "P")) texts.push_back(d.message);
  return texts;
}

TEST(UnitCheck, RightEquationsAreNotWarnedOf) {
  for (const char* right :
       {"v = der(x);", "F = m*der(v);", "x = v*t + 3;", "x = 2*v*time;", "A = x^2;", "x = sqrt(A);",
        "x = max(x, v*t);", "x = if x > 0 then x else v*t;", "t = x/v;", "free = sin(x/(v*t));",
        "F = 3.5*x;",  // a folded stiffness
        "x = free*v;", "x = 0;", "kF = F/1000.0;", "F = m*v^2/x;", "x = abs(-x) + pre(x);"}) {
    EXPECT_TRUE(warnings(right).empty()) << right << ": " << warnings(right).front();
  }
}

TEST(UnitCheck, WrongOnesAreNamedOnce) {
  const auto check = [](const char* wrong, const char* message) {
    const std::vector<std::string> texts = warnings(wrong);
    ASSERT_EQ(texts.size(), 1U) << wrong;
    EXPECT_MENTIONS(texts[0], message);
  };
  check("x = v;", "the two sides of this equation have different units: m and m/s");
  check("F = m*v;", "m.kg/s2 and m.kg/s");
  check("F = kF;", "m.kg/s2 and 1000 m.kg/s2");
  check("x = x + v;", "'x' and 'v' are added, but have different units: m and m/s");
  check("free = sin(x);", "'sin' needs a number without a unit, but 'x' has m");
  check("free = if x > t then 1 else 2;", "'x' and 't' are compared");
  check("if x > 0 then v = x; else v = der(x); end if;", "have different units");
  check("for i in 1:2 loop x = 2*t; end for;", "have different units");
  check("x = v + t + A;", "are added");
}

TEST(UnitCheck, BindingsToo) {
  SourceMap sources;
  const std::int32_t file = sources.add(
      "m.mo", "model M Real x(unit = \"m\") = t; Real t(unit = \"s\"); equation t = time; end M;");
  const auto tree = parse(sources, file);
  ASSERT_TRUE(tree);
  const Diagnostics found = unit_warnings(*tree, "M");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_MENTIONS(found[0].message, "the two sides of this declaration have different units: m and s");
}

}  // namespace
}  // namespace daedalus::test
