// What the tokens are called, and which words are keywords.
#include <algorithm>
#include <array>

#include "model/lexer.hpp"

namespace daedalus::parsing {
namespace {

constexpr std::array<std::string_view, token_kind_count> spellings = {
    "the end of the file", "a name", "a number", "a string",
    // Keywords.
    "algorithm", "and", "annotation", "block", "break", "class", "connect", "connector", "constant",
    "constrainedby", "der", "discrete", "each", "else", "elseif", "elsewhen", "encapsulated", "end",
    "enumeration", "equation", "expandable", "extends", "external", "false", "final", "flow", "for",
    "function", "if", "import", "impure", "in", "initial", "inner", "input", "loop", "model", "not",
    "operator", "or", "outer", "output", "package", "parameter", "partial", "protected", "public", "pure",
    "record", "redeclare", "replaceable", "return", "stream", "then", "true", "type", "when", "while",
    "within",
    // Punctuation.
    "(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "@", "=", ":=", "+", "-", "*", "/", "^", ".+", ".-",
    ".*", "./", ".^", "<", "<=", ">", ">=", "==", "<>"};

constexpr auto first_keyword = static_cast<std::size_t>(TokenKind::Algorithm);
constexpr auto last_keyword = static_cast<std::size_t>(TokenKind::Within);
static_assert(std::is_sorted(spellings.begin() + first_keyword, spellings.begin() + last_keyword + 1));

// first_of[letter]: the first keyword that begins with this letter or a later one.
constexpr auto first_of = [] {
  std::array<std::uint8_t, 27> table{};
  for (std::size_t letter = 0; letter < table.size(); ++letter) {
    std::size_t kind = first_keyword;
    while (kind <= last_keyword && spellings[kind][0] < static_cast<char>('a' + letter)) ++kind;
    table[letter] = static_cast<std::uint8_t>(kind);
  }
  return table;
}();

constexpr bool is_letter(char ch) {
  return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
}
constexpr bool is_digit(char ch) {
  return ch >= '0' && ch <= '9';
}

constexpr auto nothing = TokenKind::EndOfFile;

// Ordered so that no entry hides a longer one below it.
constexpr Misspelling misspellings[] = {
    {"!=", TokenKind::NotEqual, "is written <> in Modelica"},
    {"!", TokenKind::Not, "is written 'not' in Modelica"},
    {"&&", TokenKind::And, "is written 'and' in Modelica"},
    {"&", TokenKind::And, "is written 'and' in Modelica"},
    {"||", TokenKind::Or, "is written 'or' in Modelica"},
    {"|", TokenKind::Or, "is written 'or' in Modelica"},
    {"**", TokenKind::Power, "is written ^ in Modelica"},
    {"%", nothing, "has no meaning in Modelica: a comment begins with //, the remainder is mod(a, b)"},
    {"#", nothing, "has no meaning in Modelica: a comment begins with //"},
    {"\xC2\xA0", nothing, "(a no-break space, bytes 0xC2 0xA0) must be an ordinary space"},
    {"\xE2\x80\x8B", nothing, "(an invisible space, bytes 0xE2 0x80 0x8B) must be removed"},
    {"\xEF\xBB\xBF", nothing, "(a byte order mark) may stand only at the beginning of the file"},
    {"\xE2\x88\x92", TokenKind::Minus, "(a typographic minus) must be the ASCII character -"},
    {"\xE2\x80\x93", TokenKind::Minus, "(a dash) must be the ASCII character -"},
    {"\xE2\x80\x94", TokenKind::Minus, "(a dash) must be the ASCII character -"},
    {"\xC3\x97", TokenKind::Times, "(a multiplication sign) must be the ASCII character *"},
    {"\xC2\xB7", TokenKind::Times, "(a middle dot) must be the ASCII character *"},
    {"\xE2\x8B\x85", TokenKind::Times, "(a multiplication dot) must be the ASCII character *"},
    {"\xC3\xB7", TokenKind::Divide, "(a division sign) must be the ASCII character /"},
    {"\xE2\x89\xA4", TokenKind::LessEqual, "must be written <="},
    {"\xE2\x89\xA5", TokenKind::GreaterEqual, "must be written >="},
    {"\xE2\x89\xA0", TokenKind::NotEqual, "must be written <>"},
    {"\xE2\x80\x9C", nothing, "(a typographic quote) must be the ASCII character \""},
    {"\xE2\x80\x9D", nothing, "(a typographic quote) must be the ASCII character \""},
    {"\xE2\x80\x98", nothing, "(a typographic quote) must be the ASCII character '"},
    {"\xE2\x80\x99", nothing, "(a typographic quote) must be the ASCII character '"},
};

}  // namespace

const Misspelling* find_misspelling(std::string_view rest) {
  const auto found = std::ranges::find_if(
      misspellings, [&](const Misspelling& entry) { return rest.starts_with(entry.text); });
  return found == std::end(misspellings) ? nullptr : found;
}

std::string_view spelling(TokenKind kind) {
  return spellings[static_cast<std::size_t>(kind)];
}

bool is_keyword(TokenKind kind) {
  return kind >= TokenKind::Algorithm && kind <= TokenKind::Within;
}

TokenKind keyword_or_identifier(std::string_view word) {
  if (word[0] < 'a' || word[0] > 'z') return TokenKind::Identifier;
  const auto letter = static_cast<std::size_t>(word[0] - 'a');
  for (std::size_t kind = first_of[letter]; kind < first_of[letter + 1]; ++kind) {
    if (spellings[kind] == word) return static_cast<TokenKind>(kind);
  }
  return TokenKind::Identifier;
}

bool is_plain_identifier(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return false;
  if (!std::ranges::all_of(text, [](char ch) { return is_letter(ch) || is_digit(ch); })) return false;
  return keyword_or_identifier(text) == TokenKind::Identifier;
}

}  // namespace daedalus::parsing
