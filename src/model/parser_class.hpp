// Classes: models, functions, records, packages, types; their sections; and the file that holds them.
#pragma once

#include <string>
#include <vector>

#include "model/ast.hpp"
#include "model/parser_cursor.hpp"
#include "model/parser_declaration.hpp"
#include "model/parser_expression.hpp"
#include "model/parser_refusal.hpp"
#include "model/parser_statement.hpp"

namespace daedalus::parsing {

class ClassParser {
 public:
  ClassParser(TokenCursor& cursor, ast::Ast& tree);

  // The whole file: within, classes.
  void file();

 private:
  using Mode = StatementParser::Mode;

  struct Header {
    ast::ClassKind kind = ast::ClassKind::Model;
    std::string_view word;  // "model", for messages
    bool found = false;
  };

  Header header();
  void definition(std::vector<ast::Class>& out);
  void short_definition(ast::Class& out);
  void enumeration(ast::Class& out);
  std::string class_name(const Token& first);
  void long_definition(ast::Class& out, const Header& head, const Token& name);
  void composition(ast::Class& out);
  bool section(ast::Class& out, bool& is_protected);
  void initial_section(ast::Class& out);
  void element(ast::Class& out, bool is_protected);
  void constraint();
  void inheritance(ast::Class& out);
  void guess(ast::Class& out);
  void external(ast::Class& out);
  void external_call(ast::Class& out);
  void annotation_clause(ast::Class& out);
  void end_of_class(const ast::Class& made, const Header& head, const Token& name);
  void outside();
  [[nodiscard]] bool at_class() const;
  [[nodiscard]] bool at_partition() const;

  TokenCursor& cursor_;
  ast::Ast& tree_;
  Refusals refusals_;
  ExpressionParser expressions_;
  DeclarationParser declarations_;
  StatementParser statements_;
  std::vector<std::string_view> open_;  // names of the classes around the current place, as written
};

}  // namespace daedalus::parsing
