#include "results/replacement.hpp"

#include <gtest/gtest.h>

#include "results/support.hpp"

namespace daedalus {
namespace {

using ReplacementTest = FolderTest;

TEST_F(ReplacementTest, TheOldFileStaysUntilTheNewOneTakesItsPlace) {
  std::ofstream(path("a")) << "old";
  auto file = Replacement::open(path("a"));
  ASSERT_TRUE(file);
  file->write("new");
  EXPECT_EQ(read("a"), "old");
  file->take_place();
  EXPECT_EQ(read("a"), "new");
  file->write(", longer");
  EXPECT_EQ(read("a"), "new, longer");
  file->truncate();
  file->write("anew");
  EXPECT_EQ(read("a"), "anew");
}

TEST_F(ReplacementTest, GivenUpItLeavesNothing) {
  std::ofstream(path("a")) << "old";
  {
    auto file = Replacement::open(path("a"));
    file->write("new");
  }
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(
      std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()), 1);
}

TEST_F(ReplacementTest, OneFileByManyNames) {
  namespace fs = std::filesystem;
  std::ofstream(path("a")) << "old";
  fs::create_symlink(path("a"), path("soft"));
  fs::create_hard_link(path("a"), path("hard"));
  fs::create_directory(path("d"));
  fs::create_directory_symlink(path("d"), path("e"));
  EXPECT_TRUE(same_file(path("a"), path("./a")));
  EXPECT_TRUE(same_file(path("a"), path("d/../a")));
  EXPECT_TRUE(same_file(path("soft"), path("hard")));
  // Not there yet.
  EXPECT_TRUE(same_file(path("new"), path("./new")));
  EXPECT_TRUE(same_file(path("d/new"), path("e/new")));
  EXPECT_FALSE(same_file(path("new"), path("newer")));
  EXPECT_FALSE(same_file(path("a"), path("new")));
}

}  // namespace
}  // namespace daedalus
