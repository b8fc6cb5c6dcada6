// Expressions that repeat themselves: if the roots come in groups that ask for the same operations on other
// leaves, body after body of a chain, the operations of some groups are one tile, and evaluating it again and
// again at other addresses is evaluating them all. What neighbouring tiles share, each computes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/tape.hpp"

namespace daedalus {

struct Tiles {
  // A place in the environment or among the results: the start of a stream, which is another from tile to
  // tile, and how far from it.
  struct Address {
    std::int32_t stream = 0;
    std::int32_t offset = 0;
  };
  Tape tape;                          // of one of them; its leaves' slots and destinations stand for all
  std::vector<Address> leaves;        // by leaf
  std::vector<Address> destinations;  // by root
  std::size_t streams = 0;
  std::vector<std::int32_t> starts;  // of every stream, tile after tile
  std::vector<std::size_t> begins;   // by tile: its first root
};

struct Tiling {
  std::vector<Tiles> kinds;
  Tape rest;  // the roots that are in no tile
};

// Nothing where too little repeats itself for it to be worth while.
[[nodiscard]] std::optional<Tiling> find_tiling(const Tape& tape);

}  // namespace daedalus
