#include "results/writers.hpp"

#include <gtest/gtest.h>

#include <string>

namespace daedalus {
namespace {

TEST(Writers, EndingChoosesTheFormat) {
  for (const WriterRow& row : trajectory_writers()) {
    const auto found = find_writer("folder.x/run" + std::string(row.extension));
    ASSERT_TRUE(found);
    EXPECT_EQ((*found)->extension, row.extension);
  }
}

TEST(Writers, StandardOutputIsCsv) {
  const auto found = find_writer("-");
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)->extension, ".csv");
}

TEST(Writers, UnknownEndingListsTheKnown) {
  const auto found = find_writer("run.cvs");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().front().message,
            "'run.cvs': unknown result format '.cvs'; did you mean '.csv'? (known: .csv, .json, .mat)");
  EXPECT_FALSE(find_writer("run"));
}

}  // namespace
}  // namespace daedalus
