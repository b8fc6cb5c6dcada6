#include "model/parser_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedalus::parsing {
namespace {

using ast::Expr;
using ast::ExprKind;
using ast::ExprRef;
using ast::Operator;

// Levels of precedence, loosest first (Modelica 3.6, section 3.2). A sign stands at the level Add: -a*b is
// -(a*b).
enum Level : int { None, Or, And, Not, Relation, Add, Multiply, Power, Primary };

struct Infix {
  int level = None;
  Operator op = Operator::Plus;
};

Infix infix(TokenKind kind) {
  switch (kind) {
    case TokenKind::Or:
      return {Or, Operator::Or};
    case TokenKind::And:
      return {And, Operator::And};
    case TokenKind::Less:
      return {Relation, Operator::Less};
    case TokenKind::LessEqual:
      return {Relation, Operator::LessEqual};
    case TokenKind::Greater:
      return {Relation, Operator::Greater};
    case TokenKind::GreaterEqual:
      return {Relation, Operator::GreaterEqual};
    case TokenKind::EqualEqual:
      return {Relation, Operator::Equal};
    case TokenKind::NotEqual:
      return {Relation, Operator::NotEqual};
    case TokenKind::Plus:
      return {Add, Operator::Plus};
    case TokenKind::Minus:
      return {Add, Operator::Minus};
    case TokenKind::ElementPlus:
      return {Add, Operator::ElementPlus};
    case TokenKind::ElementMinus:
      return {Add, Operator::ElementMinus};
    case TokenKind::Times:
      return {Multiply, Operator::Times};
    case TokenKind::Divide:
      return {Multiply, Operator::Divide};
    case TokenKind::ElementTimes:
      return {Multiply, Operator::ElementTimes};
    case TokenKind::ElementDivide:
      return {Multiply, Operator::ElementDivide};
    case TokenKind::Power:
      return {Power, Operator::Power};
    case TokenKind::ElementPower:
      return {Power, Operator::ElementPower};
    default:
      return {};
  }
}

}  // namespace

Expr& ExpressionParser::add(ExprKind kind, std::uint32_t begin) {
  if (tree_.expressions.size() >= cursor_.limits().expressions) {
    cursor_.fail_here(fmt::format("the text holds more than {} expressions, which is the limit",
                                  cursor_.limits().expressions));
    cursor_.errors().stop();
  }
  Expr& made = tree_.expressions.emplace_back();
  made.kind = kind;
  made.span = cursor_.span_from(begin);
  return made;
}

std::uint32_t ExpressionParser::begin_of(ExprRef expression) const {
  return tree_.expressions[static_cast<std::size_t>(expression)].span.begin;
}

std::vector<ExprRef> ExpressionParser::popped(std::size_t base) {
  const auto from = operands_.begin() + static_cast<std::ptrdiff_t>(base);
  std::vector<ExprRef> out(from, operands_.end());
  operands_.resize(base);
  return out;
}

void ExpressionParser::skip_decoration() {
  while (cursor_.accept(TokenKind::At)) cursor_.expect(TokenKind::Number, "after '@'");
}

ExprRef ExpressionParser::expression() {
  const ExprRef parsed = cursor_.kind() == TokenKind::If ? if_expression() : range();
  if (cursor_.kind() == TokenKind::At) skip_decoration();
  return cursor_.panicking() ? -1 : parsed;
}

ExprRef ExpressionParser::simple_expression() {
  const ExprRef parsed = range();
  if (cursor_.kind() == TokenKind::At) skip_decoration();
  return cursor_.panicking() ? -1 : parsed;
}

// `else if` is taken as `elseif`, which means the same: a long ladder of them is not nested.
ExprRef ExpressionParser::if_expression() {
  const Nesting nesting(cursor_);
  if (!nesting.ok()) return -1;
  const std::size_t base = operands_.size();
  const std::uint32_t begin = cursor_.current().begin;
  for (bool more = true; more;) {
    cursor_.take();  // if, elseif
    operands_.push_back(expression());
    if (cursor_.kind() == TokenKind::Equals) {
      cursor_.fail_here("'=' in a condition: a comparison is written '=='");
    }
    cursor_.expect(TokenKind::Then, "after the condition of 'if'");
    operands_.push_back(expression());
    const bool else_if = cursor_.kind() == TokenKind::Else && cursor_.next_kind() == TokenKind::If;
    if (else_if) cursor_.take();
    more = else_if || cursor_.kind() == TokenKind::ElseIf;
  }
  cursor_.expect(TokenKind::Else, "(an 'if' expression needs a value for the other case)");
  operands_.push_back(expression());
  std::vector<ExprRef> children = popped(base);
  if (cursor_.panicking()) return -1;
  add(ExprKind::If, begin).children = std::move(children);
  return last();
}

