#include "codegen/worker_pool.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace daedalus {
namespace {

using Counts = std::array<std::atomic<int>, 40>;

void count(const void* data, std::size_t k) {
  ++(*static_cast<Counts* const*>(data))->at(k);
}

void expect_each(const Counts& counts, std::size_t parts, int times) {
  for (std::size_t k = 0; k < counts.size(); ++k) EXPECT_EQ(counts.at(k), k < parts ? times : 0) << k;
}

TEST(WorkerPool, DoesEachPartOnce) {
  for (const std::size_t threads : {1, 2, 5}) {
    for (const std::size_t parts : {0, 1, 2, 7, 40}) {
      Counts counts{};
      Counts* const data = &counts;
      for (int repeat = 0; repeat < 200; ++repeat) run_in_parallel(threads, parts, count, &data);
      expect_each(counts, parts, 200);
    }
  }
}

// Two callers at once: one has the threads, the other does without.
TEST(WorkerPool, ServesSeveralCallers) {
  std::vector<std::thread> callers;
  std::array<Counts, 3> counts{};
  for (Counts& own : counts) {
    callers.emplace_back([&own] {
      Counts* const data = &own;
      for (int repeat = 0; repeat < 500; ++repeat) run_in_parallel(3, 8, count, &data);
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const Counts& own : counts) expect_each(own, 8, 500);
}

// A process that was forked has no threads but the one that forked it.
TEST(WorkerPool, WorksAfterAFork) {
  Counts counts{};
  Counts* const data = &counts;
  run_in_parallel(3, 8, count, &data);
  const pid_t child = fork();
  if (child == 0) {
    run_in_parallel(3, 8, count, &data);
    bool right = true;
    for (std::size_t k = 0; k < 8; ++k) right = right && counts.at(k) == 2;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(WorkerPool, UsesAtLeastOneThread) {
  EXPECT_GE(usable_threads(0), 1U);
  EXPECT_EQ(usable_threads(3), 3U);
}

}  // namespace
}  // namespace daedalus
