// Random syntax trees of the shapes that the parser makes.
#pragma once

#include <cstdint>

#include "model/ast.hpp"

namespace daedalus::testing {

ast::Ast random_tree(std::uint32_t seed);

}  // namespace daedalus::testing
