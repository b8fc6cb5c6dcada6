#include "consistent/explicit_part.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace daedalus {
namespace {

// x0² + x1² = 1;  x2 = sqrt(x0);  x3 = x2 + x1, with a derivative of sqrt that has no value.
ConstraintFunction chain() {
  return {.rows = 3,
          .columns = 4,
          .column_start = {0, 2, 4, 6, 7},
          .row = {0, 1, 0, 2, 1, 2, 2},
          .residual = [](std::span<const double>, std::span<double> c) { c[0] = c[1] = c[2] = 5; },
          .jacobian =
              [](std::span<const double>, std::span<double> values) {
                std::ranges::fill(values, std::numeric_limits<double>::infinity());
                values[0] = values[2] = 1;
              }};
}

using enum Willingness;

TEST(ExplicitPart, TakesOutWhatFollowsLastFirst) {
  const std::vector<Willingness> willing{Given, Given, Free, Free};
  const ExplicitPart part(chain(), [&](std::size_t k) { return willing[k]; });
  EXPECT_EQ(part.columns(), (std::vector<int>{3, 2}));
  EXPECT_EQ(part.rows(), (std::vector<int>{2, 1}));
  // What is left is the circle alone, with values everywhere.
  const ConstraintFunction reduced = part.reduced(chain());
  std::vector<double> c(3);
  std::vector<double> values(7);
  reduced.residual(std::vector<double>(4), c);
  reduced.jacobian(std::vector<double>(4), values);
  EXPECT_EQ(c, (std::vector<double>{5, 0, 0}));
  EXPECT_EQ(values, (std::vector<double>{1, 0, 1, 0, 0, 0, 0}));
}

TEST(ExplicitPart, ValuesThatWereGivenOrAreHeldAreNotTakenOut) {
  for (const Willingness kind : {Guess, Given, Held}) {
    const std::vector<Willingness> willing{Given, Given, Free, kind};
    const ExplicitPart part(chain(), [&](std::size_t k) { return willing[k]; });
    EXPECT_TRUE(part.columns().empty());
  }
}

// A default follows from values that others decide, but of two defaults of which either could follow from the
// other none is taken out: the nearest point decides.
TEST(ExplicitPart, DefaultsFollowFromWhatOthersDecide) {
  const std::vector<Willingness> willing{Given, Given, Default, Default};
  EXPECT_EQ(ExplicitPart(chain(), [&](std::size_t k) { return willing[k]; }).columns(),
            (std::vector<int>{3, 2}));
  ConstraintFunction sum = chain();
  sum.rows = 1;
  sum.columns = 2;
  sum.column_start = {0, 1, 2};
  sum.row = {0, 0};
  EXPECT_TRUE(ExplicitPart(sum, [](std::size_t) { return Default; }).columns().empty());
}

// A state that nobody gave decides what is still free, not the other way round.
TEST(ExplicitPart, DefaultsDoNotFollowFromWhatIsFree) {
  const std::vector<Willingness> willing{Given, Given, Free, Default};
  EXPECT_TRUE(ExplicitPart(chain(), [&](std::size_t k) { return willing[k]; }).columns().empty());
}

}  // namespace
}  // namespace daedalus
