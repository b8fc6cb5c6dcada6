// Expressions. Recursion follows brackets only; operators are sorted out on a stack.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/ast.hpp"
#include "model/parser_cursor.hpp"

namespace daedalus::parsing {

// In a panic all of these return at once: an ExprRef is -1 then, a list what there was so far.
class ExpressionParser {
 public:
  ExpressionParser(TokenCursor& cursor, ast::Ast& tree) : cursor_(cursor), tree_(tree) {}

  // Any expression, and the decoration @n after it.
  ast::ExprRef expression();
  // An expression that does not begin with `if`: the left side of an equation.
  ast::ExprRef simple_expression();
  // a.b[1].c
  ast::ExprRef reference();
  // a.b.c as one text, quotes removed.
  std::string dotted_name(std::string_view what);
  // [ 3, : ], the bracket being the current token.
  std::vector<ast::ExprRef> subscripts();
  // i in 1:n, j in 1:m
  std::vector<ast::Iterator> iterators();
  // ( a, b ), the parenthesis being the current token; for external functions.
  std::vector<ast::ExprRef> list_in_parentheses();
  // "[2,3]" of subscripts that are numbers, which belong to the name of a component; fails at others.
  std::string subscript_name(const std::vector<ast::ExprRef>& subscripts);
  // @12 says where the text came from; it is passed over.
  void skip_decoration();

 private:
  struct Arguments {
    std::vector<ast::NamedArgument> named;
    std::vector<ast::Iterator> iterators;
  };

  // An operator whose right operand is not complete.
  struct Waiting {
    ast::Operator op;
    bool unary;
    int level;  // of a binary operator; of a unary one the loosest that belongs to its operand
    std::uint32_t begin;
  };

  ast::ExprRef if_expression();
  ast::ExprRef range();
  ast::ExprRef operation();
  void prefixes(std::size_t base);
  [[nodiscard]] bool chained(std::size_t base, int level);
  void reduce(std::size_t base);
  ast::ExprRef primary();
  ast::ExprRef number();
  ast::ExprRef reference_or_call();
  ast::ExprRef keyword_call();
  ast::ExprRef call(std::vector<ast::NamePart> parts, std::uint32_t begin);
  void arguments(Arguments& out);
  void named_argument(Arguments& out);
  ast::ExprRef partial_call();
  ast::ExprRef in_parentheses();
  ast::ExprRef array();
  ast::ExprRef matrix();
  ast::ExprRef selection(ast::ExprRef inner, std::uint32_t begin);
  ast::ExprRef unexpected();
  std::vector<ast::NamePart> name_parts();
  void expression_list(TokenKind close);

  // A new node. The reference is good until the next one is made.
  ast::Expr& add(ast::ExprKind kind, std::uint32_t begin);
  ast::ExprRef last() const { return static_cast<ast::ExprRef>(tree_.expressions.size()) - 1; }
  [[nodiscard]] std::uint32_t begin_of(ast::ExprRef expression) const;
  // Moves what was pushed on the list since `base` out of it.
  std::vector<ast::ExprRef> popped(std::size_t base);

  TokenCursor& cursor_;
  ast::Ast& tree_;
  // Operands of all lists under construction, so that each finished one is allocated once, at its size.
  std::vector<ast::ExprRef> operands_;
  std::vector<Waiting> waiting_;
  int subscript_depth_ = 0;
};

}  // namespace daedalus::parsing
