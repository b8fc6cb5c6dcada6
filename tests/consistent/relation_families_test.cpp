// Relations between the ends of a step: the programs that are searched for crossings have the values of the
// model's own relations, and those of time alone change when their formulas say so.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <random>

#include "consistent/events.hpp"
#include "consistent/relation_courses.hpp"
#include "consistent/support.hpp"
#include "consistent/time_relations.hpp"

namespace daedalus {
namespace {

using testing::Started;
using Kind = RelationCourses::Kind;

// States, definitions upon definitions, coefficients that are chosen, time, discrete values.
constexpr const char* model_of_all =
    "Real x(start=0.3,fixed=true), v(start=-1,fixed=true), y, z, w, q, m; Integer n(start=2,fixed=true); "
    "Boolean b[6]; equation der(x) = v; der(v) = -x; y = 2*x - v; z = y^2 + sin(time); "
    "(if n > 1 then 2 else 4)*w = z + n; m = time - 0.5*n; q^3 + q = x; when time > 100 then n = 3; end "
    "when; "
    "b[1] = y > 0.2; b[2] = z*w < 3; b[3] = m >= 0.1; b[4] = q > 0.1; b[5] = x*v + n > 1.9; "
    "b[6] = max(y, v) > w;";

// The values of a program's leaves in an environment, by place.
std::vector<double> leaves(const RelationCourses& courses, const std::vector<double>& environment) {
  std::vector<double> values;
  for (const int slot : courses.slots()) values.push_back(environment[static_cast<std::size_t>(slot)]);
  return values;
}

TEST(RelationFamilies, ProgramsHaveTheValuesOfTheModel) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1.5, 1.5);
  for (int trial = 0; trial < 20; ++trial) {
    // At any start the definitions hold, so that a relation and what it was replaced by agree.
    std::string text = model_of_all;
    text.replace(text.find("0.3"), 3, fmt::format("{}", number(random)));
    text.replace(text.find("=-1,"), 4, fmt::format("={},", number(random)));
    Started m(text);
    ASSERT_TRUE(m.ok()) << m.outcome.reason;
    const RelationCourses courses(*m.model);
    std::vector<double> expected(m.model->dae().relations.size());
    std::vector<double> workspace;
    m.model->relations.evaluate(m.environment, expected, workspace);
    ASSERT_EQ(static_cast<std::size_t>(courses.count()), expected.size());
    CourseProgram::Scratch scratch;
    for (int r = 0; r < courses.count(); ++r) {
      const double value = courses.program(r).value(leaves(courses, m.environment), scratch);
      const double exact = expected[static_cast<std::size_t>(r)];
      EXPECT_NEAR(value, exact, 1e-13 * (1 + std::abs(exact))) << r;  // some roundings, in another order
    }
  }
}

TEST(RelationFamilies, KindsFollowFromWhatIsRead) {
  Started m(model_of_all);
  ASSERT_TRUE(m.ok()) << m.outcome.reason;
  const RelationCourses courses(*m.model);
  int time = 0;
  int states = 0;
  int solved = 0;
  for (int r = 0; r < courses.count(); ++r) {
    time += courses.kind(r) == Kind::Time ? 1 : 0;
    states += courses.kind(r) == Kind::States ? 1 : 0;
    solved += courses.kind(r) == Kind::Solved ? 1 : 0;
  }
  EXPECT_EQ(time, 2);    // time > 100, m >= 0.1; n > 1 changes at events alone
  EXPECT_EQ(solved, 1);  // q, by a cubic
  EXPECT_EQ(states, courses.count() - 3);
  for (const Kind kind : {Kind::Time, Kind::States, Kind::Solved}) EXPECT_TRUE(courses.any(kind));
}

// What a relation does not read may be anything; what it reads counts.
TEST(RelationFamilies, PlacesAreThoseThatAreRead) {
  Started m(model_of_all);
  ASSERT_TRUE(m.ok());
  const RelationCourses courses(*m.model);
  CourseProgram::Scratch scratch;
  const std::vector<double> values = leaves(courses, m.environment);
  for (int r = 0; r < courses.count(); ++r) {
    const double before = courses.program(r).value(values, scratch);
    const std::vector<int>& read = courses.places(r);
    EXPECT_EQ(read, courses.program(r).places());
    for (int place = 0; place < static_cast<int>(values.size()); ++place) {
      if (std::ranges::find(read, place) != read.end()) continue;
      std::vector<double> moved = values;
      moved[static_cast<std::size_t>(place)] = std::numeric_limits<double>::quiet_NaN();
      EXPECT_EQ(courses.program(r).value(moved, scratch), before) << r << " reads " << place;
    }
  }
}

// Time and states move between events, discrete values do not.
TEST(RelationFamilies, DiscreteValuesRest) {
  Started m(model_of_all);
  ASSERT_TRUE(m.ok());
  const RelationCourses courses(*m.model);
  EXPECT_TRUE(courses.moves(0)) << "time";
  int resting = 0;
  for (int place = 1; place < static_cast<int>(courses.slots().size()); ++place)
    resting += courses.moves(place) ? 0 : 1;
  EXPECT_GE(resting, 1) << "n";
}

