#include "core/diagnostic.hpp"

#include <gtest/gtest.h>

#include <string>

namespace daedalus {
namespace {

TEST(Diagnostic, RendersPlaceMessageLineAndCaret) {
  SourceMap sources;
  const auto file = sources.add("pendulum.mo", "model P\n  Real x\nend P;\n");
  const Diagnostic diagnostic{.severity = Severity::Error,
                              .message = "expected ';'",
                              .span = {.file = file, .begin = 15, .end = 16},
                              .related = {}};
  EXPECT_EQ(render(diagnostic, sources),
            "pendulum.mo:2:8: error: expected ';'\n"
            "    Real x\n"
            "         ^\n");
}

TEST(Diagnostic, WithoutPlaceIsOneLine) {
  const SourceMap sources;
  const Diagnostic diagnostic{
      .severity = Severity::Warning, .message = "no end time", .span = {}, .related = {}};
  EXPECT_EQ(render(diagnostic, sources), "warning: no end time\n");
}

TEST(Diagnostic, OfAnEndlessNameTheBeginningIsTold) {
  const SourceMap sources;
  // Two bytes a character, from an odd place on: a cut at an even one would leave half of one.
  std::string name = "xy";
  for (int i = 0; i < 1000; ++i) name += "ö";
  const Diagnostic diagnostic{
      .severity = Severity::Error, .message = "unknown name '" + name + "' here", .span = {}, .related = {}};
  const std::string text = render(diagnostic, sources);
  EXPECT_LT(text.size(), 400U);
  EXPECT_TRUE(text.starts_with("error: unknown name 'xyö")) << text;
  EXPECT_TRUE(text.ends_with("ö... (2004 bytes) here\n")) << text;
}

TEST(Diagnostic, RelatedPlacesFollow) {
  SourceMap sources;
  const auto file = sources.add("a.mo", "Real x;\nReal x;\n");
  Diagnostic diagnostic{.severity = Severity::Error,
                        .message = "'x' is declared twice",
                        .span = {.file = file, .begin = 13, .end = 14},
                        .related = {}};
  diagnostic.related.push_back({.severity = Severity::Note,
                                .message = "declared here",
                                .span = {.file = file, .begin = 5, .end = 6},
                                .related = {}});
  const std::string text = render(diagnostic, sources);
  const std::size_t error = text.find("a.mo:2:6: error: 'x' is declared twice");
  const std::size_t note = text.find("a.mo:1:6: note: declared here");
  ASSERT_NE(error, std::string::npos);
  ASSERT_NE(note, std::string::npos);
  EXPECT_LT(error, note);
}

TEST(Diagnostic, SeveralAreRenderedInOrder) {
  const SourceMap sources;
  const Diagnostics diagnostics{{.severity = Severity::Error, .message = "first", .span = {}, .related = {}},
                                {.severity = Severity::Note, .message = "second", .span = {}, .related = {}}};
  EXPECT_EQ(render(diagnostics, sources), "error: first\nnote: second\n");
}

TEST(Diagnostic, FailMakesOneError) {
  const Result<int> result = fail("nothing to do");
  ASSERT_FALSE(result.has_value());
  ASSERT_EQ(result.error().size(), 1u);
  EXPECT_EQ(result.error().front().severity, Severity::Error);
  EXPECT_EQ(result.error().front().message, "nothing to do");
  EXPECT_FALSE(result.error().front().span.valid());
}

}  // namespace
}  // namespace daedalus
