#include "core/archive.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace daedalus::testing {
namespace {

struct Inner {
  int order = 0;
  std::vector<double> past;
  void state(Archive& archive) {
    archive.section("inner", 1);
    archive(order, past);
    archive.require(order >= 0 && order < 4, "an order that there is not");
  }
  friend bool operator==(const Inner&, const Inner&) = default;
};

enum class Mood { Calm, Busy };

struct Outer {
  bool flag = false;
  long count = 0;
  double x = 0;
  Mood mood = Mood::Calm;
  std::string name;
  std::optional<double> perhaps;
  std::array<double, 2> pair{};
  std::vector<std::complex<double>> z;
  std::vector<int> numbers;
  std::vector<std::vector<double>> rows;
  std::vector<double> three = std::vector<double>(3);
  Inner inner;
  void state(Archive& archive) {
    archive.section("outer", 1);
    archive(flag, count, x).choice(mood, Mood::Busy);
    archive(name, perhaps, pair, z, numbers, rows).sized(3, three)(inner);
  }
  friend bool operator==(const Outer&, const Outer&) = default;
};

Outer example() {
  return {.flag = true,
          .count = -3000000000,
          .x = 0.1,
          .mood = Mood::Busy,
          .name = "pendulum",
          .perhaps = 2.5,
          .pair = {1, -0.0},
          .z = {{1, 2}, {3, 4}},
          .numbers = {1, 2, 3},
          .rows = {{1}, {}, {2, 3}},
          .three = {7, 8, 9},
          .inner = {.order = 3, .past = {1e-300, 5}}};
}

std::string message(std::span<const std::byte> bytes) {
  Outer other;
  const auto outcome = from_bytes(bytes, other);
  return outcome ? "read" : outcome.error()[0].message;
}

TEST(Archive, GivesBackWhatItTook) {
  const auto bytes = to_bytes(example());
  ASSERT_TRUE(bytes.has_value());
  Outer other;
  ASSERT_TRUE(from_bytes(*bytes, other).has_value());
  EXPECT_EQ(other, example());
  EXPECT_TRUE(std::signbit(other.pair[1]));
  Outer copy;
  EXPECT_TRUE(copy_state(example(), copy));
  EXPECT_EQ(copy, example());
}

TEST(Archive, KeepsNumbersThatAreNone) {
  Outer one = example();
  one.x = std::numeric_limits<double>::quiet_NaN();
  const auto bytes = to_bytes(one);
  Outer other;
  ASSERT_TRUE(from_bytes(*bytes, other).has_value());
  EXPECT_TRUE(std::isnan(other.x));
}

TEST(Archive, SeesEveryBitThatWasChangedAndEveryByteThatIsMissing) {
  const std::vector<std::byte> bytes = to_bytes(example()).value();
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    EXPECT_NE(message(std::span(bytes).first(k)), "read") << k;
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::vector<std::byte> changed = bytes;
      changed[k] ^= std::byte{1} << bit;
      EXPECT_NE(message(changed), "read") << k;
    }
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_NE(message(longer), "read");
}

// With a checksum that fits, nothing but the values themselves protects the reader.
TEST(Archive, SurvivesAnyValues) {
  constexpr std::size_t kHeader = 32;
  const std::vector<std::byte> bytes = to_bytes(example()).value();
  for (std::size_t k = kHeader; k < bytes.size(); ++k) {
    for (const std::byte value : {std::byte{0}, std::byte{1}, std::byte{0x7f}, std::byte{0xff}}) {
      std::vector<std::byte> changed(bytes.begin() + kHeader, bytes.end());
      changed[k - kHeader] = value;
      Archive archive;
      archive.block(std::span(changed));
      Outer other;
      (void)from_bytes(archive.finish(), other);
      EXPECT_LE(other.numbers.size() + other.z.size() + other.rows.size(), 3 * bytes.size());
    }
  }
}

TEST(Archive, SaysWhatIsWrong) {
  const std::vector<std::byte> bytes = to_bytes(example()).value();
  EXPECT_NE(message(std::span(bytes).first(10)).find("too short"), std::string::npos);
  EXPECT_NE(message(std::span(bytes).first(60)).find("not complete"), std::string::npos);
  EXPECT_NE(message(std::vector<std::byte>(100)).find("not a saved state"), std::string::npos);
  Outer one = example();
  one.inner.order = 4;
  EXPECT_NE(message(to_bytes(one).value()).find("an order that there is not"), std::string::npos);
  Inner inner;
  const auto other = from_bytes(bytes, inner);
  ASSERT_FALSE(other.has_value());
  EXPECT_NE(other.error()[0].message.find("'inner' is not where"), std::string::npos);
}

TEST(Archive, HandsObjectsOverToACopy) {
  struct Holder {
    std::unique_ptr<int> object;
    void state(Archive& archive) {
      if (!archive.copying()) return;
      if (archive.reading()) object = archive.take<int>();
      if (!archive.reading()) archive.give(object ? std::make_unique<int>(*object + 1) : nullptr);
    }
  };
  Holder to;
  EXPECT_TRUE(copy_state(Holder{std::make_unique<int>(41)}, to));
  ASSERT_NE(to.object, nullptr);
  EXPECT_EQ(*to.object, 42);
}

}  // namespace
}  // namespace daedalus::testing
