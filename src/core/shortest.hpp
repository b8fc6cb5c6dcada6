// Numbers as text: the fewest digits that read back as the same double, and of those the nearest.
#pragma once

#include <cstddef>

namespace daedalus {

// No number takes more characters: "-2.2250738585072014e-308" has 24. The room is larger, so that characters
// can be copied in blocks.
inline constexpr std::size_t longest_number = 24;
inline constexpr std::size_t number_room = 64;

// Writes the number at `to`, where there are number_room characters of room, and gives the end of it. Laid
// out as %.17g is: 0.005, 2000000, 1e+17, 2.5e-07; "nan", "inf" and "-inf" otherwise.
[[nodiscard]] char* write_shortest(char* to, double value);

}  // namespace daedalus
