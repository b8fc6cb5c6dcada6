// The tables themselves. What is printed in the papers is the independent reason of these tests.
#include <gtest/gtest.h>

#include "study/ascher_petzold_tables.hpp"
#include "study/targets.hpp"

namespace daedalus {
namespace {

TEST(AscherPetzoldTables, Have290Cells) {
  int cells = 0;
  const auto chosen = select_targets("003");
  ASSERT_TRUE(chosen);
  for (const StudyTarget* target : *chosen) {
    const PrintedTable& table = ascher_petzold_table(target->number);
    for (const PrintedRow& row : table.rows) {
      for (std::size_t column = 0; column < row.printed.size(); ++column) {
        if (row.printed[column].empty()) continue;
        EXPECT_LT(column, table.columns.size()) << table.number << " " << row.label;
        ++cells;
      }
    }
  }
  EXPECT_EQ(cells, 290);
}

}  // namespace
}  // namespace daedalus
