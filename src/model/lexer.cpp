#include "model/lexer.hpp"

#include <algorithm>
#include <array>

namespace daedalus::parsing {
namespace {

enum CharacterClass : std::uint8_t { Other, Space, Letter, Digit };

constexpr auto classes = [] {
  std::array<CharacterClass, 256> table{};
  for (const char ch : {' ', '\t', '\n', '\r', '\f', '\v'}) table[static_cast<unsigned char>(ch)] = Space;
  for (int ch = 'a'; ch <= 'z'; ++ch) table[static_cast<std::size_t>(ch)] = Letter;
  for (int ch = 'A'; ch <= 'Z'; ++ch) table[static_cast<std::size_t>(ch)] = Letter;
  for (int ch = '0'; ch <= '9'; ++ch) table[static_cast<std::size_t>(ch)] = Digit;
  table['_'] = Letter;
  return table;
}();

CharacterClass class_of(char ch) {
  return classes[static_cast<unsigned char>(ch)];
}
bool is_digit(char ch) {
  return class_of(ch) == Digit;
}
bool is_word(char ch) {
  return class_of(ch) >= Letter;
}

}  // namespace

void ErrorList::add(std::string message, std::uint32_t begin, std::uint32_t end,
                    std::vector<Diagnostic> related) {
  if (stopped_) return;
  list_.push_back({.severity = Severity::Error,
                   .message = std::move(message),
                   .span = {.file = file_, .begin = begin, .end = end},
                   .related = std::move(related)});
  if (list_.size() == limit) stop();
}

Diagnostics ErrorList::take() {
  // By insertion, since there are few and those at the same place keep their order.
  const auto begin_of = [](const Diagnostic& d) { return d.span.begin; };
  for (auto it = list_.begin(); it != list_.end(); ++it) {
    const auto place = std::ranges::upper_bound(list_.begin(), it, begin_of(*it), {}, begin_of);
    std::rotate(place, it, it + 1);
  }
  return std::move(list_);
}

Lexer::Lexer(std::string_view text, ErrorList& errors) : text_(text), errors_(errors) {
  read_header();
}

void Lexer::read_header() {
  if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
  const std::string_view line = text_.substr(position_, text_.find_first_of("\r\n", position_) - position_);
  for (const std::string_view header : {"//! base ", "//! flat "}) {
    if (!line.starts_with(header)) continue;
    const std::string_view version = line.substr(header.size());
    const std::size_t length = version.find_first_not_of("0123456789.r");
    base_version_ = version.substr(0, length);
  }
}

Token Lexer::next() {
  while (!errors_.stopped()) {
    skip_space();
    if (position_ >= text_.size() || errors_.stopped()) break;
    const char ch = text_[position_];
    switch (class_of(ch)) {
      case Letter:
        return identifier();
      case Digit:
        return number();
      default:
        break;
    }
    if (ch == '\'') return quoted(TokenKind::Identifier, ch);
    if (ch == '"') return quoted(TokenKind::String, ch);
    if (ch == '.' && is_digit(at(position_ + 1))) return number();
    if (const Token found = punctuation(); found.kind != TokenKind::EndOfFile) return found;
  }
  position_ = text_.size();
  return token(TokenKind::EndOfFile, 0);
}

std::string_view Lexer::text(const Token& token) const {
  return text_.substr(token.begin, token.end - token.begin);
}

Token Lexer::token(TokenKind kind, std::size_t length) {
  const Token made{.kind = kind,
                   .begin = static_cast<std::uint32_t>(position_),
                   .end = static_cast<std::uint32_t>(position_ + length)};
  position_ += length;
  return made;
}

void Lexer::skip_space() {
  for (;;) {
    while (position_ < text_.size() && class_of(text_[position_]) == Space) ++position_;
    if (at(position_) != '/') return;
    if (at(position_ + 1) == '/') {
      position_ = std::min(text_.find_first_of("\r\n", position_), text_.size());
    } else if (at(position_ + 1) == '*') {
      skip_block_comment();
    } else {
      return;
    }
  }
}

void Lexer::skip_block_comment() {
  const std::size_t close = text_.find("*/", position_ + 2);
  if (close == std::string_view::npos) {
    const auto begin = static_cast<std::uint32_t>(position_);
    errors_.add("this comment is never closed: */ is missing", begin, begin + 2);
    errors_.stop();
    position_ = text_.size();
  } else {
    position_ = close + 2;
  }
}

Token Lexer::identifier() {
  std::size_t end = position_ + 1;
  while (end < text_.size() && is_word(text_[end])) ++end;
  if (static_cast<unsigned char>(at(end)) >= 0x80) return foreign_name(end);
  const std::size_t length = end - position_;
  return token(keyword_or_identifier(text_.substr(position_, length)), length);
}

Token Lexer::number() {
  std::size_t end = position_;
  while (is_digit(at(end))) ++end;
  if (end == position_) {
    const auto begin = static_cast<std::uint32_t>(position_);
    errors_.add("a number begins with a digit: write 0 before the point", begin, begin + 1);
  }
  if (at(end) == '.') {
    ++end;
    while (is_digit(at(end))) ++end;
  }
  if (at(end) == 'e' || at(end) == 'E') {
    std::size_t digits = end + 1;
    if (at(digits) == '+' || at(digits) == '-') ++digits;
    std::size_t exponent_end = digits;
    while (is_digit(at(exponent_end))) ++exponent_end;
    if (exponent_end == digits) {
      errors_.add("the exponent of this number has no digits", static_cast<std::uint32_t>(position_),
                  static_cast<std::uint32_t>(digits));
    }
    end = exponent_end;
  }
  return token(TokenKind::Number, end - position_);
}

Token Lexer::punctuation() {
  const char second = at(position_ + 1);
  const auto two_if = [&](char expected, TokenKind two, TokenKind one) {
    return second == expected ? token(two, 2) : token(one, 1);
  };
  switch (text_[position_]) {
    case '(':
      return token(TokenKind::LeftParenthesis, 1);
    case ')':
      return token(TokenKind::RightParenthesis, 1);
    case '[':
      return token(TokenKind::LeftBracket, 1);
    case ']':
      return token(TokenKind::RightBracket, 1);
    case '{':
      return token(TokenKind::LeftBrace, 1);
    case '}':
      return token(TokenKind::RightBrace, 1);
    case ',':
      return token(TokenKind::Comma, 1);
    case ';':
      return token(TokenKind::Semicolon, 1);
    case ':':
      return two_if('=', TokenKind::Assign, TokenKind::Colon);
    case '@':
      return token(TokenKind::At, 1);
    case '=':
      return two_if('=', TokenKind::EqualEqual, TokenKind::Equals);
    case '+':
      return token(TokenKind::Plus, 1);
    case '-':
      return token(TokenKind::Minus, 1);
    case '*':
      if (second == '*') break;
      return token(TokenKind::Times, 1);
    case '/':
      return token(TokenKind::Divide, 1);
    case '^':
      return token(TokenKind::Power, 1);
    case '<':
      if (second == '>') return token(TokenKind::NotEqual, 2);
      return two_if('=', TokenKind::LessEqual, TokenKind::Less);
    case '>':
      return two_if('=', TokenKind::GreaterEqual, TokenKind::Greater);
    case '.': {
      constexpr std::string_view operators = "+-*/^";
      const std::size_t which = operators.find(second);
      if (which == std::string_view::npos || second == '\0') return token(TokenKind::Dot, 1);
      return token(static_cast<TokenKind>(static_cast<std::size_t>(TokenKind::ElementPlus) + which), 2);
    }
    default:
      break;
  }
  return misspelling();
}

}  // namespace daedalus::parsing
