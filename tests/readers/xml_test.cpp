#include "readers/xml.hpp"

#include <gtest/gtest.h>

namespace daedalus {
namespace {

Result<xml::Document> parsed(const std::string& text, SourceMap& sources) {
  return xml::parse(sources, sources.add("a.xml", text));
}

std::string error_of(const std::string& text) {
  SourceMap sources;
  const auto document = parsed(text, sources);
  EXPECT_FALSE(document.has_value()) << text;
  return document ? "" : render(document.error(), sources);
}

TEST(Xml, ElementsAttributesAndEntities) {
  SourceMap sources;
  const auto document = parsed(
      "<?xml version='1.0'?><!-- c --><!DOCTYPE a [<!ELEMENT b>]>\n"
      "<a x=\"1 &lt; 2 &#65;&#x42;\"> text <b y='z\"'/><b/></a> ",
      sources);
  ASSERT_TRUE(document.has_value());
  ASSERT_EQ(document->elements.size(), 3U);
  EXPECT_EQ((*document)[0].attributes[0].value, "1 < 2 AB");
  EXPECT_EQ((*document)[0].children, (std::vector<int>{1, 2}));
  EXPECT_EQ((*document)[1].attributes[0].value, "z\"");
  EXPECT_EQ(sources.place((*document)[1].attributes[0].span), "a.xml:2:41");
}

TEST(Xml, ErrorsHaveAPlace) {
  EXPECT_NE(error_of("<a>\n <b></a>").find("a.xml:2:5: error: </a> closes <b>"), std::string::npos);
  EXPECT_NE(error_of("<a>").find("a.xml:1:1: error: the element <a> is not closed"), std::string::npos);
  EXPECT_NE(error_of("<a x=1/>").find("not in quotes"), std::string::npos);
  EXPECT_NE(error_of("<a x='1' x='2'/>").find("given twice"), std::string::npos);
  EXPECT_NE(error_of("<a/><b/>").find("second root element"), std::string::npos);
  EXPECT_NE(error_of("<a x='&nbsp;'/>").find("no known entity"), std::string::npos);
  EXPECT_NE(error_of("hello").find("this is not XML"), std::string::npos);
  EXPECT_NE(error_of("").find("no XML element"), std::string::npos);
  EXPECT_NE(error_of("<!-- <a/>").find("no end '-->'"), std::string::npos);
}

// No recursion: a depth at which others give up.
TEST(Xml, DepthIsNoLimit) {
  std::string text;
  constexpr int depth = 100000;
  for (int k = 0; k < depth; ++k) text += "<a>";
  for (int k = 0; k < depth; ++k) text += "</a>";
  SourceMap sources;
  const auto document = parsed(text, sources);
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->elements.size(), static_cast<std::size_t>(depth));
}

}  // namespace
}  // namespace daedalus
