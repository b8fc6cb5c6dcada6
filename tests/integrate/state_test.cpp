// Copies and saved states of integrators go on with the same bits.
#include <gtest/gtest.h>

#include <unistd.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "integrate/state_problems.hpp"

namespace daedalus::testing {
namespace {

constexpr int kSteps = 40;     // of a run; each of them is a point to copy at
constexpr int kContinued = 7;  // steps of a copy

// All that can be seen of an integrator after a step, as bits.
struct Seen {
  std::vector<std::uint64_t> bits;
  friend bool operator==(const Seen&, const Seen&) = default;
};

Seen look(const Integrator& integrator, double t_end) {
  Seen seen;
  const auto add = [&](double x) { seen.bits.push_back(std::bit_cast<std::uint64_t>(x)); };
  const auto add_all = [&](std::span<const double> values) {
    for (const double x : values) add(x);
  };
  add(integrator.t());
  add(integrator.t_previous());
  add_all(integrator.y());
  add_all(integrator.yp());
  std::vector<double> y(integrator.y().size());
  std::vector<double> yp(y.size());
  integrator.interpolate(integrator.t_previous() + 0.3 * integrator.last_step(), y, yp);
  add_all(y);
  add_all(yp);
  // Now that the coefficients of the dense output are there: without them it would be less accurate.
  integrator.cheap_interpolation(integrator.t_previous() + 0.7 * integrator.last_step(), y);
  add_all(y);
  if (integrator.t() < t_end) add(integrator.next_step(t_end));
  const Counters& c = integrator.counters();
  for (const long count : {c.steps, c.rejected, c.residual_evals, c.jacobian_evals, c.factorizations,
                           c.newton_iterations, c.newton_failures, c.error_test_failures,
                           static_cast<long>(integrator.order()), static_cast<long>(integrator.stiff())})
    seen.bits.push_back(static_cast<std::uint64_t>(count));
  return seen;
}

// One step, and what callers do between steps: pivots, projections, sharper tolerances. Everything follows
// from the number of the step and the values, so that all copies are driven alike.
void advance(Integrator& integrator, Problem& problem, bool one_step, int k) {
  const double stop = k % 13 == 6 ? std::min(problem.t_end, integrator.t() + 1e-3) : problem.t_end;
  const StepOutcome outcome = integrator.step(stop);
  ASSERT_TRUE(outcome.ok()) << outcome.detail;
  if (problem.change(integrator)) integrator.system_changed();
  if (k % 11 == 5) integrator.system_changed();
  if (k == 17) integrator.tighten(0.1);
  if (one_step && k % 7 == 3) {
    std::vector<double> y(integrator.y().begin(), integrator.y().end());
    std::vector<double> yp(integrator.yp().begin(), integrator.yp().end());
    y[0] += 1e-9;
    integrator.replace_state(y, k % 2 == 0 ? std::span<const double>(yp) : std::span<const double>(),
                             k % 4 == 0);
  }
}

struct Driven {
  explicit Driven(const StateCase& one) : problem(one.make()), integrator(make_on(one, *problem)) {}
  void start() { integrator->start(0, problem->y, problem->yp, problem->t_end); }

