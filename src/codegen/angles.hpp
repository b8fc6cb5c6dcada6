// Sines and cosines that machine code computes several at once.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/tape.hpp"

namespace daedalus {

// The arguments of sines and cosines that are sums and products of leaves, so that they are known before any
// function is called; none if there are so few that one by one is sooner done.
[[nodiscard]] std::vector<std::int32_t> angles_in_a_row(const Tape& tape);

}  // namespace daedalus
