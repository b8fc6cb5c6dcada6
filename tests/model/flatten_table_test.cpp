// Tables of the Modelica library as piecewise expressions.
#include <cmath>

#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

// A table object and its look-up functions, as an exporter writes them.
constexpr std::string_view prelude = R"(
  type Smoothness = enumeration(LinearSegments, ContinuousDerivative, ConstantSegments, MonotoneContinuousDerivative1, MonotoneContinuousDerivative2);
  type Extrapolation = enumeration(HoldLastPoint, LastTwoPoints, Periodic, NoExtrapolation);
  type TimeEvents = enumeration(Always, AtDiscontinuities, NoTimeEvents);
  class Table extends ExternalObject;
    function constructor
      input String tableName; input String fileName; input Real table[:,:]; input Integer columns[:]; input Smoothness smoothness;
      input Extrapolation extrapolation = Extrapolation.LastTwoPoints; input Boolean verbose = true; output Table id;
    external "C" id = ModelicaStandardTables_CombiTable1D_init3(fileName, tableName, table, size(table, 1), size(table, 2), columns, size(columns, 1), smoothness, extrapolation, verbose);
    end constructor;
    function destructor input Table id; external "C" ModelicaStandardTables_CombiTable1D_close(id); end destructor;
  end Table;
  function look input Table id; input Integer column; input Real u; output Real y;
    external "C" y = ModelicaStandardTables_CombiTable1D_getValue(id, column, u); end look;
  function slope input Table id; input Integer column; input Real u; input Real der_u; output Real y;
    external "C" y = ModelicaStandardTables_CombiTable1D_getDerValue(id, column, u, der_u); end slope;
  class TimeTable extends ExternalObject;
    function constructor
      input String tableName; input String fileName; input Real table[:,:]; input Real startTime; input Integer columns[:]; input Smoothness smoothness;
      input Extrapolation extrapolation; input Real shiftTime = 0; input TimeEvents timeEvents = TimeEvents.Always; input Boolean verbose = true; output TimeTable id;
    external "C" id = ModelicaStandardTables_CombiTimeTable_init3(fileName, tableName, table, size(table, 1), size(table, 2), startTime, columns, size(columns, 1), smoothness, extrapolation, shiftTime, timeEvents, verbose);
    end constructor;
    function destructor input TimeTable id; external "C" ModelicaStandardTables_CombiTimeTable_close(id); end destructor;
  end TimeTable;
  function at input TimeTable id; input Integer column; input Real t; input Real next; input Real pre_next; output Real y;
    external "C" y = ModelicaStandardTables_CombiTimeTable_getValue(id, column, t, next, pre_next); end at;
  function event input TimeTable id; input Real t; output Real y;
    external "C" y = ModelicaStandardTables_CombiTimeTable_nextTimeEvent(id, t); end event;
  function last input TimeTable id; output Real y;
    external "C" y = ModelicaStandardTables_CombiTimeTable_maximumTime(id); end last;
)";

double evaluate_in(const std::string& declarations, const std::string& expression, const Point& point) {
  const DaeSystem system = load("package P " + std::string(prelude) + " model P " + declarations +
                                " Real u, r; Real next; equation r = " + expression + "; end P; end P;");
  Point all = point;
  all["r"] = 0;
  return system.equations.empty() ? 0 : -value(system, system.equations.back().residual, all);
}

double look(const std::string& extrapolation, const std::string& smoothness, double u) {
  return evaluate_in(
      "parameter Table t = Table(\"a\", \"b\", [0, 10, 1; 1, 20, 2; 3, 0, 3], {2, 3}, Smoothness." +
          smoothness + ", Extrapolation." + extrapolation + ");",
      "look(t, 1, u)", {{"u", u}});
}

// A cubic that goes through the rows 0 → 10, 1 → 20, 3 → 0 with the slopes that Akima's rule gives there.
// Pieces have slopes 10 and -10, continued as 30 before and -30 behind: at 0 the slopes 50 30 | 10 -10 have
// equal weights, so 20; at 1 30 10 | -10 -30, so 0; at 3 -20.
TEST(FlattenTable, AkimaSplines) {
  const auto look_at = [](double u) { return look("LastTwoPoints", "ContinuousDerivative", u); };
  EXPECT_DOUBLE_EQ(look_at(0), 10);
  EXPECT_DOUBLE_EQ(look_at(1), 20);
  EXPECT_DOUBLE_EQ(look_at(3), 0);
  // Hermite at the middle: the mean of the ends plus h/8 times the difference of the slopes.
  EXPECT_DOUBLE_EQ(look_at(0.5), 15 + (20.0 - 0) / 8);
  EXPECT_DOUBLE_EQ(look_at(2), 10 + 2 * (0 + 20.0) / 8);
  EXPECT_DOUBLE_EQ(look_at(-1), 10 - 20);
  EXPECT_DOUBLE_EQ(look_at(4), 0 - 20);
  EXPECT_DOUBLE_EQ(look("HoldLastPoint", "ContinuousDerivative", 4), 0);
}

