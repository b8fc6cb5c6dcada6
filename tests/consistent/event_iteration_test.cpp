// What happens at an instant: which branches run, in which order and how often; what pre() is; what is asked
// of others; iterations that do not settle; what is said of it, and what is saved.
#include <gtest/gtest.h>

#include <limits>

#include "consistent/events.hpp"
#include "consistent/handled.hpp"

namespace daedalus {
namespace {

using testing::Handled;

// A when runs at the instant at which its condition becomes true, and not as long as it is.
TEST(EventIteration, AWhenRunsOnceEachTimeItsConditionBecomesTrue) {
  Handled m(
      "Real x(start=0,fixed=true); discrete Integer n(start=0,fixed=true); equation der(x)=1; "
      "when x > 1 then n = pre(n) + 1; end when;");
  int expected = 0;
  for (const double x : {2.0, 0.5, 3.0, 0.0, 1.5}) {
    m.put("x", x);
    const bool rises = x > 1;
    ASSERT_TRUE(m.at(x, {0}).ok);
    expected += rises ? 1 : 0;
    EXPECT_EQ(m.value("n"), expected) << x;
    m.put("x", x + 0.01);
    ASSERT_TRUE(m.at(x + 0.01).ok);
    EXPECT_EQ(m.value("n"), expected) << "nothing has changed";
  }
}

// Of when and elsewhen the first one that becomes true runs, alone.
TEST(EventIteration, TheFirstBranchThatBecomesTrueRuns) {
  for (const auto& [x, expected] : std::initializer_list<std::pair<double, double>>{{1.5, 1}, {2.5, 1}}) {
    Handled m(
        "Real x(start=0,fixed=true); discrete Real d(start=0,fixed=true); equation der(x)=1; "
        "when x > 1 then d = 1; elsewhen x > 2 then d = 2; end when;");
    m.put("x", x);
    ASSERT_TRUE(m.at(x, x > 2 ? std::vector<int>{m.relation("x > 1"), m.relation("x > 2")}
                              : std::vector<int>{m.relation("x > 1")})
                    .ok);
    EXPECT_EQ(m.value("d"), expected) << x;
  }
  Handled later(
      "Real x(start=0,fixed=true); discrete Real d(start=0,fixed=true); equation der(x)=1; "
      "when x > 1 then d = 1; elsewhen x > 2 then d = 2; end when;");
  later.put("x", 1.5);
  ASSERT_TRUE(later.at(1.5, {later.relation("x > 1")}).ok);
  later.put("x", 2.5);
  ASSERT_TRUE(later.at(2.5, {later.relation("x > 2")}).ok);
  EXPECT_EQ(later.value("d"), 2) << "the first one was true before";
}

// pre() is the value before the instant, however often the instant is iterated; what follows from a change
// runs in it.
TEST(EventIteration, ConsequencesBelongToTheSameInstant) {
  Handled m(
      "Real x(start=0,fixed=true); discrete Integer a(start=0,fixed=true), b(start=0,fixed=true), "
      "c(start=0,fixed=true); equation der(x)=1; "
      "when x > 1 then a = pre(a) + 1; end when; when a > 0 then b = pre(b) + 10; end when; "
      "when b > 5 then c = pre(c) + b; end when;");
  m.put("x", 2);
  const EventReport report = m.at(2, {0});
  ASSERT_TRUE(report.ok) << report.failure;
  EXPECT_EQ(m.value("a"), 1);
  EXPECT_EQ(m.value("b"), 10);
  EXPECT_EQ(m.value("c"), 10);
  EXPECT_FALSE(report.what.empty());
}

// A continuous value that jumps with a discrete one, a relation of it, and what that relation does: all in
// one instant.
TEST(EventIteration, ContinuousAndDiscreteValuesSettleTogether) {
  Handled m(
      "Real x(start=0,fixed=true), y; discrete Real d(start=0,fixed=true); Boolean "
      "high(start=false,fixed=true); "
      "discrete Integer n(start=0,fixed=true); "
      "equation der(x)=1; y = x + d; when x > 1 then d = 10; end when; high = y > 5; "
      "when high then n = pre(n) + 1; end when;");
  m.put("x", 1);
  ASSERT_TRUE(m.at(1, {m.relation("x > 1")}).ok);
  EXPECT_EQ(m.value("d"), 10);
  EXPECT_EQ(m.value("y"), 11);
  EXPECT_EQ(m.value("high"), 1);
  EXPECT_EQ(m.value("n"), 1);
  EXPECT_LT(m.largest_residual(), 1e-9);
}

// reinit() is asked of whoever makes values consistent, by level and value.
TEST(EventIteration, ReinitsAreAskedFor) {
  Handled m(
      "Real h(start=1,fixed=true), v(start=0,fixed=true); equation der(h)=v; der(v)=-9.81; "
      "when h < 0 then reinit(v, -0.5*pre(v)); end when;");
  m.put("h", -1e-9);
  const DaeSystem& dae = m.model->dae();
  const int velocity = m.model->levels().level_of(dae.graph->variable(VariableId(0), 1));
  m.environment[static_cast<std::size_t>(m.model->layout().levels + velocity)] = -4;
  ASSERT_TRUE(m.at(0.45, {0}).ok);
  ASSERT_FALSE(m.asked.empty());
  EXPECT_EQ(m.asked.back().level, velocity);
  EXPECT_EQ(m.asked.back().value, 2);
  EXPECT_EQ(m.environment[static_cast<std::size_t>(m.model->layout().levels + velocity)], 2);
}

TEST(EventIteration, TerminateEndsWithItsMessage) {
  Handled m(
      "Real x(start=0,fixed=true); equation der(x)=1; when x > 1 then terminate(\"it is enough\"); end "
      "when;");
  m.put("x", 0.5);
  EXPECT_FALSE(m.at(0.5).terminated);
  m.put("x", 2);
  const EventReport report = m.at(2, {0});
  EXPECT_TRUE(report.terminated);
  EXPECT_EQ(report.message, "it is enough");
}

// What cannot settle is a failure in a sentence with the names of what goes to and fro.
TEST(EventIteration, WhatDoesNotSettleIsSaid) {
  Handled m(
      "Real x(start=0,fixed=true), y; Boolean b(start=false,fixed=true); equation der(x)=1; "
      "y = if b then -1 else 1; b = y*x > 0.5;");
  m.put("x", 1);
  const EventReport report = m.at(1, {0});
  EXPECT_FALSE(report.ok);
  EXPECT_NE(report.failure.find("y*x > 0.5"), std::string::npos) << report.failure;
}

// Where no continuous values belong to what happened, the failure names what did.
TEST(EventIteration, ValuesThatAreNotFoundAreSaid) {
  Handled m(
      "Real x(start=0,fixed=true), y(start=1); discrete Real d(start=1,fixed=true); equation der(x)=1; y^2 = "
      "d; "
      "when x > 1 then d = -1; end when;");
  m.put("x", 2);
  const EventReport report = m.at(2, {0});
  EXPECT_FALSE(report.ok);
  EXPECT_NE(report.failure.find("x > 1"), std::string::npos) << report.failure;
}

// Samples of commensurate intervals meet: both run at that instant, and the one after it is known.
TEST(EventIteration, SamplesThatMeetRunTogether) {
  Handled m(
      "discrete Integer a(start=0,fixed=true), b(start=0,fixed=true); Real x(start=0,fixed=true); "
      "equation der(x)=1; when sample(0.5, 0.5) then a = pre(a) + 1; end when; "
      "when sample(0.75, 0.75) then b = pre(b) + 1; end when;");
  const std::vector<double> expected{0.5, 0.75, 1.0, 1.5, 2.0, 2.25, 2.5, 3.0};
  double now = 0;
  for (const double t : expected) {
    now = m.events->next_time_event(now, 10);
    EXPECT_DOUBLE_EQ(now, t);
    ASSERT_TRUE(m.at(now).ok);
  }
  EXPECT_EQ(m.value("a"), 6);
  EXPECT_EQ(m.value("b"), 4);
  EXPECT_DOUBLE_EQ(m.events->next_time_event(now, 3.2), 3.5)
      << "known, although it is beyond what is asked for";
}

// At the beginning initial() branches run, and no others although their conditions hold.
TEST(EventIteration, InitialBranchesRunAtTheBeginning) {
  Handled m(
      "Real x(start=2,fixed=true); discrete Integer a(start=0,fixed=true), b(start=0,fixed=true); "
      "equation der(x)=1; when {initial(), x > 5} then a = pre(a) + 1; end when; "
      "when x > 1 then b = pre(b) + 1; end when;");
  EXPECT_EQ(m.value("a"), 1);
  EXPECT_EQ(m.value("b"), 0);
  m.put("x", 6);
  ASSERT_TRUE(m.at(4, {m.relation("x > 5")}).ok);
  EXPECT_EQ(m.value("a"), 2);
}

// What has happened is said in the user's words.
TEST(EventIteration, ReportsNameWhatChanged) {
  Handled m("Real x(start=0,fixed=true); Boolean b(start=false,fixed=true); equation der(x)=1; b = 2*x > 1;");
  m.put("x", 1);
  const EventReport report = m.at(1, {0});
  ASSERT_TRUE(report.ok);
  std::string all;
  for (const std::string& one : report.what) all += one + "\n";
  EXPECT_NE(all.find("2*x > 1"), std::string::npos) << all;
}

// Conditions and ticks that have passed are part of what is saved: in one that reads it the next event is the
// same.
TEST(EventIteration, SavedStateGoesOnAlike) {
  const std::string text =
      "Real x(start=0,fixed=true); discrete Integer n(start=0,fixed=true), k(start=0,fixed=true); "
      "equation der(x)=1; when x > 1 then n = pre(n) + 1; end when; "
      "when sample(0.25, 0.5) then k = pre(k) + 1; end when;";
  Handled m(text);
  ASSERT_TRUE(m.at(0.25).ok);
  m.put("x", 2);
  ASSERT_TRUE(m.at(0.5, {0}).ok);
  const auto bytes = to_bytes(*m.events);
  ASSERT_TRUE(bytes.has_value());
  Handled other(text);
  ASSERT_TRUE(from_bytes(*bytes, *other.events).has_value());
  std::ranges::copy(m.environment, other.environment.begin());
  for (Handled* one : {&m, &other}) {
    EXPECT_DOUBLE_EQ(one->events->next_time_event(0.5, 10), 0.75);
    ASSERT_TRUE(one->at(0.75).ok);
    EXPECT_EQ(one->value("n"), 1) << "x > 1 was true already";
    EXPECT_EQ(one->value("k"), 2);
  }
  Handled none("Real x(start=0,fixed=true); equation der(x)=1;");
  EXPECT_FALSE(from_bytes(*bytes, *none.events).has_value());
}

}  // namespace
}  // namespace daedalus
