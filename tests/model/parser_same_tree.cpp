#include "model/parser_same_tree.hpp"

#include <cmath>
#include <vector>

namespace daedalus::testing {
namespace {

using ast::Expr;
using ast::ExprRef;

class Comparison {
 public:
  Comparison(const ast::Ast& left, const ast::Ast& right) : left_(left), right_(right) {}

  std::string run() {
    if (left_.base_version != right_.base_version) return "base version";
    classes(left_.classes, right_.classes);
    return where_;
  }

 private:
  // Notes the first difference; the places above it are put before it on the way back.
  void check(bool same, const std::string& what) {
    if (!same && where_.empty()) where_ = what;
  }
  template <class Compare>
  void within(const std::string& what, const Compare& compare) {
    if (!where_.empty()) return;
    compare();
    if (!where_.empty()) where_ = what + ", " + where_;
  }
  template <class T, class Compare>
  void each(const std::vector<T>& a, const std::vector<T>& b, const std::string& what,
            const Compare& compare) {
    check(a.size() == b.size(), "number of " + what);
    for (std::size_t i = 0; i < a.size() && where_.empty(); ++i) {
      within(what + " " + std::to_string(i), [&] { compare(a[i], b[i]); });
    }
  }
  void references(const std::vector<ExprRef>& a, const std::vector<ExprRef>& b, const std::string& what) {
    each(a, b, what, [&](ExprRef x, ExprRef y) { pending_.push_back({x, y}); });
    expressions();
  }
  void reference(ExprRef a, ExprRef b, const std::string& what) {
    within(what, [&] {
      pending_.push_back({a, b});
      expressions();
    });
  }

  // Without recursion, since expressions may be deep.
  void expressions() {
    while (!pending_.empty() && where_.empty()) {
      const auto [a, b] = pending_.back();
      pending_.pop_back();
      check((a < 0) == (b < 0), "missing expression");
      if (a < 0 || b < 0) continue;
      node(left_.expressions.at(static_cast<std::size_t>(a)),
           right_.expressions.at(static_cast<std::size_t>(b)));
    }
    pending_.clear();
  }

  void push(const std::vector<ExprRef>& a, const std::vector<ExprRef>& b, const std::string& what) {
    check(a.size() == b.size(), "number of " + what);
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) pending_.push_back({a[i], b[i]});
  }

  void node(const Expr& a, const Expr& b) {
    check(a.kind == b.kind, "kind of expression");
    const bool same_number = a.number == b.number || (std::isnan(a.number) && std::isnan(b.number));
    check(same_number && a.is_integer == b.is_integer, "number");
    check(a.text == b.text, "string");
    check(a.ops == b.ops, "operators");
    check(a.row_sizes == b.row_sizes, "rows of a matrix");
    push(a.children, b.children, "operands");
    check(a.parts.size() == b.parts.size(), "parts of a name");
    check(a.named.size() == b.named.size(), "named arguments");
    check(a.iterators.size() == b.iterators.size(), "iterators");
    if (!where_.empty()) return;
    for (std::size_t i = 0; i < a.parts.size(); ++i) {
      check(a.parts[i].name == b.parts[i].name, "name " + a.parts[i].name);
      push(a.parts[i].subscripts, b.parts[i].subscripts, "subscripts");
    }
    for (std::size_t i = 0; i < a.named.size(); ++i) {
      check(a.named[i].name == b.named[i].name, "named argument " + a.named[i].name);
      pending_.push_back({a.named[i].value, b.named[i].value});
    }
    for (std::size_t i = 0; i < a.iterators.size(); ++i) {
      check(a.iterators[i].name == b.iterators[i].name, "iterator " + a.iterators[i].name);
      pending_.push_back({a.iterators[i].range, b.iterators[i].range});
    }
  }

