#include "model/parser_statement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedalus::parsing {

using ast::ExprKind;
using ast::ExprRef;
using ast::Statement;
using ast::StatementKind;

namespace {

std::string_view word(StatementParser::Mode mode) {
  return mode == StatementParser::Mode::Equations ? "equation" : "statement";
}

// Whether an equation or a declaration may begin so.
bool may_begin(TokenKind kind) {
  return kind == TokenKind::Identifier || kind == TokenKind::LeftParenthesis ||
         kind == TokenKind::EndOfFile || is_keyword(kind);
}

bool is_block(TokenKind kind) {
  return kind == TokenKind::If || kind == TokenKind::For || kind == TokenKind::When ||
         kind == TokenKind::While;
}

}  // namespace

bool StatementParser::at_stray() const {
  switch (cursor_.kind()) {
    case TokenKind::Else:
    case TokenKind::ElseIf:
    case TokenKind::ElseWhen:
      return true;
    case TokenKind::End:
      return is_block(cursor_.next_kind());
    default:
      return false;
  }
}

void StatementParser::stray() {
  const std::string_view next = cursor_.next_text();
  cursor_.report(
      cursor_.kind() == TokenKind::End
          ? fmt::format("'end {}' closes nothing: no '{}' is open here", next, next)
          : fmt::format("'{}' belongs to nothing: no 'if' or 'when' is open here", spelling(cursor_.kind())),
      cursor_.span_of(cursor_.current()));
  cursor_.take();
  cursor_.give_up();
  cursor_.recover();
}

std::int32_t StatementParser::add(Statement statement) {
  cursor_.count_node();
  tree_.statements.push_back(std::move(statement));
  return static_cast<std::int32_t>(tree_.statements.size()) - 1;
}

bool StatementParser::at_end_of_body() const {
  switch (cursor_.kind()) {
    case TokenKind::EndOfFile:
    case TokenKind::End:
    case TokenKind::Else:
    case TokenKind::ElseIf:
    case TokenKind::ElseWhen:
    case TokenKind::Equation:
    case TokenKind::Algorithm:
    case TokenKind::Public:
    case TokenKind::Protected:
    case TokenKind::External:
    case TokenKind::Annotation:
    case TokenKind::Model:
    case TokenKind::Block:
    case TokenKind::Record:
    case TokenKind::Function:
    case TokenKind::Package:
    case TokenKind::Type:
    case TokenKind::Class:
      return true;
    case TokenKind::Initial:
      return cursor_.next_kind() == TokenKind::Equation || cursor_.next_kind() == TokenKind::Algorithm;
    default:
      return false;
  }
}

std::vector<std::int32_t> StatementParser::body(Mode mode) {
  std::vector<std::int32_t> out;
  const Nesting nesting(cursor_);
  if (!nesting.ok()) return out;
  for (;;) {
    if (open_.empty() && at_stray()) {
      stray();
      continue;
    }
    if (at_end_of_body()) break;
    if (cursor_.accept(TokenKind::Semicolon)) continue;  // an empty statement harms nobody
    const std::int32_t made = statement(mode);
    if (made >= 0) out.push_back(made);
    semicolon(word(mode));
    cursor_.recover();
  }
  return out;
}

void StatementParser::semicolon(std::string_view what) {
  if (cursor_.accept(TokenKind::Semicolon) || cursor_.panicking()) return;
  if (cursor_.kind() == TokenKind::Equals) {
    cursor_.fail_here(
        fmt::format("expected ';' after the {}, found a second '=' (is a ';' missing before, or is "
                    "'==' meant?)",
                    what));
  } else if (cursor_.kind() == TokenKind::End || (cursor_.at_line_start() && may_begin(cursor_.kind()))) {
    // Most likely only the semicolon is missing: go on as if it were there.
    cursor_.report(fmt::format("expected ';' after the {}, found {}", what, cursor_.found()),
                   cursor_.span_from(cursor_.previous().end));
  } else {
    const std::string_view other = what == "equation" || what == "statement" ? " or an operator" : "";
    cursor_.fail_here(fmt::format("expected ';'{} after the {}, found {}", other, what, cursor_.found()));
  }
}

