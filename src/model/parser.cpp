#include "model/parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/parser_class.hpp"
#include "model/parser_cursor.hpp"
#include "model/parser_expression.hpp"

namespace daedalus {

using parsing::ClassParser;
using parsing::ExpressionParser;
using parsing::TokenCursor;
using parsing::TokenKind;

namespace {

// A first guess at the number of nodes: real files hold one in about 14 bytes.
std::size_t expected_expressions(std::size_t bytes) {
  constexpr std::size_t most = 1U << 18U;
  return std::min(bytes / 14, most);
}

std::string too_large(std::size_t bytes, const ParserLimits& limits) {
  return fmt::format("the file is {} bytes long, more than the limit of {} bytes", bytes, limits.file_bytes);
}

}  // namespace

Result<ast::Ast> parse(const SourceMap& sources, std::int32_t file, const ParserLimits& limits) {
  const SourceFile& source = sources.file(file);
  if (source.text.size() > limits.file_bytes) {
    return fail(too_large(source.text.size(), limits), {.file = file, .begin = 0, .end = 0});
  }
  ast::Ast tree;
  tree.expressions.reserve(expected_expressions(source.text.size()));
  TokenCursor cursor(source, file, limits);
  tree.base_version = cursor.lexer().base_version();
  ClassParser(cursor, tree).file();
  if (!cursor.errors().empty()) return std::unexpected(cursor.errors().take());
  return tree;
}

Result<ast::Ast> parse_expression(const SourceMap& sources, std::int32_t file) {
  const ParserLimits limits;
  const SourceFile& source = sources.file(file);
  if (source.text.size() > limits.file_bytes) {
    return fail(too_large(source.text.size(), limits), {.file = file, .begin = 0, .end = 0});
  }
  ast::Ast tree;
  TokenCursor cursor(source, file, limits);
  ExpressionParser(cursor, tree).expression();
  if (cursor.kind() != TokenKind::EndOfFile) {
    cursor.fail_here(fmt::format("expected the end of the expression, found {}", cursor.found()));
  }
  if (!cursor.errors().empty()) return std::unexpected(cursor.errors().take());
  return tree;
}

}  // namespace daedalus
