// Units of expressions, from the declarations up. No values are needed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_map>

#include "model/parser.hpp"
#include "model/units.hpp"

namespace daedalus {
namespace {

using ast::Expr;
using ast::ExprKind;
using ast::ExprRef;

// Units whose factors differ by no more than rounding are the same.
constexpr double same_factor = 1e-9;
// And powers, which are sums of small fractions.
constexpr double same_power = 1e-9;

struct Quantity {
  enum class Kind : std::uint8_t {
    Any,     // nothing is known
    Number,  // a whole number: a pure factor, and fits every sum
    Free,    // another number: fits every sum, but may stand for a parameter's value with any unit
    Known,
  };
  Kind kind = Kind::Any;
  Unit unit = {};
};

bool same(const Unit& a, const Unit& b) {
  for (std::size_t i = 0; i < a.powers.size(); ++i) {
    if (std::abs(a.powers[i] - b.powers[i]) > same_power) return false;
  }
  return std::abs(a.factor / b.factor - 1) <= same_factor;
}

Quantity powered(Quantity q, double exponent) {
  for (double& power : q.unit.powers) power *= exponent;
  q.unit.factor = std::pow(q.unit.factor, exponent);
  return q;
}

Quantity times(const Quantity& a, const Quantity& b, double exponent) {
  using Kind = Quantity::Kind;
  if (a.kind == Kind::Any || b.kind == Kind::Any) return {};
  if (a.kind == Kind::Number && b.kind == Kind::Number) return a;
  if (a.kind == Kind::Free || b.kind == Kind::Free)
    return a.kind == Kind::Known || b.kind == Kind::Known ? Quantity{} : Quantity{.kind = Kind::Free};
  Quantity result = a.kind == Kind::Known ? a : Quantity{.kind = Kind::Known};
  if (b.kind == Kind::Known) {
    const Quantity factor = powered(b, exponent);
    for (std::size_t i = 0; i < 7; ++i) result.unit.powers[i] += factor.unit.powers[i];
    result.unit.factor *= factor.unit.factor;
  }
  return result;
}

class Checker {
 public:
  Checker(const ast::Ast& tree, const ast::Class& model) : tree_(tree) {
    for (const ast::Class& top : tree.classes) add_types(top);
    for (const ast::Class& top : tree.classes) add_constants(top);
    declare(model.components);
  }

  Diagnostics run(const ast::Class& model) {
    for (const ast::Component& c : model.components) {
      if (c.binding < 0) continue;
      const auto declared = units_.find(c.name);
      const Quantity value = of(c.binding);
      if (declared != units_.end())
        compare({Quantity::Kind::Known, declared->second}, value, c.span, "declaration");
      said_ = false;
    }
    statements(model.sections.equations);
    statements(model.sections.initial_equations);
    for (const auto& section : model.sections.algorithms) statements(section);
    return std::move(warnings_);
  }

 private:
  void add_types(const ast::Class& node) {
    if (node.kind == ast::ClassKind::Type) types_.emplace(node.name, &node);
    for (const ast::Class& inner : node.classes) add_types(inner);
  }
  void add_constants(const ast::Class& node) {
    if (node.kind != ast::ClassKind::Package) return;
    declare(node.components);
    for (const ast::Class& inner : node.classes) add_constants(inner);
  }

  void declare(const std::vector<ast::Component>& components) {
    for (const ast::Component& c : components) {
      std::string text = unit_in(c.modifiers);
      std::string type = c.type;
      constexpr int longest_chain = 20;
      for (int i = 0; text.empty() && i < longest_chain; ++i) {
        const auto found = types_.find(type);
        if (found == types_.end()) break;
        text = unit_in(found->second->base_modifiers);
        type = found->second->base;
      }
      if (const auto unit = parse_unit(text); unit && !text.empty()) units_.emplace(c.name, *unit);
    }
  }

  [[nodiscard]] std::string unit_in(const std::vector<ast::Modifier>& modifiers) const {
    const auto found = std::ranges::find(modifiers, "unit", &ast::Modifier::name);
    if (found == modifiers.end() || found->value < 0) return {};
    const Expr& e = expression(found->value);
    return e.kind == ExprKind::String ? e.text : std::string{};
  }

  void statements(const std::vector<std::int32_t>& list) {
    for (const std::int32_t index : list) {
      const ast::Statement& s = tree_.statements[static_cast<std::size_t>(index)];
      for (const ExprRef condition : s.conditions) (void)of(condition);
      const bool sides = s.kind == ast::StatementKind::Equation || s.kind == ast::StatementKind::Assignment;
      if (sides && s.left >= 0 && s.right >= 0) compare(of(s.left), of(s.right), s.span, "equation");
      said_ = false;
      for (const auto& body : s.bodies) statements(body);
    }
  }

  [[nodiscard]] const Expr& expression(ExprRef ref) const {
    return tree_.expressions[static_cast<std::size_t>(ref)];
  }

  void warn(SourceSpan span, std::string message) {
    if (said_) return;  // what else is wrong in the same equation follows from it
    said_ = true;
    warnings_.push_back(
        {.severity = Severity::Warning, .message = std::move(message), .span = span, .related = {}});
  }

  void compare(const Quantity& a, const Quantity& b, SourceSpan span, std::string_view what) {
    if (a.kind != Quantity::Kind::Known || b.kind != Quantity::Kind::Known || same(a.unit, b.unit)) return;
    warn(span, fmt::format("the two sides of this {} have different units: {} and {}", what,
                           unit_text(a.unit), unit_text(b.unit)));
  }

