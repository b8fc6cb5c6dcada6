// What a run gives is plain data: how rows are laid out, and records of events, ranks and pivots that a saved
// run takes along.
#include "record/trajectory.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <tuple>

namespace daedalus {
namespace {

TEST(Trajectory, RowsStandOneAfterTheOther) {
  Trajectory trajectory;
  trajectory.signals = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
  trajectory.times = {0, 0.5};
  trajectory.values = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(trajectory.rows(), 2U);
  EXPECT_EQ(trajectory.at(0, 2), 3);
  EXPECT_EQ(trajectory.at(1, 0), 4);
}

TEST(RunResult, IsWellUnlessItsStatusSaysOtherwise) {
  RunResult result;
  EXPECT_TRUE(result.ok());
  result.summary.status = "failed";
  EXPECT_FALSE(result.ok());
}

std::tuple<double, std::string, int> parts(const EventRecord& e) {
  return {e.t, e.what, e.count};
}
std::tuple<double, int, int, std::vector<std::string>, std::string> parts(const RankChange& r) {
  return {r.t, r.from, r.to, r.constraints, r.hint};
}
std::tuple<double, std::vector<std::string>, std::vector<std::string>> parts(const PivotRecord& p) {
  return {p.t, p.states_out, p.states_in};
}

template <class Record>
void comes_back(const Record& record, Record other) {
  const auto bytes = to_bytes(record);
  ASSERT_TRUE(bytes.has_value());
  ASSERT_NE(parts(other), parts(record));
  ASSERT_TRUE(from_bytes(*bytes, other).has_value());
  EXPECT_EQ(parts(other), parts(record));
  // Cut off anywhere it is refused, and no bytes more are taken.
  for (std::size_t n = 0; n < bytes->size(); ++n) {
    Record cut;
    EXPECT_FALSE(from_bytes(std::span(*bytes).first(n), cut).has_value()) << n;
  }
}

// Every member, into a record that held something else.
TEST(Records, ComeBackFromBytes) {
  comes_back(EventRecord{.t = 0.1, .what = "x > 1; θ̇ < 0", .count = 70000},
             EventRecord{.t = 3, .what = "another", .count = 2});
  comes_back(EventRecord{.t = -std::numeric_limits<double>::infinity(), .what = "", .count = 1},
             EventRecord{.t = 3, .what = "another", .count = 2});
  comes_back(RankChange{.t = 1.0 / 3, .from = 4, .to = 2, .constraints = {"g = 0", ""}, .hint = "stretched"},
             RankChange{.t = 0, .from = 0, .to = 0, .constraints = {"h", "i", "j"}});
  comes_back(PivotRecord{.t = 5e-324, .states_out = {"x", "der(x)"}, .states_in = {"y", "der(y)"}},
             PivotRecord{.t = 1, .states_out = {}, .states_in = {"z"}});
}

}  // namespace
}  // namespace daedalus
