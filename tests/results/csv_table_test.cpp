#include "results/csv_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "../../fuzz/csv_property.hpp"

namespace daedalus {
namespace {

std::string error_of(std::string_view text, CsvRules rules = {.what = "'u.csv'", .finite = true}) {
  const auto table = read_csv_table(text, rules);
  return table ? "" : table.error().front().message;
}

TEST(CsvTable, NamesTimesAndValues) {
  const auto table = read_csv_table("time,a,\"b,\"\"c\"\"\"\r\n0, 1 ,+2\r\n\r\n0.5,3,-4e1\n", {.what = "u"});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->names, (std::vector<std::string>{"a", "b,\"c\""}));
  EXPECT_EQ(table->times, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(table->values, (std::vector<double>{1, 2, 3, -40}));
  EXPECT_EQ(table->column(1), (std::vector<double>{2, -40}));
}

TEST(CsvTable, ByteOrderMarkLineBreakInANameAndNoLastLineBreak) {
  const auto table = read_csv_table("\xef\xbb\xbftime,\"a\nb\"\n1,2", {.what = "u"});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->names.front(), "a\nb");
  EXPECT_EQ(table->values, (std::vector<double>{2}));
  EXPECT_EQ(error_of("time,\"a\nb\"\n1,x"), "'u.csv', line 3: column 'a?b': 'x' is not a number");
}

TEST(CsvTable, TwoRowsOfOneTimeAreAJump) {
  EXPECT_EQ(error_of("time,u\n0,0\n1,0\n1,5\n2,5\n"), "");
}

TEST(CsvTable, ErrorsNameLineAndColumn) {
  EXPECT_EQ(error_of("time,u\n0,1\n1,one\n"), "'u.csv', line 3: column 'u': 'one' is not a number");
  EXPECT_EQ(error_of("time,u\n0,nan\n"), "'u.csv', line 2: column 'u': 'nan' is not a finite number");
  EXPECT_EQ(error_of("time,u\n0,1e999\n"), "'u.csv', line 2: column 'u': '1e999' is not a number");
  EXPECT_EQ(error_of("time,u\n1,0\n0.5,0\n"), "'u.csv', line 3: column 'time': it goes back from 1 to 0.5");
  EXPECT_EQ(error_of("time,u,v\n0,1\n"),
            "'u.csv', line 2: 2 fields, but the header has 3: there is no value for 'v'");
  EXPECT_EQ(error_of("time,u\n0,1,2\n"), "'u.csv', line 2: 3 fields, but the header has 2");
  EXPECT_EQ(error_of("time,u\n"), "'u.csv', line 1: there are no rows of numbers");
  EXPECT_EQ(error_of(""), "'u.csv', line 1: the first line must be the header 'time,name,…'");
  EXPECT_EQ(error_of("0,1\n"), "'u.csv', line 1: the first line must be the header 'time,name,…'");
  EXPECT_EQ(error_of("time,u,u\n0,1,2\n"), "'u.csv', line 1: two columns are called 'u'");
  EXPECT_EQ(error_of("time,\n0,1\n"), "'u.csv', line 1: column 2 has no name");
  EXPECT_EQ(error_of("time\n0\n"), "'u.csv', line 1: there is no column beside time");
  EXPECT_EQ(error_of("time,u\n0,\"1\n"), "'u.csv', line 2: a quote is not closed");
}

TEST(CsvTable, LimitsAreErrors) {
  EXPECT_EQ(error_of("time,a,b\n0,1,2\n", {.what = "u", .limits = {.columns = 2}}),
            "u, line 1: more than 2 columns");
  EXPECT_EQ(error_of("time,a\n0,1\n1,2\n2,3\n", {.what = "u", .limits = {.values = 3}}),
            "u, line 4: more than 3 values");
}

TEST(CsvTable, TinyNumbersAreZero) {
  const auto table = read_csv_table("time,u\n0,1e-400\n", {.what = "u", .finite = true});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->values.front(), 0);
}

// What the fuzzer tries, on mutations of a good file.
TEST(CsvTable, AnyBytesGiveATableOrAnError) {
  const std::string good = "time,\"a,b\",'=c\n0,1,2\n0.5,nan,-1e-3\n1,3,\"4\"\n";
  std::mt19937 random(5);
  const std::string bytes = std::string("\",\n\r\t'=-+.e019\0\xff", 18);
  for (int k = 0; k < 20'000; ++k) {
    std::string text = good;
    for (std::size_t n = random() % 4 + 1; n > 0; --n) {
      const std::size_t place = random() % (text.size() + 1);
      if (random() % 3 == 0) text.erase(place, random() % 5);
      if (random() % 2 == 0) text.insert(std::min(place, text.size()), 1, bytes[random() % bytes.size()]);
    }
    ASSERT_EQ(fuzz::csv_violation(text), "") << text;
  }
}

}  // namespace
}  // namespace daedalus
