#include "results/growing_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "results/readers.hpp"
#include "results/support.hpp"
#include "results/writers.hpp"

namespace daedalus {
namespace {

class Growing : public FolderTest {
 protected:
  static void add(GrowingFile& file, const Trajectory& trajectory, std::size_t from, std::size_t to) {
    for (std::size_t row = from; row < to; ++row)
      file.row(
          trajectory.times[row],
          std::span(trajectory.values).subspan(row * trajectory.signals.size(), trajectory.signals.size()));
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  // Longer than rows may take to the disk.
  static void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(1000)); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }
  [[nodiscard]] std::string written_at_once(const Trajectory& trajectory,
                                            const std::string& extension) const {
    EXPECT_TRUE(write_trajectory(trajectory, path("at_once" + extension)));
    std::string text = read("at_once" + extension);
    std::filesystem::remove(path("at_once" + extension));
    return text;
  }
};

TEST_F(Growing, IsTheSameFileAsOneWrittenAtTheEnd) {
  const Trajectory trajectory = sample_trajectory(3000);
  for (const WriterRow& row : trajectory_writers()) {
    const std::string name = "r" + std::string(row.extension);
    write(name, "old");
    GrowingFile file(path(name));
    file.begin(trajectory.signals, trajectory.parameters);
    add(file, trajectory, 0, 3000);
    ASSERT_TRUE(file.finish(trajectory));
    EXPECT_EQ(read(name), written_at_once(trajectory, std::string(row.extension))) << name;
  }
  EXPECT_EQ(files(), 3u);  // nothing else was left
}

TEST_F(Growing, RowsAreThereWithinASecondWithoutAnotherCall) {
  const Trajectory trajectory = sample_trajectory(10);
  write("r.csv", "old");
  GrowingFile file(path("r.csv"));
  file.begin(trajectory.signals, trajectory.parameters);
  EXPECT_EQ(read("r.csv"), "old");
  add(file, trajectory, 0, 4);
  wait();
  const auto first = read_trajectory(path("r.csv"));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->rows(), 4u);
  struct stat before {};
  ASSERT_EQ(::stat(path("r.csv").c_str(), &before), 0);
  add(file, trajectory, 4, 10);
  wait();
  EXPECT_EQ(read_trajectory(path("r.csv"))->values, trajectory.values);
  struct stat after {};
  ASSERT_EQ(::stat(path("r.csv").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);  // whoever follows the file sees it grow
  ASSERT_TRUE(file.finish(trajectory));
  EXPECT_EQ(files(), 1u);
}

TEST_F(Growing, OtherFormatsGrowBesideAndAreConverted) {
  const Trajectory trajectory = sample_trajectory(10);
  GrowingFile file(path("r.mat"));
  file.begin(trajectory.signals, trajectory.parameters);
  add(file, trajectory, 0, 10);
  wait();
  EXPECT_FALSE(std::filesystem::exists(path("r.mat")));
  EXPECT_EQ(read_trajectory(path("r.mat.partial.csv"))->values, trajectory.values);
  ASSERT_TRUE(file.finish(trajectory));
  EXPECT_TRUE(std::filesystem::exists(path("r.mat")));
  EXPECT_FALSE(std::filesystem::exists(path("r.mat.partial.csv")));
}

TEST_F(Growing, ARunThatBeginsAnewLeavesNothingOfTheFirst) {
  const Trajectory trajectory = sample_trajectory(10);
  Trajectory other = sample_trajectory(5);
  other.signals[0].name = "another";
  GrowingFile file(path("r.csv"));
  file.begin(trajectory.signals, trajectory.parameters);
  add(file, trajectory, 0, 10);
  wait();
  file.begin(other.signals, other.parameters);
  add(file, other, 0, 5);
  wait();
  const auto there = read_trajectory(path("r.csv"));
  ASSERT_TRUE(there);
  EXPECT_EQ(there->signals[0].name, "another");
  EXPECT_EQ(there->rows(), 5u);
  ASSERT_TRUE(file.finish(other));
  EXPECT_EQ(read("r.csv"), written_at_once(other, ".csv"));
}

TEST_F(Growing, ValuesChangedAfterTheRunAreWrittenAnew) {
  Trajectory trajectory = sample_trajectory(10);
  GrowingFile file(path("r.csv"));
  file.begin(trajectory.signals, trajectory.parameters);
  add(file, trajectory, 0, 10);
  wait();
  trajectory.values[7] += 1;
  ASSERT_TRUE(file.finish(trajectory));
  EXPECT_EQ(read("r.csv"), written_at_once(trajectory, ".csv"));
}

TEST_F(Growing, OnlyTheSignalsAskedFor) {
  const Trajectory trajectory = sample_trajectory(10);
  GrowingFile file(path("r.csv"), {"on", "x"});
  file.begin(trajectory.signals, trajectory.parameters);
  add(file, trajectory, 0, 10);
  wait();
  const auto there = read_trajectory(path("r.csv"));
  ASSERT_TRUE(there);
  ASSERT_EQ(there->signals.size(), 2u);
  EXPECT_EQ(there->signals[0].name, "on");
  EXPECT_EQ(there->at(5, 1), trajectory.at(5, 0));
}

TEST_F(Growing, WithoutRowsAnOlderFileStays) {
  write("r.csv", "old");
  GrowingFile file(path("r.csv"));
  Trajectory nothing = sample_trajectory(0);
  file.begin(nothing.signals, nothing.parameters);
  ASSERT_TRUE(file.finish(nothing));
  EXPECT_EQ(read("r.csv"), "old");
}

TEST_F(Growing, ALinkStaysALink) {
  write("real.csv", "old");
  std::filesystem::permissions(path("real.csv"), std::filesystem::perms(0640));
  std::filesystem::create_symlink(path("real.csv"), path("r.csv"));
  const Trajectory trajectory = sample_trajectory(10);
  GrowingFile file(path("r.csv"));
  file.begin(trajectory.signals, trajectory.parameters);
  add(file, trajectory, 0, 10);
  ASSERT_TRUE(file.finish(trajectory));
  EXPECT_TRUE(std::filesystem::is_symlink(path("r.csv")));
  EXPECT_EQ(read("real.csv"), written_at_once(trajectory, ".csv"));
  EXPECT_EQ(std::filesystem::status(path("real.csv")).permissions(), std::filesystem::perms(0640));
}

TEST_F(Growing, DevicesAreWrittenAtTheEnd) {
  EXPECT_EQ(growing_name("-"), std::nullopt);
  EXPECT_EQ(growing_name("/dev/null"), std::nullopt);
  EXPECT_EQ(growing_name(path("a.csv")), path("a.csv"));
  EXPECT_EQ(growing_name(path("a.json")), path("a.json.partial.csv"));
}

}  // namespace
}  // namespace daedalus
