#include "parse_property.hpp"

#include "core/diagnostic.hpp"
#include "model/parser.hpp"
#include "model/parser_same_tree.hpp"

namespace daedalus::fuzz {
namespace {

std::string error_violation(const Diagnostics& errors, const SourceMap& sources, std::size_t size) {
  if (errors.empty()) return "refused without an error";
  if (errors.size() > 20) return "more than 20 errors";
  for (const Diagnostic& error : errors) {
    if (error.message.empty()) return "an error without a message";
    if (!error.span.valid() || error.span.begin > error.span.end || error.span.end > size) {
      return "an error outside the text: " + error.message;
    }
  }
  return render(errors, sources).empty() ? "errors without a text" : "";
}

std::string tree_violation(const ast::Ast& tree) {
  const std::string printed = print(tree);
  SourceMap sources;
  const Result<ast::Ast> again = parse(sources, sources.add("printed", printed));
  if (!again) return "what was printed cannot be read:\n" + printed + render(again.error(), sources);
  const std::string where = testing::difference(tree, *again);
  if (!where.empty()) return "what was printed is another tree (" + where + "):\n" + printed;
  return print(*again) == printed ? "" : "printing is not stable:\n" + printed;
}

}  // namespace

std::string parse_violation(const std::string& text) {
  SourceMap sources;
  const std::int32_t file = sources.add("fuzz", text);
  const Result<ast::Ast> tree = parse(sources, file);
  const Result<ast::Ast> expression = parse_expression(sources, file);
  if (!expression) {
    const std::string violation = error_violation(expression.error(), sources, text.size());
    if (!violation.empty()) return violation;
  }
  return tree ? tree_violation(*tree) : error_violation(tree.error(), sources, text.size());
}

}  // namespace daedalus::fuzz
