// After an error the parser goes on where the text makes sense again: independent mistakes are all reported,
// and none is reported twice.
#include "model/parser_support.hpp"

namespace daedalus::testing {
namespace {

TEST(Recovery, ReportsIndependentMistakesOfAllSections) {
  const std::vector<std::string> errors = errors_of(
      "model M\n"
      "  Real x(start = );\n"  // 2
      "  Real y\n"             // 3
      "  parameter 3 z;\n"     // 4
      "initial equation\n"
      "  x = (1 + 2;\n"  // 6
      "  y = 1;\n"
      "equation\n"
      "  if x > then\n"  // 9
      "    y = 2;\n"
      "  end if;\n"
      "  x = {1, 2);\n"       // 12
      "  for i in 1: loop\n"  // 13
      "    y = 3 +;\n"        // 14
      "  end for;\n"
      "algorithm\n"
      "  x = 3;\n"  // 17
      "end M;\n");
  ASSERT_EQ(errors.size(), 9U);
  const std::vector<std::string> places = {
      "2:18: ", "3:9: ", "4:13: ", "6:13: ", "9:10: ", "12:12: ", "13:15: ", "14:12: ", "17:5: "};
  for (std::size_t i = 0; i < places.size(); ++i) EXPECT_TRUE(errors[i].starts_with(places[i])) << errors[i];
}

TEST(Recovery, OneMistakeIsOneError) {
  for (const std::string text :
       {"x = ((((1;", "x = f(g(h(1;", "x = if a then (b else c;", "x = a[b[c(1];", "(a, b = f(x);",
        "x = 1 +;", "x = 'a'b;", "x ==== 1;", "x = [1, 2; 3;];", "for i in 1:3 x[i] = 1; end for;",
        "when a x = 1; end when;", "assert(x, );", "x = y z w;", "x = @;", "if a then x = ; end if;"}) {
    const std::vector<std::string> errors =
        errors_of("model M equation\n" + text + "\ny = 1;\nend M;\nmodel N end N;");
    EXPECT_EQ(errors.size(), 1U) << text << (errors.size() > 1 ? "\n" + errors[0] + "\n" + errors[1] : "");
  }
}

TEST(Recovery, ClassesAfterABrokenOneAreRead) {
  const std::vector<std::string> errors = errors_of(
      "model A\n  Real x = ;\nend A;\nmodel B\n  Real y = ;\nend B;\nfunction f\n  input ;\nend f;\n");
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_TRUE(errors[1].starts_with("5:12: "));
  EXPECT_TRUE(errors[2].starts_with("8:9: "));
}

TEST(Recovery, StopsAtTwentyErrors) {
  std::string text = "model M equation\n";
  for (int i = 0; i < 100; ++i) text += "x = ;\n";
  const std::vector<std::string> errors = errors_of(text + "end M;");
  ASSERT_EQ(errors.size(), 20U);
  EXPECT_TRUE(errors[19].starts_with("21:5: "));
}

TEST(Recovery, ErrorsComeInTheOrderOfTheText) {
  // The lexer is a token ahead of the parser: without sorting its error would come first.
  const std::vector<std::string> errors = errors_of("model M equation\n  x = ) $;\nend M;");
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_TRUE(errors[0].starts_with("2:7: "));
  EXPECT_TRUE(errors[1].starts_with("2:9: "));
}

TEST(Recovery, ABrokenStringHidesWhatFollows) {
  const std::vector<std::string> errors = errors_of("model M\n  Real x \"abc;\n  Real y;\nend M;\n");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0], "2:10: this string is never closed: \" is missing");
}

TEST(Recovery, PointsToALongStringBeforeAnError) {
  const std::vector<std::string> errors =
      errors_of("model M\n  Real x \"abc;\n  Real y \"def\";\n  Real z \"ghi\";\n \" end M;\n");
  ASSERT_GE(errors.size(), 2U);
  EXPECT_EQ(errors[0], "3:11: expected ';' after the declaration, found 'def'");
  EXPECT_EQ(errors[1], "  2:10: the string before it runs over several lines: is a \" missing?");
}

}  // namespace
}  // namespace daedalus::testing
