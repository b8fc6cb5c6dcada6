// XML as mechanism files use it: elements, attributes, comments; text between elements is skipped. Every
// element, attribute and value has its place in the file. No depth is too deep, and any bytes give a document
// or an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"

namespace daedalus::xml {

struct Attribute {
  std::string name;
  std::string value;  // entities resolved
  SourceSpan span;    // of the value
};

// Elements of a document in the order of the file; a parent before its children.
struct Element {
  std::string name;
  SourceSpan span;  // of the opening tag
  std::vector<Attribute> attributes;
  int parent = -1;
  std::vector<int> children;
};

struct Document {
  std::vector<Element> elements;  // [0] is the root

  [[nodiscard]] const Element& operator[](int number) const {
    return elements[static_cast<std::size_t>(number)];
  }
};

[[nodiscard]] const Attribute* find(const Element& element, std::string_view name);

[[nodiscard]] Result<Document> parse(const SourceMap& sources, std::int32_t file);

}  // namespace daedalus::xml