// The truths of relations in a model of time alone, as the environment holds them.
struct Clock : Started {
  explicit Clock(const std::string& text)
      : Started(text), relations(*model, std::make_shared<const RelationCourses>(*model)) {
    EXPECT_TRUE(ok()) << outcome.reason;
  }
  // Twice, for relations that read the truth of others.
  void hold_truths_from(double t) {
    for (int pass = 0; pass < 2; ++pass) {
      for (const int r : relations.relations())
        environment[static_cast<std::size_t>(model->layout().relations + r)] =
            relations.truth_from(r, t, environment) ? 1 : 0;
    }
  }
  // By its text.
  [[nodiscard]] int relation(const std::string& wanted) const {
    for (std::size_t r = 0; r < model->dae().relations.size(); ++r) {
      if (relation_text(model->dae(), static_cast<int>(r)).find(wanted) != std::string::npos)
        return static_cast<int>(r);
    }
    ADD_FAILURE() << wanted;
    return 0;
  }
  TimeRelations relations;
};

// a·t + b changes at -b/a.
TEST(RelationFamilies, LinesChangeAtTheirZeros) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(0.1, 3);
  for (int trial = 0; trial < 30; ++trial) {
    const double slope = number(random) * (trial % 2 == 0 ? 1 : -1);
    const double zero = number(random);
    const char* sign = std::array{">", ">=", "<", "<="}[static_cast<std::size_t>(trial % 4)];
    Clock clock(fmt::format("Boolean b; equation b = {}*(time - {}) {} 0;", slope, zero, sign));
    clock.hold_truths_from(0);
    const double change = clock.relations.next_change(0, 10, clock.environment);
    EXPECT_NEAR(change, zero, 4e-16 * (1 + zero));
    EXPECT_FALSE(clock.relations.searched()) << "it is linear";
    clock.hold_truths_from(change);
    EXPECT_EQ(clock.relations.next_change(change, 10, clock.environment),
              std::numeric_limits<double>::infinity());
  }
}

// One after the other, against all the zeros that the formula has.
TEST(RelationFamilies, ChangesAreFoundOneAfterTheOther) {
  struct Row {
    const char* difference;
    std::vector<double> changes;  // in (0, 7)
  };
  const double pi = std::numbers::pi;
  const std::array rows{Row{"sin(time)", {pi, 2 * pi}},
                        Row{"cos(2*time)", {pi / 4, 3 * pi / 4, 5 * pi / 4, 7 * pi / 4, 9 * pi / 4}},
                        Row{"(time - 1)*(time - 2)*(time - 4)", {1, 2, 4}},
                        Row{"time^2 - 2", {std::sqrt(2.0)}},
                        Row{"exp(-time) - 0.25", {std::log(4.0)}},
                        Row{"abs(time - 3) - 1", {2, 4}},
                        Row{"min(time - 1, 5 - time)", {1, 5}},
                        Row{"1/(time + 1) - 0.2", {4}},
                        Row{"(if time > 3 then 1 else -1)*(time - 1)", {1, 3}},
                        Row{"time + 1", {}}};
  for (const Row& row : rows) {
    Clock clock(fmt::format("Boolean b; equation b = {} > 0;", row.difference));
    std::vector<double> found;
    double t = 0;
    bool before = false;
    for (int k = 0; k < 40; ++k) {
      clock.hold_truths_from(t);
      const bool truth = clock.relations.truth_from(clock.relation("> 0"), t, clock.environment);
      if (k > 0 && truth != before) found.push_back(t);
      before = truth;
      t = clock.relations.next_change(t, 7, clock.environment);
      if (!(t < 7)) break;
    }
    std::vector<double> expected;
    for (const double change : row.changes) {
      if (change < 7) expected.push_back(change);
    }
    ASSERT_EQ(found.size(), expected.size()) << row.difference;
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_NEAR(found[k], expected[k], 1e-13) << row.difference;
  }
}

// Of several relations the one that changes first.
TEST(RelationFamilies, TheFirstChangeCounts) {
  Clock clock("Boolean a, b, c; equation a = time > 3; b = time > 1.5; c = sin(time) < -0.5;");
  clock.hold_truths_from(0);
  EXPECT_EQ(clock.relations.next_change(0, 10, clock.environment), 1.5);
  clock.hold_truths_from(1.5);
  EXPECT_EQ(clock.relations.next_change(1.5, 10, clock.environment), 3);
  clock.hold_truths_from(3);
  EXPECT_NEAR(clock.relations.next_change(3, 10, clock.environment), std::numbers::pi * 7 / 6, 1e-14);
}

// A truth that is another one than the environment holds changes at once.
TEST(RelationFamilies, WhatIsHeldWronglyChangesNow) {
  Clock clock("Boolean b; equation b = time > 1;");
  clock.hold_truths_from(0);
  EXPECT_EQ(clock.relations.next_change(2, 10, clock.environment), 2);
}

}  // namespace
}  // namespace daedalus
