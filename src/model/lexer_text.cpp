// The parts of the lexer that look into characters: strings, quoted names, escapes, UTF-8, and what is no
// token.
#include <fmt/format.h>

#include <algorithm>

#include "model/lexer.hpp"

namespace daedalus::parsing {
namespace {

constexpr std::string_view escape_letters = "'\"?\\abfnrtv";
constexpr std::string_view escape_values = "'\"?\\\a\b\f\n\r\t\v";

bool is_name_character(char ch) {
  return (ch >= '0' && ch <= '9') || is_plain_identifier({&ch, 1});
}

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
  // x' is how other languages write derivatives and transposes.
  const bool after_name = begin > 0 && is_name_character(text_[begin - 1]);
  const std::string_view name_message =
      after_name ? "this ' begins a quoted name that is never closed (a derivative is written der(x))"
                 : "this quoted name is never closed: ' is missing (names do not run over lines)";
  errors_.add(std::string(is_name ? name_message : "this string is never closed: \" is missing"), begin,
              begin + 1, std::move(related));
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
  if (utf8_length(text_.substr(position_)) > 1) return foreign_name(position_);
  const std::string shown = byte > 0x20 && byte < 0x7f ? fmt::format(" {}", static_cast<char>(byte)) : "";
  if (first_time(text_.substr(position_, 1))) {
    errors_.add(fmt::format("unknown character{} (byte 0x{:02X})", shown, byte), begin, begin + 1);
  }
  return token(TokenKind::EndOfFile, 1);
}

// A name that holds letters beyond ASCII from `end` on: reported, and taken as a name all the same. Without
// such a letter (a typographic minus, a stray byte) it ends where it was.
Token Lexer::foreign_name(std::size_t end) {
  const std::size_t foreign = end;
  while (end < text_.size()) {
    const std::string_view rest = text_.substr(end);
    const auto byte = static_cast<unsigned char>(rest[0]);
    const bool word = is_name_character(rest[0]);
    const std::size_t length = word ? 1 : utf8_length(rest);
    if (length == 0 || (byte < 0x80 && !word) || find_misspelling(rest) != nullptr) break;
    end += length;
  }
  const std::string_view word = text_.substr(position_, end - position_);
  if (end == foreign) return token(keyword_or_identifier(word), word.size());
  const std::string_view letter = text_.substr(foreign, utf8_length(text_.substr(foreign)));
  if (first_time(letter)) {
    std::string bytes;
    for (const char ch : letter) bytes += fmt::format(" 0x{:02X}", static_cast<unsigned char>(ch));
    errors_.add(
        fmt::format("unknown character {} (bytes{}); outside of strings and quoted names only ASCII can "
                    "stand: write '{}' in quotes, or another name",
                    letter, bytes, word.size() > 40 ? letter : word),
        static_cast<std::uint32_t>(foreign), static_cast<std::uint32_t>(foreign + letter.size()));
  }
  return token(TokenKind::Identifier, word.size());
}

}  // namespace daedalus::parsing
