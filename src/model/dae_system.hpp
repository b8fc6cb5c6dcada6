// The value that the model stage makes: a flat, scalar, hybrid DAE in expressions. Text models, the
// C++ builder and (later) mechanisms all become one of these, and no later stage asks where it came from.
//
// Invariants
//  - graph, sources are never null; every NodeId belongs to graph.
//  - Expressions of equations mention only continuous variables by Op::Variable (any order), every other
//    kind by Op::Discrete or Op::Pre. Parameters with known values are constants already.
//  - Relations that make events are Op::Relation leaves; a plain Op::Less etc. makes none (noEvent, or
//    a relation between discrete values, which can change only at events anyway).
//  - discrete variables are determined by `discrete_steps`, continuous ones by `equations`;
//    equations.size() == number of variables of kind Continuous in a balanced model (structure tells).
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/diagnostic.hpp"
#include "core/index.hpp"
#include "core/source.hpp"
#include "expr/graph.hpp"

namespace daedalus {

enum class VariableKind {
  Continuous,  // Real, determined by equations at all times
  DiscreteReal,
  Integer,
  Boolean,
  Parameter,  // parameter with fixed = false: an unknown of the initialisation, constant afterwards
  // Given from outside: known before the initialisation, the same until somebody sets it anew. `start` is the
  // value unless another is given.
  FreeParameter,  // a parameter that was declared free: a leaf instead of a number
  Input,          // a top-level input without a value in the model
};

// What an Input takes: any number, whole numbers, 0 and 1.
enum class ValueType { Real, Integer, Boolean };

// Known from outside at every instant: neither equations nor discrete steps determine it.
[[nodiscard]] constexpr bool is_given(VariableKind kind) {
  return kind == VariableKind::FreeParameter || kind == VariableKind::Input;
}
// Determined by discrete_steps.
[[nodiscard]] constexpr bool is_discrete(VariableKind kind) {
  return kind == VariableKind::DiscreteReal || kind == VariableKind::Integer || kind == VariableKind::Boolean;
}

enum class StateSelect { Never, Avoid, Default, Prefer, Always };

struct Variable {
  std::string name;
  VariableKind kind = VariableKind::Continuous;
  StateSelect state_select = StateSelect::Default;
  bool has_start = false;  // the user wrote a start value
  bool fixed = false;
  double start = 0;
  // Where the start value depends on given variables: the expression of it, in their Op::Discrete leaves;
  // `start` is then its value at their own start values. Invalid: `start` is all there is to know.
  NodeId start_value;
  ValueType type = ValueType::Real;  // of an Input
  bool internal = false;             // made by the program: not in results
  double nominal = 1;
  bool has_nominal = false;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string unit;
  std::string description;
  SourceSpan span;
};

struct Equation {
  NodeId residual;    // left minus right
  SourceSpan span;    // of the equation in the text
  std::string label;  // for messages where the span alone is not enough: "i = 3" of a for loop; or a
                      // name given in C++. May be empty.
  // An equation of motion or a constraint, even where it looks like x = y: no unknown goes by it, because a
  // multiplier belongs to it.
  bool keep = false;
};

// difference (<, <=, >, >=) 0, the difference being continuous between events. Written so that the
// relation is true where `difference` > 0 (strict) or >= 0 (not strict).
struct Relation {
  NodeId difference;
  bool strict = true;
  SourceSpan span;
};

// sample(start, interval): ticks at start + k * interval, k = 0, 1, ...
struct SampleClock {
  double start = 0;
  double interval = 1;
  SourceSpan span;
};

// target := value.
struct Assignment {
  VariableId target;
  NodeId value;
  SourceSpan span;
};

// terminate(message), or an assert inside a when clause (condition false → message).
struct Termination {
  std::string message;
  SourceSpan span;
  NodeId unless = {};  // nothing happens where this holds (the condition of an assert); invalid: always stop
};

// The body of one branch of a when clause. It is active at the instants at which one of its conditions
// becomes true (at initialisation: only through initial()).
struct WhenBranch {
  std::vector<NodeId> conditions;
  std::vector<Assignment> assignments;  // to discrete variables, in the order to be executed
  std::vector<Assignment> reinits;      // reinit(x, value): x is continuous and must be a state
  std::vector<Termination> terminations;
  SourceSpan span;
};

struct WhenClause {
  std::vector<WhenBranch> branches;  // when, elsewhen, ...: the first active one is taken
};

// What determines discrete variables, sorted so that one pass suffices unless there is a loop through
// discrete variables (event iteration deals with those). An Assignment holds at every instant.
using DiscreteStep = std::variant<Assignment, WhenClause>;

struct Assertion {
  NodeId condition;
  std::string message;
  bool is_error = true;  // AssertionLevel.error; otherwise a warning, given once
  SourceSpan span;
};

// A name that appears in results without being an unknown: an alias removed, a variable found constant,
// a parameter.
struct ReportedValue {
  Variable attributes;
  NodeId value;  // in terms of variables that remain; of a parameter: a constant, or of free parameters
  bool parameter = false;
};

struct Experiment {
  double start_time = 0;
  std::optional<double> stop_time;
  std::optional<double> tolerance;
  std::optional<double> interval;
};

struct DaeSystem {
  std::string name;
  std::shared_ptr<ExprGraph> graph;
  std::shared_ptr<const SourceMap> sources;
  std::vector<Variable> variables;
  std::vector<Equation> equations;
  std::vector<Equation> initial_equations;
  // initial algorithms and initial equations that determine discrete variables, in order of execution.
  std::vector<Assignment> initial_assignments;
  std::vector<Relation> relations;
  std::vector<SampleClock> samples;
  std::vector<DiscreteStep> discrete_steps;
  std::vector<Assertion> assertions;
  std::vector<ReportedValue> reported;
  std::vector<std::string> report_order;  // every name of results in the order of declaration
  Experiment experiment;
  Diagnostics warnings;
};

// The name of the independent variable, in models and in results; no other variable may have it.
inline constexpr std::string_view time_name = "time";

// A system with a graph of its own, in which the same NodeIds mean the same: what grows the graph of one does
// not touch the other. A copy of arrays.
[[nodiscard]] DaeSystem deep_copy(const DaeSystem& system);

// All variables of a kind, in order.
[[nodiscard]] std::vector<VariableId> variables_of_kind(const DaeSystem& system, VariableKind kind);
// "the input 'u' has no value; ...": for runs in which nobody gives the inputs values.
[[nodiscard]] Diagnostics input_warnings(const DaeSystem& system);
// The value of an expression of free parameters, inputs and other discrete variables at their start values.
[[nodiscard]] double value_at_starts(const DaeSystem& system, NodeId expression);

// Names and texts for messages. "x", "der(x)", "der(x, 2)".
[[nodiscard]] std::string derivative_name(const std::string& name, int order);
[[nodiscard]] std::string leaf_name(const DaeSystem& system, NodeId leaf);
[[nodiscard]] std::string expression_text(const DaeSystem& system, NodeId expression);
// The equation as the user wrote it, with its place: "x^2 + y^2 = L^2 (pendulum.mo:11:3)"; for a model
// without text, the label or the residual's text "… = 0".
[[nodiscard]] std::string equation_text(const DaeSystem& system, const Equation& equation);

}  // namespace daedalus
