// CombiTable2D of the Modelica library: a grid of values, bilinear or constant on each rectangle.
#include <algorithm>

#include "model/flatten/calls.hpp"
#include "model/flatten/operators.hpp"
#include "model/flatten/tables.hpp"

namespace daedalus::flatten {
namespace {

using Values = std::span<const Value>;

double number(Frame& frame, const Value& value, SourceSpan span) {
  if (is_array(value) || !holds_nodes(value.type) || !frame.graph().is_constant(value.node))
    raise(span, "a table is made of known numbers, not {}", type_text(value));
  return frame.graph().node(value.node).value;
}

// Arguments: file name, table name, table, its two sizes, smoothness, extrapolation, ...
std::vector<Value> make_table(Frame& frame, Values a, SourceSpan span) {
  const Value& matrix = a[2];
  const Shape& shape = shape_of(matrix);
  if (shape.size() != 2 || shape[0] < 2 || shape[1] < 2) {
    raise(span,
          "the table '{}' of '{}' must be given as a matrix in the model, of two rows and columns at least: "
          "tables "
          "read from a file are not supported",
          text_of(a[1]), text_of(a[0]));
  }
  auto table = std::make_shared<TableData>();
  const auto columns = static_cast<std::size_t>(shape[1]);
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape[0]); ++i) {
    std::vector<double> row;
    for (std::size_t j = 0; j < columns; ++j)
      row.push_back(number(frame, element(matrix, (i * columns) + j), span));
    if (i > 0) table->abscissas.push_back(row[0]);
    table->rows.push_back(std::move(row));
  }
  const auto rises = [](std::span<const double> points) {
    return std::ranges::adjacent_find(points, std::greater_equal<>()) == points.end();
  };
  if (!rises(table->abscissas) || !rises(std::span(table->rows[0]).subspan(1)))
    raise(span, "the first column and the first row of a 2-D table must increase");
  table->smoothness = static_cast<Smoothness>(static_cast<int>(number(frame, a[5], span)));
  if (table->smoothness != Smoothness::LinearSegments && table->smoothness != Smoothness::ConstantSegments) {
    raise(span, "of 2-D tables only the smoothness LinearSegments and ConstantSegments is supported");
  }
  table->extrapolation = static_cast<Extrapolation>(static_cast<int>(number(frame, a[6], span)));
  Value value{.type = {BaseType::External}, .node = {}, .more = std::make_shared<Aggregate>()};
  value.more->table = std::move(table);
  return {std::move(value)};
}

// One direction: which interval, and the share of the way through it.
struct Place {
  std::vector<NodeId> within;  // u lies before the end of interval i; the last interval has none
  std::vector<NodeId> share;   // by interval
  std::vector<double> length;
};

Place place_of(ExprGraph& graph, std::span<const double> points, NodeId u, const TableData& table) {
  const double first = points.front();
  const double last = points.back();
  if (table.extrapolation == Extrapolation::Periodic) {
    const NodeId count =
        graph.apply(Op::Floor, graph.div(graph.sub(u, graph.constant(first)), graph.constant(last - first)));
    u = graph.sub(u, graph.mul(count, graph.constant(last - first)));
  } else if (table.extrapolation == Extrapolation::HoldLastPoint) {
    u = graph.apply(Op::Max, graph.constant(first), graph.apply(Op::Min, u, graph.constant(last)));
  }
  Place place;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const double length = points[i + 1] - points[i];
    place.length.push_back(length);
    place.share.push_back(graph.div(graph.sub(u, graph.constant(points[i])), graph.constant(length)));
    if (i + 2 < points.size())
      place.within.push_back(graph.apply(Op::Less, u, graph.constant(points[i + 1])));
  }
  return place;
}

// Of the intervals' nodes the one that u lies in.
NodeId chosen(ExprGraph& graph, const Place& place, std::span<const NodeId> nodes) {
  NodeId result = nodes.back();
  for (std::size_t i = nodes.size() - 1; i-- > 0;) result = graph.if_else(place.within[i], nodes[i], result);
  return result;
}

NodeId between(ExprGraph& graph, NodeId low, NodeId high, NodeId share) {
  return graph.add(low, graph.mul(share, graph.sub(high, low)));
}

NodeId node_of(const Value& value, SourceSpan span) {
  if (!is_numeric(value.type) || !value.node.valid())
    raise(span, "a table is looked up with numbers, not {}", type_text(value));
  return value.node;
}

const TableData& table_of(const Value& value, SourceSpan span) {
  if (value.more == nullptr || value.more->table == nullptr) raise(span, "this is not a table");
  return *value.more->table;
}

