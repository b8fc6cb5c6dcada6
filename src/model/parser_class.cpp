#include "model/parser_class.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedalus::parsing {

using ast::Class;
using ast::ClassKind;

namespace {

struct KindWord {
  TokenKind token;
  ClassKind kind;
};

// `class` is a model unless it extends ExternalObject; a connector is refused but read like a record, so
// that what follows it is still understood.
constexpr KindWord kind_words[] = {
    {TokenKind::Model, ClassKind::Model},      {TokenKind::Class, ClassKind::Model},
    {TokenKind::Block, ClassKind::Block},      {TokenKind::Function, ClassKind::Function},
    {TokenKind::Record, ClassKind::Record},    {TokenKind::Package, ClassKind::Package},
    {TokenKind::Type, ClassKind::Type},        {TokenKind::Operator, ClassKind::Operator},
    {TokenKind::Connector, ClassKind::Record},
};

const KindWord* find(TokenKind token) {
  for (const KindWord& entry : kind_words) {
    if (entry.token == token) return &entry;
  }
  return nullptr;
}

// Model, FUNCTION: right but for the case.
bool is_keyword_in_capitals(const TokenCursor& cursor) {
  std::string word(cursor.lexer().text(cursor.current()));
  for (char& ch : word) {
    if (ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch - 'A' + 'a');
  }
  return is_keyword(keyword_or_identifier(word));
}

Diagnostic note(std::string message, SourceSpan span) {
  return {.severity = Severity::Note, .message = std::move(message), .span = span, .related = {}};
}

}  // namespace

ClassParser::ClassParser(TokenCursor& cursor, ast::Ast& tree)
    : cursor_(cursor),
      tree_(tree),
      expressions_(cursor, tree),
      declarations_(cursor, expressions_, refusals_),
      statements_(cursor, tree, expressions_, declarations_, refusals_) {}

void ClassParser::file() {
  if (cursor_.kind() == TokenKind::EndOfFile) {
    cursor_.fail_here("the file holds no model; expected 'model Name ... end Name;'");
  }
  if (cursor_.accept(TokenKind::Within)) {
    if (cursor_.kind() == TokenKind::Identifier) expressions_.dotted_name("after 'within'");
    cursor_.expect(TokenKind::Semicolon, "after 'within'");
    cursor_.recover();
  }
  while (cursor_.kind() != TokenKind::EndOfFile) {
    expressions_.skip_decoration();
    cursor_.accept(TokenKind::Final);
    if (at_class()) {
      definition(tree_.classes);
      statements_.semicolon("class");
    } else {
      outside();
    }
    if (!cursor_.panicking()) continue;
    cursor_.recover();
    while (cursor_.kind() != TokenKind::EndOfFile && !at_class())
      cursor_.take();  // the rest of a broken class
  }
  if (tree_.classes.empty() && cursor_.errors().empty()) {
    cursor_.fail_here("the file holds no model; expected 'model Name ... end Name;'");
  }
}

// Something at the top level that is no class. Passed over up to the next class, with one message.
void ClassParser::outside() {
  if (cursor_.kind() == TokenKind::EndOfFile || cursor_.accept(TokenKind::Semicolon)) return;
  if (Refusals::refuses(cursor_.kind())) {
    refusals_.report(cursor_);
  } else {
    const bool capital = cursor_.kind() == TokenKind::Identifier && is_keyword_in_capitals(cursor_);
    cursor_.report(fmt::format("expected a class such as 'model Name ... end Name;', found {}{}",
                               cursor_.found(), capital ? "; keywords are written in small letters" : ""),
                   cursor_.span_of(cursor_.current()));
  }
  do {
    cursor_.take();
  } while (cursor_.kind() != TokenKind::EndOfFile && !at_class());
}

bool ClassParser::at_class() const {
  switch (cursor_.kind()) {
    case TokenKind::Encapsulated:
    case TokenKind::Partial:
    case TokenKind::Expandable:
    case TokenKind::Impure:
      return true;
    case TokenKind::Pure:
      return cursor_.next_kind() == TokenKind::Function || cursor_.next_kind() == TokenKind::Constant ||
             cursor_.next_kind() == TokenKind::Operator;
    default:
      return find(cursor_.kind()) != nullptr;
  }
}

ClassParser::Header ClassParser::header() {
  Header out;
  cursor_.accept(TokenKind::Encapsulated);
  while (cursor_.kind() == TokenKind::Partial || cursor_.kind() == TokenKind::Expandable) {
    // A partial function is the type of functions that are given as arguments; exports keep it.
    const bool interface = cursor_.kind() == TokenKind::Partial && cursor_.next_kind() == TokenKind::Function;
    if (!interface) refusals_.report(cursor_);
    cursor_.take();
  }
  if (cursor_.accept(TokenKind::Pure)) {
    cursor_.accept(TokenKind::Constant);
  } else {
    cursor_.accept(TokenKind::Impure);
  }
  // operator record, operator function: as without the word.
  if (cursor_.kind() == TokenKind::Operator &&
      (cursor_.next_kind() == TokenKind::Record || cursor_.next_kind() == TokenKind::Function)) {
    cursor_.take();
  }
  if (cursor_.kind() == TokenKind::Connector) refusals_.report(cursor_);
  if (const KindWord* entry = find(cursor_.kind())) {
    out = {.kind = entry->kind, .word = spelling(entry->token), .found = true};
    cursor_.take();
  } else {
    cursor_.fail_here(
        fmt::format("expected 'model', 'function', 'record' or the like, found {}", cursor_.found()));
  }
  return out;
}

