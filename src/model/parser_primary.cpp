// The operands of expressions: literals, names, calls, and what stands in brackets.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "model/parser_expression.hpp"

namespace daedalus::parsing {

using ast::Expr;
using ast::ExprKind;
using ast::ExprRef;

namespace {

// Whether a number's leading digit stands before the point once the exponent is applied.
bool exceeds_one(std::string_view number) {
  const std::string_view mantissa = number.substr(0, number.find_first_of("eE"));
  const auto first = static_cast<std::int64_t>(mantissa.find_first_not_of("0."));
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  std::int64_t exponent = 0;
  bool negative = false;
  for (const char ch : number.substr(std::min(mantissa.size() + 1, number.size()))) {
    if (ch == '-') negative = true;
    if (ch < '0' || ch > '9') continue;
    exponent = std::min<std::int64_t>(10 * exponent + (ch - '0'), std::int64_t{1} << 40U);
  }
  return point - first + (negative ? -exponent : exponent) > 0;
}

}  // namespace

ExprRef ExpressionParser::primary() {
  const std::uint32_t begin = cursor_.current().begin;
  switch (cursor_.kind()) {
    case TokenKind::Number:
      return number();
    case TokenKind::String: {
      const Token token = cursor_.take();
      add(ExprKind::String, begin).text = cursor_.lexer().value(token);
      return last();
    }
    case TokenKind::True:
    case TokenKind::False: {
      const bool truth = cursor_.take().kind == TokenKind::True;
      add(ExprKind::Boolean, begin).number = truth ? 1 : 0;
      return last();
    }
    case TokenKind::Identifier:
    case TokenKind::Dot:
      return reference_or_call();
    case TokenKind::Der:
    case TokenKind::Initial:
    case TokenKind::Pure:
      return keyword_call();
    case TokenKind::LeftParenthesis:
      return in_parentheses();
    case TokenKind::LeftBrace:
      return array();
    case TokenKind::LeftBracket:
      return matrix();
    case TokenKind::End:
      if (subscript_depth_ == 0) return unexpected();
      cursor_.take();
      add(ExprKind::End, begin);
      return last();
    default:
      return unexpected();
  }
}

ExprRef ExpressionParser::unexpected() {
  switch (cursor_.kind()) {
    case TokenKind::If:
      cursor_.fail_here("an 'if' expression inside another one must stand in parentheses");
      break;
    case TokenKind::Function:
      cursor_.fail_here("'function f(...)' (a function as a value) may stand only as an argument of a call");
      break;
    case TokenKind::Equals:
      cursor_.fail_here("expected an expression, found '='; a comparison is written '=='");
      break;
    default:
      cursor_.fail_here(fmt::format("expected an expression, found {}", cursor_.found()));
  }
  return -1;
}

ExprRef ExpressionParser::number() {
  const Token token = cursor_.take();
  const std::string_view text = cursor_.lexer().text(token);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    // Too small is zero, the nearest double.
    if (exceeds_one(text)) {
      cursor_.report(fmt::format("the number {} is too large: the largest Real is about 1.8e308",
                                 text.size() > 40 ? fmt::format("{}...", text.substr(0, 40)) : text),
                     cursor_.span_of(token));
    }
    value = 0;
  }
  if (cursor_.kind() == TokenKind::Identifier && cursor_.current().begin == token.end) {
    cursor_.fail(fmt::format("an operator is missing between {} and {}: write {}*{}", text, cursor_.found(),
                             text, cursor_.lexer().text(cursor_.current())),
                 cursor_.span_from(token.begin));
    return -1;
  }
  Expr& made = add(ExprKind::Number, token.begin);
  made.number = value;
  made.is_integer = text.find_first_of(".eE") == std::string_view::npos;
  return last();
}

std::vector<ast::NamePart> ExpressionParser::name_parts() {
  std::vector<ast::NamePart> parts;
  cursor_.accept(TokenKind::Dot);  // .a.b: from the top, where everything of a flat model is
  do {
    const Token token = cursor_.current();
    if (!cursor_.expect(TokenKind::Identifier, parts.empty() ? "" : "after '.'")) break;
    cursor_.count_node();
    ast::NamePart& part = parts.emplace_back();
    part.name = cursor_.lexer().value(token);
    if (cursor_.kind() != TokenKind::LeftBracket) continue;
    part.subscripts = subscripts();
  } while (cursor_.accept(TokenKind::Dot));
  return parts;
}

ExprRef ExpressionParser::reference() {
  const std::uint32_t begin = cursor_.current().begin;
  std::vector<ast::NamePart> parts = name_parts();
  if (cursor_.panicking()) return -1;
  add(ExprKind::Name, begin).parts = std::move(parts);
  return last();
}

ExprRef ExpressionParser::reference_or_call() {
  const std::uint32_t begin = cursor_.current().begin;
  std::vector<ast::NamePart> parts = name_parts();
  if (cursor_.panicking()) return -1;
  if (cursor_.kind() == TokenKind::LeftParenthesis) return call(std::move(parts), begin);
  add(ExprKind::Name, begin).parts = std::move(parts);
  return last();
}

