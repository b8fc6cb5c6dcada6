// Text → syntax tree, by recursive descent with limits: any bytes give either a tree or a Diagnostic.
#pragma once

#include "core/diagnostic.hpp"
#include "model/ast.hpp"

namespace daedalus {

// Limits of the parser; exceeding one is an error that names it.
struct ParserLimits {
  int nesting = 500;                    // of parentheses, if expressions, classes, blocks
  std::size_t file_bytes = 256u << 20;  // 256 MiB
  std::size_t nodes = 20'000'000;       // expressions, declarations and the like, of about 200 bytes each
};

// Parses one file of the source map. All errors that could be found are returned (at most 20).
[[nodiscard]] Result<ast::Ast> parse(const SourceMap& sources, std::int32_t file,
                                     const ParserLimits& limits = {});

// A single expression, as in --set name=value. It is the last one of Ast::expressions.
[[nodiscard]] Result<ast::Ast> parse_expression(const SourceMap& sources, std::int32_t file);

// The tree as Modelica text, for --stop-after parse and for tests (parse ∘ print = identity on trees).
[[nodiscard]] std::string print(const ast::Ast& tree);

// One expression of the tree, for messages.
[[nodiscard]] std::string print_expression(const ast::Ast& tree, ast::ExprRef expression);

}  // namespace daedalus
