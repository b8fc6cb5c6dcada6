#include "model/flatten/tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace daedalus::flatten {
namespace {

// "Never": what the Modelica library compares with 1e60.
constexpr double never = 1e60;

// Breakpoints that a time or an abscissa is compared with are met only up to rounding; this share of the
// shortest piece is counted as having arrived.
constexpr double arrival = 1e-9;

NodeId line(ExprGraph& graph, const Segment& s, NodeId u, bool derivative) {
  const NodeId step = graph.sub(u, graph.constant(s.begin));
  // By Horner's rule, from the highest power that there is.
  const std::array<double, 4> powers = derivative ? std::array{s.slope, 2 * s.quadratic, 3 * s.cubic, 0.0}
                                                  : std::array{s.value, s.slope, s.quadratic, s.cubic};
  NodeId result = graph.constant(0);
  for (std::size_t k = powers.size(); k-- > 0;)
    result = graph.add(graph.constant(powers[k]), graph.mul(result, step));
  return result;
}

double shortest(std::span<const Segment> pieces) {
  double length = pieces[0].end - pieces[0].begin;
  for (const Segment& s : pieces) length = std::min(length, s.end - s.begin);
  return length;
}

// The pieces that continue the table to both sides.
Segment before_first(const TableData& table, const std::vector<Segment>& pieces, int column) {
  Segment s = pieces.front();
  // Of several rows for the first abscissa, the first one is what was before.
  const bool jumps = table.abscissas.size() > 1 && table.abscissas[1] <= table.abscissas[0];
  s.value = table.rows.front()[static_cast<std::size_t>(column)];
  if (jumps || table.extrapolation == Extrapolation::HoldLastPoint ||
      table.smoothness == Smoothness::ConstantSegments)
    s.slope = 0;
  s.quadratic = s.cubic = 0;
  return s;
}

Segment after_last(const TableData& table, const std::vector<Segment>& pieces, int column) {
  Segment s = pieces.back();
  if (table.extrapolation == Extrapolation::HoldLastPoint ||
      table.smoothness == Smoothness::ConstantSegments) {
    s.begin = s.end;
    s.value = table.rows.back()[static_cast<std::size_t>(column)];
    s.slope = s.quadratic = s.cubic = 0;
  } else if (s.quadratic != 0 || s.cubic != 0) {
    // A straight line with the slope that the spline has at its end.
    const double h = s.end - s.begin;
    const double slope = s.slope + (h * (2 * s.quadratic + 3 * h * s.cubic));
    s = {s.end, s.end, table.rows.back()[static_cast<std::size_t>(column)], slope};
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

namespace {

// Akima's slope at a point from the slopes of the two pieces before and the two behind it.
double akima(double a, double b, double c, double d) {
  const double before = std::abs(b - a);
  const double behind = std::abs(d - c);
  const double sum = before + behind;
  return sum == 0 ? (b + c) / 2 : ((behind * b) + (before * c)) / sum;
}

// Fritsch and Butland: a weighted harmonic mean of the two slopes, zero at an extremum.
double harmonic(double left, double right, double h_left, double h_right) {
  if (left * right <= 0) return 0;
  return 3 * (h_left + h_right) / (((2 * h_right + h_left) / left) + ((h_right + 2 * h_left) / right));
}

// Steffen: the parabola's slope, limited so that the piece is monotone.
double steffen(double left, double right, double h_left, double h_right) {
  if (left * right <= 0) return 0;
  const double parabola = ((left * h_right) + (right * h_left)) / (h_left + h_right);
  const double most = 2 * std::min(std::abs(left), std::abs(right));
  return std::abs(parabola) > most ? std::copysign(most, left) : parabola;
}

// The slopes of the spline at all points. Beyond the ends the slopes of the pieces go on linearly (Akima), or
// are those of the other end when the table is periodic.
std::vector<double> spline_slopes(const TableData& table, const std::vector<Segment>& lines) {
  const auto n = static_cast<std::ptrdiff_t>(lines.size());
  const bool periodic = table.extrapolation == Extrapolation::Periodic;
  const std::function<double(std::ptrdiff_t)> slope = [&](std::ptrdiff_t i) -> double {
    if (i >= 0 && i < n) return lines[static_cast<std::size_t>(i)].slope;
    if (periodic) return lines[static_cast<std::size_t>(((i % n) + n) % n)].slope;
    if (n == 1) return lines[0].slope;
    const std::ptrdiff_t out = i < 0 ? -i : i - n + 1;
    const double end = i < 0 ? lines[0].slope : lines[static_cast<std::size_t>(n - 1)].slope;
    const double next = i < 0 ? lines[1].slope : lines[static_cast<std::size_t>(n - 2)].slope;
    return end + (static_cast<double>(out) * (end - next));
  };
  const auto length = [&](std::ptrdiff_t i) {
    const Segment& s = lines[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(i, 0, n - 1))];
    return s.end - s.begin;
  };
  std::vector<double> slopes;
  for (std::ptrdiff_t i = 0; i <= n; ++i) {
    const bool end = (i == 0 || i == n) && !periodic;
    if (table.smoothness == Smoothness::ContinuousDerivative) {
      slopes.push_back(akima(slope(i - 2), slope(i - 1), slope(i), slope(i + 1)));
    } else if (end) {
      slopes.push_back(slope(i == 0 ? 0 : n - 1));
    } else {
      const auto mean = table.smoothness == Smoothness::MonotoneContinuousDerivative1 ? harmonic : steffen;
      slopes.push_back(mean(slope(i - 1), slope(i), length(i - 1), length(i)));
    }
  }
  return slopes;
}

void make_spline(const TableData& table, std::vector<Segment>& pieces) {
  const std::vector<double> slopes = spline_slopes(table, pieces);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Segment& s = pieces[i];
    const double h = s.end - s.begin;
    const double secant = s.slope;
    s.slope = slopes[i];
    s.quadratic = ((3 * secant) - (2 * slopes[i]) - slopes[i + 1]) / h;
    s.cubic = (slopes[i] + slopes[i + 1] - (2 * secant)) / (h * h);
  }
}

bool is_spline(Smoothness smoothness) {
  return smoothness != Smoothness::LinearSegments && smoothness != Smoothness::ConstantSegments;
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
  if (is_spline(table.smoothness) && pieces.size() > 1) make_spline(table, pieces);
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
  return graph.if_else(below, line(graph, before_first(table, pieces, column), u, derivative), result);
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
    result = graph.if_else(early, line(graph, before_first(table, pieces, column), t, arguments.derivative),
                           result);
  }
  return graph.if_else(graph.apply(Op::LessEqual, arguments.next_event, start), zero, result);
}

}  // namespace daedalus::flatten
