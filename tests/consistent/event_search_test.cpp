// Relations that switch in circles although one combination of them fits.
#include "consistent/combinations.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "consistent/events.hpp"
#include "consistent/handled.hpp"

namespace daedalus {
namespace {

using testing::Handled;

TEST(Combinations, EachOnceTheNearestFirst) {
  const std::vector<unsigned> turns = turns_by_number(4);
  EXPECT_EQ(std::set<unsigned>(turns.begin(), turns.end()).size(), 16U);
  EXPECT_EQ(turns.front(), 0U);
  EXPECT_EQ(turns.back(), 15U);
  for (std::size_t k = 1; k < turns.size(); ++k)
    EXPECT_LE(std::popcount(turns[k - 1]), std::popcount(turns[k]));
}

TEST(Combinations, OfNothingThereIsOne) {
  EXPECT_EQ(turns_by_number(0), std::vector<unsigned>{0});
}

// A wheel with a loss of 2.5, either way, stops. While it turns, s = a + loss with a = -loss/J is far below
// -2.5, so that it seems to start backwards; then it is far above 2.5, so that it seems to start forwards.
// That it stays where it is (s = 0) fits, and nothing else does. The library's gear with losses is so.
constexpr const char* wheel =
    "Real w(start=0.1,fixed=true), s, a, loss; Boolean forward, backward, locked; "
    "Integer mode(start=1,fixed=true); equation der(w) = a; 0.002*a = -loss; "
    "forward = pre(mode) == 0 and s > 2.5; backward = pre(mode) == 0 and s < -2.5; "
    "locked = not (pre(mode) == 1 or forward or pre(mode) == -1 or backward); "
    "loss = if locked then s elseif forward or pre(mode) == 1 then 2.5 else -2.5; "
    "a = if locked then 0 else s - loss; "
    "mode = if (pre(mode) == 1 or forward) and w > 0 then 1 "
    "elseif (pre(mode) == -1 or backward) and w < 0 then -1 else 0;";

TEST(EventSearch, TheCombinationThatFitsIsFound) {
  Handled m(wheel);
  EXPECT_EQ(m.value("mode"), 1);
  m.put("w", 0);
  const EventReport report = m.at(8e-5, {m.relation("w > 0")});
  ASSERT_TRUE(report.ok) << report.failure;
  EXPECT_TRUE(report.warning.empty()) << report.warning;
  EXPECT_EQ(m.value("mode"), 0);
  EXPECT_EQ(m.value("locked"), 1);
  EXPECT_EQ(m.value("forward"), 0);
  EXPECT_EQ(m.value("backward"), 0);
  EXPECT_NEAR(m.value("s"), 0, 1e-12);  // rounding of numbers up to 1250
}

// b is true where it is false: no combination fits, and that is said.
TEST(EventSearch, WhereNothingFitsItIsSaid) {
  Handled m(
      "Real x(start=0,fixed=true), y; Boolean b, c; equation der(x) = 1; "
      "y = if time < 0.5 then -1 elseif b then -1 else 1; b = y > 0; c = x > 5;");
  const EventReport report = m.at(0.5, {m.relation("time < 0.5")});
  EXPECT_FALSE(report.ok);
  EXPECT_NE(report.failure.find("y > 0"), std::string::npos) << report.failure;
}

}  // namespace
}  // namespace daedalus