std::int32_t StatementParser::statement(Mode mode) {
  expressions_.skip_decoration();
  const Token first = cursor_.current();
  switch (first.kind) {
    case TokenKind::If:
    case TokenKind::When:
      return branches(mode);
    case TokenKind::For:
    case TokenKind::While:
      return loop(mode);
    case TokenKind::Break:
    case TokenKind::Return: {
      if (mode == Mode::Equations) break;
      cursor_.take();
      Statement made;
      made.kind = first.kind == TokenKind::Break ? StatementKind::Break : StatementKind::Return;
      made.span = cursor_.span_of(first);
      made.description = declarations_.comment();
      return add(std::move(made));
    }
    case TokenKind::Parameter:
    case TokenKind::Constant:
    case TokenKind::Discrete:
    case TokenKind::Input:
    case TokenKind::Output:
    case TokenKind::Final:
      cursor_.fail_here(
          fmt::format("a declaration ('{}') cannot stand among the {}s: move it before the word "
                      "'{}'",
                      spelling(first.kind), word(mode), mode == Mode::Equations ? "equation" : "algorithm"));
      return -1;
    default:
      if (Refusals::refuses(first.kind)) return refused();
  }
  return simple(mode);
}

// What a flat model cannot hold, up to its semicolon.
std::int32_t StatementParser::refused() {
  refusals_.report(cursor_);
  cursor_.give_up();
  return -1;
}

std::int32_t StatementParser::simple(Mode mode) {
  Statement made;
  const std::uint32_t begin = cursor_.current().begin;
  const ExprRef left = expressions_.simple_expression();
  if (left < 0) return -1;
  expressions_.skip_decoration();
  if (cursor_.kind() == TokenKind::Equals || cursor_.kind() == TokenKind::Assign) {
    check_assignment(mode, left);
    cursor_.take();
    made.kind = mode == Mode::Equations ? StatementKind::Equation : StatementKind::Assignment;
    made.left = left;
    made.right = expressions_.expression();
  } else {
    made.kind = StatementKind::Call;
    made.right = left;
    if (tree_.expressions[static_cast<std::size_t>(left)].kind != ExprKind::Call) no_right_side(mode, left);
  }
  made.span = cursor_.span_from(begin);
  made.description = declarations_.comment();
  return cursor_.panicking() ? -1 : add(std::move(made));
}

void StatementParser::check_assignment(Mode mode, ExprRef left) {
  const bool assign = cursor_.kind() == TokenKind::Assign;
  const SourceSpan here = cursor_.span_of(cursor_.current());
  if (assign && mode == Mode::Equations) {
    cursor_.report("':=' assigns and belongs in an algorithm section; an equation is written with '='", here);
  } else if (!assign && mode == Mode::Statements) {
    cursor_.report(
        "'=' states an equation and belongs in an equation section; an algorithm assigns with ':='", here);
  }
  const ast::Expr& target = tree_.expressions[static_cast<std::size_t>(left)];
  if (mode == Mode::Statements && target.kind != ExprKind::Name && target.kind != ExprKind::Tuple) {
    cursor_.report("only a variable, or several in parentheses, can be assigned to", target.span);
  }
}

void StatementParser::no_right_side(Mode mode, ExprRef left) {
  const ast::Expr& expression = tree_.expressions[static_cast<std::size_t>(left)];
  const std::string_view sign = mode == Mode::Equations ? "=" : ":=";
  if (expression.kind == ExprKind::Relation && expression.ops[0] == ast::Operator::Equal) {
    cursor_.report(fmt::format("'==' compares; an {} is written with '{}'",
                               mode == Mode::Equations ? "equation" : "assignment", sign),
                   expression.span);
  } else if (expression.kind == ExprKind::Name && cursor_.kind() == TokenKind::Identifier &&
             !cursor_.at_line_start()) {
    cursor_.fail(
        fmt::format("expected '{}' after {}, found {}; if this is a declaration, move it before the word "
                    "'{}'",
                    sign, cursor_.describe(cursor_.previous()), cursor_.found(),
                    mode == Mode::Equations ? "equation" : "algorithm"),
        cursor_.span_of(cursor_.current()));
  } else {
    cursor_.fail_here(fmt::format("expected '{}' and the right side of the {}, found {}", sign,
                                  mode == Mode::Equations ? "equation" : "assignment", cursor_.found()));
  }
}

