// The classes of a model file by name: types, enumerations, records, functions, models.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/ast.hpp"
#include "model/flatten/value.hpp"

namespace daedalus::flatten {

struct ClassInfo {
  std::string name;
  const ast::Ast* tree = nullptr;     // null for what Modelica predefines and for undeclared records
  const ast::Class* node = nullptr;   // null for what Modelica predefines
  std::vector<std::string> literals;  // of an enumeration
};

// Hashing that lets maps with string keys be asked with a string_view.
struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
template <class T>
using StringMap = std::unordered_map<std::string, T, StringHash, std::equal_to<>>;

class ClassTable {
 public:
  ClassTable();  // with the enumerations that Modelica predefines

  // Adds a class and everything inside it, under its own name and under its path (Package.name). What was
  // there first keeps the name.
  void add(const ast::Ast& tree, const ast::Class& root);

  [[nodiscard]] const ClassInfo* find(std::string_view name) const;
  [[nodiscard]] const ClassInfo* info(const ast::Class* node) const;
  [[nodiscard]] std::vector<std::string_view> names() const;
  // A record without a declaration, of these fields; the same for the same fields.
  [[nodiscard]] const ClassInfo* record_of(const std::vector<std::string>& fields);

 private:
  const ClassInfo* insert(ClassInfo info);

  std::deque<ClassInfo> classes_;  // never moves: values point at them
  StringMap<const ClassInfo*> by_name_;
  std::unordered_map<const ast::Class*, const ClassInfo*> by_node_;
  std::deque<ast::Class> undeclared_;
  StringMap<const ClassInfo*> undeclared_by_fields_;
};

// What a declaration's type stands for: `type Voltage = Real(unit = "V")` is followed to its end.
struct ResolvedType {
  struct Layer {
    const ast::Ast* tree;
    const ast::Class* node;  // its base_modifiers and base_dimensions apply
  };
  Type type;
  std::vector<Layer> layers;  // from the declaration's type inwards; an outer attribute wins
};

// Raises an error when the type is unknown or is no type (a function, a model).
[[nodiscard]] ResolvedType resolve_type(const ClassTable& classes, std::string_view name, SourceSpan span);

// Position of a literal counted from 1; 0 when there is none of that name.
[[nodiscard]] int literal_position(const ClassInfo& enumeration, std::string_view literal);

// The models of a file, and which is simulated when none is named: the package's model of the same name, else
// the last one.
struct ModelChoice {
  struct Model {
    const ast::Class* node;
    std::string path;
  };
  std::vector<Model> models;
  const ast::Class* chosen = nullptr;
  bool certain = false;  // nobody can have meant another
};
[[nodiscard]] ModelChoice choose_model(const ast::Ast& tree);

}  // namespace daedalus::flatten
