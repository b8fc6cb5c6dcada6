#include "results/raster.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {

Raster::Raster(int width, int height)
    : width_(width),
      height_(height),
      bytes_(std::size_t(3) * width * height, 255),
      coverage_(std::size_t(width) * height, 0.0F),
      first_(static_cast<std::size_t>(height), width),
      last_(static_cast<std::size_t>(height), -1) {}

void Raster::stroke(const std::vector<Polyline>& pieces, const Pen& pen) {
  for (const Polyline& piece : pieces) {
    for (std::size_t i = 0; i < piece.size(); ++i) cover(piece[i == 0 ? 0 : i - 1], piece[i], pen.width / 2);
  }
  blend(pen.colour);
}

// How much of a pixel a line covers is taken from the distance of its centre to the line: exact for straight
// edges along the axes, and off by less than a tenth across.
void Raster::cover(Point a, Point b, double radius) {
  const double reach = radius + 1;
  const auto limited = [](double value, int most) {
    return static_cast<int>(std::clamp(value, 0.0, static_cast<double>(most)));
  };
  const int top = limited(std::min(a.y, b.y) - reach, height_);
  const int bottom = limited(std::max(a.y, b.y) + reach + 1, height_);
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double square = (dx * dx) + (dy * dy);
  for (int row = top; row < bottom; ++row) {
    const double py = row + 0.5;
    // The part of the line that is near this row bounds the columns.
    double low = std::min(a.x, b.x);
    double high = std::max(a.x, b.x);
    if (std::abs(dy) > 1e-9) {
      const auto x_at = [&](double y) { return a.x + (dx * std::clamp((y - a.y) / dy, 0.0, 1.0)); };
      const double u = x_at(py - reach);
      const double v = x_at(py + reach);
      low = std::min(u, v);
      high = std::max(u, v);
    }
    const int from = limited(low - reach, width_);
    const int to = limited(high + reach + 1, width_);
    for (int column = from; column < to; ++column) {
      const double px = column + 0.5;
      const double s =
          square > 0 ? std::clamp((((px - a.x) * dx) + ((py - a.y) * dy)) / square, 0.0, 1.0) : 0;
      const double distance = std::hypot(px - a.x - (s * dx), py - a.y - (s * dy));
      const double part = std::clamp(radius + 0.5 - distance, 0.0, std::min(1.0, 2 * radius));
      float& covered = coverage_[(std::size_t(row) * width_) + column];
      covered = std::max(covered, static_cast<float>(part));
    }
    if (from < to) {
      first_[std::size_t(row)] = std::min(first_[std::size_t(row)], from);
      last_[std::size_t(row)] = std::max(last_[std::size_t(row)], to - 1);
    }
  }
}

void Raster::blend(Colour colour) {
  for (int row = 0; row < height_; ++row) {
    for (int column = first_[std::size_t(row)]; column <= last_[std::size_t(row)]; ++column) {
      float& part = coverage_[(std::size_t(row) * width_) + column];
      if (part == 0) continue;
      // Sixteen shades are enough for the eye, and few colours make a small file.
      part = std::round(15 * part) / 15;
      std::uint8_t* pixel = &bytes_[3 * ((std::size_t(row) * width_) + column)];
      const auto mix = [part](std::uint8_t& below, std::uint8_t above) {
        below = static_cast<std::uint8_t>(std::lround(below + (part * (above - below))));
      };
      mix(pixel[0], colour.red);
      mix(pixel[1], colour.green);
      mix(pixel[2], colour.blue);
      part = 0;
    }
    first_[std::size_t(row)] = width_;
    last_[std::size_t(row)] = -1;
  }
}

}  // namespace daedalus
