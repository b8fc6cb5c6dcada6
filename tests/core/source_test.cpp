#include "core/source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace daedalus {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The span of the first occurrence of `word`.
SourceSpan span_of(const SourceMap& sources, std::int32_t file, const std::string& word) {
  const std::size_t begin = sources.file(file).text.find(word);
  return {.file = file,
          .begin = static_cast<std::uint32_t>(begin),
          .end = static_cast<std::uint32_t>(begin + word.size())};
}

// What stands above the first caret of line_with_caret.
std::string marked(const std::string& shown) {
  const auto lines = lines_of(shown);
  const std::size_t from = lines.at(1).find('^');
  const std::size_t to = lines.at(1).find_last_of("^~");
  return lines.at(0).substr(from, to - from + 1);
}

TEST(SourceMap, LocatesLinesAndColumnsFromOne) {
  SourceMap sources;
  const auto file = sources.add("a.mo", "ab\ncd\n\nx");
  const auto at = [&](std::uint32_t byte) { return sources.locate({file, byte, byte + 1}); };
  EXPECT_EQ(at(0).line, 1);
  EXPECT_EQ(at(0).column, 1);
  EXPECT_EQ(at(2).line, 1);  // the newline belongs to its line
  EXPECT_EQ(at(2).column, 3);
  EXPECT_EQ(at(3).line, 2);
  EXPECT_EQ(at(6).line, 3);
  EXPECT_EQ(at(7).line, 4);
  EXPECT_EQ(at(7).column, 1);
}

TEST(SourceMap, FilesAreKeptApart) {
  SourceMap sources;
  const auto first = sources.add("first.mo", "x\ny\n");
  const auto second = sources.add("-", "z");
  EXPECT_EQ(sources.place({first, 2, 3}), "first.mo:2:1");
  EXPECT_EQ(sources.place({second, 0, 1}), "-:1:1");
}

TEST(SourceMap, NoPlaceGivesNoText) {
  SourceMap sources;
  sources.add("a.mo", "x = 1;");
  EXPECT_EQ(sources.locate({}).line, 0);
  EXPECT_EQ(sources.locate({}).column, 0);
  EXPECT_EQ(sources.place({}), "");
  EXPECT_EQ(sources.excerpt({}), "");
  EXPECT_EQ(sources.line_with_caret({}), "");
}

TEST(SourceMap, ExcerptFoldsWhiteSpace) {
  SourceMap sources;
  const auto file = sources.add("a.mo", "  x\r\n\t =  y\n ;");
  EXPECT_EQ(sources.excerpt({file, 0, 15}), "x = y ;");
}

TEST(SourceMap, ExcerptIsLimited) {
  SourceMap sources;
  const auto file = sources.add("a.mo", std::string(1000, 'x'));
  EXPECT_EQ(sources.excerpt({file, 0, 1000}, 10), "xxxxxxxxxx...");
  EXPECT_EQ(sources.excerpt({file, 0, 10}, 10), "xxxxxxxxxx");
}

TEST(SourceMap, CaretMarksTheSpan) {
  SourceMap sources;
  const auto file = sources.add("a.mo", "model M\n  Real xyz;\nend M;\n");
  const std::string shown = sources.line_with_caret(span_of(sources, file, "xyz"));
  EXPECT_EQ(shown, "    Real xyz;\n         ^~~");
}

TEST(SourceMap, CaretAlignsBehindTabs) {
  SourceMap sources;
  const auto file = sources.add("a.mo", "\t\tReal\txyz;\n");
  EXPECT_EQ(marked(sources.line_with_caret(span_of(sources, file, "xyz"))), "xyz");
}

TEST(SourceMap, CarriageReturnIsNotShown) {
  SourceMap sources;
  const auto file = sources.add("a.mo", "Real x;\r\nReal y;\r\n");
  const std::string shown = sources.line_with_caret(span_of(sources, file, "y"));
  EXPECT_EQ(shown.find('\r'), std::string::npos);
  EXPECT_EQ(marked(shown), "y");
  EXPECT_EQ(sources.locate(span_of(sources, file, "y")).line, 2);
}

