#include <gtest/gtest.h>

#include <cctype>
#include <limits>
#include <regex>
#include <set>

#include "study/html_report.hpp"
#include "study/html_report_chart.hpp"

namespace daedalus {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

void cut(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    const std::size_t end = text.find(to, at);
    if (end == std::string::npos) return;
    text.erase(at, end + to.size() - at);
  }
}

// From '<' to the '>' that is not in quotes.
std::string tag_at(const std::string& text, std::size_t at) {
  bool quoted = false;
  for (std::size_t k = at; k < text.size(); ++k) {
    if (text[k] == '"') quoted = !quoted;
    if (text[k] == '>' && !quoted) return text.substr(at, k + 1 - at);
  }
  return text.substr(at, 40);
}

// Every element is closed where it should be. The script is not looked into. (Tag by tag: std::regex recurses
// with the length of what it matches.)
std::string first_fault(std::string text) {
  std::vector<std::string> open;
  static const std::regex tag(
      R"(<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z][a-zA-Z0-9:-]*="[^"<]*")*)\s*(/?)>)");
  cut(text, "<script>", "</script>");
  cut(text, "<!DOCTYPE html", ">");
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    std::string one = tag_at(text, at);
    // What stands in a long value of an attribute is not looked at, but for '<'.
    for (std::size_t value = one.find("=\""); value != std::string::npos; value = one.find("=\"", value)) {
      const std::size_t begin = value + 2;
      const std::size_t end = one.find('"', begin);
      if (end == std::string::npos) break;
      if (one.find('<', begin) >= end) one.erase(begin, end - begin);
      value = begin + 1;
    }
    std::smatch found;
    if (!std::regex_match(one, found, tag)) return "not a tag: " + one.substr(0, 80);
    if (found[4].length() > 0) continue;
    if (found[1].length() == 0) {
      open.push_back(found[2]);
    } else if (open.empty() || open.back() != found[2]) {
      return "unexpected " + one;
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "open: " + open.back();
}

Comparison example() {
  Comparison comparison;
  comparison.model = "A < B & \"C\"";
  comparison.t_end = 2;
  comparison.points = 3;
  comparison.reference = {.source = "file", .name = "r<1>.csv", .points = 3};
  comparison.motion = comparison.plotted = {"x<1>"};
  comparison.energy = "E";
  comparison.reference_curves = {.times = {0, 1, 2}, .signals = {{0, 1, 0}}};
  CompareRow good{
      .formulation = "ggl", .integrator = "radau", .rtol = 1e-6, .status = RowStatus::Ok, .t_end = 2};
  good.error = 1e-5;
  good.position_drift = 0;
  good.energy_drift = 1e-3;
  good.counters.residual_evals = 100;
  good.seconds = 0.5;
  good.curves = {.times = {0, 1, 2},
                 .error = {0, 1e-6, 1e-5},
                 .position_drift = {0, 0, 0},
                 .velocity_drift = {},
                 .energy_drift = {0, 1e-4, 1e-3},
                 .signals = {{0, 1, 0}}};
  CompareRow bad = good;
  bad.formulation = "index1";
  bad.status = RowStatus::Differs;
  bad.reason = "x<1> is far away";
  bad.error = 3;
  bad.curves.signals = {{0, 1e9, std::numeric_limits<double>::quiet_NaN()}};
  CompareRow refused{
      .formulation = "odae", .integrator = "auto", .status = RowStatus::Refused, .reason = "B ≠ Gᵀ"};
  comparison.rows = {good, bad, refused};
  return comparison;
}

TEST(HtmlReport, IsWellFormed) {
  EXPECT_EQ(first_fault(comparison_html(example())), "");
  EXPECT_EQ(first_fault(comparison_html({})), "");
  EXPECT_NE(first_fault("<p><b>x</p></b>"), "");
  EXPECT_NE(first_fault("<p>a < b</p>"), "");
  EXPECT_NE(first_fault("<p>"), "");
}

