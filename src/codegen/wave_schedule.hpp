// The order in which the clusters of a piece are computed: waves of one kind, as long as can be. Knows kinds
// and arguments as integers only. The clusters of a wave do not depend on each other, because they are
// computed side by side; those of a serial kind may, because they are computed one after another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace daedalus {

struct WaveProblem {
  std::vector<std::uint32_t> kind;       // of each unit
  std::vector<char> serial;              // by kind
  std::vector<std::uint32_t> arg_start;  // units + 1
  std::vector<std::uint32_t> args;       // units, earlier ones

  [[nodiscard]] std::size_t units() const { return kind.size(); }
  [[nodiscard]] std::span<const std::uint32_t> arguments(std::size_t unit) const {
    return std::span(args).subspan(arg_start[unit], arg_start[unit + 1] - arg_start[unit]);
  }
};

struct Wave {
  std::uint32_t kind = 0;
  std::vector<std::uint32_t> units;
};

[[nodiscard]] std::vector<Wave> schedule_waves(const WaveProblem& problem);

}  // namespace daedalus
