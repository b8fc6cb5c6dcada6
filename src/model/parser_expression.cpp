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
  cursor_.count_node();
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
  const ExprRef first = operation();
  if (cursor_.kind() != TokenKind::Colon || first < 0) return first;
  const std::size_t base = operands_.size();
  operands_.push_back(first);
  while (cursor_.accept(TokenKind::Colon)) operands_.push_back(operation());
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

// Operators and operands on two stacks, so that precedence costs no recursion: an operator waits until one
// arrives that binds less tightly. Operators of one level wait together and become one node.
ExprRef ExpressionParser::operation() {
  const std::size_t base = waiting_.size();
  const std::size_t operands_base = operands_.size();
  for (;;) {
    prefixes(base);
    operands_.push_back(primary());
    if (cursor_.panicking()) break;
    const Infix found = infix(cursor_.kind());
    while (waiting_.size() > base && found.level < waiting_.back().level) reduce(base);
    if (found.level == None) break;
    if (chained(base, found.level)) break;
    waiting_.push_back({.op = found.op, .unary = false, .level = found.level, .begin = cursor_.take().begin});
  }
  const ExprRef made = operands_.back();
  waiting_.resize(base);
  operands_.resize(operands_base);
  return cursor_.panicking() ? -1 : made;
}

// Signs and `not` before an operand. At the head of a sum a sign takes a whole product, as the grammar has
// it. Elsewhere (2 * -x, 10 ^ -3) the grammar has no sign at all; it is taken as everybody means it, with the
// tightest binding.
void ExpressionParser::prefixes(std::size_t base) {
  for (bool signed_before = false;; signed_before = true) {
    const TokenKind kind = cursor_.kind();
    const bool negation = kind == TokenKind::Not;
    const Infix sign = infix(kind);
    if (!negation && sign.level != Add) return;
    int minimum = Or;  // the loosest operator that may stand here without parentheses
    if (waiting_.size() > base) minimum = waiting_.back().level + (waiting_.back().unary ? 0 : 1);
    if (negation ? minimum > Not : signed_before && minimum > Relation) {
      cursor_.fail_here(negation ? "'not' must stand in parentheses here: write (not ...)"
                                 : "two signs in a row: write -(-x)");
      return;
    }
    const int inner = negation ? Relation : minimum <= Add ? Multiply : std::max<int>(minimum, Power);
    const Operator op = negation ? Operator::Not : sign.op;
    waiting_.push_back({.op = op, .unary = true, .level = inner, .begin = cursor_.take().begin});
  }
}

// a < b < c and a ^ b ^ c are not in the grammar.
bool ExpressionParser::chained(std::size_t base, int level) {
  const bool pair = level == Relation || level == Power;
  if (!pair || waiting_.size() == base || waiting_.back().unary || waiting_.back().level != level)
    return false;
  cursor_.fail_here(level == Power
                        ? "a ^ b ^ c is ambiguous: write (a ^ b) ^ c or a ^ (b ^ c)"
                        : "comparisons cannot be chained: write a < b and b < c instead of a < b < c");
  return true;
}

// Makes the node of the operator that waits last, and of all before it that stand on the same level.
void ExpressionParser::reduce(std::size_t base) {
  const Waiting top = waiting_.back();
  std::size_t first = waiting_.size() - 1;
  if (!top.unary) {
    while (first > base && !waiting_[first - 1].unary && waiting_[first - 1].level == top.level) --first;
  }
  std::vector<Operator> ops;
  ops.reserve(waiting_.size() - first);
  for (std::size_t i = first; i < waiting_.size(); ++i) ops.push_back(waiting_[i].op);
  waiting_.resize(first);
  std::vector<ExprRef> children = popped(operands_.size() - ops.size() - (top.unary ? 0 : 1));
  const ExprKind kind = top.unary               ? ExprKind::Unary
                        : top.level == Relation ? ExprKind::Relation
                        : top.level == Power    ? ExprKind::Power
                                                : ExprKind::Chain;
  Expr& made = add(kind, top.unary ? top.begin : begin_of(children.front()));
  made.children = std::move(children);
  made.ops = std::move(ops);
  operands_.push_back(last());
}

}  // namespace daedalus::parsing
