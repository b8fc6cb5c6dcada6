#include "consistent/start_search.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "consistent/support.hpp"

namespace daedalus {
namespace {

using testing::Asked;

struct Found {
  Asked asked;
  StartSearch search;
  bool found;

  explicit Found(const std::string& text)
      : asked(text),
        search(*asked.problem),
        found((asked.problem->put(asked.problem->posed.guess), search.run())) {}
  [[nodiscard]] double operator[](const std::string& name) const {
    return search.values()[asked.unknown(name)];
  }
};

TEST(StartSearch, AStartThatFitsStaysToTheBit) {
  const Found m(
      "Real x(start=0.6), y(start=0.8), u(start=-0.8), w(start=0.6), l; equation der(x)=u; der(y)=w; "
      "der(u)=-l*x; der(w)=-l*y; x^2+y^2=1;");
  ASSERT_TRUE(m.found);
  EXPECT_EQ(m["x"], 0.6);
  EXPECT_EQ(m["y"], 0.8);
  EXPECT_NEAR(m["l"], 1, 1e-15);  // λ = v²
}

// The constraint is said twice and once more in other words: consistent, so the start stays.
TEST(StartSearch, RedundantConditionsThatHoldMoveNothing) {
  const Found m(
      "Real x(start=0.6,fixed=true), y(start=0.8), z(start=0.5); initial equation y = 0.8; x^2 + y^2 = 1; z "
      "= "
      "0.5; 2*z = 1; equation der(x)=y; der(y)=-x; der(z)=1;");
  ASSERT_TRUE(m.found);
  EXPECT_NEAR(m["x"], 0.6, 1e-15);
  EXPECT_NEAR(m["y"], 0.8, 1e-15);
  EXPECT_NEAR(m["z"], 0.5, 1e-15);
}

TEST(StartSearch, GivenValuesStayWhereOthersCanMove) {
  const Found m("Real x(start=2), y, s; equation der(x)=1; der(y)=s; x+y=5;");
  ASSERT_TRUE(m.found);
  EXPECT_EQ(m["x"], 2);
  EXPECT_NEAR(m["y"], 3, 1e-14);
}

// Two values that contradict each other share what must move, in units of their scales.
TEST(StartSearch, WhatMustMoveMovesLeast) {
  const Found m("Real x(start=2), y(start=2), s; equation der(x)=1; der(y)=s; x+y=5;");
  ASSERT_TRUE(m.found);
  EXPECT_NEAR(m["x"], 2.5, 1e-7);  // the search for the nearest point ends at steps of 1e-7
  EXPECT_NEAR(m["y"], 2.5, 1e-7);
  EXPECT_NEAR(m["x"] + m["y"], 5, 1e-14);
}

// Values that are off by little more than rounding are moved onto the constraint, not accepted.
TEST(StartSearch, WhatIsAlmostConsistentBecomesSo) {
  const Found m(
      "Real x(start=0.6), y(start=0.800000000001), u, w, l; equation der(x)=u; der(y)=w; der(u)=-l*x; "
      "der(w)=-l*y; x^2+y^2=1;");
  ASSERT_TRUE(m.found);
  EXPECT_NEAR(m["x"] * m["x"] + m["y"] * m["y"], 1, 4e-16);
  EXPECT_NEAR(m["x"], 0.6, 1e-12);
}

// A state that nobody gave may be of any size; one that was given may not run away.
TEST(StartSearch, ValuesThatNobodyGaveHaveAnySize) {
  const Found m("Real T(start=300,fixed=true), U, u; equation u=4184*(T-273.15); U=995.586*u; der(U)=1e6;");
  ASSERT_TRUE(m.found);
  EXPECT_NEAR(m["U"], 995.586 * 4184 * (300 - 273.15), 1e-6);
}

TEST(StartSearch, SaysWhereItStopped) {
  const Found m("Real x(start=1,fixed=true), y(start=1,fixed=true), s; equation der(x)=1; der(y)=s; x+y=5;");
  EXPECT_FALSE(m.found);
  EXPECT_NE(m.search.failure().status, NearestStatus::Ok);
  EXPECT_EQ(m.search.failure().z.size(), m.asked.problem->posed.guess.size());
}

// Of numbers of very different size: charges of pC beside volts.
TEST(StartSearch, UnitsDoNotMatter) {
  for (const double unit : {1e-12, 1.0, 1e12}) {
    const std::string c = fmt::format("{:g}", 2 * unit);
    const Found m("Real V(start=5), Q(nominal=" + c + "); equation Q=" + c + "*V; der(Q)=-V*V*" + c + ";");
    ASSERT_TRUE(m.found);
    EXPECT_EQ(m["V"], 5);
  }
}

}  // namespace
}  // namespace daedalus
