#include "codegen/schedule.hpp"

#include <gtest/gtest.h>

#include <set>

#include "expr/random_graph.hpp"

namespace daedalus {
namespace {

using test::Random;

std::vector<ScheduledOperation> random_operations(Random& random, std::size_t n, std::size_t reach) {
  std::vector<ScheduledOperation> operations;
  for (std::size_t k = 0; k < n; ++k) {
    ScheduledOperation made{.kind = static_cast<std::uint8_t>(random.below(6)),
                            .arity = static_cast<std::uint8_t>(1 + random.below(3)),
                            .args = {-1, -1, -1}};
    for (std::size_t i = 0; i < made.arity; ++i) {
      if (k > 0 && random.below(4) > 0) {
        made.args[i] = static_cast<std::int32_t>(k - 1 - random.below(std::min(k, reach)));
      }
    }
    operations.push_back(made);
  }
  return operations;
}

// Each operation once, after its arguments; runs cover the order without gaps and are of one kind.
void check(std::span<const ScheduledOperation> operations, const Schedule& schedule) {
  std::set<std::int32_t> done;
  std::uint32_t at = 0;
  for (const Schedule::Run& run : schedule.runs) {
    ASSERT_EQ(run.begin, at);
    ASSERT_LT(run.begin, run.end);
    for (; at < run.end; ++at) {
      const ScheduledOperation& operation = operations[schedule.order[at]];
      ASSERT_EQ(operation.kind, run.kind);
      for (std::size_t i = 0; i < operation.arity; ++i) {
        ASSERT_TRUE(operation.args[i] < 0 || done.contains(operation.args[i]));
      }
      ASSERT_TRUE(done.insert(static_cast<std::int32_t>(schedule.order[at])).second);
    }
  }
  ASSERT_EQ(done.size(), operations.size());
}

TEST(Schedule, IsAnOrderOfRuns) {
  for (std::uint64_t seed = 0; seed < 300 && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto operations = random_operations(random, random.below(400), 1 + random.below(100));
    check(operations, schedule(operations, 1 + random.below(500)));
  }
}

TEST(Schedule, KeepsPiecesTogether) {
  Random random(5);
  const auto operations = random_operations(random, 1000, 50);
  const Schedule plan = schedule(operations, 100);
  for (std::size_t k = 0; k < plan.order.size(); ++k) EXPECT_EQ(plan.order[k] / 100, k / 100);
}

// A chain of one kind is one run although each operation needs the last; n independent pairs of two kinds
// are two runs however they are listed.
TEST(Schedule, MakesFewRuns) {
  std::vector<ScheduledOperation> chain(1000, {.kind = 3, .arity = 1, .args = {-1, -1, -1}});
  for (std::size_t k = 1; k < chain.size(); ++k) chain[k].args[0] = static_cast<std::int32_t>(k) - 1;
  EXPECT_EQ(schedule(chain, 10'000).runs.size(), 1U);
  std::vector<ScheduledOperation> pairs;
  for (std::int32_t k = 0; k < 500; ++k) {
    pairs.push_back({.kind = 1, .arity = 1, .args = {-1, -1, -1}});
    pairs.push_back({.kind = 2, .arity = 1, .args = {2 * k, -1, -1}});
  }
  EXPECT_EQ(schedule(pairs, 10'000).runs.size(), 2U);
}

// Many of kind 0 are ready, but one more waits for the only one of kind 1: that goes first, and then all of
// kind 0 together.
TEST(Schedule, TakesFirstWhatIsComplete) {
  std::vector<ScheduledOperation> operations(5, {.kind = 0, .arity = 1, .args = {-1, -1, -1}});
  operations.push_back({.kind = 1, .arity = 1, .args = {-1, -1, -1}});
  operations.push_back({.kind = 0, .arity = 1, .args = {5, -1, -1}});
  EXPECT_EQ(schedule(operations, 100).runs.size(), 2U);
  for (ScheduledOperation& operation : operations) operation.kind = operation.kind == 0 ? 7 : 1;
  EXPECT_EQ(schedule(operations, 100).runs.size(), 2U);
}

// a1, b1(a1), a2(b1) and an a3 that is ready at once: waiting with the kind b would cost nothing, but a3 must
// not be emitted alone when it could go with a1.
TEST(Schedule, TakesWhatIsReadyTogether) {
  const std::vector<ScheduledOperation> operations{{.kind = 0, .arity = 1, .args = {-1, -1, -1}},
                                                   {.kind = 1, .arity = 1, .args = {0, -1, -1}},
                                                   {.kind = 0, .arity = 1, .args = {1, -1, -1}},
                                                   {.kind = 0, .arity = 1, .args = {-1, -1, -1}}};
  EXPECT_EQ(schedule(operations, 100).runs.size(), 3U);
}

}  // namespace
}  // namespace daedalus
