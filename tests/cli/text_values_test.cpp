#include "cli/text_values.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace daedalus::cli {
namespace {

using Names = std::vector<std::string>;

TEST(TextValues, NumbersAreWholeAndFinite) {
  EXPECT_EQ(parse_number("1e-3"), 1e-3);
  EXPECT_EQ(parse_number("+2"), 2);
  EXPECT_EQ(parse_number("-0.5"), -0.5);
  for (const char* text : {"", "x", "1x", " 1", "1 ", "nan", "inf", "1e999", "--1", "0x10"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
}

TEST(TextValues, NamesKeepTheirCommas) {
  EXPECT_EQ(split_names("a,b"), (Names{"a", "b"}));
  EXPECT_EQ(split_names("x[1,2],'q,r',der(y)"), (Names{"x[1,2]", "'q,r'", "der(y)"}));
  EXPECT_EQ(split_names("'it\\'s,one'"), (Names{"'it\\'s,one'"}));
  EXPECT_EQ(split_names(",a,,b,"), (Names{"a", "b"}));
  EXPECT_EQ(split_names(""), Names{});
  EXPECT_EQ(split_names("a[1,2"), (Names{"a[1,2"})) << "brackets that do not close";
}

TEST(TextValues, SettingsSplitAtTheFirstEqualsSignOutsideNames) {
  const auto plain = parse_setting("k=3");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->name, "k");
  EXPECT_EQ(plain->value, "3");
  const auto quoted = parse_setting("'a=b'=c==d");
  ASSERT_TRUE(quoted);
  EXPECT_EQ(quoted->name, "'a=b'");
  EXPECT_EQ(quoted->value, "c==d");
  EXPECT_EQ(parse_setting("x[i=1]=2")->name, "x[i=1]");
  for (const char* text : {"", "k", "=3", "k=", "'a=b"}) EXPECT_FALSE(parse_setting(text)) << text;
}

}  // namespace
}  // namespace daedalus::cli
