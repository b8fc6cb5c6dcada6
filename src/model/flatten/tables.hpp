// Interpolation tables (the Modelica library's ModelicaStandardTables) as piecewise expressions.
#pragma once

#include <span>
#include <vector>

#include "model/flatten/frame.hpp"

namespace daedalus::flatten {

// The literals of Modelica.Blocks.Types, by position.
enum class Smoothness {
  LinearSegments = 1,
  ContinuousDerivative,  // Akima
  ConstantSegments,
  MonotoneContinuousDerivative1,  // Fritsch and Butland
  MonotoneContinuousDerivative2,  // Steffen
};
enum class Extrapolation { HoldLastPoint = 1, LastTwoPoints, Periodic, NoExtrapolation };
enum class TimeEvents { Always = 1, AtDiscontinuities, NoTimeEvents };

struct TableData {
  std::vector<double> abscissas;          // not decreasing; two equal ones are a jump
  std::vector<std::vector<double>> rows;  // all columns of each row, the abscissa included
  std::vector<int> columns;               // that are interpolated, from 0
  Smoothness smoothness = Smoothness::LinearSegments;
  Extrapolation extrapolation = Extrapolation::LastTwoPoints;
  TimeEvents time_events = TimeEvents::Always;
  double start_time = 0;
  double shift_time = 0;
  bool continued = false;  // by one row, beyond the last of the table
};

// A piece y + slope*d + quadratic*d^2 + cubic*d^3, d = u - begin, between two breakpoints.
struct Segment {
  double begin;
  double end;
  double value;  // at begin
  double slope;
  double quadratic = 0;
  double cubic = 0;
};
[[nodiscard]] std::vector<Segment> segments(const TableData& table, int column);

// Value (or derivative) at u, the piece chosen by u itself, without events.
[[nodiscard]] NodeId table_value(ExprGraph& graph, const TableData& table, int column, NodeId u,
                                 bool derivative);

// A time table announces the next breakpoint, and the piece that ends there is the one that holds until the
// event: so a step that ends exactly at a jump still sees the value before it.
[[nodiscard]] NodeId next_time_event(ExprGraph& graph, const TableData& table, NodeId time);
struct TimeTableArguments {
  NodeId time;
  NodeId next_event;
  bool derivative = false;
};
[[nodiscard]] NodeId time_table_value(ExprGraph& graph, const TableData& table, int column,
                                      const TimeTableArguments& arguments);

}  // namespace daedalus::flatten
