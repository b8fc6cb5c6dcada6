// The first change of a relation within a step, against roots that are known: of polynomials, of many turns,
// of what must be solved for; what hysteresis hides, and what goes on in a copy.
#include "consistent/crossing_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "consistent/support.hpp"

namespace daedalus {
namespace {

using testing::Started;
using Function = std::function<double(double)>;

// Unknowns of a model as functions of time that are given, and the search over a step of them.
struct Searched {
  explicit Searched(const std::string& text, std::map<std::string, Function> given)
      : m(text),
        functions(std::move(given)),
        search(*m.model, std::make_shared<const RelationCourses>(*m.model)) {
    EXPECT_TRUE(m.ok());
  }
  void load(double t) {
    m.environment[static_cast<std::size_t>(m.model->layout().time)] = t;
    const DaeSystem& dae = m.model->dae();
    for (std::size_t v = 0; v < dae.variables.size(); ++v) {
      const auto function = functions.find(dae.variables[v].name);
      if (function == functions.end()) continue;
      const int slot = m.model->slot(dae.graph->variable(VariableId(v)));
      ASSERT_GE(slot, 0) << dae.variables[v].name;
      m.environment[static_cast<std::size_t>(slot)] = function->second(t);
    }
  }
  double& held(int relation) {
    return m.environment[static_cast<std::size_t>(m.model->layout().relations + relation)];
  }
  // Truths as they are just after `begin`, unless somebody has set them.
  void hold_truths(double begin) {
    load(begin);
    std::vector<double> differences(m.model->dae().relations.size());
    std::vector<double> workspace;
    m.model->relations.evaluate(m.environment, differences, workspace);
    for (std::size_t k = 0; k < differences.size(); ++k)
      held(static_cast<int>(k)) = differences[k] > 0 ? 1 : 0;
  }
  const CrossingSearch::Found& find(double begin, double end, double hysteresis = 0, int order = 5) {
    load(end);
    return search.search({.begin = begin,
                          .end = end,
                          .order = order,
                          .load = [this](double t, SearchedStep::Loading) { load(t); }},
                         m.environment, hysteresis);
  }
  Started m;
  std::map<std::string, Function> functions;
  CrossingSearch search;
};

const std::string one_relation = "Real x(start=-1,fixed=true); Boolean b; equation der(x)=1; b = x > 0;";

TEST(CrossingSearch, LocatesARootToRounding) {
  for (const double root : {0.1, 0.5477225575051661, 0.999}) {
    Searched s(one_relation, {{"x", [&](double t) { return (t * t) - (root * root); }}});
    s.hold_truths(0);
    const auto& found = s.find(0, 1);
    ASSERT_EQ(found.crossed, (std::vector<int>{0})) << root;
    EXPECT_NEAR(found.t, root, 1e-13);
  }
}

TEST(CrossingSearch, FindsNothingWhereNothingChanges) {
  Searched s(one_relation, {{"x", [](double t) { return -0.01 - (t * t); }}});
  s.hold_truths(0);
  EXPECT_TRUE(s.find(0, 1).crossed.empty());
  EXPECT_TRUE(s.find(1, 7).crossed.empty());
}

// The relation itself turns twenty times within one step of a state that does not: the first turn counts,
// from either side.
TEST(CrossingSearch, FindsTheFirstOfManyTurns) {
  for (const double level : {0.5, -0.5, 0.99}) {
    Searched s("Real x(start=0,fixed=true); Boolean b; equation der(x)=1; b = sin(40*x) > " +
                   std::to_string(level) + ";",
               {{"x", [](double t) { return t; }}});
    s.hold_truths(0);
    const double first = level > 0 ? std::asin(level) / 40 : (std::acos(-1.0) - std::asin(level)) / 40;
    const auto& found = s.find(0, 3);
    ASSERT_EQ(found.crossed.size(), 1U) << level;
    EXPECT_NEAR(found.t, first, 1e-12) << level;
  }
}

struct Cubic {
  double a, b, c, d;
  [[nodiscard]] double at(double t) const { return (((((a * t) + b) * t) + c) * t) + d; }
  // The first sign change on [0, 1] by its extremes and bisection between them; above 1: none.
  [[nodiscard]] double first_root() const {
    std::vector<double> stations{0};
    const double square = (b * b) - (3 * a * c);
    if (square > 0) {
      for (const double sign : {-1.0, 1.0}) {
        const double extreme = (-b + (sign * std::sqrt(square))) / (3 * a);
        if (extreme > 0 && extreme < 1) stations.push_back(extreme);
      }
    }
    stations.push_back(1);
    std::ranges::sort(stations);
    for (std::size_t k = 0; k + 1 < stations.size(); ++k) {
      double low = stations[k];
      double high = stations[k + 1];
      if ((at(low) > 0) == (at(high) > 0)) continue;
      for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        ((at(middle) > 0) == (at(low) > 0) ? low : high) = middle;
      }
      return high;
    }
    return 2;
  }
};

// Of two hundred cubics, by two ways.
TEST(CrossingSearch, AgreesWithBisectionBetweenExtremes) {
  std::mt19937 random(11);
  const auto number = [&] { return (static_cast<double>(random()) / 2147483648.0) - 1; };
  int crossings = 0;
  Cubic cubic{};
  Searched s(one_relation, {{"x", [&](double t) { return cubic.at(t); }}});
  for (int trial = 0; trial < 200; ++trial) {
    cubic = {.a = 4 * number(), .b = 4 * number(), .c = 2 * number(), .d = 0.5 * number()};
    s.hold_truths(0);
    const auto& found = s.find(0, 1);
    const double expected = cubic.first_root();
    if (expected > 1) {
      EXPECT_TRUE(found.crossed.empty()) << trial << " at " << found.t;
      continue;
    }
    ++crossings;
    ASSERT_EQ(found.crossed.size(), 1U) << trial;
    // Rounding of the cubic over its slope, which may be small.
    EXPECT_NEAR(cubic.at(found.t), 0, 1e-13) << trial;
    EXPECT_NEAR(found.t, expected, 1e-6) << trial;
  }
  EXPECT_GE(crossings, 50);
}

// Relations that change at one instant are found together, later ones are not.
TEST(CrossingSearch, SimultaneousRelationsAreFoundTogether) {
  Searched s(
      "Real x(start=-1,fixed=true); Boolean a, b, c; equation der(x)=1; a = x > 0; b = 3*x > 0; c = x > 0.2;",
      {{"x", [](double t) { return t - 0.4; }}});
  s.hold_truths(0);
  const auto& found = s.find(0, 1);
  std::vector<int> crossed = found.crossed;
  std::ranges::sort(crossed);
  EXPECT_EQ(crossed, (std::vector<int>{0, 1}));
  EXPECT_NEAR(found.t, 0.4, 1e-14);
}

// Time and states in one relation.
TEST(CrossingSearch, TimeTakesPart) {
  Searched s("Real x(start=0.5,fixed=true); Boolean b; equation der(x)=0.1; b = x > time;",
             {{"x", [](double t) { return 0.5 + (0.1 * t); }}});
  s.hold_truths(0);
  EXPECT_EQ(s.held(0), 1);
  const auto& found = s.find(0, 1);
  ASSERT_EQ(found.crossed.size(), 1U);
  EXPECT_NEAR(found.t, 0.5 / 0.9, 1e-14);
}

// There and back within the hysteresis is no event; by more it is one, where zero is.
TEST(CrossingSearch, HysteresisDecidesAndZeroIsLocated) {
  constexpr double height = 1e-4;  // of a parabola over zero between 0.4 and 0.6
  const auto bump = [](double t) { return height * (1 - std::pow((t - 0.5) / 0.1, 2)); };
  for (const auto& [hysteresis, event] :
       std::initializer_list<std::pair<double, bool>>{{1e-3, false}, {1e-5, true}, {0, true}}) {
    Searched s(one_relation, {{"x", bump}});
    s.hold_truths(0);
    const auto& found = s.find(0, 1, hysteresis);
    EXPECT_EQ(!found.crossed.empty(), event) << hysteresis;
    if (event) {
      EXPECT_NEAR(found.t, 0.4, 1e-9) << hysteresis;
    }
  }
}

// z³ + z = x is solved for at every look: z passes 0.5 where x passes 0.625.
TEST(CrossingSearch, SolvedUnknownsAreLookedAtToo) {
  const auto x = [](double t) { return t * t; };
  const auto z = [&](double t) {  // Cardano
    const double half = x(t) / 2;
    const double root = std::sqrt((half * half) + (1.0 / 27));
    return std::cbrt(half + root) + std::cbrt(half - root);
  };
  Searched s("Real x(start=0,fixed=true), z; Boolean b; equation der(x)=1; z^3 + z = x; b = z > 0.5;",
             {{"x", x}, {"z", z}});
  s.hold_truths(0);
  const auto& found = s.find(0, 1);
  ASSERT_EQ(found.crossed.size(), 1U);
  EXPECT_NEAR(found.t, std::sqrt(0.625), 1e-12);
}

// A relation that has changed where the step begins, and goes on to that side, does not change again.
TEST(CrossingSearch, AnEventIsNotFoundTwice) {
  Searched s(one_relation, {{"x", [](double t) { return t - 0.4; }}});
  s.hold_truths(0);
  const double t = s.find(0, 1).t;
  s.load(t);
  s.held(0) = 1;
  s.search.after_event(std::vector<int>{0}, s.m.environment, 0);
  EXPECT_TRUE(s.find(t, 1).crossed.empty());
  EXPECT_TRUE(s.find(1, 2).crossed.empty());
}

// A ball that has just hit the ground (x > 0 is below it) and rises by 2.5e-4 before it falls through: seen
// at once where the hysteresis is less, and told as missed where it is more.
TEST(CrossingSearch, BouncesLowerThanTheHysteresisAreTold) {
  for (const double hysteresis : {1e-5, 1e-2}) {
    Searched s(one_relation, {{"x", [](double t) { return 0.1 * t * (t - 0.1); }}});
    s.load(0);
    s.held(0) = 1;
    s.search.after_event(std::vector<int>{0}, s.m.environment, hysteresis);
    const auto& found = s.find(0, 1, hysteresis);
    if (hysteresis < 2.5e-4) {
      ASSERT_EQ(found.crossed, (std::vector<int>{0}));
      EXPECT_LT(found.t, 1e-9) << "it goes up from where it is";
      EXPECT_EQ(found.missed, -1);
    } else {
      EXPECT_TRUE(found.crossed.empty());
      EXPECT_EQ(found.missed, 0);
    }
  }
}

// Nobody's relation, nothing to look at.
TEST(CrossingSearch, WithoutRelationsNothingIsFound) {
  Searched s("Real x(start=0,fixed=true); equation der(x)=1;", {{"x", [](double t) { return t; }}});
  EXPECT_TRUE(s.find(0, 1).crossed.empty());
}

// Read into another one it searches alike; of another model it is refused.
TEST(CrossingSearch, SavedStateSearchesAlike) {
  Searched s(one_relation, {{"x", [](double t) { return std::sin(7 * t); }}});
  Searched other(one_relation, s.functions);
  double begin = 0.1;
  for (int event = 0; event < 3; ++event) {
    s.hold_truths(begin);
    other.hold_truths(begin);
    const auto bytes = to_bytes(s.search);
    ASSERT_TRUE(bytes.has_value());
    ASSERT_TRUE(from_bytes(*bytes, other.search).has_value());
    const auto found = s.find(begin, begin + 0.6);
    const auto& of_other = other.find(begin, begin + 0.6);
    ASSERT_EQ(found.crossed, of_other.crossed);
    EXPECT_EQ(found.t, of_other.t);
    // Zeros of sin 7t.
    EXPECT_NEAR(found.t, std::acos(-1.0) * (event + 1) / 7, 1e-12);
    begin = found.t + 1e-3;
  }
  Searched none("Real x(start=0,fixed=true); equation der(x)=1;", {});
  EXPECT_FALSE(from_bytes(*to_bytes(s.search), none.search).has_value());
}

}  // namespace
}  // namespace daedalus
