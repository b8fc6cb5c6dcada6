// What the parser takes at most.
#pragma once

#include <cstddef>

namespace daedalus {

// Limits of the parser; exceeding one is an error that names it.
struct ParserLimits {
  int nesting = 500;                    // of parentheses, if expressions, classes, blocks
  std::size_t file_bytes = 256u << 20;  // 256 MiB
  std::size_t nodes = 20'000'000;       // expressions, declarations and the like, of about 200 bytes each
};

}  // namespace daedalus
