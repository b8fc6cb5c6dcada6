// The parts of Modelica that a flat model does not have. Each is refused by name, once a file.
#pragma once

#include <bitset>

#include "model/parser_cursor.hpp"

namespace daedalus::parsing {

class Refusals {
 public:
  // Whether the token begins such a construct.
  [[nodiscard]] static bool refuses(TokenKind kind);
  // Says what the current token is, unless that was said before, and the first time what to do.
  void report(TokenCursor& cursor);

 private:
  std::bitset<token_kind_count> reported_;
};

}  // namespace daedalus::parsing
