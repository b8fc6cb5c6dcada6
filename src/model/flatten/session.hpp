// Everything that flattening one model shares: its symbols, its classes and the DaeSystem that grows.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "expr/derivative.hpp"
#include "model/dae_system.hpp"
#include "model/flatten/classes.hpp"
#include "model/flatten/error.hpp"
#include "model/flatten/value.hpp"
#include "model/load_options.hpp"
#include "model/relation_table.hpp"

namespace daedalus::flatten {

// Where the scalars of a variable are. Scalars of one leaf have consecutive numbers, row by row.
struct Instance {
  Type type;
  Shape shape;
  std::int32_t first = -1;      // VariableId of the first scalar of a leaf
  std::vector<Instance> parts;  // of a record: the fields of each element, one element after the other
};

enum class Role : std::uint8_t {
  Known,    // a constant, or a parameter with a value
  Unknown,  // a parameter with fixed = false
  Variable,
  Elements,  // 'x', when 'x[1]', 'x[2]', ... are declared one by one
  Absent,    // declared under a condition that is false
};

struct Symbol {
  std::string name;
  const ast::Ast* tree = nullptr;
  const ast::Component* declaration = nullptr;  // null for Elements
  Role role = Role::Variable;
  bool missing = false;  // a parameter without a value
  bool used = false;     // something outside its own declaration refers to it
  ResolvedType declared;
  Shape shape;
  Value value;                         // Known
  Instance instance;                   // Unknown, Variable
  std::vector<std::int32_t> elements;  // Elements: symbols, row by row
};

// A scalar equation whose sides are still apart, as discrete equations need them.
struct ScalarEquation {
  NodeId left;
  NodeId right;
  Type type;
  SourceSpan span;
  std::string label;
};

// --set name=value, as far as it is understood.
struct Setting {
  std::string name;
  std::string what;  // for messages: "--set k", "the free parameter k"
  Value value;
  SourceSpan span;
  std::int32_t symbol = -1;
  const ast::Ast* name_tree = nullptr;  // of the subscripts in the path
  std::vector<ast::NamePart> path;      // what of the symbol is set, beginning with the symbol itself
};

// --set u=expression in time, of a top-level input.
struct InputExpression {
  std::string name;
  const ast::Ast* tree = nullptr;
  ast::ExprRef value = -1;
  SourceSpan span;
};

// name = expression of a field inside a record variable: one equation for each element.
struct FieldBinding {
  Instance field;
  const ast::Ast* tree = nullptr;
  ast::ExprRef value = -1;
  SourceSpan span;
};

struct ComponentTree;  // components.cpp

struct Session {
  std::shared_ptr<SourceMap> sources;
  ast::Ast tree;               // of the model file
  std::deque<ast::Ast> trees;  // of library functions and settings; addresses stay
  ClassTable classes;
  DaeSystem system;
  LoadLimits limits;
  Diagnostics errors;

  std::vector<Symbol> symbols;
  StringMap<std::int32_t> symbol_of;
  // Cache for the names in `tree`: the symbol, and how many parts of the name it takes. -2: not looked up
  // yet.
  struct FoundSymbol {
    std::int32_t symbol = -2;
    std::int32_t parts = 0;
  };
  std::vector<FoundSymbol> symbol_of_expression;

  std::shared_ptr<ComponentTree> components;  // the names as a tree, once asked for

  std::vector<Setting> settings;
  std::unordered_map<std::int32_t, std::vector<std::size_t>> settings_of;  // by symbol
  std::vector<FieldBinding> field_bindings;
  std::unordered_map<std::int32_t, std::vector<Setting>> free_of;  // parameters to be free, by symbol
  std::vector<InputTable> input_tables;
  std::vector<InputExpression> input_expressions;

  std::vector<ScalarEquation> discrete_equations;
  std::vector<ScalarEquation> initial_discrete_equations;
  std::vector<WhenClause> when_clauses;
  std::unordered_set<std::int32_t> held;  // VariableIds that a when clause determines
  std::unordered_map<std::int32_t, SourceSpan>
      real_equation_of;  // Integers that are a side of a Real equation
  // Parameters with fixed = false whose initial equation could be solved at once, and those equations.
  std::unordered_map<std::int32_t, double> solved;
  std::unordered_set<std::int32_t> solved_by;

  RelationTable relations;
  std::unordered_set<NodeId> asserted;                      // conditions of assertions
  std::map<std::pair<double, double>, SampleId> sample_of;  // by start and interval
  std::optional<TimeDerivative> derivative;
  bool warned_of_terminal = false;
  StringMap<const ClassInfo*> replaced;                // functions of the file whose place our own take
  std::map<std::pair<NodeId, double>, NodeId> delays;  // by value and time
  StringMap<NodeId> implicit;                 // unknowns of solved equations, by function and arguments
  std::unordered_map<NodeId, NodeId> floors;  // argument → value of the auxiliary that holds its floor

  int depth = 0;
  int calls = 0;
  std::size_t function_calls = 0;
  std::size_t iterations = 0;
  std::size_t work = 0;

  [[nodiscard]] ExprGraph& graph() { return *system.graph; }
};

// Counts a level of nesting for as long as it lives.
class Nesting {
 public:
  Nesting(Session& session, SourceSpan span);
  ~Nesting() { --session_->depth; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  Session* session_;
};

// Counts an iteration of a loop against the limit.
void count_iteration(Session& session, SourceSpan span);
// Counts expressions and array elements against the limit: the whole of what expansion may cost.
void count_work(Session& session, std::size_t amount, SourceSpan span);
// Makes sure that so many variables or parameters may be added to those that are there.
void check_variables(const Session& session, std::size_t count, SourceSpan span);

// Remembers an error and lets the caller go on, unless there are too many.
void report(Session& session, const ModelError& error);
void warn(Session& session, SourceSpan span, std::string message);

// The symbol of a name, or -1.
[[nodiscard]] std::int32_t find_symbol(const Session& session, std::string_view name);
// "; did you mean ...", among variables and parameters.
[[nodiscard]] std::string similar_names(const Session& session, std::string_view name);

// The leaf of a scalar variable, by its kind.
[[nodiscard]] NodeId variable_node(Session& session, VariableId variable);
// The variable of such a leaf, or an invalid id.
[[nodiscard]] VariableId variable_of(const Session& session, NodeId leaf);
// Whether an expression can change between events.
[[nodiscard]] bool is_continuous(Session& session, NodeId node);
// The leaf of a relation that makes events: true where difference > 0, or >= 0 when not strict.
[[nodiscard]] NodeId relation_node(Session& session, NodeId difference, bool strict, SourceSpan span);

// Whether an expression is known as soon as free parameters and inputs are.
[[nodiscard]] bool depends_on_given_only(const Session& session, NodeId node);
// A number that an expression of free parameters has at their default values; nothing when it depends on
// more.
[[nodiscard]] std::optional<double> default_value(const Session& session, NodeId node);
// "{what} must be known before the simulation, but it depends on ..."
[[noreturn]] void raise_unknown(const Session& session, NodeId node, SourceSpan span, std::string_view what);

// The definition of a function: of the file, or of our library. Null when there is none.
[[nodiscard]] inline bool is_library_function(const Session& session, const ClassInfo& info) {
  return info.tree != &session.tree;
}
[[nodiscard]] const ClassInfo* find_function(Session& session, std::string_view name);
// Our own, even where the file has one of this name.
[[nodiscard]] const ClassInfo* find_library_function(Session& session, std::string_view name);

}  // namespace daedalus::flatten
