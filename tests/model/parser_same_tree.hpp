// Whether two syntax trees are the same but for the places in the text and the numbering of the nodes.
#pragma once

#include <string>

#include "model/ast.hpp"

namespace daedalus::testing {

// Empty when they are the same, otherwise where they differ: "class M, component x, binding".
std::string difference(const ast::Ast& left, const ast::Ast& right);

}  // namespace daedalus::testing
