// The whole tree as Modelica text. Recursion follows nested classes, blocks and modifications, whose depth
// the parser limits; expressions are printed without it.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "model/parser.hpp"
#include "model/print_expression.hpp"

namespace daedalus {
namespace {

using ast::Class;
using ast::ClassKind;
using ast::Component;
using ast::Modifier;
using ast::Statement;
using ast::StatementKind;
using parsing::append_expression;
using parsing::append_iterators;
using parsing::printed_dotted_name;
using parsing::printed_identifier;
using parsing::printed_string;
using parsing::PrintLevel;

std::string_view word(ClassKind kind) {
  switch (kind) {
    case ClassKind::Model:
      return "model";
    case ClassKind::Function:
      return "function";
    case ClassKind::Record:
      return "record";
    case ClassKind::Package:
      return "package";
    case ClassKind::Type:
      return "type";
    case ClassKind::Block:
      return "block";
    case ClassKind::ExternalObject:
      return "class";
    case ClassKind::Operator:
      return "operator";
  }
  return "";
}

class Printer {
 public:
  explicit Printer(const ast::Ast& tree) : tree_(tree) {}

  std::string file() {
    if (!tree_.base_version.empty()) line(fmt::format("//! base {}", tree_.base_version));
    for (const Class& item : tree_.classes) print(item);
    return std::move(out_);
  }

 private:
  void indent() {
    constexpr int widest = 40;  // deeper blocks stay at this column
    out_.append(static_cast<std::size_t>(std::min(2 * depth_, widest)), ' ');
  }
  void line(std::string_view text) {
    indent();
    out_ += text;
    out_ += '\n';
  }
  void expression(ast::ExprRef ref, PrintLevel minimum = PrintLevel::If) {
    append_expression(out_, tree_, ref, minimum);
  }
  void expressions(const std::vector<ast::ExprRef>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ", ";
      expression(list[i]);
    }
  }
  void dimensions(const std::vector<ast::ExprRef>& list) {
    if (list.empty()) return;
    out_ += '[';
    expressions(list);
    out_ += ']';
  }
  void description(const std::string& text) {
    if (!text.empty()) out_ += ' ' + printed_string(text);
  }

  void modifiers(const std::vector<Modifier>& list) {
    out_ += '(';
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Modifier& item = list[i];
      if (i > 0) out_ += ", ";
      if (item.each) out_ += "each ";
      if (item.is_final) out_ += "final ";
      out_ += printed_dotted_name(item.name);
      if (!item.nested.empty()) modifiers(item.nested);
      if (item.value < 0) continue;
      out_ += " = ";
      expression(item.value);
    }
    out_ += ')';
  }

  void annotation(const std::vector<Modifier>& list) {
    if (list.empty()) return;
    out_ += " annotation";
    modifiers(list);
  }

  void print(const Component& item) {
    constexpr std::string_view variabilities[] = {"", "discrete ", "parameter ", "constant "};
    constexpr std::string_view causalities[] = {"", "input ", "output "};
    indent();
    if (item.is_final) out_ += "final ";
    out_ += variabilities[static_cast<std::size_t>(item.variability)];
    out_ += causalities[static_cast<std::size_t>(item.causality)];
    out_ += printed_dotted_name(item.type) + ' ' + printed_identifier(item.name);
    dimensions(item.dimensions);
    if (!item.modifiers.empty()) modifiers(item.modifiers);
    if (item.binding >= 0) out_ += " = ";
    expression(item.binding);
    if (item.condition >= 0) out_ += " if ";
    expression(item.condition);
    description(item.description);
    annotation(item.annotation);
    out_ += ";\n";
  }

  void body(const std::vector<std::int32_t>& list) {
    ++depth_;
    for (const std::int32_t item : list) print(tree_.statements[static_cast<std::size_t>(item)]);
    --depth_;
  }

  void print(const Statement& item) {
    indent();
    switch (item.kind) {
      case StatementKind::Equation:
      case StatementKind::Assignment:
        expression(item.left, PrintLevel::Range);
        out_ += item.kind == StatementKind::Equation ? " = " : " := ";
        expression(item.right);
        break;
      case StatementKind::Call:
        expression(item.right);
        break;
      case StatementKind::If:
        branches(item, "if", "elseif");
        break;
      case StatementKind::When:
        branches(item, "when", "elsewhen");
        break;
      case StatementKind::For:
      case StatementKind::While:
        loop(item);
        break;
      case StatementKind::Break:
        out_ += "break";
        break;
      case StatementKind::Return:
        out_ += "return";
        break;
    }
    description(item.description);
    out_ += ";\n";
  }

