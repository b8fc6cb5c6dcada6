// Text → tokens, one at a time. Any bytes are accepted: what is no token is reported and skipped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"

namespace daedalus::parsing {

enum class TokenKind : std::uint8_t {
  EndOfFile,
  Identifier,
  Number,
  String,
  // Keywords, in the order of the alphabet.
  Algorithm,
  And,
  Annotation,
  Block,
  Break,
  Class,
  Connect,
  Connector,
  Constant,
  ConstrainedBy,
  Der,
  Discrete,
  Each,
  Else,
  ElseIf,
  ElseWhen,
  Encapsulated,
  End,
  Enumeration,
  Equation,
  Expandable,
  Extends,
  External,
  False,
  Final,
  Flow,
  For,
  Function,
  If,
  Import,
  Impure,
  In,
  Initial,
  Inner,
  Input,
  Loop,
  Model,
  Not,
  Operator,
  Or,
  Outer,
  Output,
  Package,
  Parameter,
  Partial,
  Protected,
  Public,
  Pure,
  Record,
  Redeclare,
  Replaceable,
  Return,
  Stream,
  Then,
  True,
  Type,
  When,
  While,
  Within,
  // Punctuation.
  LeftParenthesis,
  RightParenthesis,
  LeftBracket,
  RightBracket,
  LeftBrace,
  RightBrace,
  Comma,
  Semicolon,
  Colon,
  Dot,
  At,
  Equals,
  Assign,
  Plus,
  Minus,
  Times,
  Divide,
  Power,
  ElementPlus,
  ElementMinus,
  ElementTimes,
  ElementDivide,
  ElementPower,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  EqualEqual,
  NotEqual,
};
inline constexpr std::size_t token_kind_count = static_cast<std::size_t>(TokenKind::NotEqual) + 1;

struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  bool quoted = false;   // an identifier in ' '
  bool escaped = false;  // a string or quoted identifier that holds a backslash
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// The spelling of a keyword or of punctuation; "identifier" and the like for the others.
[[nodiscard]] std::string_view spelling(TokenKind kind);
[[nodiscard]] bool is_keyword(TokenKind kind);
[[nodiscard]] TokenKind keyword_or_identifier(std::string_view word);  // of a word that is not empty
// Whether the text can stand as an identifier without quotes.
[[nodiscard]] bool is_plain_identifier(std::string_view text);

// What people write when they come from another language, or paste from a document.
struct Misspelling {
  std::string_view text;
  TokenKind meant;          // EndOfFile: nothing, the characters are skipped
  std::string_view advice;  // ends a sentence that begins with the characters
};
// The one that begins `rest`, or null.
[[nodiscard]] const Misspelling* find_misspelling(std::string_view rest);

// The errors of one file: the first `limit` of them. Once stopped it takes no more, so that what follows
// from a broken string or comment is not reported as well.
class ErrorList {
 public:
  static constexpr std::size_t limit = 20;

  explicit ErrorList(std::int32_t file) : file_(file) {}
  void add(std::string message, std::uint32_t begin, std::uint32_t end, std::vector<Diagnostic> related = {});
  void stop() { stopped_ = true; }
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] std::int32_t file() const { return file_; }
  // All of them, by place.
  [[nodiscard]] Diagnostics take();

 private:
  std::int32_t file_;
  Diagnostics list_;
  bool stopped_ = false;
};

class Lexer {
 public:
  // Both must outlive the lexer.
  Lexer(std::string_view text, ErrorList& errors);

  // At the end, and once the errors are stopped, EndOfFile for ever.
  [[nodiscard]] Token next();
  // The text of an identifier without its quotes, or of a string; escapes replaced.
  [[nodiscard]] std::string value(const Token& token) const;
  [[nodiscard]] std::string_view text(const Token& token) const;
  // "0.1.0" of a first line "//! base 0.1.0"; empty without one.
  [[nodiscard]] std::string_view base_version() const { return base_version_; }

 private:
  void read_header();
  void skip_space();
  void skip_block_comment();
  [[nodiscard]] Token identifier();
  [[nodiscard]] Token number();
  [[nodiscard]] Token quoted(TokenKind kind, char quote);
  void never_closed(bool is_name, std::uint32_t begin);
  [[nodiscard]] bool escape();
  [[nodiscard]] bool check_utf8(std::size_t begin);
  [[nodiscard]] Token punctuation();
  [[nodiscard]] Token token(TokenKind kind, std::size_t length);
  [[nodiscard]] Token misspelling();
  [[nodiscard]] Token foreign_name(std::size_t end);
  [[nodiscard]] bool first_time(std::string_view characters);
  [[nodiscard]] char at(std::size_t position) const {
    return position < text_.size() ? text_[position] : '\0';
  }

  std::string_view text_;
  ErrorList& errors_;
  std::size_t position_ = 0;
  std::string_view base_version_;
  std::vector<std::string_view> unknown_;  // characters that were reported: once is enough
  std::uint32_t long_string_ = 0;          // where the first string that runs over lines begins; 0: none
};

}  // namespace daedalus::parsing
