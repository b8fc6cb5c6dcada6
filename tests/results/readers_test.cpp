#include "results/readers.hpp"

#include <gtest/gtest.h>

#include <random>

#include "results/support.hpp"
#include "results/writers.hpp"

namespace daedalus {
namespace {

using Readers = FolderTest;

TEST_F(Readers, EveryFormatIsReadBackToTheBit) {
  const Trajectory written = sample_trajectory(50);
  for (const ReaderRow& row : trajectory_readers()) {
    const std::string name = path("r" + std::string(row.extension));
    ASSERT_TRUE(write_trajectory(written, name));
    const auto back = read_trajectory(name);
    ASSERT_TRUE(back) << name;
    EXPECT_EQ(back->times, written.times);
    EXPECT_EQ(back->values, written.values);
    ASSERT_EQ(back->signals.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(back->signals[k].name, written.signals[k].name);
    if (row.extension == ".csv") continue;  // names and numbers only
    ASSERT_EQ(back->parameters.size(), 2u);
    EXPECT_EQ(back->parameters[0].value, 0.1);
    EXPECT_EQ(back->signals[0].unit, "m");
  }
}

TEST_F(Readers, CutOrChangedFilesAreErrorsOrTables) {
  std::mt19937 random(3);
  for (const ReaderRow& row : trajectory_readers()) {
    const std::string name = "r" + std::string(row.extension);
    ASSERT_TRUE(write_trajectory(sample_trajectory(5), path(name)));
    const std::string good = read(name);
    for (int k = 0; k < 3000; ++k) {
      std::string bytes = good;
      for (std::size_t n = random() % 3; n > 0; --n)
        bytes[random() % bytes.size()] = static_cast<char>(random());
      if (random() % 2 == 0) bytes.resize(random() % bytes.size());
      const auto back = row.read(name, bytes);
      if (back) {
        EXPECT_EQ(back->values.size(), back->times.size() * back->signals.size());
      } else {
        EXPECT_NE(back.error().front().message.find(name), std::string::npos);
      }
    }
  }
}

TEST_F(Readers, MissingFilesAndFolders) {
  EXPECT_NE(read_trajectory(path("none.csv")).error().front().message.find("No such file"),
            std::string::npos);
  std::filesystem::create_directory(path("f.csv"));
  EXPECT_NE(read_trajectory(path("f.csv")).error().front().message.find("it is a folder"), std::string::npos);
}

}  // namespace
}  // namespace daedalus