  void branches(const Statement& item, std::string_view first, std::string_view further) {
    for (std::size_t i = 0; i < item.bodies.size(); ++i) {
      if (i > 0) indent();
      if (i < item.conditions.size()) {
        out_ += i == 0 ? first : further;
        out_ += ' ';
        expression(item.conditions[i]);
        out_ += " then\n";
      } else {
        out_ += "else\n";
      }
      body(item.bodies[i]);
    }
    indent();
    out_ += fmt::format("end {}", first);
  }

  void loop(const Statement& item) {
    const std::string_view name = item.kind == StatementKind::For ? "for" : "while";
    out_ += fmt::format("{} ", name);
    if (item.kind == StatementKind::For) {
      append_iterators(out_, tree_, item.iterators);
    } else {
      expression(item.conditions[0]);
    }
    out_ += " loop\n";
    body(item.bodies[0]);
    indent();
    out_ += fmt::format("end {}", name);
  }

  void section(std::string_view name, const std::vector<std::int32_t>& list) {
    line(name);
    body(list);
  }

  void sections(const ast::Sections& all) {
    if (!all.initial_equations.empty()) section("initial equation", all.initial_equations);
    if (!all.equations.empty()) section("equation", all.equations);
    for (const auto& list : all.initial_algorithms) section("initial algorithm", list);
    for (const auto& list : all.algorithms) section("algorithm", list);
  }

  void short_definition(const Class& item) {
    out_ += " = ";
    if (item.is_enumeration) {
      out_ += "enumeration(";
      for (std::size_t i = 0; i < item.enumeration.size(); ++i) {
        out_ += (i > 0 ? ", " : "") + printed_identifier(item.enumeration[i]);
      }
      out_ += ')';
    } else {
      out_ += printed_dotted_name(item.base);
      dimensions(item.base_dimensions);
      if (!item.base_modifiers.empty()) modifiers(item.base_modifiers);
    }
    description(item.description);
    annotation(item.annotation);
    out_ += ";\n";
  }

  void elements(const Class& item) {
    if (item.kind == ClassKind::ExternalObject) line("extends ExternalObject;");
    for (const Class& nested : item.classes) print(nested);
    bool is_protected = false;
    for (const Component& component : item.components) {
      if (component.is_protected != is_protected) line(is_protected ? "public" : "protected");
      is_protected = component.is_protected;
      print(component);
    }
    for (const ast::Guess& guess : item.guesses) {
      indent();
      out_ += "parameter equation guess(";
      expression(guess.target);
      out_ += ") = ";
      expression(guess.value);
      out_ += ";\n";
    }
  }

  void external(const Class& item) {
    indent();
    out_ += "external";
    if (!item.external_language.empty()) out_ += ' ' + printed_string(item.external_language);
    if (!item.external_name.empty()) {
      out_ += ' ';
      expression(item.external_output);
      if (item.external_output >= 0) out_ += " = ";
      out_ += printed_identifier(item.external_name) + '(';
      expressions(item.external_arguments);
      out_ += ')';
    }
    out_ += ";\n";
  }

  void print(const Class& item) {
    indent();
    out_ += fmt::format("{} {}", word(item.kind), printed_identifier(item.name));
    if (item.is_enumeration || !item.base.empty()) return short_definition(item);
    description(item.description);
    out_ += '\n';
    ++depth_;
    elements(item);
    --depth_;
    sections(item.sections);
    ++depth_;
    if (item.is_external) external(item);
    if (!item.annotation.empty()) {
      indent();
      out_ += "annotation";
      modifiers(item.annotation);
      out_ += ";\n";
    }
    --depth_;
    line(fmt::format("end {};", printed_identifier(item.name)));
  }

  const ast::Ast& tree_;
  std::string out_;
  int depth_ = 0;
};

}  // namespace

std::string print(const ast::Ast& tree) {
  return Printer(tree).file();
}

std::string print_expression(const ast::Ast& tree, ast::ExprRef expression) {
  std::string out;
  append_expression(out, tree, expression);
  return out;
}

}  // namespace daedalus