TEST(SourceMap, LongLineIsCutAroundTheColumn) {
  SourceMap sources;
  const std::string text = std::string(1'000'000, 'a') + "NAME" + std::string(1'000'000, 'b');
  const auto file = sources.add("a.mo", text);
  const std::string shown = sources.line_with_caret(span_of(sources, file, "NAME"));
  EXPECT_EQ(marked(shown), "NAME");
  for (const std::string& line : lines_of(shown)) EXPECT_LE(line.size(), 120u);
}

TEST(SourceMap, LongSpanStaysBelowItsLine) {
  SourceMap sources;
  const auto file = sources.add("a.mo", "x = 1 +\n  2 +\n  3;\n");
  const auto lines = lines_of(sources.line_with_caret({file, 0, 19}));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_LE(lines[1].size(), lines[0].size());
}

TEST(SourceMap, SpanAtTheEndOfTheText) {
  SourceMap sources;
  const auto file = sources.add("a.mo", "model M");
  EXPECT_EQ(sources.line_with_caret({file, 7, 7}), "  model M\n         ^");
  EXPECT_EQ(sources.place({file, 7, 7}), "a.mo:1:8");
}

TEST(SourceMap, SpanBeyondTheTextIsHarmless) {
  SourceMap sources;
  const auto file = sources.add("a.mo", "short\n");
  const SourceSpan beyond{file, 1000, 2000};
  EXPECT_NE(sources.line_with_caret(beyond).find('^'), std::string::npos);
  EXPECT_LE(sources.line_with_caret(beyond).size(), 200u);
  EXPECT_EQ(sources.excerpt(beyond), "");
  const auto empty = sources.add("empty.mo", "");
  EXPECT_EQ(sources.place({empty, 0, 0}), "empty.mo:1:1");
  EXPECT_NE(sources.line_with_caret({empty, 0, 1}).find('^'), std::string::npos);
}

// Columns count bytes, but the caret must stand below the character: a terminal shows "ä" in one column.
TEST(SourceMap, CaretAlignsBehindUtf8) {
  SourceMap sources;
  const auto file = sources.add("a.mo", "Real x \"ä€\"; oops\n");
  const auto lines = lines_of(sources.line_with_caret(span_of(sources, file, "oops")));
  const auto columns = [](const std::string& text) {
    return std::count_if(text.begin(), text.end(), [](char ch) { return (ch & 0xc0) != 0x80; });
  };
  EXPECT_EQ(columns(lines.at(1).substr(0, lines.at(1).find('^'))),
            columns(lines.at(0).substr(0, lines.at(0).find("oops"))));
}

// Whatever the bytes, what is printed is UTF-8 without control characters: an escape sequence in a model
// must not reach the terminal.
TEST(SourceMap, BinaryGarbageIsPrintable) {
  SourceMap sources;
  std::string garbage;
  for (int i = 0; i < 256; ++i) {
    if (i != '\n') garbage += static_cast<char>(i);
  }
  garbage += "\xe2\x82";  // a character cut short
  const auto file = sources.add("a.mo", garbage);
  for (std::uint32_t at : {0u, 100u, 200u, 256u}) {
    for (const std::string& text :
         {sources.line_with_caret({file, at, at + 5}), sources.excerpt({file, at, at + 60})}) {
      for (const char ch : text) {
        const auto byte = static_cast<unsigned char>(ch);
        EXPECT_TRUE(byte == '\n' || byte >= 0x20) << int{byte};
        EXPECT_NE(byte, 0x7f);
        EXPECT_NE(byte, 0x9b);  // a lone C1 byte: "control sequence introducer" on some terminals
      }
    }
  }
}

}  // namespace
}  // namespace daedalus
