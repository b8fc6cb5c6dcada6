// Pictures in three formats. Files are read back by readers of their own, written here from the formats'
// standards.
#include "results/picture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "results/plot.hpp"
#include "results/plot_columns.hpp"
#include "results/raster.hpp"
#include "results/stroke_font.hpp"
#include "results/support.hpp"

namespace daedalus {
namespace {

Picture sample_picture() {
  Picture picture{.width = 40, .height = 30, .title = "a (b) \\ c", .items = {}};
  picture.items.emplace_back(
      StraightLine{.from = {5, 10}, .to = {35, 10}, .pen = {.colour = {255, 0, 0}, .width = 2}});
  picture.items.emplace_back(Rectangle{.corner = {2, 2}, .width = 36, .height = 26, .pen = {}});
  picture.items.emplace_back(Label{.at = {4, 24}, .text = "Ab(1)"});
  return picture;
}

TEST(Picture, EndingChoosesTheFormat) {
  for (const PictureFormat& format : picture_formats()) {
    const auto found = find_picture_format("some/file" + std::string(format.extension));
    ASSERT_TRUE(found);
    EXPECT_EQ((*found)->extension, format.extension);
  }
  const auto unknown = find_picture_format("picture.gif");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().front().message.find(".svg, .pdf, .png"), std::string::npos);
  EXPECT_FALSE(find_picture_format(".png"));
}

// The offsets of the cross-reference table point at the objects that they number, ISO 32000-1 7.5.4.
TEST(PicturePdf, CrossReferencesAreRight) {
  const std::string file = picture_pdf(sample_picture());
  EXPECT_TRUE(file.starts_with("%PDF-1.4\n"));
  EXPECT_TRUE(file.ends_with("%%EOF\n"));
  const std::size_t start = std::stoul(file.substr(file.rfind("startxref") + 10));
  ASSERT_EQ(file.substr(start, 5), "xref\n");
  const std::size_t count = std::stoul(file.substr(start + 7));
  for (std::size_t k = 1; k < count; ++k) {
    const std::size_t entry = file.find("f \n", start) + 3 + (20 * (k - 1));
    EXPECT_EQ(file.substr(entry + 10, 9), " 00000 n ");
    const std::size_t offset = std::stoul(file.substr(entry, 10));
    EXPECT_TRUE(file.substr(offset).starts_with(std::to_string(k) + " 0 obj")) << k;
  }
  const std::size_t stream = file.find("stream\n") + 7;
  const std::size_t length = std::stoul(file.substr(file.find("/Length ") + 8));
  EXPECT_EQ(file.substr(stream + length, 10), "\nendstream");
  EXPECT_NE(file.find("(Ab\\(1\\)) Tj"), std::string::npos);
  EXPECT_NE(file.find("/Title (a \\(b\\) \\\\ c)"), std::string::npos);
}

std::uint32_t big_endian(const std::string& file, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = (value << 8U) | static_cast<unsigned char>(file[at + i]);
  return value;
}

TEST(PicturePng, ChunksFollowEachOther) {
  const std::string file = picture_png(sample_picture());
  ASSERT_TRUE(file.starts_with("\x89PNG\r\n\x1a\n"));
  std::string types;
  std::size_t at = 8;
  while (at < file.size()) {
    types += file.substr(at + 4, 4) + " ";
    at += 12 + big_endian(file, at);
  }
  EXPECT_EQ(at, file.size());
  EXPECT_EQ(types, "IHDR PLTE pHYs IDAT IEND ");
  EXPECT_EQ(big_endian(file, 16), 80u);
  EXPECT_EQ(big_endian(file, 20), 60u);
}

// Dashes of 4 and gaps of 3, whether the line is one piece or many: the file is the same length of ink.
TEST(PicturePng, DashesGoOnAcrossCorners) {
  const auto picture = [](bool many) {
    Picture made{.width = 120, .height = 20, .title = "", .items = {}};
    Polyline line;
    for (int k = 0; k <= (many ? 50 : 1); ++k)
      line.push_back({.x = 10 + (100.0 * k / (many ? 50 : 1)), .y = 10});
    made.items.emplace_back(Curves{.pieces = {line}, .pen = {.colour = {}, .width = 1, .dashed = true}});
    return picture_png(made);
  };
  EXPECT_EQ(picture(true), picture(false));
}

std::vector<int> pixel(const Raster& raster, int x, int y) {
  const std::size_t at = 3 * (static_cast<std::size_t>(y) * raster.width() + x);
  return {raster.bytes()[at], raster.bytes()[at + 1], raster.bytes()[at + 2]};
}

// A line of two pixels between the pixels' borders covers them wholly, one of an odd place by half.
TEST(Raster, CoverageOfStraightLines) {
  Raster raster(20, 20);
  raster.stroke({{{2, 10}, {18, 10}}}, {.colour = {0, 0, 0}, .width = 2});
  EXPECT_EQ(pixel(raster, 10, 9), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(pixel(raster, 10, 10), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(pixel(raster, 10, 8), (std::vector<int>{255, 255, 255}));
  EXPECT_EQ(pixel(raster, 10, 11), (std::vector<int>{255, 255, 255}));
  Raster half(20, 20);
  half.stroke({{{2, 10}, {18, 10}}}, {.colour = {0, 0, 0}, .width = 1});
  // Half a shade of sixteen: 255 / 30.
  EXPECT_NEAR(pixel(half, 10, 9)[0], 127.5, 8.5);
  EXPECT_NEAR(pixel(half, 10, 10)[0], 127.5, 8.5);
}

// The ink of a slanted line is its length times its width, to the tenth that the rule of coverage may miss.
TEST(Raster, InkOfASlantedLine) {
  Raster raster(100, 100);
  const double width = 3;
  raster.stroke({{{10, 20}, {90, 70}}}, {.colour = {0, 0, 0}, .width = width});
  double ink = 0;
  for (std::size_t k = 0; k < raster.bytes().size(); k += 3) ink += (255 - raster.bytes()[k]) / 255.0;
  const double round_ends = std::acos(-1.0) * width * width / 4;
  const double expected = (std::hypot(80, 50) * width) + round_ends;
  EXPECT_NEAR(ink, expected, 0.05 * expected);
}

TEST(Raster, OutsideIsCutOff) {
  Raster raster(10, 10);
  raster.stroke({{{-1e6, -1e6}, {1e6, 1e6}}, {{-50, 5}, {-20, 5}}}, {.colour = {0, 0, 0}, .width = 2});
  EXPECT_EQ(pixel(raster, 5, 5), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(pixel(raster, 0, 6), (std::vector<int>{255, 255, 255}));
}

// Every letter stays within its width (a pen's width aside) and between the lines, and is not empty.
TEST(StrokeFont, LettersKeepTheirPlace) {
  for (char ch = '!'; ch <= '~'; ++ch) {
    const std::string letter(1, ch);
    const auto strokes = label_strokes({.at = {0, 0}, .text = letter, .size = 100});
    ASSERT_FALSE(strokes.empty()) << letter;
    for (const Polyline& stroke : strokes) {
      for (const Point& p : stroke) {
        EXPECT_GE(p.x, -1) << letter;
        EXPECT_LE(p.x, text_width(letter, 100) + 1) << letter;
        EXPECT_LE(p.y, 30) << letter;
        EXPECT_GE(p.y, -82) << letter;
      }
    }
  }
}

TEST(StrokeFont, AnchorsAndTurns) {
  const double width = text_width("H", 50);
  EXPECT_DOUBLE_EQ(width, 36.1);  // 722 of 1000
  const auto at = [](Anchor anchor, bool upright) {
    return label_strokes({.at = {100, 100}, .text = "H", .anchor = anchor, .size = 50, .upright = upright})
        .front()
        .front();
  };
  const Point start = at(Anchor::Start, false);
  EXPECT_NEAR(at(Anchor::End, false).x, start.x - width, 1e-9);
  EXPECT_NEAR(at(Anchor::Middle, false).x, start.x - (width / 2), 1e-9);
  // Read from below: what was to the right is now above.
  EXPECT_NEAR(at(Anchor::Start, true).y, 100 - (start.x - 100), 1e-9);
}

TEST(PlotMarks, EventsAndRankChangesAreDrawnAndNamed) {
  Summary summary;
  summary.events = {{.t = 0.3, .what = "h < 0"}};
  summary.rank_changes = {{.t = 0.5, .from = 2, .to = 1, .constraints = {}}};
  const auto with = plot_svg(sample_trajectory(), {.summary = &summary});
  const auto without = plot_svg(sample_trajectory(), {});
  ASSERT_TRUE(with && without);
  EXPECT_NE(with->find(">event</text>"), std::string::npos);
  EXPECT_NE(with->find(">rank change</text>"), std::string::npos);
  EXPECT_NE(with->find("stroke-dasharray"), std::string::npos);
  EXPECT_EQ(without->find("stroke-dasharray"), std::string::npos);
}

// The y of a motion in the x-z plane is round-off, not a signal.
TEST(PlotColumns, NoiseIsNoCurve) {
  Trajectory trajectory;
  trajectory.signals = {
      {.name = "x", .unit = "m"}, {.name = "y", .unit = "m"}, {.name = "small", .unit = ""}};
  for (int row = 0; row < 20; ++row) {
    trajectory.times.push_back(row);
    for (const double value : {std::sin(row), 1e-17 * row, 1e-17 * std::cos(row)})
      trajectory.values.push_back(value);
  }
  const auto svg = plot_svg(trajectory, {});
  ASSERT_TRUE(svg);
  EXPECT_NE(svg->find(">x [m]<"), std::string::npos);
  EXPECT_EQ(svg->find(">y [m]<"), std::string::npos);
  EXPECT_NE(svg->find(">small<"), std::string::npos);
}

// Angles of a few radians beside velocities of a thousand, without units: two panels.
TEST(PlotColumns, VeryDifferentSizesHaveTheirOwnPanels) {
  Trajectory trajectory;
  trajectory.signals = {
      {.name = "angle"}, {.name = "speed"}, {.name = "twice"}, {.name = "force", .unit = "N"}};
  for (int row = 0; row < 20; ++row) {
    trajectory.times.push_back(row);
    for (const double value : {std::sin(row), 1000 * std::cos(row), 2 * std::sin(row), std::sin(row)})
      trajectory.values.push_back(value);
  }
  EXPECT_EQ(panels_of(trajectory, {0, 1, 2, 3}, 3), (std::vector<std::size_t>{0, 1, 0, 2}));
  EXPECT_EQ(panels_of(trajectory, {0, 1, 2, 3}, 2), (std::vector<std::size_t>{0, 1, 0, 1}));
  EXPECT_EQ(panels_of(trajectory, {}, 3), (std::vector<std::size_t>{}));
}

class PictureFiles : public FolderTest {};

TEST_F(PictureFiles, EveryFormatIsWritten) {
  for (const PictureFormat& format : picture_formats()) {
    const std::string name = "plot" + std::string(format.extension);
    ASSERT_TRUE(write_plot(sample_trajectory(), {.title = "Sample"}, path(name)));
    EXPECT_GT(read(name).size(), 500u);
  }
}

}  // namespace
}  // namespace daedalus
