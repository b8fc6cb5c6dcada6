#include "model/print_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "model/lexer.hpp"

namespace daedalus::parsing {
namespace {

using ast::Expr;
using ast::ExprKind;
using ast::ExprRef;
using ast::Operator;

constexpr std::string_view operator_texts[] = {"+",   "-",  "*",   "/", ".+", ".-", ".*", "./", "^", ".^",
                                               "and", "or", "not", "<", "<=", ">",  ">=", "==", "<>"};

std::string_view text_of(Operator op) {
  return operator_texts[static_cast<std::size_t>(op)];
}

PrintLevel level_of(Operator op) {
  switch (op) {
    case Operator::Plus:
    case Operator::Minus:
    case Operator::ElementPlus:
    case Operator::ElementMinus:
      return PrintLevel::Add;
    case Operator::Times:
    case Operator::Divide:
    case Operator::ElementTimes:
    case Operator::ElementDivide:
      return PrintLevel::Multiply;
    case Operator::Power:
    case Operator::ElementPower:
      return PrintLevel::Power;
    case Operator::And:
      return PrintLevel::And;
    case Operator::Or:
      return PrintLevel::Or;
    case Operator::Not:
      return PrintLevel::Not;
    default:
      return PrintLevel::Relation;
  }
}

PrintLevel level_of(const Expr& node) {
  switch (node.kind) {
    case ExprKind::If:
      return PrintLevel::If;
    case ExprKind::Range:
      return PrintLevel::Range;
    case ExprKind::Chain:
    case ExprKind::Unary:
    case ExprKind::Power:
    case ExprKind::Relation:
      return level_of(node.ops[0]);
    default:
      return PrintLevel::Primary;
  }
}

PrintLevel tighter(PrintLevel level) {
  return static_cast<PrintLevel>(static_cast<int>(level) + 1);
}

std::string escaped(std::string_view text, char quote) {
  constexpr std::string_view from = "\\\a\b\f\n\r\t\v";
  constexpr std::string_view to = "\\abfnrtv";
  std::string out(1, quote);
  for (const char ch : text) {
    const std::size_t found = from.find(ch);
    if (ch == quote || found != std::string_view::npos) out += '\\';
    out += found == std::string_view::npos ? ch : to[found];
  }
  return out + quote;
}

std::string number_text(const Expr& node) {
  if (node.is_integer) return fmt::format("{:.0f}", node.number);
  std::string text = fmt::format("{}", node.number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// What remains to be written: a text, or an expression in a place of some level.
struct Pending {
  std::string text;
  ExprRef expression = -1;
  PrintLevel minimum = PrintLevel::If;
};

class ExpressionPrinter {
 public:
  ExpressionPrinter(std::string& out, const ast::Ast& tree) : out_(out), tree_(tree) {}

  void print(ExprRef expression, PrintLevel minimum) {
    push(expression, minimum);
    while (!pending_.empty()) {
      const Pending item = std::move(pending_.back());
      pending_.pop_back();
      if (item.expression < 0) {
        out_ += item.text;
        continue;
      }
      const std::size_t base = pending_.size();
      const Expr& node = tree_.expressions[static_cast<std::size_t>(item.expression)];
      const bool parentheses = level_of(node) < item.minimum;
      if (parentheses) push("(");
      spell(node);
      if (parentheses) push(")");
      std::reverse(pending_.begin() + static_cast<std::ptrdiff_t>(base), pending_.end());
    }
  }

 private:
  void push(std::string text) { pending_.push_back({.text = std::move(text)}); }
  void push(ExprRef expression, PrintLevel minimum = PrintLevel::If) {
    pending_.push_back({.text = {}, .expression = expression, .minimum = minimum});
  }

  void push_list(const std::vector<ExprRef>& list, std::size_t from = 0) {
    for (std::size_t i = from; i < list.size(); ++i) {
      if (i > from) push(", ");
      if (list[i] >= 0) push(list[i]);
    }
  }

  void push_name(const std::vector<ast::NamePart>& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      push((i > 0 ? "." : "") + printed_identifier(parts[i].name));
      if (parts[i].subscripts.empty()) continue;
      push("[");
      push_list(parts[i].subscripts);
      push("]");
    }
  }

  void push_iterators(const std::vector<ast::Iterator>& iterators) {
    push(" for ");
    for (std::size_t i = 0; i < iterators.size(); ++i) {
      push((i > 0 ? ", " : "") + printed_identifier(iterators[i].name));
      if (iterators[i].range < 0) continue;
      push(" in ");
      push(iterators[i].range);
    }
  }

  void push_arguments(const Expr& node) {
    push("(");
    push_list(node.children);
    for (std::size_t i = 0; i < node.named.size(); ++i) {
      const std::string comma = i > 0 || !node.children.empty() ? ", " : "";
      push(comma + printed_identifier(node.named[i].name) + " = ");
      push(node.named[i].value);
    }
    push(")");
  }

  // der, initial and pure are keywords that are called.
  void push_called_name(const std::vector<ast::NamePart>& parts) {
    const bool keyword = parts.size() == 1 && parts[0].subscripts.empty() &&
                         (parts[0].name == "der" || parts[0].name == "initial" || parts[0].name == "pure");
    if (keyword) {
      push(parts[0].name);
    } else {
      push_name(parts);
    }
  }

  // A sign may stand without parentheses at the head of a sum, and only there.
  void push_chain(const Expr& node) {
    const PrintLevel level = level_of(node.ops[0]);
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      if (i > 0) push(fmt::format(" {} ", text_of(node.ops[i - 1])));
      const Expr& child = tree_.expressions[static_cast<std::size_t>(node.children[i])];
      const bool head_sign = i == 0 && level == PrintLevel::Add && child.kind == ExprKind::Unary;
      push(node.children[i],
           head_sign && level_of(child) == PrintLevel::Add ? PrintLevel::Add : tighter(level));
    }
  }

  void push_unary(const Expr& node) {
    const bool negation = node.ops[0] == Operator::Not;
    push(std::string(text_of(node.ops[0])) + (negation ? " " : ""));
    push(node.children[0], negation ? PrintLevel::Relation : PrintLevel::Multiply);
  }

  void push_pair(const Expr& node) {
    const PrintLevel inner = tighter(level_of(node.ops[0]));
    push(node.children[0], inner);
    push(fmt::format(" {} ", text_of(node.ops[0])));
    push(node.children[1], inner);
  }

  // An if in the else branch keeps its parentheses: without them it would be an elseif of this one.
  void push_if(const Expr& node) {
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
      push(i == 0 ? "if " : " elseif ");
      push(node.children[i]);
      push(" then ");
      push(node.children[i + 1]);
    }
    push(" else ");
    push(node.children.back(), PrintLevel::Range);
  }

