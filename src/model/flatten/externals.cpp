// External C functions that are known by name. One table; every other one is refused by its name.
#include <algorithm>
#include <cmath>

#include "model/flatten/calls.hpp"
#include "model/flatten/tables.hpp"

namespace daedalus::flatten {
namespace {

using Values = std::span<const Value>;

template <Value (*function)(Frame&, Values, SourceSpan)>
std::vector<Value> one(Frame& frame, Values arguments, SourceSpan span) {
  return {function(frame, arguments, span)};
}

double number(Frame& frame, const Value& value, SourceSpan span) {
  if (is_array(value) || !holds_nodes(value.type))
    raise(span, "a table is made of numbers, not {}", type_text(value));
  if (!frame.graph().is_constant(value.node))
    raise_unknown(frame.session, value.node, span, "what a table is made of");
  return frame.graph().node(value.node).value;
}

// An enumeration's position.
int position(Frame& frame, const Value& value, SourceSpan span) {
  const double at = number(frame, value, span);
  const bool possible = at >= 1 && at <= 100;  // which NaN is not
  if (!possible) raise(span, "{} is no setting of a table", at);
  return static_cast<int>(at);
}

NodeId node_of(const Value& value, SourceSpan span) {
  if (!is_numeric(value.type) || !value.node.valid())
    raise(span, "a table is looked up with numbers, not {}", type_text(value));
  return value.node;
}

// Arguments of the constructors: file name, table name, table, its two sizes, ...
std::shared_ptr<TableData> read_table(Frame& frame, Values arguments, SourceSpan span) {
  const Value& matrix = arguments[2];
  const Shape& shape = shape_of(matrix);
  const std::string& name = text_of(arguments[1]);
  const std::string& file = text_of(arguments[0]);
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 2) {
    raise(span,
          "the table '{}' of '{}' must be given as a matrix in the model: tables read from a file are not "
          "supported",
          name, file);
  }
  auto table = std::make_shared<TableData>();
  const auto columns = static_cast<std::size_t>(shape[1]);
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape[0]); ++i) {
    std::vector<double> row;
    for (std::size_t j = 0; j < columns; ++j)
      row.push_back(number(frame, element(matrix, (i * columns) + j), span));
    if (!table->abscissas.empty() && row[0] < table->abscissas.back()) {
      raise(span, "the first column of a table must not decrease, but row {} has {} after {}", i + 1, row[0],
            table->abscissas.back());
    }
    table->abscissas.push_back(row[0]);
    table->rows.push_back(std::move(row));
  }
  return table;
}

void read_columns(Frame& frame, const Value& columns, TableData& table, SourceSpan span) {
  if (!is_numeric(columns.type))
    raise(span, "the columns of a table are Integers, not {}", type_text(columns));
  for (const NodeId node : nodes_of(columns)) {
    const double column = number(frame, scalar({BaseType::Integer}, node), span);
    if (column < 1 || column > static_cast<double>(table.rows[0].size())) {
      raise(span, "column {} is asked for, but the table has {}", column, table.rows[0].size());
    }
    table.columns.push_back(static_cast<int>(column) - 1);
  }
}

void read_shape(Frame& frame, const Value& smoothness, const Value& extrapolation, TableData& table,
                SourceSpan span) {
  table.smoothness = static_cast<Smoothness>(position(frame, smoothness, span));
  if (table.smoothness > Smoothness::MonotoneContinuousDerivative2) {
    raise(span, "smoothness {} of a table is not known; there are 1 (LinearSegments) to 5",
          number(frame, smoothness, span));
  }
  table.extrapolation = static_cast<Extrapolation>(position(frame, extrapolation, span));
}

Value table_object(std::shared_ptr<TableData> table) {
  Value value{.type = {BaseType::External}, .node = {}, .more = std::make_shared<Aggregate>()};
  value.more->table = std::move(table);
  return value;
}

Value make_table(Frame& frame, Values a, SourceSpan span) {
  auto table = read_table(frame, a, span);
  read_columns(frame, a[5], *table, span);
  read_shape(frame, a[7], a[8], *table, span);
  return table_object(std::move(table));
}

// A jump and nothing else, [700, 0; 700, 1], as the library's tables of buttons are: it goes on at the height
// of its last row.
void continue_jump(TableData& table) {
  if (table.rows.size() < 2 || table.abscissas.back() > table.abscissas.front()) return;
  table.abscissas.push_back(table.abscissas.back() + 1);
  table.rows.push_back(table.rows.back());
  table.rows.back()[0] = table.abscissas.back();
  table.continued = true;
}

Value make_time_table(Frame& frame, Values a, SourceSpan span) {
  auto table = read_table(frame, a, span);
  continue_jump(*table);
  table->start_time = number(frame, a[5], span);
  read_columns(frame, a[6], *table, span);
  read_shape(frame, a[8], a[9], *table, span);
  if (a.size() > 10) table->shift_time = number(frame, a[10], span);
  if (a.size() > 11) table->time_events = static_cast<TimeEvents>(position(frame, a[11], span));
  return table_object(std::move(table));
}

