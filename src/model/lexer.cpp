#include "model/lexer.hpp"

#include <fmt/format.h>

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

constexpr std::string_view escape_letters = "'\"?\\abfnrtv";
constexpr std::string_view escape_values = "'\"?\\\a\b\f\n\r\t\v";

// The length of the UTF-8 character at the beginning of the text; 0 when there is none (Unicode 15,
// table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
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
  std::ranges::stable_sort(list_, {}, [](const Diagnostic& d) { return d.span.begin; });
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

std::string Lexer::value(const Token& token) const {
  std::string_view raw = text(token);
  const bool enclosed = token.quoted || token.kind == TokenKind::String;
  if (enclosed) raw = raw.substr(1, raw.size() - 2);
  if (!token.escaped) return std::string(raw);
  std::string out;
  out.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const std::size_t letter =
        raw[i] == '\\' && i + 1 < raw.size() ? escape_letters.find(raw[i + 1]) : std::string_view::npos;
    out += letter == std::string_view::npos ? raw[i] : escape_values[letter];
    if (letter != std::string_view::npos) ++i;
  }
  return out;
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

// A string may run over lines; a quoted identifier may not, and holds no control characters.
Token Lexer::quoted(TokenKind kind, char quote) {
  const std::size_t begin = position_;
  const bool is_name = kind == TokenKind::Identifier;
  bool escaped = false;
  bool ascii = true;
  bool has_newline = false;
  for (++position_; position_ < text_.size() && text_[position_] != quote;) {
    const auto byte = static_cast<unsigned char>(text_[position_]);
    if (byte == '\\') {
      escaped = true;
      if (!escape()) break;
      continue;
    }
    if (byte == 0 || (is_name && byte < 0x20)) break;
    if (byte >= 0x80) ascii = false;
    if (byte == '\n') has_newline = true;
    ++position_;
  }
  const auto from = static_cast<std::uint32_t>(begin);
  if (position_ < text_.size() && text_[position_] == '\0') return misspelling();
  if (at(position_) != quote) {
    never_closed(is_name, from);
    return token(TokenKind::EndOfFile, 0);
  }
  ++position_;
  if (is_name && position_ - begin == 2) errors_.add("a quoted name must not be empty", from, from + 2);
  if (long_string_ == 0 && !is_name && has_newline) long_string_ = from;
  if (!ascii && !check_utf8(begin)) return token(TokenKind::EndOfFile, 0);
  return {.kind = kind,
          .quoted = is_name,
          .escaped = escaped,
          .begin = from,
          .end = static_cast<std::uint32_t>(position_)};
}

void Lexer::never_closed(bool is_name, std::uint32_t begin) {
  std::vector<Diagnostic> related;
  if (!is_name && long_string_ > 0) {
    // With one quote missing, all later strings begin where they should end: the last of them is open.
    related.push_back({.severity = Severity::Note,
                       .message = "this string runs over several lines: is its closing \" missing?",
                       .span = {.file = errors_.file(), .begin = long_string_, .end = long_string_ + 1},
                       .related = {}});
  }
  errors_.add(is_name ? "this quoted name is never closed: ' is missing (names do not run over lines)"
                      : "this string is never closed: \" is missing",
              begin, begin + 1, std::move(related));
  errors_.stop();
}

// Passes a backslash and what it escapes. False at the end of the text.
bool Lexer::escape() {
  if (position_ + 1 >= text_.size()) return false;
  if (escape_letters.find(text_[position_ + 1]) == std::string_view::npos) {
    const auto begin = static_cast<std::uint32_t>(position_);
    errors_.add(
        "unknown escape after \\; known are \\' \\\" \\? \\\\ \\a \\b \\f \\n \\r \\t \\v (write \\\\ "
        "for a backslash)",
        begin, begin + 2);
    ++position_;  // what follows may be the closing quote's byte of a character: look at it afresh
    return true;
  }
  position_ += 2;
  return true;
}

bool Lexer::check_utf8(std::size_t begin) {
  while (begin < position_) {
    const std::size_t length = utf8_length(text_.substr(begin));
    if (length == 0) {
      const auto place = static_cast<std::uint32_t>(begin);
      errors_.add(
          fmt::format("the byte 0x{:02X} is not UTF-8; the file seems to be in another encoding: save it "
                      "as UTF-8",
                      static_cast<unsigned char>(text_[begin])),
          place, place + 1);
      errors_.stop();
      return false;
    }
    begin += length;
  }
  return true;
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

bool Lexer::first_time(std::string_view characters) {
  if (std::ranges::find(unknown_, characters) != unknown_.end()) return false;
  unknown_.push_back(characters);
  return true;
}

// What no rule takes: reported, and replaced by what was probably meant. EndOfFile: nothing was.
Token Lexer::misspelling() {
  const auto begin = static_cast<std::uint32_t>(position_);
  const auto byte = static_cast<unsigned char>(text_[position_]);
  if (const Misspelling* found = find_misspelling(text_.substr(position_))) {
    const auto end = static_cast<std::uint32_t>(begin + found->text.size());
    if (first_time(found->text)) {
      errors_.add(fmt::format("{} {}", found->text, found->advice), begin, end);
    }
    return token(found->meant, found->text.size());
  }
  if (byte == 0) {
    errors_.add("the file holds a NUL byte (0x00): it is not text, or not UTF-8", begin, begin + 1);
    errors_.stop();
    return token(TokenKind::EndOfFile, 0);
  }
  const std::size_t length = std::max<std::size_t>(1, utf8_length(text_.substr(position_)));
  std::string bytes;
  for (std::size_t i = 0; i < length; ++i) {
    bytes += fmt::format(" 0x{:02X}", static_cast<unsigned char>(text_[position_ + i]));
  }
  const bool shown = length > 1 || (byte > 0x20 && byte < 0x7f);
  if (first_time(text_.substr(position_, length))) {
    errors_.add(fmt::format("unknown character{}{} (byte{}{})", shown ? " " : "",
                            shown ? text_.substr(position_, length) : "", length > 1 ? "s" : "", bytes),
                begin, static_cast<std::uint32_t>(begin + length));
  }
  return token(TokenKind::EndOfFile, length);
}

}  // namespace daedalus::parsing
