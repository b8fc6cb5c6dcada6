// Functions known by their values, as polynomials piece by piece.
#include "numerics/function_piece.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace daedalus {
namespace {

constexpr double relative = 1e-11;

struct Cover {
  std::vector<FunctionPiece> pieces;
  std::string trouble;
};

Cover cover(const TimeFunction& function, double begin, double end, double longest) {
  PieceMaker maker(relative);
  Cover cover;
  for (double t = begin; t < end;) {
    FunctionPiece piece;
    if (!maker.make(function, t, std::min(longest, end - t), piece)) {
      cover.trouble = maker.trouble();
      return cover;
    }
    EXPECT_GT(piece.next, t);
    EXPECT_GE(piece.next, piece.end);
    if (!(piece.next > t) || cover.pieces.size() > 5000) return cover;
    cover.pieces.push_back(piece);
    t = piece.next;
  }
  return cover;
}

// At points that the search does not know.
double worst_error(const Cover& cover, const TimeFunction& function) {
  double worst = 0;
  for (const FunctionPiece& piece : cover.pieces) {
    for (int k = 0; k <= 97; ++k) {
      const double t = piece.begin + ((piece.end - piece.begin) * k / 97);
      if (t > piece.end) continue;
      worst = std::max(worst, std::abs(piece(t) - function(t)));
    }
  }
  return worst;
}

TEST(FunctionPiece, APolynomialIsOnePiece) {
  const TimeFunction function = [](double t) { return 3 - t + (0.5 * t * t * t); };
  const Cover found = cover(function, -1, 4, 10);
  ASSERT_EQ(found.pieces.size(), 1U);
  EXPECT_FALSE(found.pieces[0].breaks);
  EXPECT_LT(worst_error(found, function), 1e-12 * 32);
}

// Both ends are nodes: pieces join to rounding.
TEST(FunctionPiece, SmoothFunctionsAreFollowedAndPiecesJoin) {
  for (const TimeFunction& function :
       {TimeFunction([](double t) { return std::sin(t); }),
        TimeFunction([](double t) { return std::sin(40 * t); }),
        TimeFunction([](double t) { return std::exp(-3 * t); }),
        TimeFunction([](double t) { return 1 / (1 + (25 * (t - 2) * (t - 2))); }),
        TimeFunction([](double t) { return std::sin(t * t * t); })}) {
    const Cover found = cover(function, 0, 5, 1);
    EXPECT_EQ(found.trouble, "");
    // Ten times the bound: it is checked between the nodes, not everywhere.
    EXPECT_LT(worst_error(found, function), 10 * relative);
    for (std::size_t k = 0; k + 1 < found.pieces.size(); ++k) {
      EXPECT_FALSE(found.pieces[k].breaks);
      const double t = found.pieces[k].end;
      EXPECT_NEAR(found.pieces[k](t), found.pieces[k + 1](t), 1e-14);
    }
    EXPECT_GE(found.pieces.back().end, 5);
  }
}

TEST(FunctionPiece, ADifferentSpeedIsNoBreak) {
  const TimeFunction chirp = [](double t) { return std::sin(std::exp(t)); };
  for (const FunctionPiece& piece : cover(chirp, 0, 6, 2).pieces) EXPECT_FALSE(piece.breaks);
}

TEST(FunctionPiece, JumpsAreLocatedToRounding) {
  for (const double at : {0.3, 1.0 / 3.0, 0.9999999, 1e-7}) {
    const TimeFunction function = [at](double t) { return t < at ? std::cos(t) : 2 + t; };
    const Cover found = cover(function, 0, 1, 0.25);
    int breaks = 0;
    for (const FunctionPiece& piece : found.pieces) {
      if (!piece.breaks) continue;
      ++breaks;
      EXPECT_LE(std::abs(piece.end - at), 4e-16);
      EXPECT_LE(std::abs(piece.next - at), 4e-16);
      EXPECT_NEAR(piece(piece.end), std::cos(at), 1e-10);
    }
    EXPECT_EQ(breaks, 1) << at;
    EXPECT_LT(worst_error(found, function), 30 * relative);
  }
}

TEST(FunctionPiece, BendsAreFound) {
  const TimeFunction function = [](double t) { return std::abs(std::sin(t)); };
  const Cover found = cover(function, 1, 10, 1);
  std::vector<double> bends;
  for (const FunctionPiece& piece : found.pieces) {
    if (piece.breaks) bends.push_back(piece.end);
  }
  ASSERT_EQ(bends.size(), 3U);
  for (std::size_t k = 0; k < bends.size(); ++k)
    EXPECT_NEAR(bends[k], static_cast<double>(k + 1) * 3.14159265358979323846, 1e-9);
  EXPECT_LT(worst_error(found, function), 10 * relative + 1e-10);
}

// What is held from sample to sample.
TEST(FunctionPiece, AStaircase) {
  const TimeFunction function = [](double t) {
    return std::floor(10 * t) * (std::fmod(std::floor(10 * t), 3) - 1);
  };
  const Cover found = cover(function, 0, 2, 0.04);
  EXPECT_EQ(found.trouble, "");
  EXPECT_LT(worst_error(found, function), 1e-9);
}

TEST(FunctionPiece, AJumpRightAtTheBeginningIsBehindUs) {
  const TimeFunction function = [](double t) { return t > 0.5 ? 1.0 : 0.0; };
  PieceMaker maker(relative);
  FunctionPiece piece;
  ASSERT_TRUE(maker.make(function, 0.5, 0.1, piece));
  EXPECT_EQ(piece(0.55), 1);
}

TEST(FunctionPiece, WhatCannotBeFollowedIsSaid) {
  PieceMaker maker(relative);
  FunctionPiece piece;
  EXPECT_FALSE(maker.make([](double t) { return std::sqrt(1 - t); }, 0.9, 1, piece));
  EXPECT_NE(maker.trouble().find("nan at t = "), std::string::npos) << maker.trouble();
  unsigned state = 1;
  const TimeFunction noise = [&state](double) {
    state = (1664525 * state) + 1013904223;
    return static_cast<double>(state);
  };
  EXPECT_FALSE(maker.make(noise, 1, 1, piece));
  EXPECT_NE(maker.trouble().find("no smooth piece"), std::string::npos) << maker.trouble();
}

TEST(FunctionPiece, NodesAreTheEndsAndOthersBetweenThem) {
  const auto nodes = FunctionPiece::nodes();
  ASSERT_EQ(nodes.size(), FunctionPiece::size);
  EXPECT_EQ(nodes[0], 0);
  EXPECT_EQ(nodes[1], 1);
  for (std::size_t k = 2; k < nodes.size(); ++k) {
    EXPECT_GT(nodes[k], 0);
    EXPECT_LT(nodes[k], 1);
  }
}

}  // namespace
}  // namespace daedalus
