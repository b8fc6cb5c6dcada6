// Help for the tests of the parser: texts in, trees or messages out.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"
#include "model/parser.hpp"

namespace daedalus::testing {

inline Result<ast::Ast> parsed(const std::string& text, const ParserLimits& limits = {}) {
  SourceMap sources;
  return parse(sources, sources.add("test.mo", text), limits);
}

// The tree of a text that must be right.
inline ast::Ast tree_of(const std::string& text) {
  SourceMap sources;
  const std::int32_t file = sources.add("test.mo", text);
  Result<ast::Ast> result = parse(sources, file);
  if (result) return *std::move(result);
  ADD_FAILURE() << text.substr(0, 2000) << "\n" << render(result.error(), sources);
  return {};
}

// The tree of an expression; its root is the last node.
inline ast::Ast expression_tree(const std::string& text) {
  SourceMap sources;
  const std::int32_t file = sources.add("expression", text);
  Result<ast::Ast> result = parse_expression(sources, file);
  if (result) return *std::move(result);
  ADD_FAILURE() << text << "\n" << render(result.error(), sources);
  return {};
}

// "line:column: message" of each error; related notes follow as "  line:column: message".
inline std::vector<std::string> errors_of(const std::string& text, const ParserLimits& limits = {}) {
  SourceMap sources;
  const std::int32_t file = sources.add("test.mo", text);
  const Result<ast::Ast> result = parse(sources, file, limits);
  std::vector<std::string> out;
  if (result) return out;
  const auto line = [&](const Diagnostic& item) {
    const LineColumn place = sources.locate(item.span);
    return std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + item.message;
  };
  for (const Diagnostic& item : result.error()) {
    out.push_back(line(item));
    for (const Diagnostic& note : item.related) out.push_back("  " + line(note));
  }
  return out;
}

inline const ast::Expr& at(const ast::Ast& tree, ast::ExprRef expression) {
  return tree.expressions.at(static_cast<std::size_t>(expression));
}

inline const ast::Statement& statement(const ast::Ast& tree, std::int32_t number) {
  return tree.statements.at(static_cast<std::size_t>(number));
}

// The text of a span.
inline std::string excerpt(const std::string& text, SourceSpan span) {
  return text.substr(span.begin, span.end - span.begin);
}

// The expression with every operation in brackets, so that its structure can be read; written apart from
// the printer that the parser is tested against.
std::string shape(const ast::Ast& tree, ast::ExprRef expression);

inline std::string shape_of(const std::string& text) {
  const ast::Ast tree = expression_tree(text);
  return shape(tree, static_cast<ast::ExprRef>(tree.expressions.size()) - 1);
}

}  // namespace daedalus::testing
