#include "model/parser_refusal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/flattening_advice.hpp"

namespace daedalus::parsing {
namespace {

struct Refusal {
  TokenKind kind;
  std::string_view name;
};

constexpr Refusal refusals[] = {
    {TokenKind::Import, "'import'"},
    {TokenKind::Extends, "'extends' (inheritance)"},
    {TokenKind::Connect, "'connect' (a connection)"},
    {TokenKind::Connector, "'connector'"},
    {TokenKind::Expandable, "'expandable connector'"},
    {TokenKind::Inner, "'inner'"},
    {TokenKind::Outer, "'outer'"},
    {TokenKind::Redeclare, "'redeclare'"},
    {TokenKind::Replaceable, "'replaceable'"},
    {TokenKind::ConstrainedBy, "'constrainedby'"},
    {TokenKind::Partial, "'partial'"},
};

const Refusal* find(TokenKind kind) {
  const auto found = std::ranges::find(refusals, kind, &Refusal::kind);
  return found == std::end(refusals) ? nullptr : found;
}

}  // namespace

bool Refusals::refuses(TokenKind kind) {
  return find(kind) != nullptr;
}

void Refusals::report(TokenCursor& cursor) {
  const Refusal* refusal = find(cursor.kind());
  // One sentence is enough: what comes after the first construct needs flattening as well.
  if (refusal == nullptr || reported_.any()) return;
  reported_.set(static_cast<std::size_t>(refusal->kind));
  cursor.report(fmt::format("{} is not part of flat Modelica; {}", refusal->name, flattening_advice),
                cursor.span_of(cursor.current()));
}

}  // namespace daedalus::parsing
