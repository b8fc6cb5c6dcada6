#include "model/flatten/tables.hpp"

#include <algorithm>

namespace daedalus::flatten {
namespace {

// "Never": what the Modelica library compares with 1e60.
constexpr double never = 1e60;

// Breakpoints that a time or an abscissa is compared with are met only up to rounding; this share of the
// shortest piece is counted as having arrived.
constexpr double arrival = 1e-9;

NodeId line(ExprGraph& graph, const Segment& s, NodeId u, bool derivative) {
  if (derivative) return graph.constant(s.slope);
  if (s.slope == 0) return graph.constant(s.value);
  const NodeId step = graph.sub(u, graph.constant(s.begin));
  return graph.add(graph.constant(s.value), graph.mul(graph.constant(s.slope), step));
}

double shortest(std::span<const Segment> pieces) {
  double length = pieces[0].end - pieces[0].begin;
  for (const Segment& s : pieces) length = std::min(length, s.end - s.begin);
  return length;
}

// The pieces that continue the table to both sides.
Segment before_first(const TableData& table, const std::vector<Segment>& pieces) {
  Segment s = pieces.front();
  if (table.extrapolation == Extrapolation::HoldLastPoint) s.slope = 0;
  return s;
}

Segment after_last(const TableData& table, const std::vector<Segment>& pieces, int column) {
  Segment s = pieces.back();
  if (table.extrapolation == Extrapolation::HoldLastPoint ||
      table.smoothness == Smoothness::ConstantSegments) {
    s.begin = s.end;
    s.value = table.rows.back()[static_cast<std::size_t>(column)];
    s.slope = 0;
  }
  return s;
}

// u moved by whole periods into the table.
NodeId into_period(ExprGraph& graph, std::span<const Segment> pieces, NodeId u) {
  const double period = pieces.back().end - pieces.front().begin;
  const NodeId distance = graph.sub(u, graph.constant(pieces.front().begin));
  const NodeId count = graph.apply(Op::Floor, graph.div(distance, graph.constant(period)));
  return graph.sub(u, graph.mul(count, graph.constant(period)));
}

}  // namespace

std::vector<Segment> segments(const TableData& table, int column) {
  const auto y = [&](std::size_t i) { return table.rows[i][static_cast<std::size_t>(column)]; };
  std::vector<Segment> pieces;
  for (std::size_t i = 0; i + 1 < table.rows.size(); ++i) {
    const double begin = table.abscissas[i];
    const double end = table.abscissas[i + 1];
    if (end <= begin) continue;
    const bool constant = table.smoothness == Smoothness::ConstantSegments;
    pieces.push_back({begin, end, y(i), constant ? 0 : (y(i + 1) - y(i)) / (end - begin)});
  }
  return pieces;
}

NodeId table_value(ExprGraph& graph, const TableData& table, int column, NodeId u, bool derivative) {
  const std::vector<Segment> pieces = segments(table, column);
  if (pieces.empty()) {
    return graph.constant(derivative ? 0 : table.rows.front()[static_cast<std::size_t>(column)]);
  }
  NodeId result;
  const bool periodic = table.extrapolation == Extrapolation::Periodic;
  if (periodic) {
    u = into_period(graph, pieces, u);
    result = line(graph, pieces.back(), u, derivative);
  } else {
    result = line(graph, after_last(table, pieces, column), u, derivative);
    result = graph.if_else(graph.apply(Op::Less, u, graph.constant(pieces.back().end)),
                           line(graph, pieces.back(), u, derivative), result);
  }
  for (std::size_t i = pieces.size() - 1; i-- > 0;) {
    const NodeId inside = graph.apply(Op::Less, u, graph.constant(pieces[i].end));
    result = graph.if_else(inside, line(graph, pieces[i], u, derivative), result);
  }
  if (periodic) return result;
  const NodeId below = graph.apply(Op::Less, u, graph.constant(pieces.front().begin));
  return graph.if_else(below, line(graph, before_first(table, pieces), u, derivative), result);
}

NodeId next_time_event(ExprGraph& graph, const TableData& table, NodeId time) {
  const std::vector<Segment> pieces = segments(table, 0);
  const NodeId start = graph.constant(table.start_time);
  const NodeId waiting = graph.apply(Op::Less, time, start);
  if (pieces.empty() || table.time_events != TimeEvents::Always) {
    return graph.if_else(waiting, start, graph.constant(never));
  }
  const double slack = arrival * shortest(pieces);
  NodeId t = graph.sub(time, graph.constant(table.shift_time - slack));
  NodeId offset = graph.constant(table.shift_time);  // of the breakpoints found below
  const bool periodic = table.extrapolation == Extrapolation::Periodic;
  if (periodic) {
    const NodeId inside = into_period(graph, pieces, t);
    offset = graph.add(offset, graph.sub(t, inside));
    t = inside;
  }
  NodeId next = periodic ? graph.constant(pieces.back().end) : graph.constant(never);
  for (std::size_t i = pieces.size(); i-- > 0;) {
    next = graph.if_else(graph.apply(Op::Less, t, graph.constant(pieces[i].end)),
                         graph.constant(pieces[i].end), next);
  }
  if (!periodic) {
    const NodeId first = graph.constant(pieces.front().begin);
    next = graph.if_else(graph.apply(Op::Less, t, first), first, next);
    const NodeId over = graph.apply(Op::LessEqual, graph.constant(never), next);
    next = graph.if_else(over, next, graph.add(next, offset));
  } else {
    next = graph.add(next, offset);
  }
  return graph.if_else(waiting, start, next);
}

NodeId time_table_value(ExprGraph& graph, const TableData& table, int column,
                        const TimeTableArguments& arguments) {
  const std::vector<Segment> pieces = segments(table, column);
  NodeId t = graph.sub(arguments.time, graph.constant(table.shift_time));
  const NodeId start = graph.constant(table.start_time);
  const NodeId zero = graph.constant(0);
  const bool announced = table.time_events == TimeEvents::Always && !graph.is_constant(arguments.next_event);
  if (pieces.empty() || !announced) {
    const NodeId value = table_value(graph, table, column, t, arguments.derivative);
    return graph.if_else(graph.apply(Op::Less, arguments.time, start), zero, value);
  }
  // The announced breakpoint lies at the end of a piece, so comparing with the middles of pieces is safe.
  NodeId next = graph.sub(arguments.next_event, graph.constant(table.shift_time));
  const double half = shortest(pieces) / 2;
  NodeId result;
  if (table.extrapolation == Extrapolation::Periodic) {
    const NodeId moved = into_period(graph, pieces, graph.sub(next, graph.constant(half)));
    const NodeId periods = graph.sub(graph.sub(next, graph.constant(half)), moved);
    next = graph.add(moved, graph.constant(half));
    t = graph.sub(t, periods);
    result = line(graph, pieces.back(), t, arguments.derivative);
  } else {
    result = line(graph, after_last(table, pieces, column), t, arguments.derivative);
    const NodeId within = graph.apply(Op::Less, next, graph.constant(pieces.back().end + half));
    result = graph.if_else(within, line(graph, pieces.back(), t, arguments.derivative), result);
  }
  for (std::size_t i = pieces.size() - 1; i-- > 0;) {
    const double middle = (pieces[i + 1].begin + pieces[i + 1].end) / 2;
    const NodeId here = graph.apply(Op::Less, next, graph.constant(middle));
    result = graph.if_else(here, line(graph, pieces[i], t, arguments.derivative), result);
  }
  if (table.extrapolation != Extrapolation::Periodic) {
    const NodeId early = graph.apply(Op::Less, next, graph.constant(pieces.front().begin + half));
    result = graph.if_else(early, line(graph, before_first(table, pieces), t, arguments.derivative), result);
  }
  return graph.if_else(graph.apply(Op::LessEqual, arguments.next_event, start), zero, result);
}

}  // namespace daedalus::flatten
