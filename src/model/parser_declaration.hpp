// Declarations of components, and the modifications and annotations that they share with classes.
#pragma once

#include <string>
#include <vector>

#include "model/ast.hpp"
#include "model/parser_cursor.hpp"
#include "model/parser_expression.hpp"
#include "model/parser_refusal.hpp"

namespace daedalus::parsing {

class DeclarationParser {
 public:
  DeclarationParser(TokenCursor& cursor, ExpressionParser& expressions, Refusals& refusals)
      : cursor_(cursor), expressions_(expressions), refusals_(refusals) {}

  // parameter Real x[3](start = 1) = 2 "text", y; without the semicolon. Appended to `out`.
  void components(std::vector<ast::Component>& out, bool is_protected, bool is_final);
  // (name = value, name(nested)), the parenthesis being the current token.
  std::vector<ast::Modifier> modification();
  // "text" + "text", or nothing.
  std::string description();
  // annotation(...), or nothing.
  std::vector<ast::Modifier> annotation();
  // description annotation, of which only the description is kept.
  std::string comment();

 private:
  struct Prefix;

  Prefix prefix();
  void component(ast::Component& out);
  ast::Modifier argument();

  TokenCursor& cursor_;
  ExpressionParser& expressions_;
  Refusals& refusals_;
};

}  // namespace daedalus::parsing
