#include "results/select.hpp"

#include <gtest/gtest.h>

#include "results/support.hpp"

namespace daedalus {
namespace {

using Names = std::vector<std::string>;

TEST(Select, Patterns) {
  EXPECT_TRUE(matches_pattern("body.x", "body.*"));
  EXPECT_TRUE(matches_pattern("body.x", "*"));
  EXPECT_TRUE(matches_pattern("body.x", "b*y.?"));
  EXPECT_TRUE(matches_pattern("R[1,2]", "R[1,*]"));
  EXPECT_TRUE(matches_pattern("", "*"));
  EXPECT_FALSE(matches_pattern("body.x", "body"));
  EXPECT_FALSE(matches_pattern("body.x", "*.y"));
  EXPECT_FALSE(matches_pattern("R1", "R[1]"));
  // Not exponential.
  EXPECT_FALSE(matches_pattern(std::string(5000, 'a'), "*a*a*a*a*a*a*a*a*b"));
}

TEST(Select, NamesInTheOrderAskedEachOnce) {
  const Names available{"x", "y", "vx", "vy", "lambda"};
  EXPECT_EQ(expand_names(Names{"lambda", "v*", "vx", "der(x)"}, available).value(),
            (Names{"lambda", "vx", "vy", "der(x)"}));
  EXPECT_EQ(expand_names(Names{"der(v?)"}, available).value(), (Names{"der(vx)", "der(vy)"}));
}

TEST(Select, UnknownNamesSuggestTheNearest) {
  const Names available{"x", "y", "lambda"};
  EXPECT_EQ(expand_names(Names{"lamda"}, available).error().front().message,
            "unknown variable 'lamda'; did you mean 'lambda'? (known: x, y, lambda)");
  EXPECT_EQ(expand_names(Names{"q*"}, available).error().front().message, "no variable matches 'q*'");
  EXPECT_FALSE(expand_names(Names{"der(z)"}, available));
}

TEST(Select, ResultWithTheseSignalsOnly) {
  RunResult result{.trajectory = sample_trajectory(4), .summary = {}};
  result.summary.final_values = {{"x", 1}, {"y", 2}, {"on", 3}};
  const Trajectory all = result.trajectory;
  ASSERT_TRUE(restrict_to(Names{"on", "x"}, result));
  ASSERT_EQ(result.trajectory.signals.size(), 2u);
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(result.trajectory.at(row, 0), all.at(row, 2));
    EXPECT_EQ(result.trajectory.at(row, 1), all.at(row, 0));
  }
  EXPECT_EQ(result.summary.final_values.size(), 2u);
}

TEST(Select, WhatIsNotThereIsAnErrorAndTheRestIsKept) {
  RunResult result{.trajectory = sample_trajectory(4), .summary = {}};
  const auto outcome = restrict_to(Names{"x", "der(y)"}, result);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().front().message, "'der(y)' is not among the results of this run");
  EXPECT_EQ(result.trajectory.signals.size(), 1u);
}

}  // namespace
}  // namespace daedalus
