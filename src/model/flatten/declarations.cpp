#include "model/flatten/declarations.hpp"

#include <algorithm>
#include <charconv>

#include "model/flatten/arrays.hpp"
#include "model/flattening_advice.hpp"

namespace daedalus::flatten {
namespace {

using ast::Component;

void add_symbol(Session& session, const Component& component) {
  // In results 'time' in quotes would be the same name as the times themselves.
  if (component.name == time_name)
    raise(component.span,
          "'time' is the time of the simulation, so nothing else can have this name, with "
          "quotes or without; give it another one");
  if (const std::int32_t known = find_symbol(session, component.name); known >= 0) {
    const Symbol& first = session.symbols[static_cast<std::size_t>(known)];
    Diagnostic error{.severity = Severity::Error,
                     .message = fmt::format("'{}' is declared twice", component.name),
                     .span = component.span,
                     .related = {}};
    error.related.push_back({.severity = Severity::Note,
                             .message = "the first declaration is here",
                             .span = first.declaration->span,
                             .related = {}});
    throw ModelError{std::move(error)};
  }
  Symbol symbol;
  symbol.name = component.name;
  symbol.tree = &session.tree;
  symbol.declaration = &component;
  symbol.declared = resolve_type(session.classes, component.type, component.span);
  const BaseType base = symbol.declared.type.base;
  if (base == BaseType::Function)
    raise(component.span, "'{}' is not a type, so nothing can be declared with it", component.type);
  const bool known = component.variability == ast::Variability::Parameter ||
                     component.variability == ast::Variability::Constant || base == BaseType::String ||
                     base == BaseType::External;
  symbol.role = known ? Role::Known : Role::Variable;
  session.symbol_of.emplace(symbol.name, static_cast<std::int32_t>(session.symbols.size()));
  session.symbols.push_back(std::move(symbol));
}

// Components of models and connectors: one error says it for the whole file.
void check_flat(const Session& session, const Component& component) {
  const ClassInfo* info = session.classes.find(component.type);
  if (info == nullptr) {
    if (component.type.find('.') == std::string::npos) return;
    raise(component.span,
          "the type '{}' of '{}' is not defined in the file; if it is a model or a connector of a library, "
          "the file is "
          "not flat: {}",
          component.type, component.name, flattening_advice);
  }
  if (info->node == nullptr) return;
  const ast::ClassKind kind = info->node->kind;
  if (kind != ast::ClassKind::Model && kind != ast::ClassKind::Block) return;
  raise(component.span, "'{}' is a component of the model '{}', which is not part of flat Modelica; {}",
        component.name, component.type, flattening_advice);
}

void add_components(Session& session, const std::vector<Component>& components) {
  for (const Component& component : components) {
    check_flat(session, component);
    try {
      add_symbol(session, component);
    } catch (const ModelError& error) {
      report(session, error);
    }
  }
}

// "x[2,3]" → "x" and {2, 3}; false when the name does not end like this.
bool split_subscripts(std::string_view name, std::string_view& base, Shape& subscripts) {
  const std::size_t bracket = name.rfind('[');
  if (bracket == std::string_view::npos || bracket == 0 || name.back() != ']') return false;
  base = name.substr(0, bracket);
  const char* at = name.data() + bracket + 1;
  const char* const end = name.data() + name.size() - 1;
  subscripts.clear();
  while (at < end) {
    std::int32_t number = 0;
    const auto [next, problem] = std::from_chars(at, end, number);
    if (problem != std::errc() || number < 1 || (next != end && *next != ',')) return false;
    subscripts.push_back(number);
    at = next == end ? end : next + 1;
  }
  return !subscripts.empty();
}

struct ElementList {
  struct Element {
    Shape subscripts;
    std::int32_t symbol;
  };
  Shape shape;
  std::vector<Element> elements;
  bool regular = true;  // all have the same number of subscripts
};

void make_elements_symbol(Session& session, const std::string& name, const ElementList& list) {
  // A few stray elements with huge subscripts are no array.
  const std::size_t count = element_count(list.shape);
  if (!list.regular || count > 4 * list.elements.size() + 16) return;
  Symbol symbol;
  symbol.name = name;
  symbol.role = Role::Elements;
  symbol.shape = list.shape;
  symbol.elements.assign(count, -1);
  for (const ElementList::Element& element : list.elements) {
    std::size_t position = 0;
    for (std::size_t k = 0; k < list.shape.size(); ++k) {
      position = (position * static_cast<std::size_t>(list.shape[k])) +
                 static_cast<std::size_t>(element.subscripts[k]) - 1;
    }
    symbol.elements[position] = element.symbol;
  }
  const Symbol& first = session.symbols[static_cast<std::size_t>(list.elements.front().symbol)];
  symbol.declared = first.declared;
  session.symbol_of.emplace(name, static_cast<std::int32_t>(session.symbols.size()));
  session.symbols.push_back(std::move(symbol));
}

void create_element_symbols(Session& session) {
  StringMap<std::size_t> position;
  std::vector<std::pair<std::string, ElementList>> lists;  // in the order of declaration
  for (std::size_t i = 0; i < session.symbols.size(); ++i) {
    std::string_view base;
    Shape subscripts;
    if (!split_subscripts(session.symbols[i].name, base, subscripts) || session.symbol_of.contains(base))
      continue;
    const auto [slot, fresh] = position.try_emplace(std::string(base), lists.size());
    if (fresh) lists.push_back({std::string(base), {.shape = subscripts, .elements = {}, .regular = true}});
    ElementList& list = lists[slot->second].second;
    list.regular = list.regular && list.shape.size() == subscripts.size();
    for (std::size_t k = 0; list.regular && k < subscripts.size(); ++k) {
      list.shape[k] = std::max(list.shape[k], subscripts[k]);
    }
    list.elements.push_back({std::move(subscripts), static_cast<std::int32_t>(i)});
  }
  for (const auto& [name, list] : lists) make_elements_symbol(session, name, list);
}

}  // namespace

void create_symbols(Session& session, const ast::Class& model) {
  // Constants of packages first: the model may shadow none of them in a flat file.
  std::vector<const ast::Class*> pending;
  for (const ast::Class& top : session.tree.classes) pending.push_back(&top);
  while (!pending.empty()) {
    const ast::Class* package = pending.back();
    pending.pop_back();
    if (package->kind != ast::ClassKind::Package) continue;
    add_components(session, package->components);
    for (const ast::Class& inner : package->classes) pending.push_back(&inner);
  }
  add_components(session, model.components);
  create_element_symbols(session);
}

}  // namespace daedalus::flatten
