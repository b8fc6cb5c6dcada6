#include "ensemble/sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace daedalus {
namespace {

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

// Number `index` of the stream of a column.
std::uint64_t random_word(std::uint64_t stream, std::uint64_t index) {
  return mixed(stream + ((index + 1) * golden));
}

// Between 0 and 1, neither of them.
double fraction(std::uint64_t word) {
  return (static_cast<double>(word >> 11) + 0.5) * 0x1p-53;
}

std::optional<double> number(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

double polynomial(std::span<const double> coefficients, double x) {
  double sum = 0;
  for (const double c : coefficients) sum = sum * x + c;
  return sum;
}

}  // namespace

double normal_quantile(double part) {
  constexpr std::array a{-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                         1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr std::array b{-5.447609879822406e+01, 1.615858368580409e+02,  -1.556989798598866e+02,
                         6.680131188771972e+01,  -1.328068155288572e+01, 1.0};
  constexpr std::array c{-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                         -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr std::array d{7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                         3.754408661416143e+00, 1.0};
  constexpr double tail = 0.02425;  // from where on c and d are for
  const double least = std::min(part, 1 - part);
  double x = 0;
  if (least < tail) {
    const double q = std::sqrt(-2 * std::log(least));
    x = polynomial(c, q) / polynomial(d, q);
    if (part > 0.5) x = -x;
  } else {
    const double q = part - 0.5;
    x = polynomial(a, q * q) * q / polynomial(b, q * q);
  }
  const double off = (0.5 * std::erfc(-x / std::numbers::sqrt2)) - part;
  const double u = off * std::sqrt(2 * std::numbers::pi) * std::exp(x * x / 2);
  return x - u / (1 + (x * u / 2));
}

double Distribution::quantile(double part) const {
  return kind == Kind::Uniform ? first + (second - first) * part : first + second * normal_quantile(part);
}

Result<Distribution> parse_distribution(std::string_view text) {
  const auto wrong = [text](std::string_view what) {
    return fail(fmt::format("'{}' {}: uniform(LOW,HIGH) and normal(MEAN,DEVIATION) are known", text, what));
  };
  const std::size_t open = text.find('(');
  const std::size_t comma = text.find(',');
  if (open == std::string_view::npos || comma == std::string_view::npos || comma < open ||
      !text.ends_with(')'))
    return wrong("is no distribution");
  const std::string_view name = text.substr(0, open);
  const auto first = number(text.substr(open + 1, comma - open - 1));
  const auto second = number(text.substr(comma + 1, text.size() - comma - 2));
  if (!first || !second) return wrong("has no two numbers");
  if (name == "uniform") {
    if (*first > *second) return wrong("falls");
    return Distribution{.kind = Distribution::Kind::Uniform, .first = *first, .second = *second};
  }
  if (name != "normal") return wrong("is no distribution");
  if (*second < 0) return wrong("has a negative deviation");
  return Distribution{.kind = Distribution::Kind::Normal, .first = *first, .second = *second};
}

std::vector<double> samples(const Distribution& distribution, std::size_t column, std::size_t runs,
                            const Sampling& sampling) {
  const std::uint64_t stream = mixed(sampling.seed + mixed((column + 1) * golden));
  std::vector<std::size_t> place(sampling.latin ? runs : 0);
  std::iota(place.begin(), place.end(), std::size_t{0});
  const std::uint64_t shuffling = mixed(stream ^ golden);
  for (std::size_t k = place.size(); k > 1; --k)
    std::swap(place[k - 1], place[random_word(shuffling, k) % k]);
  std::vector<double> values(runs);
  for (std::size_t k = 0; k < runs; ++k) {
    const double part = fraction(random_word(stream, k));
    const double whole = static_cast<double>(runs);
    values[k] = distribution.quantile(sampling.latin ? (static_cast<double>(place[k]) + part) / whole : part);
  }
  return values;
}

}  // namespace daedalus