// At the extremum in the middle both have slope zero; at the ends that of the piece.
TEST(FlattenTable, MonotoneSplines) {
  for (const char* kind : {"MonotoneContinuousDerivative1", "MonotoneContinuousDerivative2"}) {
    EXPECT_DOUBLE_EQ(look("LastTwoPoints", kind, 1), 20);
    EXPECT_DOUBLE_EQ(look("LastTwoPoints", kind, 0.5), 15 + (10.0 - 0) / 8);
    double last = 10;
    for (int i = 1; i <= 20; ++i) {
      const double now = look("LastTwoPoints", kind, i / 20.0);
      EXPECT_GE(now, last);
      last = now;
    }
  }
}

TEST(FlattenTable, LinearSegments) {
  EXPECT_EQ(look("LastTwoPoints", "LinearSegments", 0.5), 15);
  EXPECT_EQ(look("LastTwoPoints", "LinearSegments", 1), 20);
  EXPECT_EQ(look("LastTwoPoints", "LinearSegments", 2), 10);
  EXPECT_EQ(look("LastTwoPoints", "LinearSegments", -1), 0);
  EXPECT_EQ(look("LastTwoPoints", "LinearSegments", 4), -10);
}

TEST(FlattenTable, Extrapolation) {
  EXPECT_EQ(look("HoldLastPoint", "LinearSegments", -1), 10);
  EXPECT_EQ(look("HoldLastPoint", "LinearSegments", 4), 0);
  EXPECT_EQ(look("Periodic", "LinearSegments", 3.5), 15);  // the period is 3
  EXPECT_EQ(look("Periodic", "LinearSegments", -2.5), 15);
}

// Two rows for the first abscissa: before it, the first of them holds.
TEST(FlattenTable, BeforeAJumpAtTheFirstPoint) {
  const auto before = [](const std::string& smoothness, const std::string& extrapolation, double u) {
    return evaluate_in("parameter Table t = Table(\"a\", \"b\", [2, 5; 2, 7; 4, 9], {2}, Smoothness." +
                           smoothness + ", Extrapolation." + extrapolation + ");",
                       "look(t, 1, u)", {{"u", u}});
  };
  for (const char* smoothness : {"ConstantSegments", "LinearSegments"}) {
    for (const char* extrapolation : {"HoldLastPoint", "LastTwoPoints"}) {
      EXPECT_EQ(before(smoothness, extrapolation, 1), 5) << smoothness << extrapolation;
      EXPECT_EQ(before(smoothness, extrapolation, 2), 7) << smoothness << extrapolation;
    }
  }
}

TEST(FlattenTable, ConstantSegments) {
  EXPECT_EQ(look("HoldLastPoint", "ConstantSegments", 0.9), 10);
  EXPECT_EQ(look("HoldLastPoint", "ConstantSegments", 1), 20);
  EXPECT_EQ(look("HoldLastPoint", "ConstantSegments", 9), 0);
}

TEST(FlattenTable, OneRowIsAConstant) {
  EXPECT_EQ(
      evaluate_in("parameter Table t = Table(\"a\", \"b\", {{0, 5, 6}}, {2, 3}, Smoothness.LinearSegments);",
                  "look(t, 2, u)", {{"u", 9}}),
      6);
}

TEST(FlattenTable, DerivativeFunction) {
  EXPECT_EQ(
      evaluate_in(
          "parameter Table t = Table(\"a\", \"b\", [0, 10; 1, 20; 3, 0], {2}, Smoothness.LinearSegments);",
          "slope(t, 1, u, 2)", {{"u", 2}}),
      -20);
}

// The table of a button: one jump, announced, and the height of its last row for ever.
TEST(FlattenTable, ATimeTableMayBeOneJump) {
  for (const char* smoothness : {"ConstantSegments", "LinearSegments"}) {
    const std::string table =
        std::string(
            "parameter TimeTable t = TimeTable(\"a\", \"b\", [700, 0; 700, 1], -1e60, {2}, Smoothness.") +
        smoothness + ", Extrapolation.HoldLastPoint);";
    EXPECT_EQ(evaluate_in(table, "event(t, u)", {{"u", 3}}), 700);
    EXPECT_EQ(evaluate_in(table, "at(t, 1, u, next, 0)", {{"u", 3}, {"next", 700}}), 0);
    EXPECT_EQ(evaluate_in(table, "at(t, 1, u, next, 700)", {{"u", 700}, {"next", 701}}), 1);
    EXPECT_EQ(evaluate_in(table, "at(t, 1, u, next, 701)", {{"u", 5000}, {"next", 1e60}}), 1);
    EXPECT_EQ(evaluate_in(table, "last(t)", {{"u", 0}}), 700);
  }
}

