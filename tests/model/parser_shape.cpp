#include "model/parser_support.hpp"

namespace daedalus::testing {
namespace {

std::string symbol(ast::Operator op) {
  switch (op) {
    case ast::Operator::Plus:
      return "+";
    case ast::Operator::Minus:
      return "-";
    case ast::Operator::Times:
      return "*";
    case ast::Operator::Divide:
      return "/";
    case ast::Operator::ElementPlus:
      return ".+";
    case ast::Operator::ElementMinus:
      return ".-";
    case ast::Operator::ElementTimes:
      return ".*";
    case ast::Operator::ElementDivide:
      return "./";
    case ast::Operator::Power:
      return "^";
    case ast::Operator::ElementPower:
      return ".^";
    case ast::Operator::And:
      return "and";
    case ast::Operator::Or:
      return "or";
    case ast::Operator::Not:
      return "not";
    case ast::Operator::Less:
      return "<";
    case ast::Operator::LessEqual:
      return "<=";
    case ast::Operator::Greater:
      return ">";
    case ast::Operator::GreaterEqual:
      return ">=";
    case ast::Operator::Equal:
      return "==";
    case ast::Operator::NotEqual:
      return "<>";
  }
  return "?";
}

std::string list(const ast::Ast& tree, const std::vector<ast::ExprRef>& items, std::size_t from = 0) {
  std::string out;
  for (std::size_t i = from; i < items.size(); ++i) out += (i > from ? "," : "") + shape(tree, items[i]);
  return out;
}

std::string name(const ast::Ast& tree, const std::vector<ast::NamePart>& parts) {
  std::string out;
  for (const ast::NamePart& part : parts) {
    out += (out.empty() ? "" : ".") + part.name;
    if (!part.subscripts.empty()) out += "[" + list(tree, part.subscripts) + "]";
  }
  return out;
}

std::string iterators(const ast::Ast& tree, const std::vector<ast::Iterator>& items) {
  std::string out;
  for (const ast::Iterator& item : items) {
    out += " for " + item.name + (item.range < 0 ? "" : " in " + shape(tree, item.range));
  }
  return out;
}

std::string arguments(const ast::Ast& tree, const ast::Expr& node) {
  std::string out = list(tree, node.children);
  for (const ast::NamedArgument& item : node.named) {
    out += (out.empty() ? "" : ",") + item.name + "=" + shape(tree, item.value);
  }
  return "(" + out + iterators(tree, node.iterators) + ")";
}

std::string number(const ast::Expr& node) {
  std::string out = std::to_string(node.number);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return node.is_integer ? out : out + "r";
}

std::string chain(const ast::Ast& tree, const ast::Expr& node) {
  std::string out = "<" + shape(tree, node.children[0]);
  for (std::size_t i = 0; i < node.ops.size(); ++i) {
    out += " " + symbol(node.ops[i]) + " " + shape(tree, node.children[i + 1]);
  }
  return out + ">";
}

std::string matrix(const ast::Ast& tree, const ast::Expr& node) {
  std::string out = "[";
  std::size_t child = 0;
  for (const std::int32_t size : node.row_sizes) {
    out += child > 0 ? ";" : "";
    for (std::int32_t i = 0; i < size; ++i)
      out += (i > 0 ? "," : "") + shape(tree, node.children.at(child++));
  }
  return out + "]";
}

}  // namespace

std::string shape(const ast::Ast& tree, ast::ExprRef expression) {
  if (expression < 0) return "_";
  const ast::Expr& node = at(tree, expression);
  switch (node.kind) {
    case ast::ExprKind::Number:
      return number(node);
    case ast::ExprKind::String:
      return "\"" + node.text + "\"";
    case ast::ExprKind::Boolean:
      return node.number != 0 ? "true" : "false";
    case ast::ExprKind::Name:
      return name(tree, node.parts);
    case ast::ExprKind::Chain:
    case ast::ExprKind::Power:
    case ast::ExprKind::Relation:
      return chain(tree, node);
    case ast::ExprKind::Unary:
      return "<" + symbol(node.ops[0]) + " " + shape(tree, node.children[0]) + ">";
    case ast::ExprKind::If:
      return "if(" + list(tree, node.children) + ")";
    case ast::ExprKind::Call:
    case ast::ExprKind::Comprehension:
      return name(tree, node.parts) + arguments(tree, node);
    case ast::ExprKind::Array:
      return "{" + list(tree, node.children) + "}";
    case ast::ExprKind::Matrix:
      return matrix(tree, node);
    case ast::ExprKind::Range:
      return "range(" + list(tree, node.children) + ")";
    case ast::ExprKind::Tuple:
      return "tuple(" + list(tree, node.children) + ")";
    case ast::ExprKind::Colon:
      return ":";
    case ast::ExprKind::End:
      return "end";
    case ast::ExprKind::Subscripted:
      return "(" + shape(tree, node.children[0]) + ")[" + list(tree, node.children, 1) + "]";
    case ast::ExprKind::PartialCall:
      return "function " + name(tree, node.parts) + arguments(tree, node);
    case ast::ExprKind::Member:
      return "(" + shape(tree, node.children[0]) + ")." + name(tree, node.parts);
  }
  return "?";
}

}  // namespace daedalus::testing
