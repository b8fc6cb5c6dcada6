#include "results/plot_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace daedalus {
namespace {

// Rows of one column of pixels, in the order in which they came.
struct PixelColumn {
  std::size_t count = 0;
  std::size_t lowest_at = 0;
  std::size_t highest_at = 0;
  Point first, lowest, highest, last;

  void add(Point p) {
    if (count == 0) first = lowest = highest = p;
    if (p.y < lowest.y) {
      lowest = p;
      lowest_at = count;
    }
    if (p.y > highest.y) {
      highest = p;
      highest_at = count;
    }
    last = p;
    ++count;
  }
};

class PathBuilder {
 public:
  void add(Point p) {
    if (column_.count > 0 && std::floor(p.x) != std::floor(column_.first.x)) flush();
    column_.add(p);
  }
  // The next point begins a new piece.
  void gap() {
    flush();
    pen_down_ = false;
  }
  std::vector<Polyline> finish() {
    flush();
    return std::move(pieces_);
  }

 private:
  void flush() {
    if (column_.count == 0) return;
    std::array<Point, 4> points{column_.first, column_.lowest, column_.highest, column_.last};
    if (column_.highest_at < column_.lowest_at) std::swap(points[1], points[2]);
    for (const Point& p : points) draw(p);
    column_ = {};
  }
  void draw(Point p) {
    if (pen_down_ && p == pieces_.back().back()) return;
    if (!pen_down_) pieces_.emplace_back();
    pieces_.back().push_back(p);
    pen_down_ = true;
  }

  std::vector<Polyline> pieces_;
  PixelColumn column_;
  bool pen_down_ = false;
};

}  // namespace

std::vector<Polyline> curve_pieces(const Curve& curve, const Axis& x, const Axis& y) {
  PathBuilder path;
  double held = std::nan("");  // the height of the last point, if there is one
  for (std::size_t row = 0; row < curve.times->size(); ++row) {
    const double value = curve.value(row);
    if (!std::isfinite(value)) {
      path.gap();
      held = value;
      continue;
    }
    const Point p{.x = x((*curve.times)[row]), .y = y(value)};
    if (curve.steps && std::isfinite(held)) path.add({.x = p.x, .y = held});
    path.add(p);
    held = p.y;
  }
  return path.finish();
}

std::string path_text(const std::vector<Polyline>& pieces) {
  std::string text;
  for (const Polyline& piece : pieces) {
    bool pen_down = false;
    for (const Point& p : piece) {
      fmt::format_to(std::back_inserter(text), "{}{:.1f} {:.1f}", pen_down ? "L" : "M", p.x, p.y);
      pen_down = true;
    }
  }
  return text;
}

std::string path_data(const Curve& curve, const Axis& x, const Axis& y) {
  return path_text(curve_pieces(curve, x, y));
}

}  // namespace daedalus
