// The first piece of a span in which a quantity leaves its side of a threshold, by bounds of the quantity and
// of its slope.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "consistent/course.hpp"

namespace daedalus {

struct Piece {
  double low = 0;
  double high = 0;
  [[nodiscard]] double middle() const { return low + ((high - low) / 2); }
};

// What is to be found: `bounds(piece)` and `at(x)` describe the quantity, `stays(bounds)` says that it is on
// its side all the time, `leaves(value)` that it is not.
struct PieceLimits {
  double smallest = 0;  // shorter pieces are judged by their end alone
  // The same where nothing bounds the slope.
  double coarse = 0;
  int evaluations = 20000;  // what is left of them; below 0: they did not suffice, and ends decided
};

template <class Bound, class At, class Stays, class Leaves>
std::optional<Piece> first_leaving(Piece span, PieceLimits& limits, std::vector<Piece>& pieces,
                                   Bound&& bounds, At&& at, Stays&& stays, Leaves&& leaves) {
  pieces.clear();
  pieces.push_back(span);
  while (!pieces.empty()) {
    const Piece piece = pieces.back();
    pieces.pop_back();
    const Course course = bounds(piece);
    if (stays(course.value)) continue;
    const double width = piece.high - piece.low;
    const bool monotone = course.slope.low > 0 || course.slope.high < 0;
    const bool bounded = std::isfinite(course.slope.low) && std::isfinite(course.slope.high);
    const double middle = piece.middle();
    if (monotone || width <= (bounded ? limits.smallest : limits.coarse) || --limits.evaluations < 0 ||
        middle <= piece.low || middle >= piece.high) {
      if (leaves(at(piece.high))) return piece;
      continue;
    }
    pieces.push_back({middle, piece.high});
    pieces.push_back({piece.low, middle});
  }
  return std::nullopt;
}

}  // namespace daedalus
