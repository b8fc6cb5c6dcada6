// What is given from outside: free parameters, and tables for inputs.
#include <algorithm>
#include <cmath>

#include "model/flatten/declarations.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/flatten/statements.hpp"
#include "model/flatten/tables.hpp"

namespace daedalus::flatten {
namespace {

void check_can_be_free(const Session& session, const Setting& setting) {
  const Symbol& symbol = session.symbols[static_cast<std::size_t>(setting.symbol)];
  const SourceSpan span = symbol.declaration == nullptr ? SourceSpan{} : symbol.declaration->span;
  if (symbol.role == Role::Elements)
    raise(span, "{}: this is an array; name its elements one by one: {}[1], ...", setting.what, setting.name);
  const ast::Component& declaration = *symbol.declaration;
  if (declaration.variability == ast::Variability::Constant)
    raise(span, "{}: '{}' is a constant, which nothing can change", setting.what, symbol.name);
  if (declaration.variability != ast::Variability::Parameter)
    raise(span, "{}: '{}' is no parameter", setting.what, symbol.name);
  if (declaration.is_final)
    raise(span, "{}: '{}' is declared final, so nothing can change it", setting.what, symbol.name);
}

// "k[2].a", as results have it.
std::string scalar_name(Frame& frame, const Setting& setting) {
  std::string name = frame.session.symbols[static_cast<std::size_t>(setting.symbol)].name;
  for (std::size_t i = 0; i < setting.path.size(); ++i) {
    const ast::NamePart& part = setting.path[i];
    if (i > 0) name += "." + part.name;
    if (part.subscripts.empty()) continue;
    std::string text;
    for (const ast::ExprRef subscript : part.subscripts) {
      if (!text.empty()) text += ',';
      text += fmt::format("{}", evaluate_integer(frame, subscript, "a subscript"));
    }
    name += "[" + text + "]";
  }
  return name;
}

VariableId declare_free(Session& session, const Symbol& symbol, const std::string& name, bool whole) {
  const VariableId id(session.system.variables.size());
  check_variables(session, 1, symbol.declaration->span);
  Variable variable;
  variable.name = name;
  variable.description = symbol.declaration->description;
  variable.span = symbol.declaration->span;
  session.system.variables.push_back(std::move(variable));
  // The attributes of an array's element are those of an array, of which only the whole has the shape.
  if (whole) {
    const Instance leaf{.type = symbol.declared.type, .shape = {}, .first = id.value, .parts = {}};
    set_attributes(session, leaf, modifications_of(symbol));
  }
  return id;
}

void make_one_free(Session& session, std::int32_t index, const Setting& setting) {
  Symbol& symbol = session.symbols[static_cast<std::size_t>(index)];
  const SourceSpan span = symbol.declaration->span;
  if (symbol.role == Role::Unknown)
    raise(span, "{}: '{}' is determined by the initialisation (fixed = false), so it cannot be given",
          setting.what, symbol.name);
  if (symbol.role == Role::Absent)
    raise(span, "{}: '{}' is declared under a condition that is false", setting.what, symbol.name);
  if (symbol.missing) raise(span, "{}: '{}' has no value; give it one with --set", setting.what, symbol.name);
  const ast::Ast* tree = setting.name_tree == nullptr ? &session.tree : setting.name_tree;
  Frame frame{.session = session, .tree = tree, .place = Place::Declaration, .events = false};
  const bool used = symbol.used;
  const Value value = read_symbol(frame, index, setting.path, span);
  session.symbols[static_cast<std::size_t>(index)].used = used;
  if (is_array(value))
    raise(span, "{}: this is an array of size {}; name its elements one by one: {}[1], ...", setting.what,
          shape_text(shape_of(value)), setting.name);
  if (value.type.base != BaseType::Real)
    raise(span, "{}: only Real parameters can be free, but this is {}", setting.what, type_text(value));
  const auto number = default_value(session, value.node);
  if (!number) raise_unknown(session, value.node, span, setting.what);
  const bool whole = setting.path.size() == 1 && setting.path[0].subscripts.empty();
  const VariableId id = declare_free(session, symbol, scalar_name(frame, setting), whole);
  Variable& variable = session.system.variables[id.at()];
  variable.kind = VariableKind::FreeParameter;
  variable.start = *number;
  variable.start_value = {};
  variable.has_start = true;
  const Value leaf = real(session.graph().discrete(id));
  if (whole) {
    symbol.value = leaf;
  } else {
    assign_part(frame, symbol.value, setting.path, leaf, {}, span);
  }
}

void check_table(const InputTable& table) {
  if (table.times.empty() || table.times.size() != table.values.size())
    raise({}, "the table of the input '{}' has {} times and {} values; it needs as many, and one at least",
          table.name, table.times.size(), table.values.size());
  for (std::size_t i = 0; i < table.times.size(); ++i) {
    if (!std::isfinite(table.times[i]) || !std::isfinite(table.values[i]))
      raise({}, "row {} of the table of the input '{}' is no finite number", i + 1, table.name);
    if (i > 0 && table.times[i] < table.times[i - 1])
      raise({}, "the times of the input '{}' must not decrease, but row {} has {} after {}", table.name,
            i + 1, table.times[i], table.times[i - 1]);
  }
}

// What holds between two events of a table: u = value + slope * (time - begin) until `next`. Each is a
// discrete variable, set at the start and at every breakpoint, so that between them the table costs one line.
class TableInput {
 public:
  TableInput(Session& session, const InputTable& table, VariableId input)
      : session_(session), graph_(session.graph()), table_(table), input_(input), span_(variable().span) {
    // Constants on both sides, as a piece that ends where the table begins and one that never ends.
    if (table.times.size() > 1) {
      for (std::size_t i = 0; i + 1 < table.times.size(); ++i) add_piece(i);
    }
    check_values();
  }

