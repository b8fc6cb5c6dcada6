#include <cmath>

#include "results/picture.hpp"
#include "results/raster.hpp"
#include "results/stroke_font.hpp"

namespace daedalus {
namespace {

constexpr double magnified = 2;

// The pieces of a line that a dash covers.
std::vector<Polyline> dashes(Point from, Point to) {
  constexpr double on = 4;
  constexpr double period = 7;
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const auto at = [&](double s) {
    return Point{.x = from.x + ((to.x - from.x) * s / length), .y = from.y + ((to.y - from.y) * s / length)};
  };
  std::vector<Polyline> out;
  for (int i = 0; i * period < length; ++i)
    out.push_back({at(i * period), at(std::min(length, (i * period) + on))});
  return out;
}

class PixelWriter {
 public:
  explicit PixelWriter(Raster& raster) : raster_(raster) {}

  void operator()(const StraightLine& line) {
    stroke(line.pen.dashed ? dashes(line.from, line.to) : std::vector<Polyline>{{line.from, line.to}},
           line.pen);
  }
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
