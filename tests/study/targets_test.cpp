#include "study/targets.hpp"

#include <gtest/gtest.h>

#include <set>

namespace daedalus {
namespace {

TEST(Targets, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const StudyTarget& target : study_targets()) {
    EXPECT_TRUE(names.insert(target.name()).second) << target.name();
    EXPECT_EQ(paper_of(target).name, target.paper);
  }
}

// 003: Tables 4.1-4.9; 004: Tables 1, 2, Examples 1, 2, 5; 000: Figures 5.1-5.4, 5.6-5.14, Theorems 3.1, 3.2.
TEST(Targets, AreAllThatIsToBeReproduced) {
  EXPECT_EQ(select_targets("003")->size(), 9U);
  EXPECT_EQ(select_targets("004")->size(), 5U);
  EXPECT_EQ(select_targets("000")->size(), 15U);
  EXPECT_EQ(select_targets("all")->size(), 29U);
}

TEST(Targets, AreFoundByEachOfTheirNames) {
  for (const char* name : {"ascher-petzold-4.1", "ap-4.1", "003-4.1"}) {
    const auto chosen = select_targets(name);
    ASSERT_TRUE(chosen) << name;
    ASSERT_EQ(chosen->size(), 1U) << name;
    EXPECT_EQ(chosen->front()->name(), "ascher-petzold-4.1");
  }
}

TEST(Targets, AreListedWhenANameIsUnknown) {
  const auto chosen = select_targets("ap-4.99");
  ASSERT_FALSE(chosen);
  EXPECT_NE(chosen.error().front().message.find("ascher-petzold-4.1"), std::string::npos);
}

}  // namespace
}  // namespace daedalus
