// The inside of a class: its declarations and sections.
#include <fmt/format.h>

#include <utility>

#include "model/parser_class.hpp"

namespace daedalus::parsing {

using ast::Class;
using ast::ClassKind;

namespace {

template <class T>
void append(std::vector<T>& to, std::vector<T> from) {
  if (to.empty()) {
    to = std::move(from);
  } else {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }
}

}  // namespace

// Ends before the `end` of the class, or at the end of the file.
void ClassParser::composition(Class& out) {
  bool is_protected = false;
  while (cursor_.kind() != TokenKind::EndOfFile) {
    expressions_.skip_decoration();
    if (statements_.at_stray()) {
      statements_.stray();
      continue;
    }
    if (cursor_.kind() == TokenKind::End) return;
    if (!section(out, is_protected)) element(out, is_protected);
    cursor_.recover();
  }
}

// A section, if one begins here.
bool ClassParser::section(Class& out, bool& is_protected) {
  switch (cursor_.kind()) {
    case TokenKind::Public:
    case TokenKind::Protected:
      is_protected = cursor_.take().kind == TokenKind::Protected;
      return true;
    case TokenKind::Equation:
      cursor_.take();
      append(out.sections.equations, statements_.body(Mode::Equations));
      return true;
    case TokenKind::Algorithm:
      cursor_.take();
      out.sections.algorithms.push_back(statements_.body(Mode::Statements));
      return true;
    case TokenKind::Initial:
      initial_section(out);
      return true;
    case TokenKind::External:
      external(out);
      return true;
    case TokenKind::Annotation:
      annotation_clause(out);
      return true;
    case TokenKind::Semicolon:
      cursor_.take();
      return true;
    default:
      return false;
  }
}

void ClassParser::initial_section(Class& out) {
  cursor_.take();
  if (cursor_.accept(TokenKind::Equation)) {
    append(out.sections.initial_equations, statements_.body(Mode::Equations));
  } else if (cursor_.accept(TokenKind::Algorithm)) {
    out.sections.initial_algorithms.push_back(statements_.body(Mode::Statements));
  } else {
    cursor_.fail_here(
        fmt::format("expected 'equation' or 'algorithm' after 'initial', found {}", cursor_.found()));
  }
}

void ClassParser::annotation_clause(Class& out) {
  append(out.annotation, declarations_.annotation());
  statements_.semicolon("annotation");
}

bool ClassParser::at_partition() const {
  if (cursor_.kind() != TokenKind::Identifier || cursor_.current().quoted) return false;
  const std::string_view word = cursor_.lexer().text(cursor_.current());
  const TokenKind next = cursor_.next_kind();
  if (word == "subpartition") return next == TokenKind::LeftParenthesis;
  return word == "partition" && (next == TokenKind::String || next == TokenKind::Annotation ||
                                 (next == TokenKind::Identifier &&
                                  (cursor_.next_text() == "Clock" || cursor_.next_text() == "subpartition")));
}

void ClassParser::element(Class& out, bool is_protected) {
  if (cursor_.kind() == TokenKind::Import || cursor_.kind() == TokenKind::Connect) {
    refusals_.report(cursor_);
    cursor_.give_up();
    return;
  }
  if (cursor_.kind() == TokenKind::Extends) return inheritance(out);
  bool is_final = false;
  for (;; cursor_.take()) {  // prefixes
    if (cursor_.kind() == TokenKind::Final) {
      is_final = true;
    } else if (cursor_.kind() == TokenKind::Partial || cursor_.kind() == TokenKind::Expandable ||
               cursor_.kind() == TokenKind::Connector || !Refusals::refuses(cursor_.kind())) {
      break;
    } else {
      refusals_.report(cursor_);
    }
  }
  if (at_class()) {
    definition(out.classes);
    constraint();
    statements_.semicolon("class");
    return;
  }
  if (cursor_.kind() == TokenKind::Parameter && cursor_.next_kind() == TokenKind::Equation) return guess(out);
  switch (cursor_.kind()) {
    case TokenKind::Der:
    case TokenKind::If:
    case TokenKind::When:
    case TokenKind::For:
    case TokenKind::LeftParenthesis:
      cursor_.fail_here(
          fmt::format("expected a declaration such as 'Real x;', found {}; equations stand after the "
                      "word 'equation'",
                      cursor_.found()));
      return;
    default:
      break;
  }
  if (at_partition()) {
    cursor_.fail_here("clocked partitions ('partition', 'subpartition') are not supported");
    return;
  }
  declarations_.components(out.components, is_protected, is_final);
  constraint();
  statements_.semicolon("declaration");
}

void ClassParser::constraint() {
  if (cursor_.kind() != TokenKind::ConstrainedBy) return;
  refusals_.report(cursor_);
  cursor_.give_up();
}

// extends ExternalObject makes an external object; other inheritance is not flat.
void ClassParser::inheritance(Class& out) {
  const bool external_object = !cursor_.panicking() && cursor_.next_text() == "ExternalObject";
  if (!external_object) {
    refusals_.report(cursor_);
    cursor_.give_up();
    return;
  }
  cursor_.take();
  cursor_.take();
  out.kind = ClassKind::ExternalObject;
  declarations_.comment();
  statements_.semicolon("'extends' clause");
}

// parameter equation guess('x') = expression
void ClassParser::guess(Class& out) {
  ast::Guess made;
  const std::uint32_t begin = cursor_.take().begin;
  cursor_.take();
  if (cursor_.kind() != TokenKind::Identifier || cursor_.lexer().text(cursor_.current()) != "guess") {
    cursor_.fail_here(
        fmt::format("expected 'guess(...)' after 'parameter equation', found {}", cursor_.found()));
    return;
  }
  cursor_.take();
  cursor_.expect(TokenKind::LeftParenthesis, "after 'guess'");
  made.target = expressions_.reference();
  cursor_.expect(TokenKind::RightParenthesis, "after the variable of 'guess'");
  cursor_.expect(TokenKind::Equals, "after 'guess(...)'");
  made.value = expressions_.expression();
  made.span = cursor_.span_from(begin);
  declarations_.comment();
  if (!cursor_.panicking()) out.guesses.push_back(made);
  statements_.semicolon("guess");
}

// external "C" y = f(x) annotation(...);
void ClassParser::external(Class& out) {
  cursor_.take();
  out.is_external = true;
  if (cursor_.kind() == TokenKind::String) out.external_language = cursor_.lexer().value(cursor_.take());
  if (cursor_.kind() == TokenKind::Identifier || cursor_.kind() == TokenKind::Dot) external_call(out);
  append(out.annotation, declarations_.annotation());
  statements_.semicolon("'external' clause");
}

void ClassParser::external_call(Class& out) {
  if (cursor_.next_kind() != TokenKind::LeftParenthesis) {
    out.external_output = expressions_.reference();
    if (!cursor_.expect(TokenKind::Equals, "in the 'external' clause")) return;
  }
  const Token name = cursor_.current();
  if (!cursor_.expect(TokenKind::Identifier, "for the external function")) return;
  out.external_name = cursor_.lexer().value(name);
  if (cursor_.kind() != TokenKind::LeftParenthesis) {
    cursor_.expect(TokenKind::LeftParenthesis, "after the name of the external function");
    return;
  }
  out.external_arguments = expressions_.list_in_parentheses();
}

}  // namespace daedalus::parsing