// der(x), initial(), pure(f(x)): keywords that are called like functions.
ExprRef ExpressionParser::keyword_call() {
  const Token token = cursor_.take();
  if (cursor_.kind() != TokenKind::LeftParenthesis) {
    cursor_.fail_here(
        fmt::format("expected '(' after '{}', found {}", spelling(token.kind), cursor_.found()));
    return -1;
  }
  std::vector<ast::NamePart> parts(1);
  parts[0].name = spelling(token.kind);
  return call(std::move(parts), token.begin);
}

std::string ExpressionParser::dotted_name(std::string_view what) {
  std::string name;
  cursor_.accept(TokenKind::Dot);
  do {
    const Token token = cursor_.current();
    if (!cursor_.expect(TokenKind::Identifier, name.empty() ? what : "after '.'")) return name;
    if (!name.empty()) name += '.';
    name += cursor_.lexer().value(token);
  } while (cursor_.accept(TokenKind::Dot));
  return name;
}

std::vector<ExprRef> ExpressionParser::subscripts() {
  const Nesting nesting(cursor_);
  if (!nesting.ok()) return {};
  cursor_.take();
  ++subscript_depth_;
  const std::size_t base = operands_.size();
  do {
    const Token token = cursor_.current();
    const bool open = token.kind == TokenKind::Colon && (cursor_.next_kind() == TokenKind::Comma ||
                                                         cursor_.next_kind() == TokenKind::RightBracket);
    if (open) {
      cursor_.take();
      add(ExprKind::Colon, token.begin);
    }
    operands_.push_back(open ? last() : expression());
  } while (cursor_.accept(TokenKind::Comma));
  --subscript_depth_;
  cursor_.expect(TokenKind::RightBracket, "to close the subscripts");
  return popped(base);
}

std::vector<ast::Iterator> ExpressionParser::iterators() {
  std::vector<ast::Iterator> out;
  do {
    const Token token = cursor_.current();
    if (!cursor_.expect(TokenKind::Identifier, "for the index of 'for'")) break;
    cursor_.count_node();
    ast::Iterator& made = out.emplace_back();
    made.name = cursor_.lexer().value(token);
    if (cursor_.kind() == TokenKind::Equals || cursor_.kind() == TokenKind::Assign) {
      cursor_.fail_here("expected 'in' after the index of 'for': write for i in 1:n");
    }
    if (cursor_.accept(TokenKind::In)) made.range = expression();
    made.span = cursor_.span_from(token.begin);
  } while (cursor_.accept(TokenKind::Comma));
  return out;
}

ExprRef ExpressionParser::call(std::vector<ast::NamePart> parts, std::uint32_t begin) {
  const std::size_t base = operands_.size();
  Arguments given;
  arguments(given);
  std::vector<ExprRef> children = popped(base);
  if (cursor_.panicking()) return -1;
  Expr& made = add(given.iterators.empty() ? ExprKind::Call : ExprKind::Comprehension, begin);
  made.children = std::move(children);
  made.parts = std::move(parts);
  made.named = std::move(given.named);
  made.iterators = std::move(given.iterators);
  return selection(last(), begin);
}

// ( a, b, name = c ) or ( a for i in r ). Positional arguments are left on operands_.
void ExpressionParser::arguments(Arguments& out) {
  const Nesting nesting(cursor_);
  if (!nesting.ok()) return;
  cursor_.take();
  if (cursor_.accept(TokenKind::RightParenthesis)) return;
  bool first = true;
  do {
    if (cursor_.kind() == TokenKind::Identifier && cursor_.next_kind() == TokenKind::Equals) {
      named_argument(out);
    } else if (!out.named.empty()) {
      cursor_.fail_here("an argument without a name cannot follow one with a name");
    } else {
      operands_.push_back(cursor_.kind() == TokenKind::Function ? partial_call() : expression());
    }
    if (first && cursor_.accept(TokenKind::For)) {
      out.iterators = iterators();
      break;
    }
    first = false;
  } while (cursor_.accept(TokenKind::Comma));
  if (cursor_.kind() == TokenKind::Equals)
    cursor_.fail_here("'=' in an argument: a comparison is written '=='");
  cursor_.expect(TokenKind::RightParenthesis, "or ',' in the arguments");
}

void ExpressionParser::named_argument(Arguments& out) {
  cursor_.count_node();
  ast::NamedArgument& made = out.named.emplace_back();
  made.name = cursor_.lexer().value(cursor_.take());
  cursor_.take();  // =
  const ExprRef value = cursor_.kind() == TokenKind::Function ? partial_call() : expression();
  out.named.back().value = value;
}

ExprRef ExpressionParser::partial_call() {
  const std::uint32_t begin = cursor_.take().begin;
  std::vector<ast::NamePart> parts = name_parts();
  if (cursor_.kind() != TokenKind::LeftParenthesis) cursor_.expect(TokenKind::LeftParenthesis, "");
  if (cursor_.panicking()) return -1;
  const std::size_t base = operands_.size();
  Arguments given;
  arguments(given);
  const bool positional = !popped(base).empty();
  if (positional) cursor_.fail("'function f(...)' takes only named arguments", cursor_.span_from(begin));
  if (cursor_.panicking()) return -1;
  Expr& made = add(ExprKind::PartialCall, begin);
  made.parts = std::move(parts);
  made.named = std::move(given.named);
  return last();
}

}  // namespace daedalus::parsing
