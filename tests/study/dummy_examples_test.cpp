// Examples 1, 2 and 5 of Mattsson and Söderlind.
#include <gtest/gtest.h>

#include "study/targets.hpp"

namespace daedalus {
namespace {

Reproduction reproduced(std::string_view name) {
  return reproduce(*select_targets(name).value().front());
}

TEST(DummyExamples, OneAgreesButForTheBlocks) {
  const Reproduction result = reproduced("ms-example-1");
  ASSERT_EQ(result.cells.size(), 8U);
  for (const Cell& cell : result.cells) {
    EXPECT_EQ(cell.verdict, cell.row == "blocks" ? Verdict::Differ : Verdict::Agree)
        << cell.row << ": " << cell.ours;
    EXPECT_TRUE(cell.expected()) << cell.row;
  }
}

TEST(DummyExamples, TwoAndFiveAgree) {
  for (const char* name : {"ms-example-2", "ms-example-5"}) {
    const Count counted = count(reproduced(name));
    EXPECT_EQ(counted.agree, counted.cells) << name;
    EXPECT_GE(counted.cells, 4) << name;
  }
}

}  // namespace
}  // namespace daedalus
