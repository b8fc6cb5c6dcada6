#include "codegen/wave_schedule.hpp"

#include <gtest/gtest.h>

#include "expr/random_graph.hpp"

namespace daedalus {
namespace {

using Lists = std::vector<std::vector<std::uint32_t>>;

WaveProblem problem_of(std::vector<std::uint32_t> kinds, std::vector<char> serial, const Lists& args) {
  WaveProblem problem{.kind = std::move(kinds), .serial = std::move(serial), .arg_start = {0}, .args = {}};
  for (const std::vector<std::uint32_t>& list : args) {
    problem.args.insert(problem.args.end(), list.begin(), list.end());
    problem.arg_start.push_back(static_cast<std::uint32_t>(problem.args.size()));
  }
  return problem;
}

// Each unit once, with its kind, after what it needs; in a wave that is not serial, strictly.
void check(const WaveProblem& problem, const std::vector<Wave>& waves) {
  std::vector<char> done(problem.units(), 0);
  std::size_t count = 0;
  for (const Wave& wave : waves) {
    ASSERT_FALSE(wave.units.empty());
    const std::vector<char> before = done;
    for (const std::uint32_t unit : wave.units) {
      ASSERT_EQ(problem.kind[unit], wave.kind);
      for (const std::uint32_t arg : problem.arguments(unit))
        ASSERT_TRUE((problem.serial[wave.kind] != 0 ? done : before)[arg]);
      ASSERT_FALSE(done[unit]);
      done[unit] = 1;
      ++count;
    }
  }
  ASSERT_EQ(count, problem.units());
}

TEST(WaveSchedule, KeepsTheOrderOfRandomProblems) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    test::Random random(seed);
    std::vector<std::uint32_t> kinds;
    Lists args;
    for (std::uint32_t u = 0; u < 200; ++u) {
      kinds.push_back(static_cast<std::uint32_t>(random.below(6)));
      args.emplace_back();
      for (std::size_t k = random.below(4); u > 0 && k > 0; --k)
        args.back().push_back(static_cast<std::uint32_t>(u - 1 - random.below(std::min(u, 30U))));
    }
    const WaveProblem problem = problem_of(kinds, {0, 0, 0, 1, 1, 0}, args);
    check(problem, schedule_waves(problem));
  }
}

TEST(WaveSchedule, AChainOfOneKindIsOneSerialRunButManyWaves) {
  const Lists args{{}, {0}, {1}, {2}};
  EXPECT_EQ(schedule_waves(problem_of({0, 0, 0, 0}, {1}, args)).size(), 1U);
  EXPECT_EQ(schedule_waves(problem_of({0, 0, 0, 0}, {0}, args)).size(), 4U);
}

// Units 0 and 2 are of one kind, but 2 needs 1, which is serial: the wave waits for it.
TEST(WaveSchedule, WavesWaitForWhatIsSerial) {
  const WaveProblem problem = problem_of({0, 1, 0}, {0, 1}, {{}, {}, {1}});
  const std::vector<Wave> waves = schedule_waves(problem);
  check(problem, waves);
  EXPECT_EQ(waves.size(), 2U);
}

TEST(WaveSchedule, MayBeEmpty) {
  EXPECT_TRUE(schedule_waves(problem_of({}, {}, {})).empty());
}

}  // namespace
}  // namespace daedalus
