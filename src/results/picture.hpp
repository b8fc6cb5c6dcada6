// A picture as a list of lines and words, in pixels from the upper left corner. What is drawn knows nothing
// of files; each format is one function that writes the list.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/diagnostic.hpp"

namespace daedalus {

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  bool operator==(const Colour&) const = default;
};

struct Point {
  double x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};
using Polyline = std::vector<Point>;

struct Pen {
  Colour colour;
  double width = 1;
  bool dashed = false;
};

// A straight line: grids, marks, samples of a legend.
struct StraightLine {
  Point from;
  Point to;
  Pen pen;
};

struct Rectangle {
  Point corner;  // upper left
  double width = 0;
  double height = 0;
  Pen pen;
};

struct Curves {
  std::vector<Polyline> pieces;
  Pen pen;
};

enum class Anchor { Start, Middle, End };

struct Label {
  Point at;  // on the base line
  std::string text;
  Anchor anchor = Anchor::Start;
  double size = 12;
  bool bold = false;
  bool upright = false;  // read from below
  Colour colour = {0x33, 0x33, 0x33};
};

struct Picture {
  double width = 0;
  double height = 0;
  std::string title;  // of the file, not drawn
  std::vector<std::variant<StraightLine, Rectangle, Curves, Label>> items;
};

// Of words in Helvetica, of which all formats keep the widths.
[[nodiscard]] double text_width(std::string_view text, double size, bool bold = false);

[[nodiscard]] std::string picture_svg(const Picture& picture);
[[nodiscard]] std::string picture_pdf(const Picture& picture);
// Two pixels for one of the picture.
[[nodiscard]] std::string picture_png(const Picture& picture);

struct PictureFormat {
  std::string_view extension;  // with the dot
  std::string_view summary;
  std::string (*write)(const Picture& picture);
};

[[nodiscard]] std::span<const PictureFormat> picture_formats();

// The row for a file name; "-" (standard output) is SVG. An unknown ending is an error that lists the known.
[[nodiscard]] Result<const PictureFormat*> find_picture_format(const std::string& path);

}  // namespace daedalus
