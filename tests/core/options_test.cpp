#include "core/options.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace daedalus {
namespace {

const std::vector<OptionSpec>& specs() {
  static const std::vector<OptionSpec> rows{
      {.name = "order",
       .kind = OptionKind::Integer,
       .default_value = "5",
       .doc = "highest order",
       .min = 1,
       .max = 5},
      {.name = "safety", .kind = OptionKind::Number, .default_value = "0.9", .doc = "", .min = 0, .max = 1},
      {.name = "solver",
       .kind = OptionKind::Text,
       .default_value = "",
       .doc = "",
       .choices = {"dense", "klu"}},
  };
  return rows;
}

std::string message_of(const std::string& text) {
  const auto given = parse_selection(text);
  if (!given) return given.error().front().message;
  const auto resolved = resolve(*given, specs(), "integrator bdf");
  return resolved ? "" : resolved.error().front().message;
}

TEST(Selection, NameAlone) {
  const auto selection = parse_selection("bdf");
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->name(), "bdf");
  EXPECT_TRUE(selection->values().empty());
  EXPECT_EQ(selection->to_text(), "bdf");
}

TEST(Selection, NameWithOptions) {
  const auto selection = parse_selection("bdf:order=3,safety=0.5");
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->integer("order"), 3);
  EXPECT_EQ(selection->number("safety"), 0.5);
  EXPECT_FALSE(selection->has("solver"));
}

TEST(Selection, CommasInBracketsBelongToTheValue) {
  const auto selection = parse_selection("baumgarte:poles=[1,2,[3,4]],mode=x");
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->text("poles"), "[1,2,[3,4]]");
  EXPECT_EQ(selection->text("mode"), "x");
}

TEST(Selection, ToTextCanBeGivenBack) {
  for (const std::string text : {"bdf", "bdf:order=3", "b:p=[1,2],q=-1e-3", "x:empty="}) {
    const auto selection = parse_selection(text);
    ASSERT_TRUE(selection) << text;
    EXPECT_EQ(selection->to_text(), text);
  }
}

TEST(Selection, WhatIsNotKeyValueIsRefused) {
  EXPECT_FALSE(parse_selection(""));
  EXPECT_FALSE(parse_selection(":order=3"));
  EXPECT_EQ(message_of("bdf:order"), "'order' in 'bdf:order' is not key=value");
  EXPECT_EQ(message_of("bdf:=3"), "'=3' in 'bdf:=3' is not key=value");
  EXPECT_EQ(message_of("bdf:order=3,order=4"), "'order' is given twice in 'bdf:order=3,order=4'");
  EXPECT_NE(message_of("bdf:,"), "");
  EXPECT_NE(message_of("bdf:order=3,"), "") << "a comma must be followed by another option";
  EXPECT_NE(message_of("bdf:"), "") << "a colon must be followed by options";
}

TEST(Resolve, FillsDefaultsInTheOrderOfTheSpecification) {
  const auto given = parse_selection("bdf:safety=0.5");
  ASSERT_TRUE(given);
  const auto resolved = resolve(*given, specs(), "integrator bdf");
  ASSERT_TRUE(resolved);
  EXPECT_EQ(resolved->to_text(), "bdf:order=5,safety=0.5");
  EXPECT_FALSE(resolved->has("solver")) << "an option without default stays absent";
}

TEST(Resolve, IsIdempotent) {
  const auto once = resolve(Selection("bdf"), specs(), "integrator bdf");
  ASSERT_TRUE(once);
  const auto twice = resolve(*once, specs(), "integrator bdf");
  ASSERT_TRUE(twice);
  EXPECT_EQ(once->to_text(), twice->to_text());
}

TEST(Resolve, NamesWhatIsWrong) {
  EXPECT_EQ(message_of("bdf:order=2.5"),
            "option order of integrator bdf is '2.5' but must be a whole number");
  EXPECT_EQ(message_of("bdf:order=6"), "option order of integrator bdf is '6' but must be between 1 and 5");
  EXPECT_EQ(message_of("bdf:order=-1"), "option order of integrator bdf is '-1' but must be between 1 and 5");
  EXPECT_EQ(message_of("bdf:order="), "option order of integrator bdf is '' but must be a number");
  EXPECT_EQ(message_of("bdf:order=3x"), "option order of integrator bdf is '3x' but must be a number");
  EXPECT_EQ(message_of("bdf:safety=nan"), "option safety of integrator bdf is 'nan' but must be a number");
  EXPECT_EQ(message_of("bdf:safety=1e999"),
            "option safety of integrator bdf is '1e999' but must be a number");
  EXPECT_EQ(message_of("bdf:solver=lu"),
            "option solver of integrator bdf is 'lu' but must be one of dense, klu");
  EXPECT_EQ(message_of("bdf:oder=3"),
            "unknown option of integrator bdf 'oder'; did you mean 'order'? (known: order, safety, solver)");
}

TEST(UnknownName, SuggestsOnlyWhatIsNear) {
  constexpr std::array<std::string_view, 3> known{"bdf", "ida", "radau"};
  EXPECT_EQ(unknown_name_message("integrator", "bfd", known),
            "unknown integrator 'bfd'; did you mean 'bdf'? (known: bdf, ida, radau)");
  EXPECT_EQ(unknown_name_message("integrator", "runge-kutta", known),
            "unknown integrator 'runge-kutta' (known: bdf, ida, radau)");
  EXPECT_EQ(unknown_name_message("integrator", "x", {}), "unknown integrator 'x' (there are none)");
}

TEST(UnknownName, LongListsAreCut) {
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back("name" + std::to_string(i));
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string message = unknown_name_message("variable", "nome4999", known);
  EXPECT_NE(message.find("did you mean 'name4999'?"), std::string::npos) << message;
  EXPECT_NE(message.find("5000 in all"), std::string::npos);
  EXPECT_LT(message.size(), 400u);
}

}  // namespace
}  // namespace daedalus