const TableData& table_of(const Value& value, SourceSpan span) {
  if (value.more == nullptr || value.more->table == nullptr) raise(span, "this is not a table");
  return *value.more->table;
}

int column_of(Frame& frame, const TableData& table, const Value& value, SourceSpan span) {
  const double index = number(frame, value, span);
  if (index < 1 || index > static_cast<double>(table.columns.size())) {
    raise(span, "output {} is asked for, but the table has {}", index, table.columns.size());
  }
  return table.columns[static_cast<std::size_t>(index) - 1];
}

Value table_lookup(Frame& frame, Values a, SourceSpan span) {
  const TableData& table = table_of(a[0], span);
  return real(
      table_value(frame.graph(), table, column_of(frame, table, a[1], span), node_of(a[2], span), false));
}

Value table_derivative(Frame& frame, Values a, SourceSpan span) {
  const TableData& table = table_of(a[0], span);
  const NodeId slope =
      table_value(frame.graph(), table, column_of(frame, table, a[1], span), node_of(a[2], span), true);
  return real(frame.graph().mul(slope, node_of(a[3], span)));
}

Value time_table_lookup(Frame& frame, Values a, SourceSpan span) {
  const TableData& table = table_of(a[0], span);
  const int column = column_of(frame, table, a[1], span);
  return real(time_table_value(frame.graph(), table, column,
                               {.time = node_of(a[2], span), .next_event = node_of(a[3], span)}));
}

Value time_table_derivative(Frame& frame, Values a, SourceSpan span) {
  const TableData& table = table_of(a[0], span);
  const int column = column_of(frame, table, a[1], span);
  const NodeId slope =
      time_table_value(frame.graph(), table, column,
                       {.time = node_of(a[2], span), .next_event = node_of(a[3], span), .derivative = true});
  return real(frame.graph().mul(slope, node_of(a.back(), span)));
}

Value first_abscissa(Frame& frame, Values a, SourceSpan span) {
  return real(frame.graph().constant(table_of(a[0], span).abscissas.front()));
}

Value last_abscissa(Frame& frame, Values a, SourceSpan span) {
  const TableData& table = table_of(a[0], span);
  return real(frame.graph().constant(table.continued ? table.abscissas.front() : table.abscissas.back()));
}

Value next_event(Frame& frame, Values a, SourceSpan span) {
  return real(next_time_event(frame.graph(), table_of(a[0], span), node_of(a[1], span)));
}

constexpr External table[] = {
    {"ModelicaStandardTables_CombiTable1D_init", 9, one<make_table>},
    {"ModelicaStandardTables_CombiTable1D_getValue", 3, one<table_lookup>},
    {"ModelicaStandardTables_CombiTable1D_getDerValue", 4, one<table_derivative>},
    {"ModelicaStandardTables_CombiTable1D_minimumAbscissa", 1, one<first_abscissa>},
    {"ModelicaStandardTables_CombiTable1D_maximumAbscissa", 1, one<last_abscissa>},
    {"ModelicaStandardTables_CombiTimeTable_init", 10, one<make_time_table>},
    {"ModelicaStandardTables_CombiTimeTable_getValue", 5, one<time_table_lookup>},
    {"ModelicaStandardTables_CombiTimeTable_getDerValue", 6, one<time_table_derivative>},
    {"ModelicaStandardTables_CombiTimeTable_minimumTime", 1, one<first_abscissa>},
    {"ModelicaStandardTables_CombiTimeTable_maximumTime", 1, one<last_abscissa>},
    {"ModelicaStandardTables_CombiTimeTable_nextTimeEvent", 2, one<next_event>},
};

const External* find_external(std::string_view name) {
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);  // init3 is init
  for (const auto family : {std::span<const External>(table), random_externals(), table2d_externals()}) {
    const auto found = std::ranges::find(family, name, &External::name);
    if (found != family.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

bool is_known_external(std::string_view name) {
  return find_external(name) != nullptr || daedalus::find_function(name) != nullptr;
}

std::vector<Value> call_external(Frame& frame, std::string_view name, Values arguments, SourceSpan span) {
  if (const External* known = find_external(name)) {
    if (arguments.size() < known->least) raise(span, "'{}' takes {} arguments", name, known->least);
    return known->call(frame, arguments, span);
  }
  // external "builtin" y = sin(x), and C's functions of the same names.
  const OpInfo* function = daedalus::find_function(name);
  const bool fits = static_cast<std::size_t>(function->arity) == arguments.size() &&
                    std::ranges::all_of(arguments, [](const Value& v) { return v.node.valid(); });
  if (!fits) raise(span, "'{}' takes {} numbers", name, function->arity);
  return {real(arguments.size() == 1
                   ? frame.graph().apply(function->op, arguments[0].node)
                   : frame.graph().apply(function->op, arguments[0].node, arguments[1].node))};
}

}  // namespace daedalus::flatten