void StatementParser::condition(Statement& out, const Token& opener) {
  const ExprRef parsed = expressions_.expression();
  out.conditions.push_back(parsed);
  if (cursor_.kind() == TokenKind::Equals) {
    cursor_.fail_here("'=' in a condition: a comparison is written '=='");
  }
  const bool is_while = opener.kind == TokenKind::While;
  cursor_.expect(is_while ? TokenKind::Loop : TokenKind::Then,
                 fmt::format("after the condition of '{}'", spelling(opener.kind)));
  cursor_.recover(is_while ? TokenKind::Loop : TokenKind::Then);
}

// if … then … elseif … else … end if; when … elsewhen … end when.
std::int32_t StatementParser::branches(Mode mode) {
  Statement made;
  const Token opener = cursor_.take();
  open_.push_back(opener.kind);
  const bool is_if = opener.kind == TokenKind::If;
  const TokenKind again = is_if ? TokenKind::ElseIf : TokenKind::ElseWhen;
  made.kind = is_if ? StatementKind::If : StatementKind::When;
  do {
    condition(made, opener);
    made.bodies.push_back(body(mode));
  } while (cursor_.accept(again));
  const bool else_if = cursor_.kind() == TokenKind::Else && cursor_.next_kind() == TokenKind::If;
  if (cursor_.kind() == TokenKind::Else) {
    if (!is_if) cursor_.report("a 'when' has no 'else'; use 'elsewhen'", cursor_.span_of(cursor_.current()));
    cursor_.take();
    made.bodies.push_back(body(mode));
  }
  return finish(made, opener,
                else_if ? "; an 'else if' needs an 'end if' of its own, 'elseif' does not" : "");
}

std::int32_t StatementParser::loop(Mode mode) {
  Statement made;
  const Token opener = cursor_.take();
  open_.push_back(opener.kind);
  if (opener.kind == TokenKind::For) {
    made.kind = StatementKind::For;
    made.iterators = expressions_.iterators();
    cursor_.expect(TokenKind::Loop, "after the index of 'for'");
    cursor_.recover(TokenKind::Loop);
  } else {
    if (mode == Mode::Equations) {
      cursor_.report("'while' belongs in an algorithm section; among equations use 'for' or 'when'",
                     cursor_.span_of(opener));
    }
    made.kind = StatementKind::While;
    condition(made, opener);
  }
  made.bodies.push_back(body(mode));
  return finish(made, opener);
}

std::int32_t StatementParser::finish(Statement& block, const Token& opener, std::string_view hint) {
  open_.pop_back();
  close(opener, hint);
  block.span = cursor_.span_from(opener.begin);
  block.description = declarations_.comment();
  return cursor_.panicking() ? -1 : add(std::move(block));
}

// end if, end for, end when, end while.
void StatementParser::close(const Token& opener, std::string_view hint) {
  const bool at_end = cursor_.kind() == TokenKind::End;
  const TokenKind closer = cursor_.next_kind();
  if (at_end && closer == opener.kind) {
    cursor_.take();
    cursor_.take();
    return;
  }
  const std::string_view name = spelling(opener.kind);
  const std::string seen = at_end && closer != TokenKind::EndOfFile
                               ? fmt::format("'end {}'", cursor_.next_text())
                               : cursor_.found();
  std::string message =
      fmt::format("expected 'end {};' to close the '{}', found {}{}", name, name, seen, hint);
  const SourceSpan here = cursor_.span_of(cursor_.current());
  std::vector<Diagnostic> begin{{.severity = Severity::Note,
                                 .message = fmt::format("the '{}' begins here", name),
                                 .span = cursor_.span_of(opener),
                                 .related = {}}};
  if (at_end && is_block(closer) && std::ranges::find(open_, closer) == open_.end()) {
    // Nothing around is closed by that: the wrong word was written.
    cursor_.report(std::move(message), here, std::move(begin));
    cursor_.take();
    cursor_.take();
  } else {
    cursor_.fail(std::move(message), here, std::move(begin));
  }
}

}  // namespace daedalus::parsing
