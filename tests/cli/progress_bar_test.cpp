#include "cli/progress_bar.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace daedalus::cli {
namespace {

TEST(ProgressBar, ShowsPercentTimeStepAndOrder) {
  EXPECT_EQ(progress_line({.t = 5, .t_start = 0, .t_end = 10, .step = 0.0125, .order = 4}),
            "[###############---------------]  50 %  t = 5  h = 0.0125  order 4");
}

TEST(ProgressBar, StartsWhereTheRunStarts) {
  EXPECT_TRUE(progress_line({.t = 100, .t_start = 100, .t_end = 200})
                  .starts_with("[" + std::string(30, '-') + "]   0 %"));
  EXPECT_TRUE(progress_line({.t = 200, .t_start = 100, .t_end = 200})
                  .starts_with("[" + std::string(30, '#') + "] 100 %"));
}

TEST(ProgressBar, OddTimesDoNoHarm) {
  for (const double t : {-1.0, 11.0, std::nan(""), HUGE_VAL}) {
    const std::string line = progress_line({.t = t, .t_start = 0, .t_end = 10});
    EXPECT_EQ(line.find(']'), 31u) << line;
  }
  EXPECT_EQ(progress_line({.t = 0, .t_start = 0, .t_end = 0}).find(']'), 31u);
}

}  // namespace
}  // namespace daedalus::cli
