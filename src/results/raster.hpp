// Pixels, and lines drawn into them without stairs.
#pragma once

#include <cstdint>
#include <vector>

#include "results/picture.hpp"

namespace daedalus {

class Raster {
 public:
  Raster(int width, int height);  // white

  // Round ends and corners. Where the pieces of one call cross, colour is laid on once.
  void stroke(const std::vector<Polyline>& pieces, const Pen& pen);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  // Row by row, three bytes a pixel.
  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  void cover(Point a, Point b, double radius);
  void blend(Colour colour);

  int width_;
  int height_;
  std::vector<std::uint8_t> bytes_;
  std::vector<float> coverage_;    // of the stroke being drawn
  std::vector<int> first_, last_;  // by row: the columns that it touched
};

// The file of a picture. RFC 2083, with the deflate of RFC 1951.
[[nodiscard]] std::string png_file(const Raster& raster, double pixels_per_inch);

}  // namespace daedalus
