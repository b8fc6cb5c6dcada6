#include "results/stroke_font.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

#include "results/xml_text.hpp"

namespace daedalus {
namespace {

// From the space to the tilde, in hundredths of the size; y grows upwards from the base line, capitals are 72
// high, small letters 52. M begins a stroke, L goes on in straight lines, Q by a control point in a parabola,
// E (cx cy rx ry from to, in degrees) along an ellipse; e begins a stroke with one.
constexpr std::array<std::string_view, 95> glyphs{
    "",
    "M 14 72 L 14 22 M 14 3 L 14 4",
    "M 11 72 L 11 52 M 24 72 L 24 52",
    "M 21 72 L 13 0 M 43 72 L 35 0 M 5 47 L 52 47 M 3 25 L 50 25",
    "M 47 56 Q 45 70 28 70 Q 9 70 9 54 Q 9 41 28 37 Q 48 33 48 19 Q 48 2 28 2 Q 8 2 7 19 M 28 79 L 28 -8",
    "e 20 54 13 17 0 360 M 69 72 L 21 0 e 69 18 13 17 0 360",
    "M 60 0 L 21 47 Q 14 56 20 66 Q 28 76 37 68 Q 46 58 34 48 L 18 36 Q 6 26 9 14 Q 14 0 28 0 Q 48 0 56 30",
    "M 9.5 72 L 9.5 52",
    "e 42 26 32 54 125 235",
    "e -9 26 32 54 55 -55",
    "M 19.5 72 L 19.5 46 M 8 66 L 31 52 M 31 66 L 8 52",
    "M 29 6 L 29 52 M 6 29 L 52 29",
    "M 14 3 L 14 0 10 -10",
    "M 6 26 L 27 26",
    "M 14 3 L 14 4",
    "M 1 -2 L 26 74",
    "e 27.8 36 20 36 90 450",
    "M 13 58 L 30 72 30 0",
    "e 27.5 52 18 20 165 -30 L 9 0 47 0",
    "e 27 54 17 18 150 -90 E 27 18 19 18 90 -150",
    "M 38 0 L 38 72 7 22 49 22",
    "M 44 72 L 15 72 12.5 39 E 28 23.5 19.5 23.5 135 -145",
    "e 30 36 21 36 50 180 L 9 23 E 28 23 19 23 180 540",
    "M 8 72 L 48 72 22 0",
    "e 28 54 16.5 18 0 360 e 28 18.5 19.5 18.5 0 360",
    "e 27.5 49 19 23 0 360 M 46.5 49 L 46.5 36 E 25.5 36 21 36 0 -130",
    "M 14 47 L 14 48 M 14 3 L 14 4",
    "M 14 47 L 14 48 M 14 3 L 14 0 10 -10",
    "M 51 50 L 8 29 51 8",
    "M 6 38 L 52 38 M 6 20 L 52 20",
    "M 7 50 L 50 29 7 8",
    "e 28 54 17 18 165 -60 Q 28 32 28 20 M 28 3 L 28 4",
    "e 50 29 20 22 0 360 M 70 50 L 68 22 Q 68 10 78 12 Q 92 18 92 36 E 50 28 43 44 10 300",
    "M 4 0 L 33.3 72 63 0 M 14 25 L 53 25",
    "M 10 0 L 10 72 36 72 E 36 54.5 17 17.5 90 -90 L 10 37 M 36 37 E 38 18.5 19.5 18.5 90 -90 L 10 0",
    "e 37 36 29 36 40 320",
    "M 10 0 L 10 72 32 72 E 32 36 33 36 90 -90 L 10 0",
    "M 60 72 L 10 72 10 0 61 0 M 10 38 L 55 38",
    "M 57 72 L 10 72 10 0 M 10 37 L 50 37",
    "e 39 36 31 36 45 335 L 67 34 42 34",
    "M 10 0 L 10 72 M 62 0 L 62 72 M 10 38 L 62 38",
    "M 14 0 L 14 72",
    "M 40 72 L 40 18 E 22.5 18 17.5 18 0 -180",
    "M 10 0 L 10 72 M 58 72 L 10 27 M 27 42 L 62 0",
    "M 10 72 L 10 0 51 0",
    "M 9 0 L 9 72 41.6 6 74 72 74 0",
    "M 10 0 L 10 72 62 0 62 72",
    "e 39 36 32 36 0 360",
    "M 10 0 L 10 72 38 72 E 38 52 19.5 20 90 -90 L 10 32",
    "e 39 36 32 36 0 360 M 46 16 L 68 -4",
    "M 10 0 L 10 72 40 72 E 40 53 19 19 90 -90 L 10 34 M 38 34 L 62 0",
    "M 57 56 Q 55 72 33 72 Q 10 72 10 54 Q 10 41 33 37 Q 58 33 58 19 Q 58 0 33 0 Q 8 0 7 19",
    "M 3 72 L 58 72 M 30.5 72 L 30.5 0",
    "M 10 72 L 10 26 E 36 26 26 26 180 360 L 62 72",
    "M 4 72 L 33.3 0 63 72",
    "M 4 72 L 25 0 47 68 69 0 90 72",
    "M 5 72 L 62 0 M 62 72 L 5 0",
    "M 4 72 L 33.3 32 63 72 M 33.3 32 L 33.3 0",
    "M 6 72 L 56 72 5 0 57 0",
    "M 22 74 L 9 74 9 -19 22 -19",
    "M 1 74 L 26 -2",
    "M 5 74 L 18 74 18 -19 5 -19",
    "M 8 38 L 23.5 70 39 38",
    "M 0 -12 L 55.6 -12",
    "M 9 74 L 20 62",
    "M 45 52 L 45 0 e 26 26 19 26 0 360",
    "M 10 72 L 10 0 e 29 26 19 26 180 540",
    "e 28 26 20 26 45 315",
    "M 46 72 L 46 0 e 27 26 19 26 0 360",
    "M 8 27 L 47 27 E 27.5 26 19.5 26 3 315",
    "M 26 72 Q 13 74 13 60 L 13 0 M 3 50 L 25 50",
    "M 46 52 L 46 -4 E 27 -4 19 17 0 -150 e 27 26 19 26 0 360",
    "M 10 72 L 10 0 M 10 32 E 28 34 18 18 180 0 L 46 0",
    "M 11 52 L 11 0 M 11 69 L 11 70",
    "M 11 52 L 11 -8 Q 11 -20 0 -20 M 11 69 L 11 70",
    "M 8 72 L 8 0 M 42 52 L 8 20 M 20 31 L 46 0",
    "M 11 72 L 11 0",
    "M 9 52 L 9 0 M 9 34 E 25 36 16 16 180 0 L 41 0 M 41 34 E 57.5 36 16.5 16 180 0 L 74 0",
    "M 10 52 L 10 0 M 10 32 E 28 34 18 18 180 0 L 46 0",
    "e 27.8 26 20 26 0 360",
    "M 10 52 L 10 -20 e 29 26 19 26 180 540",
    "M 46 52 L 46 -20 e 27 26 19 26 0 360",
    "M 10 52 L 10 0 M 10 30 Q 12 52 31 51",
    "M 43 40 Q 41 52 25 52 Q 8 52 8 39 Q 8 30 25 27 Q 44 24 44 13 Q 44 0 25 0 Q 7 0 6 13",
    "M 13 66 L 13 10 Q 13 0 25 1 M 3 50 L 25 50",
    "M 10 52 L 10 18 E 28 18 18 18 180 360 M 46 52 L 46 0",
    "M 4 52 L 25 0 46 52",
    "M 3 52 L 19 0 36 50 53 0 69 52",
    "M 5 52 L 45 0 M 45 52 L 5 0",
    "M 4 52 L 25 2 M 46 52 L 21 -12 Q 18 -20 7 -20",
    "M 6 52 L 44 52 6 0 45 0",
    "M 28 74 Q 17 74 17 62 L 17 40 Q 17 28 7 28 Q 17 28 17 16 L 17 -7 Q 17 -19 28 -19",
    "M 13 74 L 13 -19",
    "M 5 74 Q 16 74 16 62 L 16 40 Q 16 28 26 28 Q 16 28 16 16 L 16 -7 Q 16 -19 5 -19",
    "M 7 24 Q 14 40 29 29 Q 44 18 51 34"};

// What the table has not: a box.
constexpr std::string_view unknown_glyph = "M 8 0 L 8 72 47 72 47 0 8 0";

// Reads the commands of one glyph.
class GlyphReader {
 public:
  explicit GlyphReader(std::string_view commands) : rest_(commands) {}

