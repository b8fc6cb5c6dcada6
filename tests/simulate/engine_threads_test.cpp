// One engine, and one model, in several threads at once. ThreadSanitizer looks at these tests (`make tsan`).
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <thread>

#include "model/load.hpp"
#include "simulate/engine.hpp"
#include "simulate/run.hpp"
#include "support/model_text.hpp"

namespace daedalus {
namespace {

constexpr std::size_t thread_count = 8;
constexpr int runs_each = 100;

constexpr std::string_view pendulum = R"(
model Pendulum
  parameter Real m = 1, L = 1, g = 9.81;
  Real x(start = 1), y(start = 0, fixed = true), lambda;
  Real vx, vy(start = 0, fixed = true);
equation
  der(x) = vx;
  der(y) = vy;
  m*der(vx) = -lambda*x;
  m*der(vy) = -lambda*y - m*g;
  x^2 + y^2 = L^2;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end Pendulum;
)";

constexpr std::string_view ball = R"(
model Ball "bounces, with a counter"
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Integer bounces(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.8*pre(v));
    bounces = pre(bounces) + 1;
  end when;
  annotation(experiment(StopTime = 1.5));
end Ball;
)";

// Limited by stability where the method is explicit.
constexpr std::string_view stiff = R"(
model Stiff
  Real x(start = 1, fixed = true), y(start = 2, fixed = true);
equation
  der(x) = -1e3*(x - y);
  der(y) = -y;
  annotation(experiment(StopTime = 1, Tolerance = 1e-6));
end Stiff;
)";

constexpr std::string_view driven = R"(
model Driven
  parameter Real k = 4;
  input Real u(start = 0);
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = u - k*x;
end Driven;
)";

DaeSystem read(std::string_view text, const LoadOptions& options = {}) {
  auto sources = std::make_shared<SourceMap>();
  const auto file = sources->add("m.mo", std::string(text));
  auto system = load_model(sources, file, options);
  EXPECT_TRUE(system.has_value());
  return *std::move(system);
}

std::shared_ptr<const Engine> engine_of(const DaeSystem& system, const RunOptions& options = {}) {
  auto planned = plan(system, options);
  EXPECT_TRUE(planned.has_value());
  auto engine = compile(*std::move(planned));
  EXPECT_TRUE(engine.has_value());
  return *engine;
}