ExprRef ExpressionParser::range() {
  const ExprRef first = operation(Or);
  if (cursor_.kind() != TokenKind::Colon || first < 0) return first;
  const std::size_t base = operands_.size();
  operands_.push_back(first);
  while (cursor_.accept(TokenKind::Colon)) operands_.push_back(operation(Or));
  std::vector<ExprRef> children = popped(base);
  if (cursor_.panicking()) return -1;
  const std::uint32_t begin = begin_of(first);
  if (children.size() > 3) {
    cursor_.fail("a range is start:stop or start:step:stop", cursor_.span_from(begin));
    return -1;
  }
  add(ExprKind::Range, begin).children = std::move(children);
  return last();
}

// Everything whose operators bind at least as tightly as `minimum`.
ExprRef ExpressionParser::operation(int minimum) {
  int level = Primary;
  ExprRef left = prefix(minimum, level);
  while (left >= 0) {
    const int found = infix(cursor_.kind()).level;
    if (found < minimum || found == None) break;
    const bool is_pair = found == Relation || found == Power;
    left = is_pair ? pair(left, found, level == found) : chain(left, found);
    level = found;
  }
  return cursor_.panicking() ? -1 : left;
}

// a + b - c: all operators of one level make one node.
ExprRef ExpressionParser::chain(ExprRef first, int level) {
  const std::size_t base = operands_.size();
  const std::size_t operators_base = operators_.size();
  operands_.push_back(first);
  for (Infix op = infix(cursor_.kind()); op.level == level; op = infix(cursor_.kind())) {
    operators_.push_back(op.op);
    cursor_.take();
    operands_.push_back(operation(level + 1));
  }
  std::vector<ExprRef> children = popped(base);
  const std::vector<Operator> ops(operators_.begin() + static_cast<std::ptrdiff_t>(operators_base),
                                  operators_.end());
  operators_.resize(operators_base);
  if (cursor_.panicking()) return -1;
  Expr& made = add(ExprKind::Chain, begin_of(first));
  made.children = std::move(children);
  made.ops = ops;
  return last();
}

// a < b, a ^ b: two operands and no more.
ExprRef ExpressionParser::pair(ExprRef first, int level, bool chained) {
  const Infix op = infix(cursor_.kind());
  if (chained) {
    cursor_.fail_here(level == Power
                          ? "a ^ b ^ c is ambiguous: write (a ^ b) ^ c or a ^ (b ^ c)"
                          : "comparisons cannot be chained: write a < b and b < c instead of a < b < c");
    return -1;
  }
  cursor_.take();
  const ExprRef second = operation(level + 1);
  if (second < 0) return -1;
  Expr& made = add(level == Power ? ExprKind::Power : ExprKind::Relation, begin_of(first));
  made.children = {first, second};
  made.ops = {op.op};
  return last();
}

ExprRef ExpressionParser::prefix(int minimum, int& level) {
  switch (cursor_.kind()) {
    case TokenKind::Plus:
    case TokenKind::Minus:
    case TokenKind::ElementPlus:
    case TokenKind::ElementMinus:
      return sign(minimum, level);
    case TokenKind::Not:
      return negation(minimum, level);
    default:
      return primary();
  }
}

// At the head of a sum the sign takes a whole product, as the grammar has it. Elsewhere (2 * -x, 10 ^ -3)
// the grammar has no sign at all; it is taken as everybody means it, with the tightest binding.
ExprRef ExpressionParser::sign(int minimum, int& level) {
  const Nesting nesting(cursor_);
  if (!nesting.ok()) return -1;
  const std::uint32_t begin = cursor_.current().begin;
  const Operator op = infix(cursor_.kind()).op;
  cursor_.take();
  const bool at_head = minimum <= Add;
  const ExprRef inner = operation(at_head ? static_cast<int>(Multiply) : std::max<int>(minimum, Power));
  if (inner < 0) return -1;
  level = at_head ? static_cast<int>(Add) : std::max<int>(minimum, Power);
  Expr& made = add(ExprKind::Unary, begin);
  made.children = {inner};
  made.ops = {op};
  return last();
}

ExprRef ExpressionParser::negation(int minimum, int& level) {
  if (minimum > Not) {
    cursor_.fail_here("'not' must stand in parentheses here: write (not ...)");
    return -1;
  }
  const std::uint32_t begin = cursor_.current().begin;
  cursor_.take();
  const ExprRef inner = operation(Relation);
  if (inner < 0) return -1;
  level = Not;
  Expr& made = add(ExprKind::Unary, begin);
  made.children = {inner};
  made.ops = {Operator::Not};
  return last();
}

}  // namespace daedalus::parsing
