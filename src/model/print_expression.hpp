// Expressions and names as Modelica text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/ast.hpp"

namespace daedalus::parsing {

// The loosest operator that may stand in a place without parentheses.
enum class PrintLevel { If, Range, Or, And, Not, Relation, Add, Multiply, Power, Primary };

// Appends the expression. Does not recurse: an expression may be as deep as it likes.
void append_expression(std::string& out, const ast::Ast& tree, ast::ExprRef expression,
                       PrintLevel minimum = PrintLevel::If);

// One identifier, in quotes unless it can stand without.
[[nodiscard]] std::string printed_identifier(std::string_view name);
// a.b.c; in quotes as a whole when its parts are not all plain identifiers, which reads back as the same.
[[nodiscard]] std::string printed_dotted_name(std::string_view name);
[[nodiscard]] std::string printed_string(std::string_view text);
// i in 1:n, j in 1:m
void append_iterators(std::string& out, const ast::Ast& tree, const std::vector<ast::Iterator>& iterators);

}  // namespace daedalus::parsing
