// The parser's place in the text: one token and the next, and what to do when they do not fit.
//
// An error puts the cursor into a panic: from then on every token looks like the end of the file, so that
// all loops and all rules under way end by themselves and say nothing more. Whoever knows where the text
// makes sense again (the next statement, the next declaration) calls recover(), which goes on from the
// token that did not fit.
#pragma once

#include <string>
#include <string_view>

#include "model/ast.hpp"
#include "model/lexer.hpp"
#include "model/parser_limits.hpp"

namespace daedalus::parsing {

class TokenCursor {
 public:
  TokenCursor(const SourceFile& source, std::int32_t file, const ParserLimits& limits);

  [[nodiscard]] TokenKind kind() const { return current_.kind; }
  [[nodiscard]] TokenKind next_kind() const { return next_.kind; }
  [[nodiscard]] const Token& current() const { return current_; }
  [[nodiscard]] const Token& previous() const { return previous_; }
  [[nodiscard]] const Lexer& lexer() const { return lexer_; }
  [[nodiscard]] ErrorList& errors() { return errors_; }

  Token take();  // the current token; goes on to the next
  bool accept(TokenKind kind);
  // Takes the token, or says "expected ')' <where>, found …" (`where` may be empty).
  bool expect(TokenKind kind, std::string_view where);

  // From a token that began at `begin` to the end of the last token taken.
  [[nodiscard]] SourceSpan span_from(std::uint32_t begin) const;
  [[nodiscard]] SourceSpan span_of(const Token& token) const;
  // "'x'", "the keyword 'end'", "the number 3", "the end of the file".
  [[nodiscard]] std::string describe(const Token& token) const;
  [[nodiscard]] std::string found() const { return describe(current_); }
  // The text of the token after the current one.
  [[nodiscard]] std::string_view next_text() const { return lexer_.text(next_); }
  // Whether a line ends between the last token and the current one.
  [[nodiscard]] bool at_line_start() const;

  // An error that the parser can pass over.
  void report(std::string message, SourceSpan span, std::vector<Diagnostic> related = {});
  // An error after which the rule under way makes no sense: panic.
  void fail(std::string message, SourceSpan span, std::vector<Diagnostic> related = {});
  void fail_here(std::string message) { fail(std::move(message), span_of(current_)); }
  [[nodiscard]] bool panicking() const { return panic_; }
  // The same for what has been reported already.
  void give_up();
  // One more part of the tree. Beyond the limit everything ends.
  void count_node() {
    if (++nodes_ > limits_.nodes) too_many_nodes();
  }
  // Leaves the panic and passes over tokens up to and with the next ';' (or `also`), or up to a word that
  // begins a section or ends a block. Nothing happens without a panic.
  void recover(TokenKind also = TokenKind::Semicolon);

 private:
  friend class Nesting;
  [[nodiscard]] bool at_section() const;
  void too_many_nodes();

  std::string_view text_;
  ParserLimits limits_;
  ErrorList errors_;
  Lexer lexer_;
  Token previous_;
  Token current_;
  Token next_;
  Token resume_;  // in a panic: the token that did not fit
  Token resume_next_;
  std::size_t nodes_ = 0;
  int depth_ = 0;
  bool panic_ = false;
};

// One level of nesting, for as long as it lives. Beyond the limit it fails once and is not ok.
class Nesting {
 public:
  explicit Nesting(TokenCursor& cursor);
  ~Nesting() { --cursor_.depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  TokenCursor& cursor_;
  bool ok_;
};

}  // namespace daedalus::parsing
