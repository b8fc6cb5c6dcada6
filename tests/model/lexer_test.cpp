#include "model/lexer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace daedalus::parsing {
namespace {

struct Lexed {
  std::vector<TokenKind> kinds;
  std::vector<std::string> values;
  Diagnostics errors;
  std::string version;
};

Lexed lex(const std::string& text) {
  Lexed out;
  ErrorList errors(0);
  Lexer lexer(text, errors);
  for (Token token = lexer.next(); token.kind != TokenKind::EndOfFile; token = lexer.next()) {
    out.kinds.push_back(token.kind);
    out.values.push_back(lexer.value(token));
  }
  out.version = lexer.base_version();
  out.errors = errors.take();
  return out;
}

TEST(Lexer, KnowsEveryKeywordAndEveryPunctuation) {
  std::string text;
  std::vector<TokenKind> kinds;
  for (auto i = static_cast<std::size_t>(TokenKind::Algorithm); i < token_kind_count; ++i) {
    const auto kind = static_cast<TokenKind>(i);
    kinds.push_back(kind);
    text += std::string(spelling(kind)) + " ";
  }
  const Lexed lexed = lex(text);
  EXPECT_EQ(lexed.kinds, kinds);
  EXPECT_TRUE(lexed.errors.empty());
}

TEST(Lexer, TakesTheLongestToken) {
  const Lexed lexed = lex("a<=b<>c==d:=e>=f.+g../h x.*y");
  using enum TokenKind;
  EXPECT_EQ(lexed.kinds,
            (std::vector{Identifier, LessEqual, Identifier, NotEqual, Identifier, EqualEqual, Identifier,
                         Assign, Identifier, GreaterEqual, Identifier, ElementPlus, Identifier, Dot,
                         ElementDivide, Identifier, Identifier, ElementTimes, Identifier}));
}

TEST(Lexer, WordsThatBeginLikeKeywordsAreNames) {
  const Lexed lexed = lex("ender forAll _if ifx In END derx when1");
  EXPECT_EQ(lexed.kinds, std::vector<TokenKind>(8, TokenKind::Identifier));
}

TEST(Lexer, NumbersEndWhereTheGrammarSays) {
  const Lexed lexed = lex("1 1.5 1. 1e5 1.e-3 12E+7 1.+2");
  using enum TokenKind;
  EXPECT_EQ(lexed.kinds, (std::vector{Number, Number, Number, Number, Number, Number, Number, Plus, Number}));
  EXPECT_EQ(lexed.values[5], "12E+7");
  EXPECT_EQ(lexed.values[6], "1.");
}

TEST(Lexer, EscapesOfStringsAndQuotedNames) {
  const Lexed lexed = lex(R"("\'\"\?\\\a\b\f\n\r\t\v" 'a\'b\\c"d')");
  ASSERT_EQ(lexed.kinds, (std::vector{TokenKind::String, TokenKind::Identifier}));
  EXPECT_EQ(lexed.values[0], "'\"?\\\a\b\f\n\r\t\v");
  EXPECT_EQ(lexed.values[1], "a'b\\c\"d");
  EXPECT_TRUE(lexed.errors.empty());
}

TEST(Lexer, CommentsSeparateTokensAndHoldAnyBytes) {
  const Lexed lexed = lex(std::string("a//x\nb/* ' \" \xFF ** / \0 */c/**/d//", 33) + "end");
  EXPECT_EQ(lexed.values, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_TRUE(lexed.errors.empty());
}

TEST(Lexer, LineEndsOfAllSystems) {
  EXPECT_EQ(lex("a // c\r\nb // d\rc // e\nd").values, (std::vector<std::string>{"a", "b", "c", "d"}));
}

TEST(Lexer, Utf8PassesInStringsAndQuotedNames) {
  const Lexed lexed = lex("\"20 °C, λ, 東, 🙂\" 'λ_1'");
  EXPECT_TRUE(lexed.errors.empty());
  EXPECT_EQ(lexed.values[1], "λ_1");
}

TEST(Lexer, ReadsTheVersionHeader) {
  EXPECT_EQ(lex("//! base 0.1.0\nmodel").version, "0.1.0");
  EXPECT_EQ(lex("//! base 3.5.0\r\nmodel").version, "3.5.0");
  EXPECT_EQ(lex("\xEF\xBB\xBF//! base 0.1.0").version, "0.1.0");
  EXPECT_EQ(lex("//! flat 3.5.0\n").version, "3.5.0");
  EXPECT_EQ(lex("// base 0.1.0\n").version, "");
  EXPECT_EQ(lex("a //! base 0.1.0\n").version, "");
}

TEST(Lexer, PassesAByteOrderMark) {
  const Lexed lexed = lex("\xEF\xBB\xBFmodel");
  EXPECT_EQ(lexed.kinds, std::vector{TokenKind::Model});
  EXPECT_TRUE(lexed.errors.empty());
}

struct Bad {
  const char* name;
  std::string text;
  std::uint32_t begin;
  std::string message;
};

class LexerErrors : public ::testing::TestWithParam<Bad> {};

TEST_P(LexerErrors, SayWhatAndWhere) {
  const Lexed lexed = lex(GetParam().text);
  ASSERT_EQ(lexed.errors.size(), 1U);
  EXPECT_EQ(lexed.errors[0].message, GetParam().message);
  EXPECT_EQ(lexed.errors[0].span.begin, GetParam().begin);
}

const std::string escape_message =
    "unknown escape after \\; known are \\' \\\" \\? \\\\ \\a \\b \\f \\n \\r \\t \\v (write \\\\ for a "
    "backslash)";
const std::string name_message =
    "this quoted name is never closed: ' is missing (names do not run over lines)";

INSTANTIATE_TEST_SUITE_P(
    All, LexerErrors,
    ::testing::Values(
        Bad{"OpenString", "a \"bcd", 2, "this string is never closed: \" is missing"},
        Bad{"OpenStringAfterBackslash", "\"bcd\\", 0, "this string is never closed: \" is missing"},
        Bad{"OpenName", "a 'bcd\n'", 2, name_message}, Bad{"OpenNameAtEnd", "'", 0, name_message},
        Bad{"TabInName", "'a\tb'", 0, name_message},
        Bad{"OpenComment", "a /* b * /", 2, "this comment is never closed: */ is missing"},
        Bad{"ShortComment", "/*/", 0, "this comment is never closed: */ is missing"},
        Bad{"EmptyName", "a ''", 2, "a quoted name must not be empty"},
        Bad{"UnknownEscape", "\"C:\\dir\"", 3, escape_message},
        Bad{"Exponent", "1 + 2e;", 4, "the exponent of this number has no digits"},
        Bad{"ExponentSign", "2e+", 0, "the exponent of this number has no digits"},
        Bad{"LeadingPoint", "a .5", 2, "a number begins with a digit: write 0 before the point"},
        Bad{"Dollar", "a $ b $ c", 2, "unknown character $ (byte 0x24)"},
        Bad{"Control", "a \x01", 2, "unknown character (byte 0x01)"},
        Bad{"Delete", "\x7f", 0, "unknown character (byte 0x7F)"},
        Bad{"StrayByte", "a \xC3", 2, "unknown character (byte 0xC3)"},
        Bad{"Greek", "λ + λ", 0,
            "unknown character λ (bytes 0xCE 0xBB); outside of strings and quoted names only ASCII can "
            "stand: write "
            "'λ' in quotes, or another name"},
        Bad{"GreekInName", "Real x_λ2;", 7,
            "unknown character λ (bytes 0xCE 0xBB); outside of strings and quoted names only ASCII can "
            "stand: write "
            "'x_λ2' in quotes, or another name"},
        Bad{"Prime", "x' = 1;", 1,
            "this ' begins a quoted name that is never closed (a derivative is written der(x))"},
        Bad{"Nul", std::string("a \0 b", 5), 2,
            "the file holds a NUL byte (0x00): it is not text, or not UTF-8"},
        Bad{"NulInString", std::string("\"a\0\"", 4), 2,
            "the file holds a NUL byte (0x00): it is not text, or not UTF-8"},
        Bad{"Latin1", "\"20 \xB0 C\"", 4,
            "the byte 0xB0 is not UTF-8; the file seems to be in another encoding: save it as UTF-8"},
        Bad{"Overlong", "\"\xC0\xAF\"", 1,
            "the byte 0xC0 is not UTF-8; the file seems to be in another encoding: save it as UTF-8"},
        Bad{"Surrogate", "'\xED\xA0\x80'", 1,
            "the byte 0xED is not UTF-8; the file seems to be in another encoding: save it as UTF-8"},
        Bad{"BeyondUnicode", "'\xF4\x90\x80\x80'", 1,
            "the byte 0xF4 is not UTF-8; the file seems to be in another encoding: save it as UTF-8"},
        Bad{"CutCharacter", "\"\xE2\x82\"", 1,
            "the byte 0xE2 is not UTF-8; the file seems to be in another encoding: save it as UTF-8"},
        Bad{"LateMark", "a \xEF\xBB\xBF", 2,
            "\xEF\xBB\xBF (a byte order mark) may stand only at the beginning of the file"},
        Bad{"Bang", "!a", 0, "! is written 'not' in Modelica"},
        Bad{"Comment", "# a", 0, "# has no meaning in Modelica: a comment begins with //"}),
    [](const auto& tested) { return std::string(tested.param.name); });

// What was meant stands in place of what was written, so that only one error is reported.
TEST(Lexer, ReadsOperatorsOfOtherLanguages) {
  const Lexed lexed = lex("a != b && c || d ** e − f × g ≤ h & i");
  using enum TokenKind;
  EXPECT_EQ(lexed.kinds,
            (std::vector{Identifier, NotEqual, Identifier, And, Identifier, Or, Identifier, Power, Identifier,
                         Minus, Identifier, Times, Identifier, LessEqual, Identifier, And, Identifier}));
  EXPECT_EQ(lexed.errors.size(), 8U);
}

TEST(Lexer, PointsToTheStringThatRunsOverLines) {
  const Lexed lexed = lex("x \"one\n y \"two\"");
  ASSERT_EQ(lexed.errors.size(), 1U);
  EXPECT_EQ(lexed.errors[0].span.begin, 14U);
  ASSERT_EQ(lexed.errors[0].related.size(), 1U);
  EXPECT_EQ(lexed.errors[0].related[0].span.begin, 2U);
}

TEST(Lexer, StopsAfterTheTwentiethError) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::string("\"\\") + static_cast<char>('A' + i % 26) + "\" ";
  EXPECT_EQ(lex(text).errors.size(), ErrorList::limit);
}

TEST(PlainIdentifier, IsOneThatNeedsNoQuotes) {
  for (const char* name : {"a", "_", "A1", "x_y", "ender"}) EXPECT_TRUE(is_plain_identifier(name)) << name;
  for (const char* name : {"", "1a", "a.b", "a b", "end", "der", "λ"}) {
    EXPECT_FALSE(is_plain_identifier(name)) << name;
  }
}

}  // namespace
}  // namespace daedalus::parsing
