#include <algorithm>
#include <cmath>
#include <iterator>

#include "results/picture.hpp"
#include "results/raster.hpp"
#include "results/stroke_font.hpp"

namespace daedalus {
namespace {

constexpr double magnified = 2;

// The parts of a line that dashes cover, 4 pixels of every 7.
std::vector<Polyline> dashes(const Polyline& line) {
  constexpr double on = 4;
  constexpr double period = 7;
  std::vector<Polyline> out;
  double passed = 0;  // since the last dash began
  for (std::size_t i = 1; i < line.size(); ++i) {
    const Point a = line[i - 1];
    const Point b = line[i];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    for (double s = 0; s < length;) {
      const double left = (passed < on ? on : period) - passed;
      const double next = std::min(length, s + left);
      const auto at = [&](double where) {
        return Point{.x = a.x + ((b.x - a.x) * where / length), .y = a.y + ((b.y - a.y) * where / length)};
      };
      if (passed < on) {
        if (passed == 0 || out.empty()) out.push_back({at(s)});
        out.back().push_back(at(next));
      }
      passed = next < s + left ? passed + next - s : passed < on ? on : 0;
      s = next;
    }
  }
  return out;
}

class PixelWriter {
 public:
  explicit PixelWriter(Raster& raster) : raster_(raster) {}

  void operator()(const StraightLine& line) { stroke({{line.from, line.to}}, line.pen); }
  void operator()(const Rectangle& frame) {
    const auto [x, y] = frame.corner;
    const double right = x + frame.width;
    const double below = y + frame.height;
    stroke({{{x, y}, {right, y}, {right, below}, {x, below}, {x, y}}}, frame.pen);
  }
  void operator()(const Curves& curves) { stroke(curves.pieces, curves.pen); }
  void operator()(const Label& label) {
    stroke(label_strokes(label), {.colour = label.colour, .width = label.size * (label.bold ? 0.13 : 0.085)});
  }

 private:
  void stroke(std::vector<Polyline> pieces, Pen pen) {
    if (pen.dashed) {
      std::vector<Polyline> dashed;
      for (const Polyline& piece : pieces) std::ranges::move(dashes(piece), std::back_inserter(dashed));
      pieces = std::move(dashed);
    }
    for (Polyline& piece : pieces) {
      for (Point& p : piece) p = {.x = magnified * p.x, .y = magnified * p.y};
    }
    pen.width *= magnified;
    raster_.stroke(pieces, pen);
  }

  Raster& raster_;
};

}  // namespace

std::string picture_png(const Picture& picture) {
  Raster raster(static_cast<int>(std::lround(magnified * picture.width)),
                static_cast<int>(std::lround(magnified * picture.height)));
  PixelWriter writer(raster);
  for (const auto& item : picture.items) std::visit(writer, item);
  return png_file(raster, 96 * magnified);
}

}  // namespace daedalus