  void give() {
    if (pieces_.empty()) {
      give_constant(table_.values.back());
      return;
    }
    const VariableId next = held("next breakpoint");
    WhenBranch branch;
    branch.span = span_;
    const NodeId due = graph_.sub(graph_.time(), graph_.pre(next));
    branch.conditions = {graph_.initial(), relation_node(session_, due, false, span_)};
    set(branch, next, next_breakpoint());
    const NodeId until = graph_.discrete(next);
    if (variable().kind != VariableKind::Continuous) {
      set(branch, input_, chosen(until, &Segment::value));
    } else {
      const VariableId value = held("value at its row");
      const VariableId slope = held("slope");
      const VariableId begin = held("time of its row");
      set(branch, value, chosen(until, &Segment::value));
      set(branch, slope, chosen(until, &Segment::slope));
      set(branch, begin, chosen(until, &Segment::begin));
      const NodeId since = graph_.sub(graph_.time(), graph_.discrete(begin));
      const NodeId line = graph_.add(graph_.discrete(value), graph_.mul(graph_.discrete(slope), since));
      add_equation(line);
    }
    session_.when_clauses.push_back({.branches = {std::move(branch)}});
  }

 private:
  [[nodiscard]] const Variable& variable() const { return session_.system.variables[input_.at()]; }

  void add_piece(std::size_t i) {
    const double length = table_.times[i + 1] - table_.times[i];
    if (length <= 0) return;
    const double rise = table_.held ? 0 : (table_.values[i + 1] - table_.values[i]) / length;
    pieces_.push_back({table_.times[i], table_.times[i + 1], table_.values[i], rise});
  }

  void check_values() const {
    const Variable& input = variable();
    if (input.kind == VariableKind::Continuous) return;
    if (!table_.held)
      raise(span_, "the input '{}' is not Real, so its table must be held, not linear", input.name);
    for (std::size_t i = 0; i < table_.values.size(); ++i) {
      const double value = table_.values[i];
      const bool boolean = input.kind == VariableKind::Boolean;
      if (boolean ? value == 0 || value == 1 : value == std::floor(value)) continue;
      raise(span_, "row {} of the table of the input '{}' has {}, but it takes {}", i + 1, input.name, value,
            boolean ? "0 (false) and 1 (true)" : "whole numbers");
    }
  }

  VariableId held(std::string_view what) {
    const VariableId id(session_.system.variables.size());
    Variable made;
    made.name = fmt::format("{} of the table of {}", what, variable().name);
    made.kind = VariableKind::DiscreteReal;
    made.internal = true;
    made.span = span_;
    session_.system.variables.push_back(std::move(made));
    session_.held.insert(id.value);
    return id;
  }

  void set(WhenBranch& branch, VariableId target, NodeId value) {
    branch.assignments.push_back({target, value, span_});
    session_.held.insert(target.value);
  }