  // Of things that are added or chosen between: the first known unit.
  Quantity alike(std::span<const ExprRef> terms, std::string_view how) {
    Quantity common{.kind = Quantity::Kind::Number};
    ExprRef first = -1;
    for (const ExprRef term : terms) {
      const Quantity q = of(term);
      if (q.kind == Quantity::Kind::Known && common.kind == Quantity::Kind::Known) {
        if (!same(q.unit, common.unit)) {
          warn(expression(term).span,
               fmt::format("'{}' and '{}' are {}, but have different units: {} and {}",
                           print_expression(tree_, first), print_expression(tree_, term), how,
                           unit_text(common.unit), unit_text(q.unit)));
        }
        continue;
      }
      if (q.kind == Quantity::Kind::Known || common.kind == Quantity::Kind::Number) {
        common = q;
        first = term;
      } else if (q.kind == Quantity::Kind::Any && common.kind == Quantity::Kind::Free) {
        common = q;
      }
    }
    return common;
  }

  Quantity of_chain(const Expr& e) {
    using ast::Operator;
    const Operator op = e.ops.front();
    if (op == Operator::Plus || op == Operator::Minus || op == Operator::ElementPlus ||
        op == Operator::ElementMinus)
      return alike(e.children, "added");
    if (op == Operator::And || op == Operator::Or) {
      for (const ExprRef child : e.children) (void)of(child);
      return {};
    }
    Quantity product = of(e.children[0]);
    for (std::size_t i = 0; i < e.ops.size(); ++i) {
      const bool divides = e.ops[i] == Operator::Divide || e.ops[i] == Operator::ElementDivide;
      product = times(product, of(e.children[i + 1]), divides ? -1 : 1);
    }
    return product;
  }

  Quantity of_power(const Expr& e) {
    const Quantity base = of(e.children[0]);
    const Expr& exponent = expression(e.children[1]);
    if (base.kind != Quantity::Kind::Known) return base;
    if (exponent.kind == ExprKind::Number) return powered(base, exponent.number);
    return {};
  }

  Quantity of_call(const Expr& e) {
    const std::string& name = e.parts.back().name;
    const auto is = [&](std::initializer_list<std::string_view> names) {
      return e.parts.size() == 1 && std::ranges::find(names, name) != names.end();
    };
    if (e.children.empty()) return {};
    if (is({"der"})) return times(of(e.children[0]), {Quantity::Kind::Known, *parse_unit("s")}, -1);
    if (is({"pre", "noEvent", "abs", "homotopy", "delay", "floor", "ceil", "sum"})) return of(e.children[0]);
    if (is({"smooth"}) && e.children.size() > 1) return of(e.children[1]);
    if (is({"min", "max"})) return alike(e.children, "compared");
    if (is({"atan2"})) {
      (void)alike(e.children, "compared");
      return {Quantity::Kind::Known, {}};
    }
    if (is({"sqrt"}))
      return of(e.children[0]).kind == Quantity::Kind::Known ? powered(of(e.children[0]), 0.5) : Quantity{};
    if (is({"sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "log10", "sinh", "cosh", "tanh"})) {
      const Quantity q = of(e.children[0]);
      if (q.kind == Quantity::Kind::Known && !same(q.unit, {})) {
        warn(expression(e.children[0]).span,
             fmt::format("'{}' needs a number without a unit, but '{}' has {}", name,
                         print_expression(tree_, e.children[0]), unit_text(q.unit)));
      }
      return q.kind == Quantity::Kind::Any ? Quantity{} : Quantity{Quantity::Kind::Known, {}};
    }
    return {};
  }

  Quantity of(ExprRef ref) {
    if (ref < 0) return {};
    const Expr& e = expression(ref);
    switch (e.kind) {
      case ExprKind::Number:
        return {.kind = e.is_integer ? Quantity::Kind::Number : Quantity::Kind::Free};
      case ExprKind::Name:
        return of_name(e);
      case ExprKind::Chain:
        return of_chain(e);
      case ExprKind::Unary:
        return of(e.children[0]);
      case ExprKind::Power:
        return of_power(e);
      case ExprKind::Relation:
        (void)alike(e.children, "compared");
        return {};
      case ExprKind::If: {
        std::vector<ExprRef> values;
        for (std::size_t i = 0; i + 1 < e.children.size(); i += 2) {
          (void)of(e.children[i]);
          values.push_back(e.children[i + 1]);
        }
        values.push_back(e.children.back());
        return alike(values, "chosen between");
      }
      case ExprKind::Call:
        return of_call(e);
      default:
        return {};
    }
  }

  Quantity of_name(const Expr& e) const {
    std::string name;
    for (const ast::NamePart& part : e.parts) name += (name.empty() ? "" : ".") + part.name;
    if (name == "time") return {Quantity::Kind::Known, *parse_unit("s")};
    const auto found = units_.find(name);
    return found == units_.end() ? Quantity{} : Quantity{Quantity::Kind::Known, found->second};
  }

  const ast::Ast& tree_;
  std::unordered_map<std::string, const ast::Class*> types_;
  std::unordered_map<std::string, Unit> units_;
  Diagnostics warnings_;
  bool said_ = false;
};

const ast::Class* find_model(const std::vector<ast::Class>& classes, const std::string& name) {
  const ast::Class* found = nullptr;
  for (const ast::Class& node : classes) {
    const bool model = node.kind == ast::ClassKind::Model || node.kind == ast::ClassKind::Block;
    if (model && node.name == name) return &node;
    if (const ast::Class* inner = find_model(node.classes, name)) found = inner;
  }
  return found;
}

}  // namespace

Diagnostics unit_warnings(const ast::Ast& tree, const std::string& model) {
  const ast::Class* found = find_model(tree.classes, model);
  return found == nullptr ? Diagnostics{} : Checker(tree, *found).run(*found);
}

}  // namespace daedalus
