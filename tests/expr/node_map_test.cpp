#include "expr/node_map.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <unordered_map>

#include "expr/random_graph.hpp"

namespace daedalus {
namespace {

TEST(NodeMap, BehavesAsAnUnorderedMap) {
  test::Random random(7);
  NodeMap<int> map;
  for (int round = 0; round < 50; ++round) {
    std::unordered_map<NodeId, int> expected;
    const std::size_t range = std::size_t{1} << random.below(16);
    if (round % 3 == 2) map.expect(1, range);  // in time it becomes an array
    for (int k = 0; k < 2000; ++k) {
      const NodeId id(random.below(range));
      const auto [value, fresh] = map.try_emplace(id, k);
      ASSERT_EQ(fresh, expected.try_emplace(id, k).second);
      ASSERT_EQ(value, expected.at(id));
    }
    ASSERT_EQ(map.size(), expected.size());
    for (std::size_t k = 0; k < std::min<std::size_t>(range, 4000); ++k) {
      const int* found = map.find(NodeId(k));
      ASSERT_EQ(found != nullptr, expected.contains(NodeId(k)));
      if (found != nullptr) {
        ASSERT_EQ(*found, expected.at(NodeId(k)));
      }
    }
    map.clear();
    ASSERT_EQ(map.size(), 0U);
    ASSERT_EQ(map.find(NodeId(0)), nullptr);
  }
}

// Ids at a stride that is a power of two would all fall on one slot of a table addressed by their low bits;
// a quadratic cost would need 1e10 steps here, minutes instead of milliseconds.
TEST(NodeMap, NoStrideOfIdsPilesUp) {
  for (const std::size_t stride : {1, 16, 1024, 4096, 16384}) {
    NodeMap<char> map;
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t k = 0; k < 100'000; ++k) ASSERT_TRUE(map.try_emplace(NodeId(k * stride), 0).fresh);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << "stride " << stride;
  }
}

}  // namespace
}  // namespace daedalus
