#include "results/plot.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include "results/plot_path.hpp"
#include "results/support.hpp"

namespace daedalus {
namespace {

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

// Well-formed as far as we write XML: tags nest, attributes are quoted, text holds no bare & or <.
// Returns what is wrong, "" if nothing is.
std::string xml_fault(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size();) {
    if (xml[at] == '&' && xml.find(';', at) > at + 6) return "bare & at " + std::to_string(at);
    if (xml[at] == '>') return "bare > at " + std::to_string(at);
    if (xml[at] != '<') {
      if (static_cast<unsigned char>(xml[at]) < 0x20 && xml[at] != '\n') return "control character";
      ++at;
      continue;
    }
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return "tag without end";
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos) return "< inside a tag: " + tag;
    if (count(tag, "\"") % 2 != 0) return "quotes do not match: " + tag;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return "unexpected end of " + tag;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    at = end + 1;
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

std::string svg_of(const Trajectory& trajectory, const PlotOptions& options = {}) {
  const auto svg = plot_svg(trajectory, options);
  EXPECT_TRUE(svg);
  return svg.value_or("");
}

TEST(Plot, IsWellFormedAndNamesItsCurves) {
  const std::string svg = svg_of(sample_trajectory(), {.title = "Pendulum <3 & \"more\""});
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_NE(svg.find(">x [m]</text>"), std::string::npos);
  EXPECT_NE(svg.find("Pendulum &lt;3 &amp; &quot;more&quot;"), std::string::npos);
  EXPECT_EQ(count(svg, "<path "), 3u);
}

TEST(Plot, AnyNameIsWellFormed) {
  Trajectory trajectory = sample_trajectory();
  trajectory.signals[0].name = "a<b>&\"'\x01\xff";
  trajectory.signals[1].name = std::string(10'000, 'x');
  EXPECT_EQ(xml_fault(svg_of(trajectory)), "");
}

TEST(Plot, ChosenVariablesOnly) {
  const std::string svg = svg_of(sample_trajectory(), {.variables = {"on", "x"}});
  EXPECT_EQ(count(svg, "<path "), 2u);
  EXPECT_LT(svg.find(">on</text>"), svg.find(">x [m]</text>"));
}

TEST(Plot, UnknownVariableIsAnError) {
  const auto svg = plot_svg(sample_trajectory(), {.variables = {"xx"}});
  ASSERT_FALSE(svg);
  EXPECT_EQ(svg.error().front().message,
            "unknown variable to plot 'xx'; did you mean 'x'? (known: x, y, on)");
}

TEST(Plot, AtMostEightByDefaultAndConstantsLeftOut) {
  Trajectory trajectory;
  for (int i = 0; i < 30; ++i) trajectory.signals.push_back({.name = fmt::format("v{}", i)});
  for (int row = 0; row < 5; ++row) {
    trajectory.times.push_back(row);
    for (int i = 0; i < 30; ++i) trajectory.values.push_back(i == 0 ? 7 : i * row);
  }
  const std::string svg = svg_of(trajectory);
  EXPECT_EQ(count(svg, "<path "), 8u);
  EXPECT_EQ(svg.find(">v0</text>"), std::string::npos);
  EXPECT_NE(svg.find(">v8</text>"), std::string::npos);
}

TEST(Plot, DriftHasItsOwnLogarithmicPanel) {
  Trajectory trajectory = sample_trajectory();
  const std::size_t plain = count(svg_of(trajectory), "class=\"f\"");
  trajectory.drift = {std::vector<double>(trajectory.rows(), 1e-13),
                      std::vector<double>(trajectory.rows(), 0)};
  const std::string svg = svg_of(trajectory);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(count(svg, "class=\"f\""), plain + 1);
  EXPECT_NE(svg.find(">drift</text>"), std::string::npos);
  EXPECT_NE(svg.find(">1e-"), std::string::npos);
}

// One bad row among thousands must be seen.
TEST(Plot, DriftShowsTheLargest) {
  Trajectory trajectory = sample_trajectory(10'000);
  trajectory.drift = {std::vector<double>(trajectory.rows(), 1e-15)};
  EXPECT_EQ(svg_of(trajectory).find(">1e-3</text>"), std::string::npos);
  trajectory.drift[0][4'321] = 2e-3;
  EXPECT_NE(svg_of(trajectory).find(">1e-3</text>"), std::string::npos);
}

TEST(Plot, NothingToDrawIsStillAPicture) {
  EXPECT_EQ(xml_fault(svg_of(Trajectory{})), "");
  EXPECT_EQ(xml_fault(svg_of(sample_trajectory(1))), "");
  Trajectory all_nan = sample_trajectory();
  for (double& value : all_nan.values) value = std::nan("");
  const std::string svg = svg_of(all_nan);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(PlotPath, SizeDoesNotGrowWithTheRows) {
  Trajectory trajectory;
  trajectory.signals = {{.name = "x"}};
  for (int row = 0; row < 500'000; ++row) {
    trajectory.times.push_back(row);
    trajectory.values.push_back(std::sin(row * 0.001));
  }
  EXPECT_LT(svg_of(trajectory).size(), 120'000u);
}

// A spike one row wide must not vanish among the rows of its column of pixels.
TEST(PlotPath, KeepsExtremes) {
  std::vector<double> times;
  for (int row = 0; row < 10'000; ++row) times.push_back(row);
  const Curve curve{.times = &times, .value = [](std::size_t row) { return row == 5'003 ? 1.0 : 0.0; }};
  const std::string path = path_data(curve, Axis({0, 9'999}, 0, 100), Axis({0, 1}, 50, 0));
  EXPECT_NE(path.find(" 0.0"), std::string::npos) << path;
}

TEST(PlotPath, StraightLineByHand) {
  const std::vector<double> times{0, 1, 2};
  const Curve curve{.times = &times, .value = [](std::size_t row) { return static_cast<double>(row); }};
  EXPECT_EQ(path_data(curve, Axis({0, 2}, 0, 20), Axis({0, 2}, 20, 0)), "M0.0 20.0L10.0 10.0L20.0 0.0");
}

TEST(PlotPath, HeldValuesAreStairs) {
  const std::vector<double> times{0, 1, 2};
  const Curve curve{
      .times = &times, .value = [](std::size_t row) { return static_cast<double>(row); }, .steps = true};
  EXPECT_EQ(path_data(curve, Axis({0, 2}, 0, 20), Axis({0, 2}, 20, 0)),
            "M0.0 20.0L10.0 20.0L10.0 10.0L20.0 10.0L20.0 0.0");
}

TEST(PlotPath, GapWhereNotFinite) {
  const std::vector<double> times{0, 1, 2};
  const Curve curve{.times = &times, .value = [](std::size_t row) { return row == 1 ? std::nan("") : 0.0; }};
  EXPECT_EQ(path_data(curve, Axis({0, 2}, 0, 20), Axis({0, 1}, 20, 0)), "M0.0 20.0M20.0 20.0");
}

}  // namespace
}  // namespace daedalus
