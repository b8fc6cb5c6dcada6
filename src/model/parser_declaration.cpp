#include "model/parser_declaration.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedalus::parsing {

using ast::Causality;
using ast::Component;
using ast::Modifier;
using ast::Variability;

std::string DeclarationParser::description() {
  std::string out;
  if (cursor_.kind() != TokenKind::String) return out;
  do {
    if (cursor_.kind() != TokenKind::String) {
      cursor_.expect(TokenKind::String, "after '+' in the description");
      return out;
    }
    out += cursor_.lexer().value(cursor_.take());
  } while (cursor_.accept(TokenKind::Plus));
  return out;
}

std::vector<Modifier> DeclarationParser::annotation() {
  if (!cursor_.accept(TokenKind::Annotation)) return {};
  if (cursor_.kind() != TokenKind::LeftParenthesis) {
    cursor_.expect(TokenKind::LeftParenthesis, "after 'annotation'");
    return {};
  }
  return modification();
}

std::string DeclarationParser::comment() {
  std::string out = description();
  annotation();
  return out;
}

std::vector<Modifier> DeclarationParser::modification() {
  const Nesting nesting(cursor_);
  if (!nesting.ok()) return {};
  std::vector<Modifier> out;
  cursor_.take();
  if (cursor_.accept(TokenKind::RightParenthesis)) return out;
  do {
    out.push_back(argument());
  } while (cursor_.accept(TokenKind::Comma));
  cursor_.expect(TokenKind::RightParenthesis, "or ',' in the modification");
  return out;
}

Modifier DeclarationParser::argument() {
  Modifier out;
  cursor_.count_node();
  expressions_.skip_decoration();
  if (cursor_.kind() == TokenKind::Redeclare || cursor_.kind() == TokenKind::Replaceable) {
    refusals_.report(cursor_);
    cursor_.give_up();
    return out;
  }
  const std::uint32_t begin = cursor_.current().begin;
  out.each = cursor_.accept(TokenKind::Each);
  out.is_final = cursor_.accept(TokenKind::Final);
  out.name = expressions_.dotted_name("for 'name = value' in the modification");
  if (cursor_.kind() == TokenKind::LeftParenthesis) out.nested = modification();
  if (cursor_.accept(TokenKind::Equals) || cursor_.accept(TokenKind::Assign)) {
    out.value = expressions_.expression();
  }
  out.span = cursor_.span_from(begin);
  description();
  return out;
}

struct DeclarationParser::Prefix {
  Variability variability = Variability::Continuous;
  Causality causality = Causality::None;
};

// flow and stream mean something only between connectors, which flat models do not have.
DeclarationParser::Prefix DeclarationParser::prefix() {
  Prefix out;
  if (!cursor_.accept(TokenKind::Flow)) cursor_.accept(TokenKind::Stream);
  if (cursor_.accept(TokenKind::Discrete)) {
    out.variability = Variability::Discrete;
  } else if (cursor_.accept(TokenKind::Parameter)) {
    out.variability = Variability::Parameter;
  } else if (cursor_.accept(TokenKind::Constant)) {
    out.variability = Variability::Constant;
  }
  if (cursor_.accept(TokenKind::Input)) {
    out.causality = Causality::Input;
  } else if (cursor_.accept(TokenKind::Output)) {
    out.causality = Causality::Output;
  }
  return out;
}

void DeclarationParser::components(std::vector<Component>& out, bool is_protected, bool is_final) {
  const Prefix given = prefix();
  const std::string type = expressions_.dotted_name("as the type of a declaration");
  std::vector<ast::ExprRef> type_dimensions;
  if (cursor_.kind() == TokenKind::LeftBracket) type_dimensions = expressions_.subscripts();
  do {
    Component made;
    cursor_.count_node();
    made.type = type;
    made.variability = given.variability;
    made.causality = given.causality;
    made.is_protected = is_protected;
    made.is_final = is_final;
    component(made);
    if (cursor_.panicking()) return;
    made.dimensions.insert(made.dimensions.end(), type_dimensions.begin(), type_dimensions.end());
    out.push_back(std::move(made));
  } while (cursor_.accept(TokenKind::Comma));
}

void DeclarationParser::component(Component& out) {
  const Token name = cursor_.current();
  switch (name.kind) {
    case TokenKind::Equals:
    case TokenKind::Assign:
    case TokenKind::LeftParenthesis:
    case TokenKind::Plus:
    case TokenKind::Minus:
    case TokenKind::Times:
    case TokenKind::Divide:
    case TokenKind::Power:
      cursor_.fail_here(
          fmt::format("expected a declaration such as 'Real x;', found {}; equations stand after the "
                      "word 'equation'",
                      cursor_.found()));
      return;
    default:
      break;
  }
  if (!cursor_.expect(TokenKind::Identifier, "for the component after its type")) return;
  out.name = cursor_.lexer().value(name);
  if (cursor_.kind() == TokenKind::LeftBracket) out.dimensions = expressions_.subscripts();
  // R1.v and a[2].b, as some tools print flat models: one name.
  while (cursor_.kind() == TokenKind::Dot) {
    cursor_.take();
    if (!out.dimensions.empty()) out.name += expressions_.subscript_name(out.dimensions);
    out.dimensions.clear();
    const Token next = cursor_.current();
    if (!cursor_.expect(TokenKind::Identifier, "after '.' in the name of the component")) return;
    out.name += "." + std::string(cursor_.lexer().value(next));
    if (cursor_.kind() == TokenKind::LeftBracket) out.dimensions = expressions_.subscripts();
  }
  if (cursor_.kind() == TokenKind::LeftParenthesis) out.modifiers = modification();
  if (cursor_.accept(TokenKind::Equals) || cursor_.accept(TokenKind::Assign)) {
    out.binding = expressions_.expression();
  }
  out.span = cursor_.span_from(name.begin);
  if (cursor_.accept(TokenKind::If)) out.condition = expressions_.expression();
  out.description = description();
  out.annotation = annotation();
}

}  // namespace daedalus::parsing