  std::vector<Polyline> read() {
    while (skip_blanks()) {
      if (std::isalpha(static_cast<unsigned char>(rest_.front())) != 0) {
        command_ = rest_.front();
        rest_.remove_prefix(1);
        continue;
      }
      obey();
    }
    return std::move(strokes_);
  }

 private:
  bool skip_blanks() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    return !rest_.empty();
  }
  double number() {
    (void)skip_blanks();
    double value = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
    return value;
  }
  Point point() {
    const double x = number();
    return {.x = x, .y = number()};
  }

  void obey() {
    switch (command_) {
      case 'M':
        strokes_.push_back({point()});
        break;
      case 'L':
        strokes_.back().push_back(point());
        break;
      case 'Q':
        parabola();
        break;
      default:
        ellipse();
        break;
    }
  }
  void parabola() {
    const Point a = strokes_.back().back();
    const Point b = point();
    const Point c = point();
    for (int i = 1; i <= 8; ++i) {
      const double s = i / 8.0;
      const auto at = [s](double p, double q, double r) {
        return ((1 - s) * (1 - s) * p) + (2 * s * (1 - s) * q) + (s * s * r);
      };
      strokes_.back().push_back({.x = at(a.x, b.x, c.x), .y = at(a.y, b.y, c.y)});
    }
  }
  void ellipse() {
    const Point centre = point();
    const Point radii = point();
    const double from = number();
    const double sweep = number() - from;
    if (command_ == 'e') strokes_.emplace_back();
    const int parts = static_cast<int>(std::ceil(std::abs(sweep) / 15));
    for (int i = 0; i <= parts; ++i) {
      const double angle = (from + (sweep * i / parts)) * std::numbers::pi / 180;
      strokes_.back().push_back(
          {.x = centre.x + (radii.x * std::cos(angle)), .y = centre.y + (radii.y * std::sin(angle))});
    }
  }