  void push_matrix(const Expr& node) {
    push("[");
    std::size_t at = 0;
    for (std::size_t row = 0; row < node.row_sizes.size(); ++row) {
      if (row > 0) push("; ");
      for (std::int32_t column = 0; column < node.row_sizes[row]; ++column, ++at) {
        if (column > 0) push(", ");
        push(node.children[at]);
      }
    }
    push("]");
  }

  // (value)[subscripts] or (value).field; a tuple brings its own parentheses.
  void push_selection(const Expr& node) {
    const Expr& inner = tree_.expressions[static_cast<std::size_t>(node.children[0])];
    const bool enclosed = inner.kind == ExprKind::Tuple;
    if (!enclosed) push("(");
    push(node.children[0]);
    if (!enclosed) push(")");
    if (node.kind == ExprKind::Member) {
      push(".");
      return push_name(node.parts);
    }
    push("[");
    push_list(node.children, 1);
    push("]");
  }

  void push_range(const Expr& node) {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      if (i > 0) push(":");
      push(node.children[i], PrintLevel::Or);
    }
  }

  void push_enclosed(const Expr& node, std::string_view open, std::string_view close) {
    push(std::string(open));
    push_list(node.children);
    if (node.kind == ExprKind::Comprehension) push_iterators(node.iterators);
    push(std::string(close));
  }

  void spell(const Expr& node) {
    switch (node.kind) {
      case ExprKind::Number:
        return push(number_text(node));
      case ExprKind::String:
        return push(printed_string(node.text));
      case ExprKind::Boolean:
        return push(node.number != 0 ? "true" : "false");
      case ExprKind::Name:
        return push_name(node.parts);
      case ExprKind::Chain:
        return push_chain(node);
      case ExprKind::Unary:
        return push_unary(node);
      case ExprKind::Power:
      case ExprKind::Relation:
        return push_pair(node);
      case ExprKind::If:
        return push_if(node);
      case ExprKind::Call:
        push_called_name(node.parts);
        return push_arguments(node);
      case ExprKind::PartialCall:
        push("function ");
        push_name(node.parts);
        return push_arguments(node);
      case ExprKind::Comprehension:
        push_called_name(node.parts);
        return node.parts.empty() ? push_enclosed(node, "{", "}") : push_enclosed(node, "(", ")");
      case ExprKind::Array:
        return push_enclosed(node, "{", "}");
      case ExprKind::Tuple:
        return push_enclosed(node, "(", ")");
      case ExprKind::Matrix:
        return push_matrix(node);
      case ExprKind::Range:
        return push_range(node);
      case ExprKind::Subscripted:
      case ExprKind::Member:
        return push_selection(node);
      case ExprKind::Colon:
        return push(":");
      case ExprKind::End:
        return push("end");
    }
  }

  std::string& out_;
  const ast::Ast& tree_;
  std::vector<Pending> pending_;
};

}  // namespace

void append_expression(std::string& out, const ast::Ast& tree, ExprRef expression, PrintLevel minimum) {
  if (expression >= 0) ExpressionPrinter(out, tree).print(expression, minimum);
}

std::string printed_identifier(std::string_view name) {
  return is_plain_identifier(name) ? std::string(name) : escaped(name, '\'');
}

std::string printed_dotted_name(std::string_view name) {
  for (std::size_t from = 0; from <= name.size();) {
    const std::size_t dot = std::min(name.find('.', from), name.size());
    if (!is_plain_identifier(name.substr(from, dot - from))) return escaped(name, '\'');
    from = dot + 1;
  }
  return std::string(name);
}

std::string printed_string(std::string_view text) {
  return escaped(text, '"');
}

void append_iterators(std::string& out, const ast::Ast& tree, const std::vector<ast::Iterator>& iterators) {
  for (std::size_t i = 0; i < iterators.size(); ++i) {
    if (i > 0) out += ", ";
    out += printed_identifier(iterators[i].name);
    if (iterators[i].range < 0) continue;
    out += " in ";
    append_expression(out, tree, iterators[i].range);
  }
}

}  // namespace daedalus::parsing
