// What stands in brackets: lists, tuples, arrays, matrices, and selections from them.
#include <fmt/format.h>

#include <utility>

#include "model/parser_expression.hpp"

namespace daedalus::parsing {

using ast::Expr;
using ast::ExprKind;
using ast::ExprRef;

// Expressions between commas, left on operands_; up to the closing token, which is taken.
void ExpressionParser::expression_list(TokenKind close) {
  if (cursor_.accept(close)) return;
  do {
    operands_.push_back(expression());
  } while (cursor_.accept(TokenKind::Comma));
  cursor_.expect(close, "or ','");
}

std::vector<ExprRef> ExpressionParser::list_in_parentheses() {
  const Nesting nesting(cursor_);
  if (!nesting.ok()) return {};
  const std::size_t base = operands_.size();
  cursor_.take();
  expression_list(TokenKind::RightParenthesis);
  return popped(base);
}

// (a) is a, with the parentheses in its span; (a, , c) and () are tuples.
ExprRef ExpressionParser::in_parentheses() {
  const Nesting nesting(cursor_);
  if (!nesting.ok()) return -1;
  const std::size_t base = operands_.size();
  const std::uint32_t begin = cursor_.take().begin;
  bool tuple = cursor_.kind() == TokenKind::RightParenthesis;
  if (!tuple) {
    do {
      const bool missing =
          cursor_.kind() == TokenKind::Comma || (tuple && cursor_.kind() == TokenKind::RightParenthesis);
      operands_.push_back(missing ? -1 : expression());
      if (cursor_.kind() == TokenKind::Comma) tuple = true;
    } while (cursor_.accept(TokenKind::Comma));
  }
  if (cursor_.kind() == TokenKind::Equals) {
    cursor_.fail_here("'=' inside parentheses: a comparison is written '=='");
  }
  cursor_.expect(TokenKind::RightParenthesis, "");
  std::vector<ExprRef> children = popped(base);
  if (cursor_.panicking()) return -1;
  ExprRef made = -1;
  if (tuple) {
    add(ExprKind::Tuple, begin).children = std::move(children);
    made = last();
  } else {
    made = children[0];
    tree_.expressions[static_cast<std::size_t>(made)].span = cursor_.span_from(begin);
  }
  return selection(made, begin);
}

// What may follow a value in parentheses or the result of a call: (expression)[subscripts],
// (expression).field. A few in a row are more than anybody needs; without a limit they would nest the tree
// without a bracket.
ExprRef ExpressionParser::selection(ExprRef inner, std::uint32_t begin) {
  constexpr int most = 4;
  for (int count = 0; cursor_.kind() == TokenKind::LeftBracket || cursor_.kind() == TokenKind::Dot; ++count) {
    if (count == most) {
      cursor_.fail_here(
          fmt::format("more than {} subscripts in a row after an expression: name a part of it", most));
      return -1;
    }
    const bool subscripted = cursor_.kind() == TokenKind::LeftBracket;
    std::vector<ExprRef> children = subscripted ? subscripts() : std::vector<ExprRef>();
    std::vector<ast::NamePart> parts = subscripted ? std::vector<ast::NamePart>() : name_parts();
    if (cursor_.panicking()) return -1;
    children.insert(children.begin(), inner);
    Expr& made = add(subscripted ? ExprKind::Subscripted : ExprKind::Member, begin);
    made.children = std::move(children);
    made.parts = std::move(parts);
    inner = last();
  }
  return inner;
}

ExprRef ExpressionParser::array() {
  const Nesting nesting(cursor_);
  if (!nesting.ok()) return -1;
  const std::size_t base = operands_.size();
  const std::uint32_t begin = cursor_.take().begin;
  std::vector<ast::Iterator> over;
  if (!cursor_.accept(TokenKind::RightBrace)) {
    operands_.push_back(expression());
    if (cursor_.accept(TokenKind::For)) {
      over = iterators();
    } else {
      while (cursor_.accept(TokenKind::Comma)) operands_.push_back(expression());
    }
    cursor_.expect(TokenKind::RightBrace, "or ',' in the array");
  }
  std::vector<ExprRef> children = popped(base);
  if (cursor_.panicking()) return -1;
  Expr& made = add(over.empty() ? ExprKind::Array : ExprKind::Comprehension, begin);
  made.children = std::move(children);
  made.iterators = std::move(over);
  return last();
}

ExprRef ExpressionParser::matrix() {
  const Nesting nesting(cursor_);
  if (!nesting.ok()) return -1;
  const std::size_t base = operands_.size();
  const std::uint32_t begin = cursor_.take().begin;
  std::vector<std::int32_t> row_sizes;
  do {
    const std::size_t row = operands_.size();
    do {
      operands_.push_back(expression());
    } while (cursor_.accept(TokenKind::Comma));
    row_sizes.push_back(static_cast<std::int32_t>(operands_.size() - row));
  } while (cursor_.accept(TokenKind::Semicolon));
  cursor_.expect(TokenKind::RightBracket, "or ',' or ';' in the matrix");
  std::vector<ExprRef> children = popped(base);
  if (cursor_.panicking()) return -1;
  Expr& made = add(ExprKind::Matrix, begin);
  made.children = std::move(children);
  made.row_sizes = std::move(row_sizes);
  return last();
}

std::string ExpressionParser::subscript_name(const std::vector<ast::ExprRef>& subscripts) {
  std::string text;
  for (const ast::ExprRef ref : subscripts) {
    const ast::Expr& e = tree_.expressions[static_cast<std::size_t>(ref)];
    if (e.kind != ast::ExprKind::Number || !e.is_integer) {
      cursor_.fail("subscripts inside the name of a declaration must be whole numbers", e.span);
      return text;
    }
    text += fmt::format("{}{}", text.empty() ? "" : ",", e.number);
  }
  return "[" + text + "]";
}

}  // namespace daedalus::parsing
