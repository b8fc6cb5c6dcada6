// The work grows with the size of the system, not with its square. Counted in entries looked at, so that the
// test is the same on every machine; the constants leave room for a factor of two or three over what was seen
// when this was written.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>

#include "structure/plan.hpp"
#include "structure/signatures.hpp"

namespace daedalus::testing {
namespace {

struct Family {
  std::string name;
  std::function<Signature(int)> make;
  int small;
  int large;
};

std::vector<Family> families() {
  return {{"chain of rods", rod_chain, 500, 20'000},
          {"net of rods", rod_net, 10, 70},
          {"algebraic grid", algebraic_grid, 20, 200},
          {"chains of all lengths", staircase_of_chains, 30, 250},
          {"chain of pendula", pendulum_chain, 100, 5'000},
          {"chain of derivatives", derivative_chain, 500, 50'000}};
}

struct Work {
  double pantelides;
  double sigma;
};

Work work_per_entry(const Signature& signature) {
  const auto plan = analyse_structure(signature);
  const auto offsets = sigma_method(signature);
  EXPECT_TRUE(plan && offsets);
  EXPECT_EQ(plan->c, offsets->c);
  EXPECT_EQ(plan->d, offsets->d);
  const auto entries = static_cast<double>(signature.entries.size());
  return {static_cast<double>(plan->edge_visits) / entries,
          static_cast<double>(offsets->edge_visits) / entries};
}

TEST(Scaling, WorkPerEntryDoesNotGrow) {
  for (const Family& family : families()) {
    SCOPED_TRACE(family.name);
    const Work small = work_per_entry(family.make(family.small));
    const Work large = work_per_entry(family.make(family.large));
    EXPECT_LT(large.pantelides, 15);
    EXPECT_LT(large.sigma, 15);
    EXPECT_LT(large.pantelides, 1.2 * small.pantelides);
    EXPECT_LT(large.sigma, 1.2 * small.sigma);
  }
}

TEST(Scaling, WorkPerEntryHardlyGrowsInRandomOrder) {
  std::mt19937 random(6);
  for (const Family& family : families()) {
    SCOPED_TRACE(family.name);
    const Work large = work_per_entry(shuffled(family.make(family.large), random));
    EXPECT_LT(large.pantelides, 30);
    EXPECT_LT(large.sigma, 40);
  }
}

TEST(Scaling, RodChainIsOneBlockOfIndexThree) {
  constexpr int kMasses = 20'000;
  const auto plan = analyse_structure(rod_chain(kMasses));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->blocks.size(), 1U);
  EXPECT_EQ(plan->structural_index, 3);
  EXPECT_EQ(plan->degrees_of_freedom,
            2 * kMasses);  // two positions and two velocities, less two levels of one rod
  EXPECT_EQ(std::ranges::count(plan->c, 2), kMasses);
  EXPECT_EQ(std::ranges::count(plan->c, 1), 2 * kMasses);
}

}  // namespace
}  // namespace daedalus::testing
