// Weighted norms of vectors. `scale` holds the factor of each entry, the reciprocal of what is tolerated;
// a factor of zero leaves an entry out.
#pragma once

#include <span>

namespace daedalus {

// sqrt(Σ (v_i scale_i)² / count). `count` is the number of entries that take part.
[[nodiscard]] double weighted_rms(std::span<const double> v, std::span<const double> scale, double count);
// max |v_i scale_i|; NaN if any entry that takes part is NaN.
[[nodiscard]] double weighted_max(std::span<const double> v, std::span<const double> scale);
// The entry with the largest |v_i scale_i|, an entry that is not finite before all others; -1 for an empty
// vector.
[[nodiscard]] int worst_entry(std::span<const double> v, std::span<const double> scale);

}  // namespace daedalus
