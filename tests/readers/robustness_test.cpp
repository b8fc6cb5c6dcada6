// Files that were damaged on the way: an error with a place, or a mechanism; never anything else.
#include <gtest/gtest.h>

#include <random>

#include "../fuzz/mechanism_property.hpp"
#include "mechanics/support.hpp"

namespace daedalus {
namespace {

class DamagedFile : public ::testing::TestWithParam<const char*> {};

std::string text_of(const char* name) {
  return testing::read_text(std::string(DAEDALUS_SOURCE_DIR) + "/problems/mechanisms/" + name);
}

TEST_P(DamagedFile, EndsTooEarly) {
  const std::string text = text_of(GetParam());
  for (std::size_t size = 0; size < text.size(); size += 7)
    EXPECT_EQ(fuzz::mechanism_violation(text.substr(0, size)), "") << size;
}

TEST_P(DamagedFile, HasAWrongByte) {
  std::mt19937 random(1);
  const std::string text = text_of(GetParam());
  const std::string bytes = "<>\"'/=&0 ax-.\x01\xFF";
  for (int k = 0; k < 400; ++k) {
    std::string damaged = text;
    damaged[random() % damaged.size()] = bytes[random() % bytes.size()];
    EXPECT_EQ(fuzz::mechanism_violation(damaged), "") << damaged;
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanics, DamagedFile,
                         ::testing::Values("fourbar.xml", "jansen.xml", "fourbar.urdf"));

}  // namespace
}  // namespace daedalus
