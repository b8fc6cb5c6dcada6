#include "expr/rounding.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "support/equations.hpp"

namespace daedalus {
namespace {

using testing::Term;

constexpr double unit = std::numeric_limits<double>::epsilon() / 2;

struct Rows {
  testing::Equations equations;
  Term x = equations.variable("x");
  Term y = equations.variable("y");

  Rounded at(Term root, double x_value, double y_value) const {
    const auto leaf = [&](NodeId id) { return id == x.node ? x_value : y_value; };
    return evaluate_rounded(*equations.system.graph, std::vector{root.node}, leaf).front();
  }
};

TEST(Rounding, OfOneOperationIsThatOfItsArgumentsAndItsOwn) {
  Rows rows;
  const Rounded sum = rows.at(rows.x + rows.y, 3, 4);
  EXPECT_EQ(sum.value, 7);
  EXPECT_DOUBLE_EQ(sum.error, (3 + 4 + 7) * unit);
  const Rounded product = rows.at(rows.x * rows.y, 3, -4);
  EXPECT_EQ(product.value, -12);
  EXPECT_DOUBLE_EQ(product.error, 3 * 12 * unit);
}

// What cancels leaves the rounding of its terms.
TEST(Rounding, OfADifferenceHasTheSizeOfItsTerms) {
  Rows rows;
  const Rounded difference = rows.at(rows.x - rows.y, 1e6, 1e6);
  EXPECT_EQ(difference.value, 0);
  EXPECT_DOUBLE_EQ(difference.error, 2e6 * unit);
}

TEST(Rounding, ZeroIsExact) {
  Rows rows;
  EXPECT_EQ(rows.at(rows.x * rows.y, 0, 5).error, 0);
  EXPECT_EQ(rows.at(rows.x + rows.y, 0, 0).error, 0);
}

TEST(Rounding, WithoutAFiniteBoundItIsZero) {
  Rows rows;
  EXPECT_EQ(rows.at(rows.equations.number(1) / rows.x, 0, 1).error, 0);
}

// Against long double: (x + y)² - x² - 2 x y - y² is zero but for rounding, which the bound covers.
TEST(Rounding, BoundsWhatIsThere) {
  Rows rows;
  const Term sum = rows.x + rows.y;
  const Term root =
      sum * sum - rows.x * rows.x - rows.equations.number(2) * rows.x * rows.y - rows.y * rows.y;
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> any(-1e3, 1e3);
  for (int k = 0; k < 1000; ++k) {
    const Rounded found = rows.at(root, any(generator), any(generator));
    EXPECT_LE(std::abs(found.value), found.error);
    EXPECT_LE(found.error, 100 * unit * 4e6);  // a few dozen roundings of the largest term
  }
}

}  // namespace
}  // namespace daedalus
