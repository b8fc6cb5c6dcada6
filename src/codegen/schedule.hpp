// Puts operations in an order in which those of one kind stand together: few, long runs. Knows kinds and
// arguments as integers only.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace daedalus {

struct ScheduledOperation {
  std::uint8_t kind = 0;
  std::uint8_t arity = 0;
  // Who computes each argument: the number of an earlier operation, or negative for what needs no computing.
  std::array<std::int32_t, 3> args{-1, -1, -1};
};

struct Schedule {
  struct Run {
    std::uint8_t kind = 0;
    std::uint32_t begin = 0;  // into order
    std::uint32_t end = 0;
  };
  std::vector<std::uint32_t> order;  // operation numbers, arguments before users
  std::vector<Run> runs;             // in a run one operation may use the result of one before it
};

// `operations` has arguments before users, related ones near each other. It is cut into pieces of about
// `piece` operations, whose values stay in the cache, and each piece is ordered on its own: linear time.
[[nodiscard]] Schedule schedule(std::span<const ScheduledOperation> operations, std::size_t piece);

}  // namespace daedalus
