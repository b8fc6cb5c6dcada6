// Counts the calls of operator new in this test program.
#pragma once

#include <cstddef>

namespace daedalus::test {

[[nodiscard]] std::size_t allocations();

}  // namespace daedalus::test
