#include "study/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>

namespace daedalus {
namespace {

// A constraint that holds "exactly" is the sum of a handful of terms of the solution's size, each rounded,
// after a Newton iteration that ends within a few hundred roundings.
constexpr double round_off = 1e-12;
// An error of more than this many times the solution: nothing is left of it.
constexpr double blow_up = 10;

}  // namespace

double PrintedNumber::unit() const {
  return std::pow(10.0, exponent);
}

double PrintedNumber::value() const {
  return static_cast<double>(digits) * unit();
}

std::optional<PrintedNumber> parse_printed(std::string_view text) {
  PrintedNumber number;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  bool point = false;
  std::size_t at = 0;
  for (; at < text.size() && (text[at] == '.' || (text[at] >= '0' && text[at] <= '9')); ++at) {
    if (text[at] == '.') {
      if (point) return std::nullopt;
      point = true;
      continue;
    }
    number.digits = (10 * number.digits) + (text[at] - '0');
    ++number.precision;
    if (point) --number.exponent;
    if (number.precision > 15) return std::nullopt;
  }
  if (number.precision == 0) return std::nullopt;
  if (at < text.size()) {
    if (text[at] != 'e') return std::nullopt;
    ++at;
    if (at < text.size() && text[at] == '+') ++at;
    int power = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), power);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    number.exponent += power;
  }
  if (negative) number.digits = -number.digits;
  return number;
}

std::string fortran_text(double value) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (value == 0) return "0";
  // d.d·10^k is .dd·10^(k+1).
  const std::string scientific = fmt::format("{:.1e}", std::abs(value));
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1)) + 1;
  const std::string digits = fmt::format("{}.{}{}", value < 0 ? "-" : "", scientific[0], scientific[2]);
  return exponent == 0 ? digits : fmt::format("{}e{:+d}", digits, exponent);
}

std::string_view word(Agreement agreement) {
  switch (agreement) {
    case Agreement::Digits:
      return "digits";
    case Agreement::LastDigit:
      return "last digit";
    case Agreement::Decade:
      return "decade";
    case Agreement::RoundOff:
      return "round-off";
    case Agreement::None:
      break;
  }
  return "none";
}

Agreement compare(std::string_view printed, double measured, const SolutionSize& size) {
  const auto number = parse_printed(printed);
  assert(number.has_value());
  if (!number || !std::isfinite(measured)) return Agreement::None;
  const double paper = number->value();
  const double negligible = round_off * std::max(size.exact, size.computed);
  if (std::abs(paper) <= negligible) {
    return std::abs(measured) <= negligible ? Agreement::RoundOff : Agreement::None;
  }
  const double units_off =
      std::abs(std::round(measured / number->unit()) - static_cast<double>(number->digits));
  if (units_off == 0) return Agreement::Digits;
  if (units_off == 1) return Agreement::LastDigit;
  if (std::abs(paper) < blow_up * size.exact) return Agreement::None;
  const double ratio = measured / paper;
  return ratio > 0.1 && ratio < 10 ? Agreement::Decade : Agreement::None;
}

}  // namespace daedalus
