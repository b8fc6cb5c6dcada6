// Equations and statements, which differ only in '=' and ':=' and in a few kinds.
#pragma once

#include <string_view>
#include <vector>

#include "model/ast.hpp"
#include "model/parser_cursor.hpp"
#include "model/parser_declaration.hpp"
#include "model/parser_expression.hpp"
#include "model/parser_refusal.hpp"

namespace daedalus::parsing {

class StatementParser {
 public:
  enum class Mode { Equations, Statements };

  StatementParser(TokenCursor& cursor, ast::Ast& tree, ExpressionParser& expressions,
                  DeclarationParser& declarations, Refusals& refusals)
      : cursor_(cursor),
        tree_(tree),
        expressions_(expressions),
        declarations_(declarations),
        refusals_(refusals) {}

  // All equations (statements) up to a word that cannot begin one. Numbers in Ast::statements.
  std::vector<std::int32_t> body(Mode mode);
  // Takes the semicolon after `what` ("equation"), or says that it is missing.
  void semicolon(std::string_view what);
  // Whether an `end if`, `else` or the like stands here, outside of all blocks; and passes over it, saying
  // so.
  [[nodiscard]] bool at_stray() const;
  void stray();

 private:
  std::int32_t statement(Mode mode);
  std::int32_t simple(Mode mode);
  std::int32_t branches(Mode mode);
  std::int32_t loop(Mode mode);
  std::int32_t refused();
  void check_assignment(Mode mode, ast::ExprRef left);
  void no_right_side(Mode mode, ast::ExprRef left);
  void condition(ast::Statement& out, const Token& opener);
  void close(const Token& opener, std::string_view hint);
  std::int32_t finish(ast::Statement& block, const Token& opener, std::string_view hint = "");
  std::int32_t add(ast::Statement statement);
  [[nodiscard]] bool at_end_of_body() const;

  TokenCursor& cursor_;
  ast::Ast& tree_;
  ExpressionParser& expressions_;
  DeclarationParser& declarations_;
  Refusals& refusals_;
  std::vector<TokenKind> open_;  // the blocks around the current place: If, For, When, While
};

}  // namespace daedalus::parsing