  std::unique_ptr<Problem> problem;
  std::unique_ptr<Integrator> integrator;
};

bool is_one_step(const StateCase& one) {
  return find_integrator(one.selection.substr(0, one.selection.find(':')))->one_step;
}

// Without copies.
std::vector<Seen> uninterrupted(const StateCase& one, long* rejected) {
  Driven run(one);
  run.start();
  std::vector<Seen> seen{look(*run.integrator, run.problem->t_end)};
  for (int k = 0; k < kSteps + kContinued && run.integrator->t() < run.problem->t_end; ++k) {
    advance(*run.integrator, *run.problem, is_one_step(one), k);
    seen.push_back(look(*run.integrator, run.problem->t_end));
  }
  *rejected += run.integrator->counters().rejected;
  return seen;
}

void expect_continued(const StateCase& one, Driven& run, int k, const std::vector<Seen>& expected,
                      const char* how) {
  for (int j = 0; j <= kContinued && static_cast<std::size_t>(k + j) < expected.size(); ++j) {
    if (j > 0) advance(*run.integrator, *run.problem, is_one_step(one), k + j - 1);
    ASSERT_EQ(look(*run.integrator, run.problem->t_end), expected[static_cast<std::size_t>(k + j)])
        << one.name << ": " << how << " at step " << k << ", after " << j << " more";
  }
}

// At every step of a run, before the dense output of the step has been asked for or after it.
TEST(State, ContinuesWithTheSameBitsFromEveryStep) {
  long rejected = 0;
  for (const StateCase& one : state_cases()) {
    const std::vector<Seen> expected = uninterrupted(one, &rejected);
    ASSERT_GT(expected.size(), 10U) << one.name;
    Driven run(one);
    run.start();
    for (int k = 0; k < kSteps && static_cast<std::size_t>(k + 1) < expected.size(); ++k) {
      if (k % 2 != 0) (void)look(*run.integrator, run.problem->t_end);
      Driven copy(one);
      copy.problem->follow(*run.problem);
      copy.integrator = run.integrator->clone_on(copy.problem->reference());
      ASSERT_NE(copy.integrator, nullptr) << one.name;
      expect_continued(one, copy, k, expected, "a copy");
      if (HasFatalFailure()) return;

      Driven loaded(one);
      loaded.problem->follow(*run.problem);
      const auto bytes = to_bytes(*run.integrator);
      ASSERT_TRUE(bytes.has_value()) << one.name;
      const auto outcome = from_bytes(*bytes, *loaded.integrator);
      ASSERT_TRUE(outcome.has_value()) << one.name << ": " << outcome.error()[0].message;
      expect_continued(one, loaded, k, expected, "a saved state");
      if (HasFatalFailure()) return;

      if (k % 2 == 0) {
        EXPECT_EQ(look(*run.integrator, run.problem->t_end), expected[static_cast<std::size_t>(k)]);
      }
      advance(*run.integrator, *run.problem, is_one_step(one), k);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(rejected, 100) << "the test saw few rejected steps";
}

// Back to a checkpoint on the same integrator.
TEST(State, ReturnsToACheckpoint) {
  for (const StateCase& one : state_cases()) {
    Driven run(one);
    run.start();
    for (int k = 0; k < 10 && run.integrator->t() < run.problem->t_end; ++k)
      advance(*run.integrator, *run.problem, is_one_step(one), k);
    Driven as_it_was(one);
    as_it_was.problem->follow(*run.problem);
    const auto bytes = to_bytes(*run.integrator);
    ASSERT_TRUE(bytes.has_value());
    const auto go_on = [&] {
      std::vector<Seen> seen;
      for (int k = 10; k < 25 && run.integrator->t() < run.problem->t_end; ++k) {
        advance(*run.integrator, *run.problem, is_one_step(one), k);
        seen.push_back(look(*run.integrator, run.problem->t_end));
      }
      return seen;
    };
    const std::vector<Seen> first = go_on();
    run.problem->follow(*as_it_was.problem);
    ASSERT_TRUE(from_bytes(*bytes, *run.integrator).has_value()) << one.name;
    EXPECT_EQ(go_on(), first) << one.name;
  }
}

// A state without a single step, and one of an integrator that was never started.
TEST(State, OfAnIntegratorThatWasNotStartedIsEmpty) {
  for (const StateCase& one : state_cases()) {
    Driven run(one);
    Driven copy(one);
    const auto bytes = to_bytes(*run.integrator);
    ASSERT_TRUE(bytes.has_value()) << one.name;
    ASSERT_TRUE(from_bytes(*bytes, *copy.integrator).has_value()) << one.name;
    copy.start();
    run.start();
    EXPECT_EQ(look(*copy.integrator, 1e9), look(*run.integrator, 1e9)) << one.name;
  }
}

TEST(State, OfIdaCannotBeCopiedAndSaysSo) {
  const IntegratorRow* row = find_integrator("ida");
  EXPECT_FALSE(row->copyable);
  IndexOne system;
  const auto integrator = make_integrator("ida", system, with_tolerance(1e-6, 1e-6));
  integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 1);
  IndexOne other;
  EXPECT_FALSE(integrator->copyable());
  EXPECT_EQ(integrator->clone_on(other), nullptr);
  const auto bytes = to_bytes(*integrator);
  ASSERT_FALSE(bytes.has_value());
  EXPECT_NE(bytes.error()[0].message.find("foreign library"), std::string::npos);
}

TEST(State, OfEveryOtherRowCanBe) {
  for (const StateCase& one : state_cases()) {
    Driven run(one);
    EXPECT_TRUE(run.integrator->copyable()) << one.name;
  }
}

std::vector<std::byte> saved(const StateCase& one, int steps) {
  Driven run(one);
  run.start();
  for (int k = 0; k < steps && run.integrator->t() < run.problem->t_end; ++k)
    advance(*run.integrator, *run.problem, is_one_step(one), k);
  auto bytes = to_bytes(*run.integrator);
  EXPECT_TRUE(bytes.has_value());
  return std::move(*bytes);
}

TEST(State, IsRefusedBySystemsAndMethodsThatItIsNotFor) {
  const std::vector<StateCase> cases = state_cases();
  const StateCase& small = cases[0];
  const std::vector<std::byte> bytes = saved(small, 10);
  const auto message = [&](Integrator& integrator) {
    const auto outcome = from_bytes(bytes, integrator);
    return outcome.has_value() ? std::string("accepted") : outcome.error()[0].message;
  };
  int refused = 0;
  for (const StateCase& one : cases) {
    if (one.selection == small.selection && one.make()->y.size() == small.make()->y.size()) continue;
    Driven run(one);
    EXPECT_NE(message(*run.integrator), "accepted") << one.name;
    ++refused;
  }
  EXPECT_GT(refused, 20);
  IndexOne system;
  const auto sharper = make_integrator(small.selection, system, with_tolerance(1e-7, 1e-6));
  EXPECT_NE(message(*sharper).find("other tolerances"), std::string::npos) << message(*sharper);
  Band band(2);
  const auto other_pattern = make_integrator(small.selection, band, with_tolerance(1e-6, 1e-6));
  EXPECT_EQ(message(*other_pattern), "accepted") << "two unknowns, all entries: the same pattern";
  Circle ode;
  Driven run(small);
  run.start();
  EXPECT_EQ(run.integrator->clone_on(ode), nullptr) << "a system of another kind";
  Band longer(3);
  EXPECT_EQ(run.integrator->clone_on(longer), nullptr) << "a system of another size";
}

// The same values with a header and a checksum that fit.
std::vector<std::byte> wrapped(std::span<const std::byte> values) {
  std::vector<std::byte> copy(values.begin(), values.end());
  Archive archive;
  archive.block(std::span<std::byte>(copy));
  return archive.finish();
}

// Whatever it accepts, it can go on with, to an end of some kind.
void try_out(const StateCase& one, std::span<const std::byte> bytes) {
  Driven run(one);
  if (!from_bytes(bytes, *run.integrator).has_value()) return;
  Integrator& integrator = *run.integrator;
  if (integrator.y().empty()) return;
  std::vector<double> y(integrator.y().size());
  for (int k = 0; k < 5; ++k) {
    integrator.interpolate(integrator.t_previous() + 0.5 * integrator.last_step(), y, y);
    const double t_stop = integrator.t() + std::max(1e-2, 1e-2 * std::abs(integrator.t()));
    if (!(t_stop > integrator.t()) || !integrator.step(t_stop).ok()) break;
  }
}

TEST(State, SurvivesAnyBytes) {
  std::mt19937 random(7);
  constexpr std::size_t kHeader = 32;
  for (const StateCase& one : state_cases()) {
    const std::vector<std::byte> bytes = saved(one, 12);
    const auto anywhere = [&](std::size_t size) {
      return std::uniform_int_distribution<std::size_t>(0, size - 1)(random);
    };
    for (int k = 0; k < 60; ++k) {
      std::vector<std::byte> changed = bytes;
      changed[anywhere(changed.size())] ^= std::byte{1} << anywhere(8);
      Driven run(one);
      EXPECT_FALSE(from_bytes(changed, *run.integrator).has_value()) << one.name;  // by its checksum
      const std::size_t end = anywhere(bytes.size());
      EXPECT_FALSE(from_bytes(std::span(bytes).first(end), *run.integrator).has_value()) << one.name;
      // By what it says.
      const std::vector<std::byte> shorter =
          wrapped(std::span(bytes).first(std::max(end, kHeader)).subspan(kHeader));
      EXPECT_FALSE(from_bytes(shorter, *run.integrator).has_value()) << one.name;
      std::vector<std::byte> values(bytes.begin() + kHeader, bytes.end());
      const auto flips = 1 + anywhere(3);
      for (std::size_t flip = 0; flip < flips; ++flip)
        values[anywhere(values.size())] ^= std::byte{1} << anywhere(8);
      try_out(one, wrapped(values));
      values.assign(bytes.begin() + kHeader, bytes.end());
      const std::size_t first = anywhere(values.size());
      for (std::size_t j = first; j < std::min(first + 8, values.size()); ++j)
        values[j] = static_cast<std::byte>(random());
      try_out(one, wrapped(values));
    }
  }
}

// Separate systems, separate threads: as if there were one. With ida, whose memory is inside SUNDIALS.
TEST(State, IntegratorsInSeveralThreadsDoNotMeet) {
  std::vector<StateCase> cases = state_cases();
  for (const StateCase& one : state_cases()) {
    if (one.selection != "bdf") continue;
    cases.push_back(one);
    cases.back().selection = "ida";
  }
  const auto run_all = [&](std::vector<std::vector<Seen>>& results) {
    for (const StateCase& one : cases) {
      Driven run(one);
      run.start();
      std::vector<Seen> seen;
      for (int k = 0; k < kSteps && run.integrator->t() < run.problem->t_end; ++k) {
        if (!run.integrator->step(run.problem->t_end).ok()) break;
        seen.push_back(look(*run.integrator, run.problem->t_end));
      }
      results.push_back(std::move(seen));
    }
  };
  std::vector<std::vector<Seen>> alone;
  run_all(alone);
  constexpr std::size_t kThreads = 4;
  std::vector<std::vector<std::vector<Seen>>> together(kThreads);
  std::vector<std::thread> threads;
  for (auto& results : together) threads.emplace_back([&run_all, &results] { run_all(results); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& results : together) EXPECT_EQ(results, alone);
}

// Another process: this program, called for this test alone, which then goes on from the files.
const char* const kFileVariable = "DAEDALUS_STATE_FILE";

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<char> text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::vector<std::byte> bytes(text.size());
  std::ranges::transform(text, bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::byte> after_more_steps(Driven& run, bool one_step) {
  for (int k = 15; k < 25 && run.integrator->t() < run.problem->t_end; ++k)
    advance(*run.integrator, *run.problem, one_step, k);
  const Seen seen = look(*run.integrator, run.problem->t_end);
  const auto bytes = std::as_bytes(std::span(seen.bits));
  return {bytes.begin(), bytes.end()};
}

// The pendulum that pivots has a system with a memory of its own, which is not in the file.
std::vector<StateCase> cases_for_files() {
  std::vector<StateCase> cases = state_cases();
  std::erase_if(cases, [](const StateCase& one) { return one.name.ends_with("pivots"); });
  return cases;
}

void go_on_from_files(const std::filesystem::path& folder) {
  int number = 0;
  for (const StateCase& one : cases_for_files()) {
    const std::filesystem::path file = folder / std::to_string(number++);
    Driven run(one);
    ASSERT_TRUE(from_bytes(read_file(file), *run.integrator).has_value()) << one.name;
    write_file(file.string() + ".end", after_more_steps(run, is_one_step(one)));
  }
}

TEST(State, GoesOnInAnotherProcess) {
  if (const char* const files = std::getenv(kFileVariable)) return go_on_from_files(files);
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("daedalus_state_" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::vector<std::vector<std::byte>> expected;
  for (const StateCase& one : cases_for_files()) {
    Driven run(one);
    run.start();
    for (int k = 0; k < 15 && run.integrator->t() < run.problem->t_end; ++k)
      advance(*run.integrator, *run.problem, is_one_step(one), k);
    const auto bytes = to_bytes(*run.integrator);
    ASSERT_TRUE(bytes.has_value());
    write_file(folder / std::to_string(expected.size()), *bytes);
    expected.push_back(after_more_steps(run, is_one_step(one)));
  }
  ::setenv(kFileVariable, folder.c_str(), 1);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = "'" + program + "' --gtest_filter=State.GoesOnInAnotherProcess > /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  ::unsetenv(kFileVariable);
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_EQ(read_file((folder / std::to_string(k)).string() + ".end"), expected[k])
        << cases_for_files()[k].name;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace daedalus::testing
