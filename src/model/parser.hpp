// Text → syntax tree, by recursive descent with limits: any bytes give either a tree or a Diagnostic.
#pragma once

#include "core/diagnostic.hpp"
#include "model/ast.hpp"
#include "model/parser_limits.hpp"

namespace daedalus {

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
