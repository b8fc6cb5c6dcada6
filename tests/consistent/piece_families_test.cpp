// The search in pieces against products whose roots are known, and sequences that come to an end in a finite
// time or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "consistent/accumulation.hpp"
#include "consistent/piece_search.hpp"

namespace daedalus {
namespace {

// (x - r_1) (x - r_2) … + offset
class Product {
 public:
  explicit Product(const std::vector<double>& roots, double offset = 0) {
    const int x = program_.leaf(0);
    int product = program_.constant(1);
    for (const double root : roots)
      product = program_.apply(Op::Mul, product, program_.apply(Op::Sub, x, program_.constant(root)));
    program_.apply(Op::Add, product, program_.constant(offset));
  }
  [[nodiscard]] double at(double x) { return program_.value(std::array{x}, scratch_); }
  // The first piece of [0, 1] in which it leaves the side on which it begins.
  std::optional<Piece> first_change() {
    const bool positive = at(0) > 0;
    return first_leaving(
        {0, 1}, limits, pieces_,
        [this](Piece p) {
          return program_.bounds(std::array{Course{.value = {p.low, p.high}, .slope = {1, 1}}}, scratch_);
        },
        [this](double x) { return at(x); },
        [positive](Bounds b) { return positive ? b.low > 0 : b.high < 0; },
        [positive](double value) { return (value > 0) != positive; });
  }
  PieceLimits limits{.smallest = 1e-12, .coarse = 1e-3};

 private:
  CourseProgram program_;
  CourseProgram::Scratch scratch_;
  std::vector<Piece> pieces_;
};

TEST(PieceFamilies, TheFirstOfManyRootsIsFound) {
  std::mt19937 random(12);
  std::uniform_real_distribution<double> number(0.02, 0.98);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> roots(1 + static_cast<std::size_t>(trial % 5));
    std::ranges::generate(roots, [&] { return number(random); });
    Product product(roots);
    std::ranges::sort(roots);
    const auto found = product.first_change();
    ASSERT_TRUE(found.has_value()) << trial;
    EXPECT_LE(found->low, roots.front()) << trial;
    EXPECT_GE(found->high, roots.front()) << trial;
    if (roots.size() > 1) {
      EXPECT_LE(found->high, roots[1]) << trial;
    }
    EXPECT_GE(product.limits.evaluations, 0) << trial;
  }
}

// Two roots that are nearly one: what passes zero there by 2.5e-9 is found, what misses it by as much is not.
TEST(PieceFamilies, ATouchIsToldFromAMiss) {
  for (const double middle : {0.2, 0.5, 0.777}) {
    Product passes({middle - 5e-5, middle + 5e-5});
    EXPECT_TRUE(passes.first_change().has_value()) << middle;
    Product misses({middle, middle}, 2.5e-9);
    EXPECT_FALSE(misses.first_change().has_value()) << middle;
  }
}

// Intervals that shrink by a factor come to an end; equal ones, and those of sin(t²) late in its course, do
// not.
TEST(PieceFamilies, AccumulationIsAGeometricSequence) {
  constexpr std::array relation{0};
  for (const double factor : {0.3, 0.7, 0.9, 0.99}) {
    AccumulationWatch watch;
    double t = 0;
    double interval = 1;
    for (int k = 0; k < 20; ++k, interval *= factor) watch.crossed(t += interval, relation);
    EXPECT_TRUE(watch.shrinks(0)) << factor;
  }
  for (const double factor : {1.0, 1.01, 1.5}) {
    AccumulationWatch watch;
    double t = 0;
    double interval = 1;
    for (int k = 0; k < 20; ++k, interval *= factor) watch.crossed(t += interval, relation);
    EXPECT_FALSE(watch.shrinks(0)) << factor;
  }
  AccumulationWatch late;
  for (int k = 1000; k < 1050; ++k) late.crossed(std::sqrt(k), relation);
  EXPECT_FALSE(late.shrinks(0));
}

}  // namespace
}  // namespace daedalus