  std::string_view rest_;
  char command_ = 'M';
  std::vector<Polyline> strokes_;
};

}  // namespace

std::vector<Polyline> label_strokes(const Label& label) {
  const double width = text_width(label.text, label.size, label.bold);
  double along = label.anchor == Anchor::Start ? 0 : label.anchor == Anchor::Middle ? -width / 2 : -width;
  std::vector<Polyline> out;
  std::string_view rest = label.text;
  while (!rest.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(rest));
    const std::string_view letter = rest.substr(0, length);
    const auto byte = static_cast<unsigned char>(letter.front());
    const bool known = length == 1 && byte >= 0x20 && byte < 0x7f;
    for (Polyline& stroke : GlyphReader(known ? glyphs[byte - 0x20U] : unknown_glyph).read()) {
      for (Point& p : stroke) {
        const double u = along + (p.x * label.size / 100 * (label.bold ? 1.065 : 1));
        const double v = p.y * label.size / 100;
        p = label.upright ? Point{.x = label.at.x - v, .y = label.at.y - u}
                          : Point{.x = label.at.x + u, .y = label.at.y - v};
      }
      out.push_back(std::move(stroke));
    }
    along += text_width(letter, label.size, label.bold);
    rest.remove_prefix(length);
  }
  return out;
}

}  // namespace daedalus
