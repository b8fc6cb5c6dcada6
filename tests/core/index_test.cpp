#include "core/index.hpp"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>

namespace daedalus {
namespace {

// An index of one kind must not be taken for another, nor a bare number for an index.
static_assert(!std::is_convertible_v<VariableId, EquationId>);
static_assert(!std::is_constructible_v<EquationId, VariableId>);
static_assert(!std::is_convertible_v<int, VariableId>);
static_assert(!std::is_convertible_v<VariableId, int>);

TEST(Index, DefaultIsInvalid) {
  EXPECT_FALSE(VariableId().valid());
  EXPECT_TRUE(VariableId(0).valid());
}

TEST(Index, SubscriptsAndOrders) {
  EXPECT_EQ(VariableId(7).at(), 7u);
  EXPECT_EQ(VariableId(std::size_t{7}), VariableId(7));
  EXPECT_LT(VariableId(3), VariableId(4));
}

TEST(Index, HashesByValue) {
  const std::unordered_set<NodeId> nodes{NodeId(1), NodeId(2), NodeId(1)};
  EXPECT_EQ(nodes.size(), 2u);
}

}  // namespace
}  // namespace daedalus