// `work(thread)` counts what went wrong; all threads at once.
template <class Work>
void in_threads(Work work) {
  std::array<int, thread_count> wrong{};
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < thread_count; ++k) {
    threads.emplace_back([&, k] { wrong[k] = work(k); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

struct Case {
  const char* name;
  std::string_view text;
  const char* formulation;
  const char* integrator;
};

class OneEngine : public ::testing::TestWithParam<Case> {};

TEST_P(OneEngine, RunsInEightThreadsWithTheSameBits) {
  const auto engine = engine_of(read(GetParam().text), {.points = 51,
                                                        .formulation = Selection(GetParam().formulation),
                                                        .integrator = Selection(GetParam().integrator)});
  const auto expected = engine->run();
  ASSERT_TRUE(expected.has_value() && expected->ok());
  in_threads([&](std::size_t) {
    int wrong = 0;
    for (int run = 0; run < runs_each; ++run) {
      const auto result = engine->run();
      if (!result || result->trajectory.values != expected->trajectory.values ||
          result->summary.counters.residual_evals != expected->summary.counters.residual_evals)
        ++wrong;
    }
    return wrong;
  });
}

// The first run of an engine is one of many, too: nothing is made lazily that two threads could make twice.
TEST_P(OneEngine, MayBeRunByThreadsFromTheFirstRunOn) {
  const RunOptions options{.points = 51,
                           .formulation = Selection(GetParam().formulation),
                           .integrator = Selection(GetParam().integrator)};
  const DaeSystem system = read(GetParam().text);
  const auto expected = engine_of(system, options)->run();
  ASSERT_TRUE(expected.has_value());
  const auto engine = engine_of(system, options);
  in_threads([&](std::size_t) {
    const auto result = engine->run();
    return result && result->trajectory.values == expected->trajectory.values ? 0 : 1;
  });
}

// Started, copied, saved and loaded by all threads, at other times in each.
TEST_P(OneEngine, SimulationsGoOnInEightThreads) {
  const auto engine = engine_of(read(GetParam().text), {.formulation = Selection(GetParam().formulation),
                                                        .integrator = Selection(GetParam().integrator)});
  const auto end_of = [](Simulation& simulation) {
    while (simulation.time() < 1 && simulation.step()) {
    }
    std::vector<double> values = simulation.values();
    values.push_back(simulation.time());
    return values;
  };
  auto first = engine->start();
  ASSERT_TRUE(first.has_value());
  const std::vector<double> expected = end_of(*first);
  ASSERT_FALSE(first->failed()) << first->reason();
  in_threads([&](std::size_t thread) {
    int wrong = 0;
    for (int run = 0; run < 5; ++run) {
      auto simulation = engine->start();
      if (!simulation) return 100;
      for (std::size_t k = 0; k < 3 * thread && simulation->time() < 0.8; ++k) (void)simulation->step();
      Simulation copy = *simulation;
      const auto bytes = simulation->save();
      auto loaded = engine->load(*bytes);
      if (!loaded) return 100;
      wrong += static_cast<int>(end_of(*simulation) != expected);
      wrong += static_cast<int>(end_of(copy) != expected);
      wrong += static_cast<int>(end_of(*loaded) != expected);
    }
    return wrong;
  });
}

INSTANTIATE_TEST_SUITE_P(Cases, OneEngine,
                         ::testing::Values(Case{"projection", pendulum, "orthogonal-projection", "dop853"},
                                           Case{"dummies", pendulum, "dummy-derivatives", "radau"},
                                           Case{"ggl", pendulum, "ggl", "bdf"},
                                           Case{"auto", pendulum, "auto", "auto"},
                                           Case{"events", ball, "auto", "auto"},
                                           Case{"stiff", stiff, "index1", "dopri5"},
                                           Case{"implicit", stiff, "auto", "auto"}),
                         [](const auto& instance) { return std::string(instance.param.name); });

// Runs that one method cannot end begin anew with another one, which is made when the first of them needs it.
class OneEngineThatBeginsAnew : public ::testing::TestWithParam<Case> {};

TEST_P(OneEngineThatBeginsAnew, RunsInEightThreadsWithTheSameBits) {
  const DaeSystem system = testing::problem(std::string(GetParam().text));
  const RunOptions options{.until = 3,
                           .points = 51,
                           .formulation = Selection(GetParam().formulation),
                           .integrator = Selection(GetParam().integrator)};
  const auto expected = engine_of(system, options)->run();
  ASSERT_TRUE(expected.has_value() && expected->ok());
  EXPECT_NE(expected->summary.why, "");  // it says that it began anew
  const auto engine = engine_of(system, options);
  in_threads([&](std::size_t) {
    int wrong = 0;
    for (int run = 0; run < 3; ++run) {
      const auto result = engine->run();
      wrong += result && result->trajectory.values == expected->trajectory.values ? 0 : 1;
    }
    return wrong;
  });
}

INSTANTIATE_TEST_SUITE_P(Cases, OneEngineThatBeginsAnew,
                         ::testing::Values(Case{"integrator", "slider_crank.mo", "ggl", "auto"},
                                           Case{"fallback", "slider_crank_velocity.mo", "auto", "auto"}),
                         [](const auto& instance) { return std::string(instance.param.name); });

// Every thread its own values of inputs and free parameters: none sees those of another.
TEST(OneEngineWithInputs, EveryRunHasItsOwnValues) {
  const auto engine = engine_of(read(driven, {.free = {"k"}}), {.until = 1, .points = 11});
  const auto request = [](std::size_t thread, int run) {
    return RunRequest{.set = {{"k", 1.0 + static_cast<double>(thread)}, {"u", 0.1 * run}}};
  };
  std::array<std::array<std::vector<double>, 10>, thread_count> expected;
  for (std::size_t k = 0; k < thread_count; ++k) {
    for (int run = 0; run < 10; ++run)
      expected[k][static_cast<std::size_t>(run)] = engine->run(request(k, run))->trajectory.values;
  }
  EXPECT_NE(expected[0][0], expected[1][0]);
  EXPECT_NE(expected[0][0], expected[0][1]);
  in_threads([&](std::size_t thread) {
    int wrong = 0;
    for (int run = 0; run < runs_each; ++run) {
      const auto result = engine->run(request(thread, run % 10));
      if (!result || result->trajectory.values != expected[thread][static_cast<std::size_t>(run % 10)])
        ++wrong;
    }
    return wrong;
  });
}

// The program that crashed when a run appended to the model's graph.
TEST(OneModel, IsPlannedAndSimulatedInEightThreads) {
  const DaeSystem system = read(pendulum);
  const auto expected = simulate(system);
  in_threads([&](std::size_t) {
    int wrong = 0;
    for (int run = 0; run < 10; ++run) {
      const auto result = simulate(system);
      if (!result || result->trajectory.values != expected->trajectory.values) ++wrong;
    }
    return wrong;
  });
}

}  // namespace
}  // namespace daedalus