constexpr std::string_view periodic =
    "parameter TimeTable t = TimeTable(\"a\", \"b\", [0, 100; 360, 1000; 600, 100], 0, {2}, "
    "Smoothness.ConstantSegments, Extrapolation.Periodic);";

TEST(FlattenTable, NextTimeEventOfAPeriodicTable) {
  const auto next = [&](double u) { return evaluate_in(std::string(periodic), "event(t, u)", {{"u", u}}); };
  EXPECT_EQ(next(0), 360);
  EXPECT_EQ(next(359.9), 360);
  EXPECT_EQ(next(360), 600);
  EXPECT_EQ(next(600), 960);
  EXPECT_EQ(next(6599.99999), 6600);
  // A rounding error short of the breakpoint counts as there.
  EXPECT_EQ(next(std::nextafter(600.0, 0.0)), 960);
}

// Until the event at 360 the value is the old one, whatever the time says; after it, the new one.
TEST(FlattenTable, ValueIsHeldUntilTheEvent) {
  const auto at = [&](double t, double next) {
    return evaluate_in(std::string(periodic), "at(t, 1, u, next, 0)", {{"u", t}, {"next", next}});
  };
  EXPECT_EQ(at(100, 360), 100);
  EXPECT_EQ(at(360, 360), 100);
  EXPECT_EQ(at(360, 600), 1000);
  EXPECT_EQ(at(600, 600), 1000);
  EXPECT_EQ(at(600, 960), 100);
  EXPECT_EQ(at(1000, 1200), 1000);
}

TEST(FlattenTable, RampOfATimeTable) {
  const std::string ramp =
      "parameter TimeTable t = TimeTable(\"a\", \"b\", [1, 0; 3, 4; 3, 10; 4, 10], 0.5, {2}, "
      "Smoothness.LinearSegments, Extrapolation.HoldLastPoint);";
  const auto at = [&](double t, double next) {
    return evaluate_in(ramp, "at(t, 1, u, next, 0)", {{"u", t}, {"next", next}});
  };
  EXPECT_EQ(evaluate_in(ramp, "event(t, u)", {{"u", 0}}), 0.5);  // the start time
  EXPECT_EQ(at(0.2, 0.5), 0);
  EXPECT_EQ(evaluate_in(ramp, "event(t, u)", {{"u", 0.5}}), 1);
  EXPECT_EQ(at(0.7, 1), 0);
  EXPECT_EQ(at(2, 3), 2);
  EXPECT_EQ(at(3, 3), 4);  // before the jump
  EXPECT_EQ(at(3, 4), 10);
  EXPECT_EQ(evaluate_in(ramp, "event(t, u)", {{"u", 4}}), 1e60);
  EXPECT_EQ(at(9, 1e60), 10);
  EXPECT_EQ(evaluate_in(ramp, "last(t)", {}), 4);
}

TEST(FlattenTable, WithoutEventsTheTimeChooses) {
  const std::string quiet =
      "parameter TimeTable t = TimeTable(\"a\", \"b\", [0, 1; 2, 5], 0, {2}, Smoothness.LinearSegments, "
      "Extrapolation.HoldLastPoint, 10, TimeEvents.NoTimeEvents);";
  EXPECT_EQ(evaluate_in(quiet, "at(t, 1, u, next, 0)", {{"u", 11}, {"next", 0}}), 3);  // shifted by 10
}

TEST(FlattenTable, Mistakes) {
  const auto refused = [](const std::string& table) {
    return refusal("package P " + std::string(prelude) + " model P parameter Table t = " + table +
                   "; Real r = look(t, 1, time); end P; end P;");
  };
  EXPECT_MENTIONS(refused("Table(\"tab\", \"file.txt\", fill(0.0, 0, 2), {2}, Smoothness.LinearSegments)"),
                  "tables read from a file are not supported");
  EXPECT_MENTIONS(refused("Table(\"a\", \"b\", [1, 2; 0, 3], {2}, Smoothness.LinearSegments)"),
                  "the first column of a table must not decrease");
  EXPECT_MENTIONS(refused("Table(\"a\", \"b\", [0, 2; 1, 3], {3}, Smoothness.LinearSegments)"),
                  "column 3 is asked for, but the table has 2");
}

}  // namespace
}  // namespace daedalus::test
