#include "core/float_mode.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace daedalus {
namespace {

// Not known to the compiler.
double times(double a, double b) {
  volatile double x = a;
  volatile double y = b;
  return x * y;
}

#if defined(__x86_64__)
TEST(FloatMode, TinyNumbersAreZeroInItsScopeOnly) {
  EXPECT_GT(times(1e-200, 1e-110), 0);
  {
    const FloatMode mode(FloatMode::tiny_is_zero());
    EXPECT_EQ(times(1e-200, 1e-110), 0);
    EXPECT_EQ(times(1e-200, 1e-107), 1e-200 * 1e-107);  // the smallest that is not
    double elsewhere = -1;
    std::thread([&elsewhere, word = FloatMode::current()] {
      const FloatMode same(word);
      elsewhere = times(1e-200, 1e-110);
    }).join();
    EXPECT_EQ(elsewhere, 0);
  }
  EXPECT_GT(times(1e-200, 1e-110), 0);
}
#endif

}  // namespace
}  // namespace daedalus
