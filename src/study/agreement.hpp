// When a measured number agrees with a printed one. Papers print two digits, so agreement is a matter of the
// last digit printed, not of a tolerance of ours.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace daedalus {

// ".26e+79", "-2.9e-7", "19323", "0": `digits` units of 10^`exponent`.
struct PrintedNumber {
  long digits = 0;  // with sign
  int exponent = 0;
  int precision = 0;  // how many digits were printed
  [[nodiscard]] double value() const;
  [[nodiscard]] double unit() const;
};

[[nodiscard]] std::optional<PrintedNumber> parse_printed(std::string_view text);

// As Ascher and Petzold print numbers: .26e+79, .24e-2, .78.
[[nodiscard]] std::string fortran_text(double value);

enum class Agreement {
  Digits,     // the same digits when rounded as printed
  LastDigit,  // the last digit printed is one unit off
  Decade,     // both have blown up, within a factor of ten of each other
  RoundOff,   // both are zero up to rounding
  None,
};

[[nodiscard]] std::string_view word(Agreement agreement);

// The sizes by which blow-up and round-off are judged.
struct SolutionSize {
  double exact = 1;     // of the solution of the problem
  double computed = 1;  // of the solution that the run found, which may have blown up
};

[[nodiscard]] Agreement compare(std::string_view printed, double measured, const SolutionSize& size);

}  // namespace daedalus
