#include "model/parser_cursor.hpp"

#include <fmt/format.h>

namespace daedalus::parsing {
namespace {

constexpr std::size_t shown_limit = 60;  // bytes of the user's text in a message

std::string shortened(std::string_view text) {
  if (text.size() <= shown_limit) return std::string(text);
  std::size_t end = shown_limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // whole characters
  return std::string(text.substr(0, end)) + "...";
}

bool ends_block(TokenKind next) {
  switch (next) {
    case TokenKind::Identifier:
    case TokenKind::If:
    case TokenKind::For:
    case TokenKind::When:
    case TokenKind::While:
      return true;
    default:
      return false;
  }
}

}  // namespace

TokenCursor::TokenCursor(const SourceFile& source, std::int32_t file, const ParserLimits& limits)
    : text_(source.text), limits_(limits), errors_(file), lexer_(text_, errors_) {
  current_ = lexer_.next();
  next_ = lexer_.next();
}

Token TokenCursor::take() {
  const Token taken = current_;
  if (taken.kind == TokenKind::EndOfFile) return taken;
  previous_ = taken;
  current_ = next_;
  next_ = lexer_.next();
  return taken;
}

bool TokenCursor::accept(TokenKind kind) {
  if (current_.kind != kind) return false;
  take();
  return true;
}

bool TokenCursor::expect(TokenKind kind, std::string_view where) {
  if (accept(kind)) return true;
  if (panic_) return false;
  const bool named = kind == TokenKind::Identifier && is_keyword(current_.kind);
  const std::string hint =
      named ? fmt::format("; a keyword can be a name only in quotes: '{}'", spelling(current_.kind)) : "";
  const std::string wanted =
      kind <= TokenKind::String ? std::string(spelling(kind)) : fmt::format("'{}'", spelling(kind));
  fail_here(
      fmt::format("expected {}{}{}, found {}{}", wanted, where.empty() ? "" : " ", where, found(), hint));
  return false;
}

SourceSpan TokenCursor::span_from(std::uint32_t begin) const {
  return {.file = errors_.file(), .begin = begin, .end = std::max(begin, previous_.end)};
}

SourceSpan TokenCursor::span_of(const Token& token) const {
  return {.file = errors_.file(), .begin = token.begin, .end = token.end};
}

std::string TokenCursor::describe(const Token& token) const {
  switch (token.kind) {
    case TokenKind::EndOfFile:
      return std::string(spelling(token.kind));
    case TokenKind::Identifier:
      return token.quoted ? shortened(lexer_.text(token))
                          : fmt::format("'{}'", shortened(lexer_.text(token)));
    case TokenKind::Number:
      return fmt::format("the number {}", shortened(lexer_.text(token)));
    case TokenKind::String:
      return "a string";
    default:
      return fmt::format("{}'{}'", is_keyword(token.kind) ? "the keyword " : "", spelling(token.kind));
  }
}

bool TokenCursor::at_line_start() const {
  const std::string_view between = text_.substr(previous_.end, current_.begin - previous_.end);
  return between.find_first_of("\r\n") != std::string_view::npos;
}

void TokenCursor::report(std::string message, SourceSpan span, std::vector<Diagnostic> related) {
  if (panic_) return;
  // A string that runs over lines shortly before is the usual cause: its closing quote is missing.
  if (previous_.kind == TokenKind::String && lexer_.text(previous_).find('\n') != std::string_view::npos) {
    related.push_back({.severity = Severity::Note,
                       .message = "the string before it runs over several lines: is a \" missing?",
                       .span = {.file = errors_.file(), .begin = previous_.begin, .end = previous_.begin + 1},
                       .related = {}});
  }
  errors_.add(std::move(message), span.begin, span.end, std::move(related));
}

void TokenCursor::fail(std::string message, SourceSpan span, std::vector<Diagnostic> related) {
  report(std::move(message), span, std::move(related));
  give_up();
}

void TokenCursor::give_up() {
  if (panic_) return;
  panic_ = true;
  resume_ = current_;
  resume_next_ = next_;
  current_ = next_ = {.kind = TokenKind::EndOfFile, .begin = current_.begin, .end = current_.begin};
}

bool TokenCursor::at_section() const {
  switch (current_.kind) {
    case TokenKind::EndOfFile:
    case TokenKind::Equation:
    case TokenKind::Algorithm:
    case TokenKind::Public:
    case TokenKind::Protected:
      return true;
    case TokenKind::Initial:
      return next_.kind == TokenKind::Equation || next_.kind == TokenKind::Algorithm;
    case TokenKind::End:
      return ends_block(next_.kind);
    default:
      return false;
  }
}

void TokenCursor::too_many_nodes() {
  fail_here(
      fmt::format("the text holds more than {} expressions, declarations and the like, which is the limit",
                  limits_.nodes));
  errors_.stop();
}

void TokenCursor::recover(TokenKind also) {
  if (!panic_) return;
  panic_ = false;
  current_ = resume_;
  next_ = resume_next_;
  if (errors_.stopped()) current_.kind = next_.kind = TokenKind::EndOfFile;
  while (!at_section()) {
    const TokenKind passed = take().kind;
    if (passed == TokenKind::Semicolon || passed == also) break;
  }
}

Nesting::Nesting(TokenCursor& cursor) : cursor_(cursor), ok_(++cursor.depth_ <= cursor.limits_.nesting) {
  if (ok_) return;
  cursor.fail_here(
      fmt::format("nested too deeply: the limit is {} levels of parentheses and blocks; name parts of "
                  "this in equations or variables of their own",
                  cursor.limits_.nesting));
  cursor.errors_.stop();  // whatever else there is follows from this
}

}  // namespace daedalus::parsing