struct Lookup {
  const TableData& table;
  Place rows;
  Place columns;
};

Lookup look_up(Frame& frame, Values a, SourceSpan span) {
  const TableData& table = table_of(a[0], span);
  return {
      .table = table,
      .rows = place_of(frame.graph(), table.abscissas, node_of(a[1], span), table),
      .columns = place_of(frame.graph(), std::span(table.rows[0]).subspan(1), node_of(a[2], span), table)};
}

// Along one row, at the second input.
NodeId along_row(ExprGraph& graph, const Lookup& at, std::size_t row) {
  const std::vector<double>& y = at.table.rows[row + 1];
  std::vector<NodeId> pieces;
  for (std::size_t j = 0; j < at.columns.share.size(); ++j) {
    pieces.push_back(
        at.table.smoothness == Smoothness::ConstantSegments
            ? graph.constant(y[j + 1])
            : between(graph, graph.constant(y[j + 1]), graph.constant(y[j + 2]), at.columns.share[j]));
  }
  return chosen(graph, at.columns, pieces);
}

std::vector<Value> value_2d(Frame& frame, Values a, SourceSpan span) {
  ExprGraph& graph = frame.graph();
  const Lookup at = look_up(frame, a, span);
  std::vector<NodeId> rows;
  for (std::size_t i = 0; i < at.table.abscissas.size(); ++i) rows.push_back(along_row(graph, at, i));
  std::vector<NodeId> pieces;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    pieces.push_back(at.table.smoothness == Smoothness::ConstantSegments
                         ? rows[i]
                         : between(graph, rows[i], rows[i + 1], at.rows.share[i]));
  }
  return {real(chosen(graph, at.rows, pieces))};
}

// The rate of the value: its two slopes times the rates of the inputs.
std::vector<Value> derivative_2d(Frame& frame, Values a, SourceSpan span) {
  ExprGraph& graph = frame.graph();
  const Lookup at = look_up(frame, a, span);
  if (at.table.smoothness == Smoothness::ConstantSegments) return {real(graph.constant(0))};
  std::vector<NodeId> first;
  std::vector<NodeId> second;
  std::vector<NodeId> slope_in_row;
  for (std::size_t i = 0; i < at.table.abscissas.size(); ++i) {
    const std::vector<double>& y = at.table.rows[i + 1];
    std::vector<NodeId> slopes;
    for (std::size_t j = 0; j < at.columns.share.size(); ++j)
      slopes.push_back(graph.constant((y[j + 2] - y[j + 1]) / at.columns.length[j]));
    slope_in_row.push_back(chosen(graph, at.columns, slopes));
  }
  for (std::size_t i = 0; i < at.rows.share.size(); ++i) {
    const NodeId rise = graph.sub(along_row(graph, at, i + 1), along_row(graph, at, i));
    first.push_back(graph.div(rise, graph.constant(at.rows.length[i])));
    second.push_back(between(graph, slope_in_row[i], slope_in_row[i + 1], at.rows.share[i]));
  }
  return {real(graph.add(graph.mul(chosen(graph, at.rows, first), node_of(a[3], span)),
                         graph.mul(chosen(graph, at.rows, second), node_of(a[4], span))))};
}

std::vector<Value> corner(Frame& frame, const TableData& table, bool last) {
  const auto& columns = table.rows[0];
  const double u1 = last ? table.abscissas.back() : table.abscissas.front();
  const double u2 = last ? columns.back() : columns[1];
  return {array({BaseType::Real}, {2}, {frame.graph().constant(u1), frame.graph().constant(u2)})};
}
std::vector<Value> first_corner(Frame& frame, Values a, SourceSpan span) {
  return corner(frame, table_of(a[0], span), false);
}
std::vector<Value> last_corner(Frame& frame, Values a, SourceSpan span) {
  return corner(frame, table_of(a[0], span), true);
}

constexpr External rows[] = {
    {"ModelicaStandardTables_CombiTable2D_init", 7, make_table},
    {"ModelicaStandardTables_CombiTable2D_getValue", 3, value_2d},
    {"ModelicaStandardTables_CombiTable2D_getDerValue", 5, derivative_2d},
    {"ModelicaStandardTables_CombiTable2D_minimumAbscissa", 1, first_corner},
    {"ModelicaStandardTables_CombiTable2D_maximumAbscissa", 1, last_corner},
};

}  // namespace

std::span<const External> table2d_externals() {
  return rows;
}

}  // namespace daedalus::flatten