  void modifiers(const std::vector<ast::Modifier>& a, const std::vector<ast::Modifier>& b,
                 const std::string& what) {
    each(a, b, what, [&](const ast::Modifier& x, const ast::Modifier& y) {
      check(x.name == y.name, "name " + x.name);
      check(x.each == y.each && x.is_final == y.is_final, "prefixes");
      reference(x.value, y.value, "value");
      modifiers(x.nested, y.nested, "nested modifier");
    });
  }

  void component(const ast::Component& a, const ast::Component& b) {
    check(a.name == b.name, "name " + a.name);
    check(a.type == b.type, "type " + a.type);
    check(a.variability == b.variability && a.causality == b.causality, "prefixes");
    check(a.is_protected == b.is_protected && a.is_final == b.is_final, "protected or final");
    check(a.description == b.description, "description");
    references(a.dimensions, b.dimensions, "dimension");
    modifiers(a.modifiers, b.modifiers, "modifier");
    reference(a.binding, b.binding, "binding");
    reference(a.condition, b.condition, "condition");
    modifiers(a.annotation, b.annotation, "annotation");
  }

  void body(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b, const std::string& what) {
    each(a, b, what, [&](std::int32_t x, std::int32_t y) {
      statement(left_.statements.at(static_cast<std::size_t>(x)),
                right_.statements.at(static_cast<std::size_t>(y)));
    });
  }

  void statement(const ast::Statement& a, const ast::Statement& b) {
    check(a.kind == b.kind, "kind");
    check(a.description == b.description, "description");
    reference(a.left, b.left, "left side");
    reference(a.right, b.right, "right side");
    references(a.conditions, b.conditions, "condition");
    each(a.iterators, b.iterators, "iterator", [&](const ast::Iterator& x, const ast::Iterator& y) {
      check(x.name == y.name, "name");
      reference(x.range, y.range, "range");
    });
    each(a.bodies, b.bodies, "body", [&](const auto& x, const auto& y) { body(x, y, "statement"); });
  }

  void sections(const ast::Sections& a, const ast::Sections& b) {
    body(a.equations, b.equations, "equation");
    body(a.initial_equations, b.initial_equations, "initial equation");
    each(a.algorithms, b.algorithms, "algorithm",
         [&](const auto& x, const auto& y) { body(x, y, "statement"); });
    each(a.initial_algorithms, b.initial_algorithms, "initial algorithm",
         [&](const auto& x, const auto& y) { body(x, y, "statement"); });
  }

  void definition(const ast::Class& a, const ast::Class& b) {
    check(a.kind == b.kind, "kind");
    check(a.name == b.name, "name " + a.name);
    check(a.description == b.description, "description");
    check(a.base == b.base, "base " + a.base);
    check(a.is_enumeration == b.is_enumeration && a.enumeration == b.enumeration, "enumeration");
    check(a.is_external == b.is_external && a.external_name == b.external_name &&
              a.external_language == b.external_language,
          "external function");
    references(a.base_dimensions, b.base_dimensions, "dimension");
    modifiers(a.base_modifiers, b.base_modifiers, "modifier");
    reference(a.external_output, b.external_output, "external output");
    references(a.external_arguments, b.external_arguments, "external argument");
    each(a.components, b.components, "component", [&](const auto& x, const auto& y) { component(x, y); });
    each(a.guesses, b.guesses, "guess", [&](const ast::Guess& x, const ast::Guess& y) {
      reference(x.target, y.target, "target");
      reference(x.value, y.value, "value");
    });
    sections(a.sections, b.sections);
    modifiers(a.annotation, b.annotation, "annotation");
    classes(a.classes, b.classes);
  }

  void classes(const std::vector<ast::Class>& a, const std::vector<ast::Class>& b) {
    each(a, b, "class", [&](const ast::Class& x, const ast::Class& y) { definition(x, y); });
  }

  struct Pair {
    ExprRef left;
    ExprRef right;
  };

  const ast::Ast& left_;
  const ast::Ast& right_;
  std::vector<Pair> pending_;
  std::string where_;
};

}  // namespace

std::string difference(const ast::Ast& left, const ast::Ast& right) {
  return Comparison(left, right).run();
}

}  // namespace daedalus::testing
