#include "results/output_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "results/support.hpp"
#include "results/writers.hpp"

namespace daedalus {
namespace {

using OutputFileTest = FolderTest;

std::string message_of(const Result<void>& result) {
  return result ? "" : result.error().front().message;
}

TEST_F(OutputFileTest, WritesMoreThanItsBuffer) {
  auto file = OutputFile::open(path("a"));
  ASSERT_TRUE(file);
  std::string expected;
  for (int i = 0; i < 100'000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    file->write(line);
    expected += line;
  }
  file->write(std::string(1'000'000, 'x'));
  expected += std::string(1'000'000, 'x');
  ASSERT_TRUE(file->close());
  EXPECT_EQ(read("a"), expected);
}

TEST_F(OutputFileTest, FullDiskIsAnError) {
  auto file = OutputFile::open("/dev/full");
  ASSERT_TRUE(file);
  file->write("a little, which stays in the buffer until the end");
  EXPECT_NE(message_of(file->close()).find("No space left on device"), std::string::npos);
}

TEST_F(OutputFileTest, EveryFormatReportsAFullDisk) {
  for (const WriterRow& row : trajectory_writers()) {
    const std::string name = path("full" + std::string(row.extension));
    std::filesystem::create_symlink("/dev/full", name);
    const std::string message = message_of(write_trajectory(sample_trajectory(10'000), name));
    EXPECT_NE(message.find("No space left on device"), std::string::npos) << row.extension;
    EXPECT_NE(message.find(name), std::string::npos) << message;
  }
}

TEST_F(OutputFileTest, MissingFolderIsNamed) {
  EXPECT_EQ(message_of(check_writable(path("none/a.csv"))),
            "cannot write '" + path("none/a.csv") + "': there is no folder '" + path("none") + "'");
  EXPECT_FALSE(OutputFile::open(path("none/a.csv")));
}

TEST_F(OutputFileTest, FolderInsteadOfFile) {
  EXPECT_EQ(message_of(check_writable(folder_.string())),
            "cannot write '" + folder_.string() + "': it is a folder");
}

TEST_F(OutputFileTest, FileInsteadOfFolder) {
  ASSERT_TRUE(OutputFile::open(path("a"))->close());
  EXPECT_NE(message_of(check_writable(path("a/b.csv"))).find("there is no folder"), std::string::npos);
}

TEST_F(OutputFileTest, CheckingTouchesNothing) {
  ASSERT_TRUE(check_writable(path("a.csv")));
  EXPECT_FALSE(std::filesystem::exists(path("a.csv")));
  auto file = OutputFile::open(path("b"));
  file->write("kept");
  ASSERT_TRUE(file->close());
  ASSERT_TRUE(check_writable(path("b")));
  EXPECT_EQ(read("b"), "kept");
}

// Root may write everywhere, so root becomes nobody for a moment.
class AsNobody {
 public:
  AsNobody() : root_(::geteuid() == 0) {
    if (root_) changed_ = ::seteuid(65534) == 0;
  }
  ~AsNobody() {
    if (root_) changed_ = ::seteuid(0) == 0;
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  bool root_;
  bool changed_ = false;
};

TEST_F(OutputFileTest, NoPermissionIsAnError) {
  namespace fs = std::filesystem;
  ASSERT_TRUE(OutputFile::open(path("locked"))->close());
  fs::create_directory(path("closed"));
  fs::permissions(path("locked"), fs::perms::owner_read | fs::perms::others_read);
  fs::permissions(path("closed"), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                                      fs::perms::others_exec);
  const AsNobody nobody;
  for (const std::string name : {"locked", "closed/a.csv"}) {
    const auto file = OutputFile::open(path(name));
    ASSERT_FALSE(file) << name;
    EXPECT_NE(file.error().front().message.find("Permission denied"), std::string::npos);
    EXPECT_NE(file.error().front().message.find(path(name)), std::string::npos);
  }
}

TEST_F(OutputFileTest, EmptyNameIsAnError) {
  EXPECT_FALSE(check_writable(""));
}

}  // namespace
}  // namespace daedalus
