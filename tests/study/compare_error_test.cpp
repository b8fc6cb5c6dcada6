#include "study/compare_error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/load.hpp"
#include "study/compare_reference.hpp"

namespace daedalus {
namespace {

// Signals a and b at times 0, 1, 2, …
Trajectory two_signals(const std::vector<double>& a, const std::vector<double>& b) {
  Trajectory trajectory;
  trajectory.signals = {{.name = "a"}, {.name = "b"}};
  for (std::size_t k = 0; k < a.size(); ++k) {
    trajectory.times.push_back(static_cast<double>(k));
    trajectory.values.push_back(a[k]);
    trajectory.values.push_back(b[k]);
  }
  return trajectory;
}

TEST(ErrorMeasure, IsTheLargestDifferenceInPartsOfTheRange) {
  const Trajectory reference = two_signals({0, 2, 4, 1}, {10, 10, 20, 10});  // ranges 4 and 10
  const ErrorMeasure measure(reference, {"a", "b"});
  const Trajectory run = two_signals({0, 2.5, 4, 1}, {10, 10, 21, 9.5});  // 0.5/4, 1/10
  const auto result = measure.of(run);
  EXPECT_DOUBLE_EQ(result.error, 0.125);
  EXPECT_EQ(result.worst, "a");
  EXPECT_EQ(result.worst_time, 1);
  EXPECT_EQ(result.points, 4);
  EXPECT_EQ(result.over_time, (std::vector<double>{0, 0.125, 0.1, 0.05}));
  EXPECT_EQ(result.median(), 0.05);  // 0, 0.05 | 0.1, 0.125
  EXPECT_DOUBLE_EQ(ErrorMeasure(reference, {"b"}).of(run).error, 0.1);
}

TEST(ErrorMeasure, ASignalThatHardlyMovesIsMeasuredByTheOthers) {
  // b is noise of 1e-17 about 0: an error of 1e-16 in it is no error of ten times its range.
  const Trajectory reference = two_signals({0, 1, 2}, {0, 1e-17, -1e-17});
  const auto result = ErrorMeasure(reference, {"a", "b"}).of(two_signals({0, 1, 2}, {0, 1e-16, 0}));
  EXPECT_NEAR(result.error, (1e-16 - 1e-17) / (1e-6 * 2), 1e-16);
}

TEST(ErrorMeasure, AtRestSizesTakeThePlaceOfRanges) {
  const Trajectory rest = two_signals({5, 5}, {0.5, 0.5});
  EXPECT_DOUBLE_EQ(ErrorMeasure(rest, {"a", "b"}).of(two_signals({5.5, 5}, {0.5, 0.5})).error, 0.1);
  // And where there is nothing at all, differences are taken as they are.
  const Trajectory zero = two_signals({0, 0}, {0, 0});
  EXPECT_DOUBLE_EQ(ErrorMeasure(zero, {"a"}).of(two_signals({0, 0.25}, {0, 0})).error, 0.25 / 1e-6);
}

TEST(ErrorMeasure, LooksOnlyWhereThereIsAReference) {
  Trajectory reference = two_signals({0, 4}, {0, 0});
  reference.times = {0, 2};
  const auto result = ErrorMeasure(reference, {"a"}).of(two_signals({0, 99, 4.4, 99}, {0, 0, 0, 0}));
  EXPECT_NEAR(result.error, 0.1, 1e-15);  // rounding of 4.4 - 4
  EXPECT_EQ(result.points, 2);
  EXPECT_TRUE(std::isnan(result.over_time[1]));
  EXPECT_TRUE(std::isnan(result.over_time[3]));
}

TEST(ErrorMeasure, TimesThatDifferByRoundingAreTheSame) {
  const Trajectory reference = two_signals({0, 1, 2}, {0, 0, 0});
  Trajectory run = two_signals({0, 1, 2}, {0, 0, 0});
  run.times = {0, std::nextafter(1.0, 2.0), 2 - 1e-12};
  EXPECT_EQ(ErrorMeasure(reference, {"a"}).of(run).points, 3);
  run.times = {0, 1 + 1e-6, 2};
  EXPECT_EQ(ErrorMeasure(reference, {"a"}).of(run).points, 2);
}

TEST(ErrorMeasure, NotANumberIsInfinitelyFarAway) {
  const Trajectory reference = two_signals({0, 1}, {0, 1});
  const auto result = ErrorMeasure(reference, {"a", "b"}).of(two_signals({0, std::nan("")}, {0, 1}));
  EXPECT_EQ(result.error, std::numeric_limits<double>::infinity());
  EXPECT_EQ(result.worst, "a");
}

TEST(ErrorMeasure, SignalsThatOneSideLacksAreLeftOut) {
  const Trajectory reference = two_signals({0, 1}, {0, 1});
  EXPECT_TRUE(ErrorMeasure(reference, {"c"}).empty());
  Trajectory other = two_signals({0, 1}, {0, 7});
  other.signals[1].name = "c";
  EXPECT_EQ(ErrorMeasure(reference, {"a", "b"}).of(other).error, 0);
}

TEST(Departure, IsTheDistanceFromTheFirstValue) {
  EXPECT_EQ(departure(two_signals({3, 2, 5}, {0, 0, 0}), 0), (std::vector<double>{0, 1, 2}));
}

SignalGroups groups_of(const std::string& text) {
  const auto sources = std::make_shared<SourceMap>();
  const auto file = sources->add("test", text);
  const auto system = load_model(sources, file);
  EXPECT_TRUE(system.has_value());
  return system ? signal_groups(*system) : SignalGroups{};
}

TEST(SignalGroups, MotionIsWhatIsDifferentiatedAndMultipliersAreThoseOfTheConstraints) {
  const auto groups = groups_of(R"(model Pendulum
    Real x(start = 1), y(start = 0, fixed = true), u, v(start = 0, fixed = true), lambda, height;
  equation
    der(x) = u; der(y) = v; der(u) = -lambda*x; der(v) = -lambda*y - 9.81; x^2 + y^2 = 1; height = 2*y + 1;
  end Pendulum;)");
  EXPECT_EQ(groups.motion, (std::vector<std::string>{"x", "y", "u", "v"}));
  EXPECT_EQ(groups.multipliers, (std::vector<std::string>{"lambda"}));
}

TEST(SignalGroups, WithoutTheConstrainedFormOtherUnknownsAreApart) {
  const auto groups = groups_of(R"(model Index1
    Real x(start = 1, fixed = true), z;
  equation
    der(x) = -z; z^3 + z = x;
  end Index1;)");
  EXPECT_EQ(groups.motion, (std::vector<std::string>{"x"}));
  EXPECT_EQ(groups.multipliers, (std::vector<std::string>{"z"}));
}

TEST(SignalGroups, WithoutDerivativesEverythingIsMeasured) {
  EXPECT_EQ(groups_of("model A Real z; equation z^3 + z = time; end A;").motion,
            (std::vector<std::string>{"z"}));
}

TEST(ParseReference, ReadsWhatRunWrites) {
  const auto table = parse_reference("r.csv", "time,x,\"a[1,2]\"\n0,1,2\r\n0.5,-1e-3,+4\n\n");
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->name, "r.csv");
  ASSERT_EQ(table->trajectory.signals.size(), 2U);
  EXPECT_EQ(table->trajectory.signals[1].name, "a[1,2]");
  EXPECT_EQ(table->trajectory.times, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(table->trajectory.values, (std::vector<double>{1, 2, -1e-3, 4}));
}

TEST(ParseReference, NamesTheLineThatIsWrong) {
  for (const auto& [csv, word] : std::vector<std::pair<std::string, std::string>>{
           {"", "line 1"},
           {"x,y\n0,1\n", "header"},
           {"time\n0\n", "no signal"},
           {"time,x\n", "no rows"},
           {"time,x\n0,1\n1\n", "line 3: 1 fields, but the header has 2"},
           {"time,x\n0,one\n", "line 2: 'one' is not a finite number"},
           {"time,x\n0,nan\n", "'nan'"},
           {"time,x\n1,0\n0,0\n", "time goes back from 1 to 0"},
           {"time,\"x\n0,1\n", "header"}}) {
    const auto table = parse_reference("r.csv", csv);
    ASSERT_FALSE(table.has_value()) << csv;
    EXPECT_NE(table.error().front().message.find(word), std::string::npos) << table.error().front().message;
    EXPECT_NE(table.error().front().message.find("r.csv"), std::string::npos);
  }
}

}  // namespace
}  // namespace daedalus
