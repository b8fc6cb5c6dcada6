#include "study/agreement.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace daedalus {
namespace {

// An error of a solution of size 2.7 that did not blow up.
constexpr SolutionSize moderate{.exact = 2.7, .computed = 2.7};

TEST(PrintedNumber, IsReadWithTheDigitsThatWerePrinted) {
  const auto number = parse_printed(".26e+79");
  ASSERT_TRUE(number);
  EXPECT_EQ(number->digits, 26);
  EXPECT_EQ(number->exponent, 77);
  EXPECT_EQ(number->precision, 2);
  EXPECT_DOUBLE_EQ(number->value(), 0.26e79);
  EXPECT_DOUBLE_EQ(parse_printed("-2.9e-7")->value(), -2.9e-7);
  EXPECT_DOUBLE_EQ(parse_printed(".78")->value(), 0.78);
  EXPECT_DOUBLE_EQ(parse_printed("19323")->value(), 19323);
  EXPECT_EQ(parse_printed("0")->digits, 0);
}

TEST(PrintedNumber, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "NA", ".", "-", "1e", ".1.2", "2e+79x", "e5", "12345678901234567890"}) {
    EXPECT_FALSE(parse_printed(text)) << text;
  }
}

TEST(FortranText, HasTwoDigitsAfterThePoint) {
  EXPECT_EQ(fortran_text(2.581819e78), ".26e+79");
  EXPECT_EQ(fortran_text(0.00237), ".24e-2");
  EXPECT_EQ(fortran_text(0.7796656), ".78");
  EXPECT_EQ(fortran_text(9.96e-4), ".10e-2");
  EXPECT_EQ(fortran_text(-0.021), "-.21e-1");
  EXPECT_EQ(fortran_text(0), "0");
  EXPECT_EQ(fortran_text(std::numeric_limits<double>::infinity()), "inf");
}

TEST(Agreement, IsAMatterOfTheDigitsPrinted) {
  EXPECT_EQ(compare(".24e-2", 2.37e-3, moderate), Agreement::Digits);
  EXPECT_EQ(compare(".24e-2", 2.449e-3, moderate), Agreement::Digits);
  EXPECT_EQ(compare(".24e-2", 2.46e-3, moderate), Agreement::LastDigit);
  EXPECT_EQ(compare(".24e-2", 2.26e-3, moderate), Agreement::LastDigit);
  EXPECT_EQ(compare(".24e-2", 2.56e-3, moderate), Agreement::None);
  EXPECT_EQ(compare(".24e-2", 2.24e-3, moderate), Agreement::None);
  EXPECT_EQ(compare(".24e-2", -2.4e-3, moderate), Agreement::None);
}

TEST(Agreement, CountsUnitsAcrossAPowerOfTen) {
  EXPECT_EQ(compare(".10e-2", 9.96e-4, moderate), Agreement::Digits);
  EXPECT_EQ(compare(".10e-2", 9.1e-4, moderate), Agreement::LastDigit);
  EXPECT_EQ(compare(".99e+73", 1.004e73, {.exact = 2.7, .computed = 1e73}), Agreement::LastDigit);
}

TEST(Agreement, OfABlowUpIsItsDecade) {
  const SolutionSize blown{.exact = 2.7, .computed = 1e14};
  EXPECT_EQ(compare(".30e+15", 4e13, blown), Agreement::Decade);
  EXPECT_EQ(compare(".30e+15", 2.9e15, blown), Agreement::Decade);
  EXPECT_EQ(compare(".30e+15", 2.9e13, blown), Agreement::None);
  EXPECT_EQ(compare(".30e+15", 3.1e15, blown), Agreement::None);
  EXPECT_EQ(compare(".30e+15", -3e14, blown), Agreement::None);
}

// An error below ten times the solution is no blow-up: its digits count.
TEST(Agreement, OfAnErrorThatIsNoBlowUpIsNotItsDecade) {
  EXPECT_EQ(compare(".22e+1", 3.2, moderate), Agreement::None);
}

TEST(Agreement, OfZerosIsRoundOff) {
  EXPECT_EQ(compare("0", 1.8e-15, moderate), Agreement::RoundOff);
  EXPECT_EQ(compare("0", 0, moderate), Agreement::RoundOff);
  EXPECT_EQ(compare(".14e-15", 0, moderate), Agreement::RoundOff);
  EXPECT_EQ(compare("0", 1e-9, moderate), Agreement::None);
}

// Table 4.2, γ = ∞: a residual of .45e+58 of a solution of .92e+74 is its round-off.
TEST(Agreement, MeasuresRoundOffByTheComputedSolution) {
  const SolutionSize blown{.exact = 2.7, .computed = 9.2e73};
  EXPECT_EQ(compare(".45e+58", 0, blown), Agreement::RoundOff);
  EXPECT_EQ(compare(".45e+58", 3e60, blown), Agreement::RoundOff);
  EXPECT_EQ(compare(".45e+58", 3e64, blown), Agreement::None);
}

TEST(Agreement, IsNeverWithWhatIsNoNumber) {
  EXPECT_EQ(compare("0", std::numeric_limits<double>::quiet_NaN(), moderate), Agreement::None);
  EXPECT_EQ(compare(".30e+15", std::numeric_limits<double>::infinity(), moderate), Agreement::None);
}

}  // namespace
}  // namespace daedalus