TEST(HtmlReport, NeedsNothingFromElsewhere) {
  const std::string html = comparison_html(example());
  for (const char* word : {"http:", "https:", "//cdn", "src=", "@import", "<link", "url(\"", "fetch("})
    EXPECT_EQ(html.find(word), std::string::npos) << word;
  EXPECT_NE(html.find("<svg"), std::string::npos);
  EXPECT_NE(html.find("<style>"), std::string::npos);
  EXPECT_NE(html.find("<script>"), std::string::npos);
}

TEST(HtmlReport, NamesAreEscaped) {
  const std::string html = comparison_html(example());
  EXPECT_EQ(html.find("x<1>"), std::string::npos);
  EXPECT_NE(html.find("x&lt;1&gt; is far away"), std::string::npos);
  EXPECT_NE(html.find("A &lt; B &amp; &quot;C&quot;"), std::string::npos);
  EXPECT_NE(html.find("B ≠ Gᵀ"), std::string::npos);
}

TEST(HtmlReport, CanBeReadWithoutSeeingIt) {
  const std::string html = comparison_html(example());
  EXPECT_EQ(count_of(html, "<th scope=\"row\">"), 3U);
  EXPECT_GE(count_of(html, "<th scope=\"col\""), 12U);
  EXPECT_EQ(count_of(html, "<caption>"), 1U);
  EXPECT_NE(html.find("lang=\"en\""), std::string::npos);
  EXPECT_NE(html.find("prefers-color-scheme: dark"), std::string::npos);
  // Every picture is named and described, by elements that are there, once each.
  const std::size_t figures = count_of(html, "<figure>");
  EXPECT_EQ(figures, 6U);  // two of work; error, position, energy; one signal
  EXPECT_EQ(count_of(html, "role=\"img\""), figures);
  static const std::regex names(R"re(aria-labelledby="([a-z0-9-]+)-title \1-text")re");
  std::set<std::string> seen;
  for (auto it = std::sregex_iterator(html.begin(), html.end(), names); it != std::sregex_iterator(); ++it) {
    const std::string id = (*it)[1];
    EXPECT_TRUE(seen.insert(id).second) << id;
    EXPECT_EQ(count_of(html, "id=\"" + id + "-title\""), 1U);
    EXPECT_EQ(count_of(html, "id=\"" + id + "-text\""), 1U);
  }
  EXPECT_EQ(seen.size(), figures);
}

TEST(HtmlReport, RowsThatDoNotApplyAreInTheTableAndNotInThePlots) {
  const std::string html = comparison_html(example());
  EXPECT_NE(html.find("<th scope=\"row\">odae</th>"), std::string::npos);
  EXPECT_EQ(count_of(html, "aria-pressed=\"true\" data-series="), 2U);
}

TEST(Chart, OneRunThatWentAstrayDoesNotPressTheOthersFlat) {
  const Chart chart{.id = "c",
                    .title = "t",
                    .series = {{.number = 0, .label = "astray", .x = {0, 1}, .y = {0, 1e9}}},
                    .reference_x = {0, 1},
                    .reference_y = {0, 1}};
  const std::string html = chart_figure(chart);
  // The reference, from 0 to 1 with 0.3 of room on each side, takes 1/1.6 of the frame's 282 pixels.
  std::smatch found;
  static const std::regex path(R"re(class="reference" d="M66.0 ([0-9.]+)L628.0 ([0-9.]+)")re");
  ASSERT_TRUE(std::regex_search(html, found, path)) << html;
  EXPECT_NEAR(std::stod(found[1]) - std::stod(found[2]), 282 / 1.6, 0.2);
}

TEST(Chart, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(escape_html("a\xff"
                        "b\xc3"),
            "a?b?");
  EXPECT_EQ(escape_html("ä λ ẋ"), "ä λ ẋ");
  EXPECT_EQ(escape_html("a\nb\x01"), "a b ");
  EXPECT_EQ(escape_html("<&>\""), "&lt;&amp;&gt;&quot;");
}

}  // namespace
}  // namespace daedalus
