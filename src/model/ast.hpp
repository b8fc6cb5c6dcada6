// The syntax tree of a model text. Nodes lie in one arena and refer to each other by number, so that
// neither building nor freeing a tree recurses. Chains of equal precedence (a + b - c, a * b / c,
// p or q or r) are one n-ary node: the depth of a tree is the depth of the user's parentheses, which the
// parser limits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/source.hpp"

namespace daedalus::ast {

using ExprRef = std::int32_t;  // index into Ast::expressions; -1: none

enum class ExprKind : std::uint8_t {
  Number,         // number; is_integer when it was written without point and exponent
  String,         // text, unescaped
  Boolean,        // number 0 or 1
  Name,           // parts, with subscripts: a.b[1].c
  Chain,          // children[0] ops[0] children[1] ops[1] ...; all of one precedence level
  Unary,          // ops[0] in {Minus, Plus, Not, ElementMinus, ElementPlus}; children[0]
  Power,          // children[0] ^ children[1]; ops[0] in {Power, ElementPower}
  Relation,       // children[0] ops[0] children[1]
  If,             // children: condition, value, condition, value, ..., else value (`else if` is `elseif`)
  Call,           // parts = function name; children = positional arguments; named = named ones
  Comprehension,  // { children[0] for iterators }, or a reduction when `parts` names one (sum, ...)
  Array,          // { children... }
  Matrix,         // [ a, b; c, d ]: children row by row, columns in row_sizes
  Range,          // children: start, stop, or start, step, stop
  Tuple,          // ( a, , c ): a missing element is -1
  Colon,          // ':' as a subscript
  End,            // 'end' in a subscript
  // Added to the first version of this file:
  Subscripted,  // ( children[0] )[ children[1], ... ]
  PartialCall,  // function f(a = 1) as an argument: parts = function name; named
  Member,       // ( children[0] ).parts, the field of a record that is no variable: (f(x)).a.b[1]
};

enum class Operator : std::uint8_t {
  Plus,
  Minus,
  Times,
  Divide,
  ElementPlus,
  ElementMinus,
  ElementTimes,
  ElementDivide,
  Power,
  ElementPower,
  And,
  Or,
  Not,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
};

struct NamePart {
  std::string name;  // without the quotes of a quoted identifier
  std::vector<ExprRef> subscripts;
};

struct NamedArgument {
  std::string name;
  ExprRef value = -1;
};

struct Iterator {
  std::string name;
  ExprRef range = -1;
  SourceSpan span;
};

struct Expr {
  ExprKind kind = ExprKind::Number;
  bool is_integer = false;  // of a Number
  SourceSpan span;          // with the parentheses around it, if any
  double number = 0;
  std::string text;
  std::vector<ExprRef> children;
  std::vector<Operator> ops;
  std::vector<NamePart> parts;
  std::vector<NamedArgument> named;
  std::vector<Iterator> iterators;
  std::vector<std::int32_t> row_sizes;
};

enum class StatementKind : std::uint8_t {
  Equation,    // left = right
  Assignment,  // left := right (left may be a Tuple)
  Call,        // right: a Call expression (assert, reinit, terminate, ...)
  If,          // branches: conditions[i] → bodies[i]; one more body than conditions: else
  When,        // as If, without else
  For,         // iterators, bodies[0]
  While,       // conditions[0], bodies[0]
  Break,
  Return,
};

// An equation or a statement.
struct Statement {
  StatementKind kind = StatementKind::Equation;
  SourceSpan span;  // without the description and the semicolon
  ExprRef left = -1;
  ExprRef right = -1;
  std::vector<ExprRef> conditions;
  std::vector<std::vector<std::int32_t>> bodies;  // indices into Ast::statements
  std::vector<Iterator> iterators;
  std::string description;
};

enum class Variability : std::uint8_t { Continuous, Discrete, Parameter, Constant };
enum class Causality : std::uint8_t { None, Input, Output };

// name = value or name(nested) = value in a modification or an annotation.
struct Modifier {
  std::string name;
  bool each = false;
  bool is_final = false;
  ExprRef value = -1;
  std::vector<Modifier> nested;  // depth limited by the parser
  SourceSpan span;
};

struct Component {
  std::string name;
  std::string type;  // "Real", "Integer", "Boolean", "String", or a type defined in the file; dotted
  Variability variability = Variability::Continuous;
  Causality causality = Causality::None;
  bool is_protected = false;
  bool is_final = false;
  // In the order of the subscripts: those of the name before those of the type, since Real[3, 2] x[4, 5]
  // has the type Real[4, 5, 3, 2] (Modelica 3.6, section 10.1). Colon: open.
  std::vector<ExprRef> dimensions;
  std::vector<Modifier> modifiers;
  ExprRef binding = -1;
  ExprRef condition = -1;  // component if condition
  std::string description;
  std::vector<Modifier> annotation;
  SourceSpan span;  // from the name to the end of the binding
};

struct Sections {
  std::vector<std::int32_t> equations;
  std::vector<std::int32_t> initial_equations;
  std::vector<std::vector<std::int32_t>> algorithms;  // one entry a section
  std::vector<std::vector<std::int32_t>> initial_algorithms;
};

// parameter equation guess('x') = expr (Base Modelica).
struct Guess {
  ExprRef target = -1;
  ExprRef value = -1;
  SourceSpan span;
};

enum class ClassKind : std::uint8_t {
  Model,
  Function,
  Record,
  Package,
  Type,
  Block,
  ExternalObject,
  Operator
};

struct Class {
  ClassKind kind = ClassKind::Model;
  std::string name;  // as declared
  std::string description;
  std::vector<Component> components;
  std::vector<Class> classes;  // nested; depth limited by the parser
  Sections sections;
  std::vector<Guess> guesses;
  std::vector<Modifier> annotation;
  // type X = base[dimensions](modifiers), or enumeration(literals).
  std::string base;
  std::vector<ExprRef> base_dimensions;
  std::vector<Modifier> base_modifiers;
  std::vector<std::string> enumeration;
  bool is_enumeration = false;
  // function … external "C" y = f(...).
  bool is_external = false;
  std::string external_name;      // empty: the name of the function itself
  std::string external_language;  // "C"; empty: not given
  ExprRef external_output = -1;
  std::vector<ExprRef> external_arguments;
  SourceSpan span;  // of the name
};

struct Ast {
  std::vector<Expr> expressions;
  std::vector<Statement> statements;
  std::vector<Class> classes;  // the file's top level: a model, or a package around everything
  std::string base_version;    // "0.1.0" of "//! base 0.1.0"; empty for plain Modelica
};

}  // namespace daedalus::ast
