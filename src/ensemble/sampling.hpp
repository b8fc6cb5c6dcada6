// Random numbers for ensembles. Each depends on the seed, the column and the run alone, so that samples do
// not depend on how the runs are cut into chunks; the generator is SplitMix64 (Steele, Lea, Flood 2014).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"

namespace daedalus {

struct Distribution {
  enum class Kind : std::uint8_t { Uniform, Normal };
  Kind kind = Kind::Uniform;
  double first = 0;   // the lower end, or the mean
  double second = 1;  // the upper end, or the standard deviation

  // The value below which this part of all is.
  [[nodiscard]] double quantile(double part) const;
};

// "uniform(0.03,0.04)", "normal(1,0.05)".
[[nodiscard]] Result<Distribution> parse_distribution(std::string_view text);

// The normal distribution's: Acklam's approximation and one step of Halley's method, to rounding.
[[nodiscard]] double normal_quantile(double part);

struct Sampling {
  std::uint64_t seed = 0;
  bool latin = false;  // one value in each of `runs` equally likely parts (McKay, Beckman, Conover 1979)
};
[[nodiscard]] std::vector<double> samples(const Distribution& distribution, std::size_t column,
                                          std::size_t runs, const Sampling& sampling);

}  // namespace daedalus
