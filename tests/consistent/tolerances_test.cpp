#include "consistent/tolerances.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace daedalus {
namespace {

// What the reasons in the header say of one another.
TEST(Tolerances, FitEachOther) {
  using namespace consistent;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  EXPECT_GT(rounding_of_terms, epsilon);
  EXPECT_LT(rounding_of_terms, 100 * epsilon);
  EXPECT_LT(block_last_step * block_last_step, epsilon);  // the step after the last one is rounding
  EXPECT_LT(stagnating_residual, fulfilled);
  EXPECT_LT(saddle_regularisation, stagnating_residual);
  EXPECT_LT(polished_step, consistent_step);
}

}  // namespace
}  // namespace daedalus
