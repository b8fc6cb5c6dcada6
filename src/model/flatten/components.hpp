// Flat names as a tree: 'a.b[2].c' is the field c of the second element of the field b of a. Exporters
// declare the leaves and then write 'a.b' or 'a' where they mean all of them.
#pragma once

#include <optional>
#include <span>

#include "model/flatten/frame.hpp"

namespace daedalus::flatten {

// 'x[\'i\']' as one quoted name, whose subscripts are expressions, becomes x[i]. To be called once the
// symbols are there.
void expand_quoted_subscripts(Session& session);

// What a name means that is not declared itself: an array or a record of what is declared below it. Nothing
// when there is no such thing.
[[nodiscard]] std::optional<Value> read_component(Frame& frame, std::span<const ast::NamePart> parts,
                                                  SourceSpan span);

}  // namespace daedalus::flatten