void ClassParser::definition(std::vector<Class>& out) {
  const Nesting nesting(cursor_);
  if (!nesting.ok()) return;
  const Header head = header();
  if (!head.found) return;
  if (cursor_.kind() == TokenKind::Extends) {
    refusals_.report(cursor_);
    cursor_.take();
  }
  const Token name = cursor_.current();
  if (!cursor_.expect(TokenKind::Identifier, fmt::format("after '{}'", head.word))) return;
  Class made;
  cursor_.count_node();
  made.kind = head.kind;
  made.name = class_name(name);
  made.span = cursor_.span_of(name);
  if (cursor_.accept(TokenKind::Equals)) {
    short_definition(made);
  } else {
    long_definition(made, head, name);
  }
  out.push_back(std::move(made));
}

// The rest of a dotted name, as instantiateModel prints them: function Modelica.Math.Vectors.length. No space
// stands around its dots: in `model M .Real x;` the dot begins a type.
std::string ClassParser::class_name(const Token& first) {
  std::string name = cursor_.lexer().value(first);
  std::uint32_t end = first.end;
  while (cursor_.kind() == TokenKind::Dot && cursor_.current().begin == end &&
         cursor_.next_kind() == TokenKind::Identifier) {
    cursor_.take();
    const Token part = cursor_.take();
    name += '.' + std::string(cursor_.lexer().value(part));
    end = part.end;
  }
  return name;
}

void ClassParser::long_definition(Class& out, const Header& head, const Token& name) {
  out.description = declarations_.description();
  cursor_.recover();
  open_.push_back(cursor_.lexer().text(name));
  composition(out);
  end_of_class(out, head, name);
  open_.pop_back();
}

void ClassParser::end_of_class(const Class& made, const Header& head, const Token& name) {
  const Diagnostic begin =
      note(fmt::format("{} {} begins here", head.word, cursor_.describe(name)), cursor_.span_of(name));
  const std::string wanted = fmt::format("'end {};'", cursor_.lexer().text(name));
  // An end that closes a class around this one is left to it.
  const bool closes_outer = cursor_.kind() == TokenKind::End && cursor_.next_text() != open_.back() &&
                            std::ranges::find(open_, cursor_.next_text()) != open_.end();
  if (closes_outer || !cursor_.accept(TokenKind::End)) {
    const std::string seen = closes_outer ? fmt::format("'end {}'", cursor_.next_text()) : cursor_.found();
    cursor_.fail(fmt::format("expected {} to close the {}, found {}", wanted, head.word, seen),
                 cursor_.span_of(cursor_.current()), {begin});
    return;
  }
  const Token closing = cursor_.current();
  if (closing.kind == TokenKind::Identifier) {
    cursor_.take();
    if (class_name(closing) == made.name) return;
    cursor_.report(fmt::format("{} closes {} {}; expected {}", cursor_.describe(closing), head.word,
                               cursor_.describe(name), wanted),
                   cursor_.span_of(closing), {begin});
  } else {
    cursor_.report(fmt::format("expected the name of the {} after 'end' ({}), found {}", head.word, wanted,
                               cursor_.found()),
                   cursor_.span_of(closing), {begin});
  }
}

// type X = Real[3](unit = "m"), type E = enumeration(a, b), function f = g(n = 3).
void ClassParser::short_definition(Class& out) {
  if (cursor_.kind() == TokenKind::Enumeration) {
    enumeration(out);
  } else if (cursor_.kind() == TokenKind::Der) {
    cursor_.fail_here(
        "a function defined as a partial derivative ('= der(f, x)') is not supported; write the "
        "derivative as a function of its own");
  } else {
    if (!cursor_.accept(TokenKind::Input)) cursor_.accept(TokenKind::Output);
    out.base = expressions_.dotted_name("after '='");
    if (cursor_.kind() == TokenKind::LeftBracket) out.base_dimensions = expressions_.subscripts();
    if (cursor_.kind() == TokenKind::LeftParenthesis) out.base_modifiers = declarations_.modification();
  }
  out.description = declarations_.description();
  out.annotation = declarations_.annotation();
}

void ClassParser::enumeration(Class& out) {
  cursor_.take();
  out.is_enumeration = true;
  if (!cursor_.expect(TokenKind::LeftParenthesis, "after 'enumeration'")) return;
  if (cursor_.accept(TokenKind::RightParenthesis)) return;
  if (cursor_.kind() == TokenKind::Colon) {
    cursor_.fail_here("'enumeration(:)' names no literals; a flat model must list them");
    return;
  }
  do {
    const Token literal = cursor_.current();
    if (!cursor_.expect(TokenKind::Identifier, "in the enumeration")) return;
    cursor_.count_node();
    out.enumeration.push_back(cursor_.lexer().value(literal));
    declarations_.comment();
  } while (cursor_.accept(TokenKind::Comma));
  cursor_.expect(TokenKind::RightParenthesis, "or ',' in the enumeration");
}

}  // namespace daedalus::parsing
