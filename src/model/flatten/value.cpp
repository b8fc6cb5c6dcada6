#include "model/flatten/value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cassert>

#include "model/flatten/classes.hpp"

namespace daedalus::flatten {

Value scalar(Type type, NodeId node) {
  return {.type = type, .node = node, .more = nullptr};
}

Value string_value(std::string text) {
  Value value{.type = {BaseType::String}, .node = {}, .more = std::make_shared<Aggregate>()};
  value.more->text = std::move(text);
  return value;
}

Value array(Type type, Shape shape, std::vector<NodeId> nodes) {
  assert(nodes.size() == element_count(shape));
  if (shape.empty()) return scalar(type, nodes[0]);
  Value value{.type = type, .node = {}, .more = std::make_shared<Aggregate>()};
  value.more->shape = std::move(shape);
  value.more->nodes = std::move(nodes);
  return value;
}

Value array_of_parts(Type type, Shape shape, std::vector<Value> parts) {
  assert(parts.size() == element_count(shape));
  if (shape.empty()) return parts[0];
  Value value{.type = type, .node = {}, .more = std::make_shared<Aggregate>()};
  value.more->shape = std::move(shape);
  value.more->parts = std::move(parts);
  return value;
}

Value record(const ClassInfo* definition, std::vector<Value> fields) {
  Value value{.type = {BaseType::Record, definition}, .node = {}, .more = std::make_shared<Aggregate>()};
  value.more->parts = std::move(fields);
  return value;
}

const Shape& shape_of(const Value& value) {
  static const Shape none;
  return value.more == nullptr ? none : value.more->shape;
}

bool is_array(const Value& value) {
  return !shape_of(value).empty();
}

std::span<const NodeId> nodes_of(const Value& value) {
  assert(holds_nodes(value.type));
  return value.more == nullptr ? std::span(&value.node, 1) : std::span<const NodeId>(value.more->nodes);
}

bool is_numeric(const Type& type) {
  return type.base == BaseType::Real || type.base == BaseType::Integer;
}

bool holds_nodes(const Type& type) {
  return type.base != BaseType::String && type.base != BaseType::Record && type.base != BaseType::External &&
         type.base != BaseType::Function;
}

std::size_t element_count(std::span<const std::int32_t> shape) {
  std::size_t count = 1;
  for (const std::int32_t size : shape) count *= static_cast<std::size_t>(size);
  return count;
}

Value element(const Value& value, std::size_t i) {
  if (!is_array(value)) return value;
  if (holds_nodes(value.type)) return scalar(value.type, value.more->nodes[i]);
  return value.more->parts[i];
}

Value slice(const Value& value, std::size_t i) {
  const Shape& shape = shape_of(value);
  assert(!shape.empty());
  Shape rest(shape.begin() + 1, shape.end());
  const std::size_t count = element_count(rest);
  const auto begin = static_cast<std::ptrdiff_t>(i * count);
  const auto end = begin + static_cast<std::ptrdiff_t>(count);
  const Aggregate& all = *value.more;
  if (holds_nodes(value.type)) {
    return array(value.type, std::move(rest), {all.nodes.begin() + begin, all.nodes.begin() + end});
  }
  return array_of_parts(value.type, std::move(rest), {all.parts.begin() + begin, all.parts.begin() + end});
}

const std::string& text_of(const Value& value) {
  static const std::string none;
  return value.more == nullptr ? none : value.more->text;
}

Aggregate& own(Value& value) {
  assert(value.more != nullptr);
  if (value.more.use_count() > 1) value.more = std::make_shared<Aggregate>(*value.more);
  return *value.more;
}

std::string shape_text(std::span<const std::int32_t> shape) {
  return shape.empty() ? "scalar" : fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string type_text(const Type& type, std::span<const std::int32_t> shape) {
  static constexpr const char* names[] = {"Real", "Integer", "Boolean", "String", "", "", "", "a function"};
  std::string text = names[static_cast<std::size_t>(type.base)];
  if (text.empty()) text = type.definition == nullptr ? "enumeration" : type.definition->name;
  return shape.empty() ? text : fmt::format("{}{}", text, shape_text(shape));
}

std::string subscript_text(std::span<const std::int32_t> shape, std::size_t i) {
  if (shape.empty()) return {};
  std::vector<std::size_t> subscripts(shape.size());
  for (std::size_t k = shape.size(); k-- > 0;) {
    const auto size = static_cast<std::size_t>(shape[k]);
    subscripts[k] = (i % size) + 1;
    i /= size;
  }
  return fmt::format("[{}]", fmt::join(subscripts, ","));
}

}  // namespace daedalus::flatten