  void give_constant(double value) {
    if (variable().kind == VariableKind::Continuous) return add_equation(graph_.constant(value));
    session_.discrete_equations.push_back({.left = graph_.discrete(input_),
                                           .right = graph_.constant(value),
                                           .type = {BaseType::Integer},
                                           .span = span_,
                                           .label = {}});
  }

  void add_equation(NodeId value) {
    session_.system.equations.push_back({.residual = graph_.sub(graph_.variable(input_), value),
                                         .span = span_,
                                         .label = "table of the input " + variable().name});
  }

  // A breakpoint that time has reached up to rounding is behind us.
  [[nodiscard]] NodeId next_breakpoint() {
    constexpr double arrival = 1e-9;  // a share of the shortest piece: far above rounding, far below a piece
    const NodeId t = graph_.add(graph_.time(), graph_.constant(arrival * shortest()));
    NodeId next = graph_.constant(never);
    const auto before = [&](double time) {
      next = graph_.if_else(graph_.apply(Op::Less, t, graph_.constant(time)), graph_.constant(time), next);
    };
    for (std::size_t i = pieces_.size(); i-- > 0;) before(pieces_[i].end);
    before(pieces_.front().begin);
    return next;
  }

  // Of the piece that ends at `until`. Breakpoints are compared with the middles between them.
  [[nodiscard]] NodeId chosen(NodeId until, double Segment::*of) {
    const Segment last{pieces_.back().end, never, table_.values.back(), 0};
    const Segment first{pieces_.front().begin, pieces_.front().begin, table_.values.front(), 0};
    NodeId result = graph_.constant(last.*of);
    const auto until_middle = [&](const Segment& piece, double next_end) {
      const double middle = piece.end + ((next_end - piece.end) / 2);
      result = graph_.if_else(graph_.apply(Op::Less, until, graph_.constant(middle)),
                              graph_.constant(piece.*of), result);
    };
    for (std::size_t i = pieces_.size(); i-- > 0;)
      until_middle(pieces_[i], i + 1 < pieces_.size() ? pieces_[i + 1].end : never);
    until_middle(first, pieces_.front().end);
    return result;
  }

  [[nodiscard]] double shortest() const {
    double length = pieces_[0].end - pieces_[0].begin;
    for (const Segment& s : pieces_) length = std::min(length, s.end - s.begin);
    return length;
  }

  static constexpr double never = 1e60;  // as the tables of the Modelica library have it

  Session& session_;
  ExprGraph& graph_;
  const InputTable& table_;
  VariableId input_;
  SourceSpan span_;
  std::vector<Segment> pieces_;
};

}  // namespace

void read_free(Session& session, std::span<const std::string> names) {
  for (const std::string& name : names) {
    try {
      Setting setting;
      setting.name = name;
      setting.what = "the free parameter " + name;
      find_target(session, setting);
      check_can_be_free(session, setting);
      session.free_of[setting.symbol].push_back(std::move(setting));
    } catch (const ModelError& error) {
      report(session, error);
    }
  }
}

void make_free(Session& session, std::int32_t symbol) {
  const auto found = session.free_of.find(symbol);
  if (found == session.free_of.end()) return;
  for (const Setting& setting : found->second) make_one_free(session, symbol, setting);
}

void read_input_tables(Session& session, std::span<const InputTable> tables) {
  for (const InputTable& table : tables) {
    try {
      check_table(table);
      if (!is_input_name(session, table.name)) {
        const std::vector<std::string_view> inputs = input_names(session);
        raise({}, "the model has no input '{}'; {}", table.name,
              inputs.empty() ? "it has none" : fmt::format("its inputs are {}", fmt::join(inputs, ", ")));
      }
      if (has_course(session, table.name)) raise({}, "the input '{}' is given twice", table.name);
      session.input_tables.push_back(table);
    } catch (const ModelError& error) {
      report(session, error);
    }
  }
}

void flatten_input_tables(Session& session) {
  for (const InputTable& table : session.input_tables) {
    try {
      const auto found = std::ranges::find(session.system.variables, table.name, &Variable::name);
      if (found == session.system.variables.end())
        raise({}, "'{}' is no scalar input; give each of its elements a table", table.name);
      const VariableId id(static_cast<std::size_t>(found - session.system.variables.begin()));
      TableInput(session, table, id).give();
    } catch (const ModelError& error) {
      report(session, error);
    }
  }
}

}  // namespace daedalus::flatten
