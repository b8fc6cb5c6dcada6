// Values of expressions while a model is flattened: a scalar is a node of the expression graph, an array is
// many of them row by row, a record has a value for each field. Strings and tables are known at once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/index.hpp"

namespace daedalus::flatten {

struct ClassInfo;  // classes.hpp
struct TableData;  // tables.hpp
struct Closure;

enum class BaseType : std::uint8_t {
  Real,
  Integer,
  Boolean,
  String,
  Enumeration,
  Record,
  External,
  Function
};

struct Type {
  BaseType base = BaseType::Real;
  const ClassInfo* definition = nullptr;  // of an enumeration, a record, an external object or a function
  bool operator==(const Type&) const = default;
};

using Shape = std::vector<std::int32_t>;  // empty: a scalar

struct Aggregate;

struct Value {
  Type type;                        // of the elements
  NodeId node;                      // a scalar number, Boolean or enumeration value
  std::shared_ptr<Aggregate> more;  // of everything else; null for a plain scalar

  // False for a variable of a function that has not been assigned yet.
  [[nodiscard]] bool defined() const { return node.valid() || more != nullptr; }
};

struct Aggregate {
  Shape shape;
  std::vector<NodeId> nodes;  // elements of an array of numbers, Booleans or enumeration values
  std::vector<Value> parts;   // fields of a record, or the elements of an array of records or strings
  std::string text;           // of a String
  std::shared_ptr<const TableData> table;
  std::shared_ptr<const Closure> closure;
};

// A function given as an argument, with the arguments that it has already: function f(a = 1).
struct Closure {
  std::string name;
  std::vector<std::pair<std::string, Value>> bound;
};

[[nodiscard]] Value scalar(Type type, NodeId node);
[[nodiscard]] inline Value real(NodeId node) {
  return scalar({BaseType::Real}, node);
}
[[nodiscard]] inline Value boolean(NodeId node) {
  return scalar({BaseType::Boolean}, node);
}
[[nodiscard]] Value string_value(std::string text);
// nodes.size() must be the product of the shape; an empty shape gives a scalar.
[[nodiscard]] Value array(Type type, Shape shape, std::vector<NodeId> nodes);
// The same for records and strings.
[[nodiscard]] Value array_of_parts(Type type, Shape shape, std::vector<Value> parts);
[[nodiscard]] Value record(const ClassInfo* definition, std::vector<Value> fields);

[[nodiscard]] const Shape& shape_of(const Value& value);
[[nodiscard]] bool is_array(const Value& value);
// Of arrays whose elements are nodes, and of plain scalars.
[[nodiscard]] std::span<const NodeId> nodes_of(const Value& value);
[[nodiscard]] bool is_numeric(const Type& type);   // Real or Integer
[[nodiscard]] bool holds_nodes(const Type& type);  // not String, record, external object or function
[[nodiscard]] std::size_t element_count(std::span<const std::int32_t> shape);
// The i-th element in row-major order; the value itself for a scalar.
[[nodiscard]] Value element(const Value& value, std::size_t i);
// The part without its first dimension, at position i (from 0): row i of a matrix.
[[nodiscard]] Value slice(const Value& value, std::size_t i);
[[nodiscard]] const std::string& text_of(const Value& value);  // of a String; "" for anything else

// Before changing an aggregate that others may share.
Aggregate& own(Value& value);

// "Real", "Integer[3]", "Real[2, 3]".
[[nodiscard]] std::string type_text(const Type& type, std::span<const std::int32_t> shape = {});
[[nodiscard]] std::string shape_text(std::span<const std::int32_t> shape);  // "[2, 3]"; "scalar"
[[nodiscard]] inline std::string type_text(const Value& value) {
  return type_text(value.type, shape_of(value));
}
// "[2,3]" of the i-th element in row-major order, as in the names of scalars; "" for a scalar.
[[nodiscard]] std::string subscript_text(std::span<const std::int32_t> shape, std::size_t i);

}  // namespace daedalus::flatten
