#include "consistent/piece_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace daedalus {
namespace {

// sin(ω x) by its exact bounds of the slope, and bounds of the value that follow from them.
struct Wave {
  double omega = 1;
  double offset = 0;
  [[nodiscard]] double at(double x) const { return std::sin(omega * x) - offset; }
  [[nodiscard]] Course bounds(Piece piece) const {
    const double reach = omega * (piece.high - piece.low) / 2;
    const double middle = at(piece.middle());
    const double slope = omega * std::cos(omega * piece.middle());
    const double bend = omega * omega * (piece.high - piece.low) / 2;
    return {.value = {middle - reach, middle + reach}, .slope = {slope - bend, slope + bend}};
  }
};

std::optional<Piece> above_zero(const Wave& wave, Piece span, PieceLimits& limits) {
  std::vector<Piece> pieces;
  return first_leaving(
      span, limits, pieces, [&](Piece p) { return wave.bounds(p); }, [&](double x) { return wave.at(x); },
      [](Bounds b) { return b.high <= 0; }, [](double value) { return value > 0; });
}

// The first of many crests that pass 0.99: between asin(0.99) and its mirror.
TEST(PieceSearch, FindsTheFirstOfManyTurns) {
  const Wave wave{.omega = 50, .offset = 0.99};
  PieceLimits limits{.smallest = 1e-9, .coarse = 1e-3};
  const auto found = above_zero(wave, {0, 10}, limits);
  ASSERT_TRUE(found.has_value());
  const double first = std::asin(0.99) / 50;
  EXPECT_LE(found->low, first);
  EXPECT_GE(found->high, first);
  EXPECT_LE(found->high, (std::numbers::pi / 50) - first);
}

TEST(PieceSearch, FindsNothingWhereNothingIs) {
  const Wave wave{.omega = 50, .offset = 1.001};
  PieceLimits limits{.smallest = 1e-9, .coarse = 1e-3};
  EXPECT_FALSE(above_zero(wave, {0, 10}, limits).has_value());
  EXPECT_GT(limits.evaluations, 0);
}

TEST(PieceSearch, SaysWhenItsEvaluationsDidNotSuffice) {
  const Wave wave{.omega = 5000, .offset = 1.0000001};
  PieceLimits limits{.smallest = 1e-12, .coarse = 1e-3, .evaluations = 100};
  (void)above_zero(wave, {0, 10}, limits);
  EXPECT_LT(limits.evaluations, 0);
}

}  // namespace
}  // namespace daedalus
