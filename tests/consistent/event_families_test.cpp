// Discrete behaviour against machines written down in C++: whatever the inputs do, the model's latches,
// counters and registers are those of the machine.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "consistent/handled.hpp"

namespace daedalus {
namespace {

using testing::Handled;

// Puts inputs and handles the event at which those relations change whose truth is another one now.
void go_to(Handled& m, double t, const std::vector<std::pair<std::string, double>>& inputs) {
  for (const auto& [name, value] : inputs) m.put(name, value);
  m.environment[static_cast<std::size_t>(m.model->layout().time)] = t;
  std::vector<double> differences(m.model->dae().relations.size());
  std::vector<double> workspace;
  m.model->relations.evaluate(m.environment, differences, workspace);
  std::vector<int> crossed;
  for (std::size_t r = 0; r < differences.size(); ++r) {
    const bool held = m.environment[static_cast<std::size_t>(m.model->layout().relations) + r] != 0;
    if (held != (differences[r] > 0)) crossed.push_back(static_cast<int>(r));
  }
  const EventReport report = m.at(t, crossed);
  ASSERT_TRUE(report.ok) << report.failure;
}

// A latch that x sets and y resets, its count, and a register that remembers x of the last time.
TEST(EventFamilies, ALatchIsThatOfTheTable) {
  Handled m(
      "Real x(start=0,fixed=true), y(start=0,fixed=true); Boolean q(start=false,fixed=true); "
      "discrete Integer n(start=0,fixed=true); discrete Real kept(start=0,fixed=true); "
      "equation der(x)=1; der(y)=1; "
      "when x > 0.5 then q = true; n = pre(n) + (if pre(q) then 0 else 1); kept = x; "
      "elsewhen y > 0.5 then q = false; n = pre(n); kept = pre(kept); end when;");
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(0, 1);
  bool set = false;    // x > 0.5 before
  bool reset = false;  // y > 0.5 before
  bool q = false;
  int n = 0;
  double kept = 0;
  for (int k = 1; k <= 200; ++k) {
    const double x = number(random);
    const double y = number(random);
    if (x > 0.5 && !set) {
      n += q ? 0 : 1;
      q = true;
      kept = x;
    } else if (y > 0.5 && !reset) {
      q = false;
    }
    set = x > 0.5;
    reset = y > 0.5;
    go_to(m, k, {{"x", x}, {"y", y}});
    ASSERT_EQ(m.value("q"), q ? 1 : 0) << k;
    ASSERT_EQ(m.value("n"), n) << k;
    ASSERT_EQ(m.value("kept"), kept) << k;
  }
}

// A counter modulo 5, whose overflow counts on, in one instant: 4 to 0 with a carry.
TEST(EventFamilies, CountersCarryWithinTheInstant) {
  Handled m(
      "Real x(start=0,fixed=true); discrete Integer low(start=0,fixed=true), high(start=0,fixed=true); "
      "Boolean over(start=false,fixed=true); equation der(x)=1; "
      "when x > 0.5 then low = mod(pre(low) + 1, 5); end when; "
      "over = low == 0 and pre(low) == 4; when over then high = pre(high) + 1; end when;");
  for (int k = 1; k <= 40; ++k) {
    const bool up = k % 2 == 1;
    go_to(m, k, {{"x", up ? 1.0 : 0.0}});
    const int pulses = (k + 1) / 2;
    ASSERT_EQ(m.value("low"), pulses % 5) << k;
    ASSERT_EQ(m.value("high"), pulses / 5) << k;
  }
}

// A two-point controller with hysteresis: on below 1, off above 2, unchanged between.
TEST(EventFamilies, HysteresisRemembers) {
  Handled m(
      "Real x(start=1.5,fixed=true), heat; Boolean on(start=false,fixed=true); equation der(x)=heat; "
      "on = x < 1 or (pre(on) and x < 2); heat = if on then 3 else -1;");
  std::mt19937 random(2);
  std::uniform_real_distribution<double> number(0.5, 2.5);
  bool on = false;
  for (int k = 1; k <= 200; ++k) {
    const double x = number(random);
    on = x < 1 || (on && x < 2);
    go_to(m, k, {{"x", x}});
    ASSERT_EQ(m.value("on"), on ? 1 : 0) << "at " << x;
    ASSERT_EQ(m.value("heat"), on ? 3 : -1) << "at " << x;
  }
}

// A shift register: what was there is passed on by one place an instant, not by more.
TEST(EventFamilies, RegistersShiftByOneAnInstant) {
  Handled m(
      "Real x(start=0,fixed=true), c(start=0,fixed=true); discrete Real r1(start=0,fixed=true), "
      "r2(start=0,fixed=true), r3(start=0,fixed=true); equation der(x)=1; der(c)=0; "
      "when c > 0.5 then r1 = x; r2 = pre(r1); r3 = pre(r2); end when;");
  std::array<double, 3> expected{};
  for (int k = 1; k <= 30; ++k) {
    const double x = std::sin(k);
    const bool clock = k % 3 == 0;
    if (clock) expected = {x, expected[0], expected[1]};
    go_to(m, k, {{"x", x}, {"c", clock ? 1.0 : 0.0}});
    ASSERT_EQ(m.value("r1"), expected[0]) << k;
    ASSERT_EQ(m.value("r2"), expected[1]) << k;
    ASSERT_EQ(m.value("r3"), expected[2]) << k;
  }
}

// A finite automaton with three states and two inputs, against its table.
TEST(EventFamilies, AutomataFollowTheirTables) {
  Handled m(
      "Real a(start=0,fixed=true), b(start=0,fixed=true); discrete Integer s(start=1,fixed=true); "
      "equation der(a)=0; der(b)=0; "
      "when a > 0.5 then s = if pre(s) == 1 then 2 elseif pre(s) == 2 then 3 else 3; "
      "elsewhen b > 0.5 then s = if pre(s) == 3 then 1 else pre(s); end when;");
  constexpr std::array<int, 4> by_a{0, 2, 3, 3};
  constexpr std::array<int, 4> by_b{0, 1, 2, 1};
  std::mt19937 random(3);
  int s = 1;
  std::array<bool, 2> before{};
  for (int k = 1; k <= 300; ++k) {
    const std::array<bool, 2> now{random() % 2 == 0, random() % 2 == 0};
    if (now[0] && !before[0]) {
      s = by_a[static_cast<std::size_t>(s)];
    } else if (now[1] && !before[1]) {
      s = by_b[static_cast<std::size_t>(s)];
    }
    before = now;
    go_to(m, k, {{"a", now[0] ? 1.0 : 0.0}, {"b", now[1] ? 1.0 : 0.0}});
    ASSERT_EQ(m.value("s"), s) << k;
  }
}

// Ticks of three clocks, each as often as its interval fits, and the time between two instants never zero.
TEST(EventFamilies, ClocksTickAsOftenAsTheyFit) {
  Handled m(
      "discrete Integer a(start=0,fixed=true), b(start=0,fixed=true), c(start=0,fixed=true); "
      "Real x(start=0,fixed=true); equation der(x)=1; when sample(0, 0.3) then a = pre(a) + 1; end when; "
      "when sample(0.1, 0.7) then b = pre(b) + 1; end when; when sample(2, 0.1) then c = pre(c) + 1; end "
      "when;");
  ASSERT_EQ(m.events->next_time_event(0, 100), 0);  // the first tick is at the start
  ASSERT_TRUE(m.at(0).ok);
  double now = 0;
  for (;;) {
    const double next = m.events->next_time_event(now, 100);
    if (next > 10.05) break;
    ASSERT_GT(next, now);
    now = next;
    ASSERT_TRUE(m.at(now).ok);
  }
  EXPECT_EQ(m.value("a"), 34);  // 0, 0.3, … 9.9
  EXPECT_EQ(m.value("b"), 15);  // 0.1, 0.8, … 9.9
  EXPECT_EQ(m.value("c"), 81);  // 2, 2.1, … 10
}

// Relations of discrete values alone follow in the instant, in any order of the equations.
TEST(EventFamilies, ChainsOfBooleansFollowInAnyOrder) {
  std::array<std::string, 4> equations{"b1 = x > 0.5", "b2 = not b1", "b3 = b1 and pre(b4)", "b4 = b2 or b3"};
  std::mt19937 random(4);
  for (int order = 0; order < 6; ++order) {
    Handled m(fmt::format(
        "Real x(start=0,fixed=true); Boolean b1, b2, b3, b4(start=true,fixed=true); equation der(x)=1; {};",
        fmt::join(equations, "; ")));
    bool b4 = m.value("b4") != 0;
    for (int k = 1; k <= 20; ++k) {
      const bool b1 = random() % 2 == 0;
      go_to(m, k, {{"x", b1 ? 1.0 : 0.0}});
      // pre(b4) is iterated within the instant: b4 = not b1 or (b1 and b4) stays once it is true.
      b4 = !b1 || b4;
      ASSERT_EQ(m.value("b2"), b1 ? 0 : 1);
      ASSERT_EQ(m.value("b4"), b4 ? 1 : 0) << k;
    }
    std::ranges::shuffle(equations, random);
  }
}

}  // namespace
}  // namespace daedalus
