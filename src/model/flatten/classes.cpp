#include "model/flatten/classes.hpp"

#include <array>
#include <cassert>

#include "model/flatten/error.hpp"

namespace daedalus::flatten {
namespace {

struct Pending {
  const ast::Class* node;
  std::string path;  // of what encloses it, with the dot
};

constexpr std::array<std::pair<std::string_view, BaseType>, 4> primitives{{
    {"Real", BaseType::Real},
    {"Integer", BaseType::Integer},
    {"Boolean", BaseType::Boolean},
    {"String", BaseType::String},
}};

bool is_model(const ast::Class& node) {
  return node.kind == ast::ClassKind::Model || node.kind == ast::ClassKind::Block;
}

}  // namespace

ClassTable::ClassTable() {
  insert({.name = "StateSelect", .literals = {"never", "avoid", "default", "prefer", "always"}});
  insert({.name = "AssertionLevel", .literals = {"warning", "error"}});
}

const ClassInfo* ClassTable::insert(ClassInfo info) {
  classes_.push_back(std::move(info));
  const ClassInfo* made = &classes_.back();
  by_name_.try_emplace(made->name, made);
  if (made->node != nullptr) by_node_.emplace(made->node, made);
  return made;
}

void ClassTable::add(const ast::Ast& tree, const ast::Class& root) {
  std::vector<Pending> pending{{&root, ""}};
  while (!pending.empty()) {
    const Pending next = std::move(pending.back());
    pending.pop_back();
    const ClassInfo* info = insert(
        {.name = next.node->name, .tree = &tree, .node = next.node, .literals = next.node->enumeration});
    const std::string path = next.path + next.node->name;
    if (!next.path.empty()) by_name_.try_emplace(path, info);
    for (const ast::Class& inner : next.node->classes) pending.push_back({&inner, path + "."});
  }
}

const ClassInfo* ClassTable::record_of(const std::vector<std::string>& fields) {
  std::string key;
  for (const std::string& field : fields) key += field + '\n';
  const auto [slot, fresh] = undeclared_by_fields_.try_emplace(key, nullptr);
  if (fresh) {
    ast::Class& node = undeclared_.emplace_back();
    node.kind = ast::ClassKind::Record;
    for (const std::string& field : fields) node.components.emplace_back().name = field;
    classes_.push_back({.name = "a record", .tree = nullptr, .node = &node, .literals = {}});
    slot->second = &classes_.back();
  }
  return slot->second;
}

const ClassInfo* ClassTable::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

const ClassInfo* ClassTable::info(const ast::Class* node) const {
  const auto found = by_node_.find(node);
  return found == by_node_.end() ? nullptr : found->second;
}

std::vector<std::string_view> ClassTable::names() const {
  std::vector<std::string_view> all;
  for (const auto& [name, info] : by_name_) all.push_back(name);
  return all;
}

namespace {

Type final_type(const ClassInfo& info, SourceSpan span) {
  if (!info.literals.empty()) return {BaseType::Enumeration, &info};
  assert(info.node != nullptr);  // only enumerations are predefined
  if (info.node->kind == ast::ClassKind::Record) return {BaseType::Record, &info};
  if (info.node->kind == ast::ClassKind::ExternalObject) return {BaseType::External, &info};
  if (info.node->kind == ast::ClassKind::Function) return {BaseType::Function, &info};
  raise(span, "'{}' is not a type, so nothing can be declared with it", info.name);
}

}  // namespace

ResolvedType resolve_type(const ClassTable& classes, std::string_view name, SourceSpan span) {
  ResolvedType resolved;
  std::string_view at = name;
  constexpr std::size_t longest_chain = 100;
  while (resolved.layers.size() < longest_chain) {
    for (const auto& [primitive, base] : primitives) {
      if (at == primitive) {
        resolved.type = {base};
        return resolved;
      }
    }
    const ClassInfo* info = classes.find(at);
    if (info == nullptr) {
      std::vector<std::string_view> known = classes.names();
      for (const auto& [primitive, base] : primitives) known.push_back(primitive);
      raise(span, "unknown type '{}'{}", at, did_you_mean(at, known));
    }
    const bool alias =
        info->node != nullptr && info->node->kind == ast::ClassKind::Type && !info->node->is_enumeration;
    if (!alias) {
      resolved.type = final_type(*info, span);
      return resolved;
    }
    resolved.layers.push_back({info->tree, info->node});
    at = info->node->base;
  }
  raise(span, "the type '{}' is defined by itself", name);
}

int literal_position(const ClassInfo& enumeration, std::string_view literal) {
  for (std::size_t i = 0; i < enumeration.literals.size(); ++i) {
    if (enumeration.literals[i] == literal) return static_cast<int>(i) + 1;
  }
  return 0;
}

ModelChoice choose_model(const ast::Ast& tree) {
  ModelChoice found;
  struct Pending {
    const ast::Class* package;
    std::string path;
  };
  std::vector<Pending> packages;
  for (const ast::Class& node : tree.classes) {
    if (is_model(node)) found.models.push_back({&node, node.name});
    if (node.kind == ast::ClassKind::Package) packages.push_back({&node, node.name});
  }
  if (!found.models.empty()) found.chosen = found.models.back().node;
  // A package's model counts only where there is none beside it.
  const bool inside = found.chosen == nullptr;
  bool namesake = false;
  while (!packages.empty()) {
    const Pending next = packages.back();
    packages.pop_back();
    for (const ast::Class& node : next.package->classes) {
      const std::string path = next.path + "." + node.name;
      if (node.kind == ast::ClassKind::Package) packages.push_back({&node, path});
      if (!is_model(node)) continue;
      found.models.push_back({&node, path});
      if (!inside || namesake) continue;
      found.chosen = &node;
      namesake = node.name == next.package->name;
    }
  }
  found.certain = namesake || found.models.size() == 1;
  return found;
}

}  // namespace daedalus::flatten
