// An engine is compiled once and held: many runs, many threads, steps, copies.
#include "simulate/engine.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/load.hpp"
#include "simulate/run.hpp"
#include "support/twice.hpp"

namespace daedalus {
namespace {

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
  annotation(experiment(StopTime = 3, Tolerance = 1e-8));
end Pendulum;
)";

constexpr std::string_view ball = R"(
model Ball
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

DaeSystem read(std::string_view text) {
  auto sources = std::make_shared<SourceMap>();
  const auto file = sources->add("m.mo", std::string(text));
  auto system = load_model(sources, file);
  EXPECT_TRUE(system.has_value());
  return *std::move(system);
}

std::shared_ptr<const Engine> engine_of(std::string_view text, const RunOptions& options = {}) {
  auto planned = plan(read(text), options);
  EXPECT_TRUE(planned.has_value());
  auto engine = compile(*std::move(planned));
  EXPECT_TRUE(engine.has_value());
  return *engine;
}

TEST(Engine, RunsAsSimulateDoes) {
  for (const std::string_view text : {pendulum, ball}) {
    for (const char* formulation : {"auto", "dummy-derivatives", "ggl", "orthogonal-projection", "index1"}) {
      for (const char* integrator : {"auto", "radau", "bdf", "dopri5"}) {
        const RunOptions options{.formulation = Selection(formulation), .integrator = Selection(integrator)};
        const DaeSystem system = read(text);
        const auto once = simulate(system, options);
        auto planned = plan(system, options);
        ASSERT_EQ(once.has_value(), planned.has_value());
        if (!planned) continue;
        const auto engine = compile(*std::move(planned));
        ASSERT_TRUE(engine.has_value());
        for (int k = 0; k < 2; ++k) {
          const auto again = (*engine)->run();
          ASSERT_TRUE(again.has_value());
          EXPECT_EQ(again->trajectory.values, once->trajectory.values) << formulation << ' ' << integrator;
          EXPECT_EQ(again->summary.counters.residual_evals, once->summary.counters.residual_evals);
        }
      }
    }
  }
}

TEST(Simulation, AdvancesExactlyToATime) {
  const auto engine = engine_of(pendulum);
  auto sim = engine->start();
  ASSERT_TRUE(sim.has_value());
  const auto whole = engine->run({.points = 31});
  for (int k = 1; k <= 30; ++k) {
    ASSERT_TRUE(sim->advance_to(0.1 * k)) << sim->reason();
    EXPECT_DOUBLE_EQ(sim->time(), 0.1 * k);
    // Both are right to the tolerance, by other steps.
    EXPECT_NEAR(*sim->value("x"), whole->trajectory.at(static_cast<std::size_t>(k), 0), 1e-6);
    for (const double level : sim->drift()) EXPECT_LT(level, 1e-10);
  }
  EXPECT_FALSE(sim->value("nothing").has_value());
}

TEST(Simulation, BouncesWhileItIsAdvanced) {
  const auto engine = engine_of(ball);
  auto sim = engine->start();
  ASSERT_TRUE(sim.has_value());
  const double fall = std::sqrt(2 / 9.81);
  ASSERT_TRUE(sim->advance_to(fall * 0.999));
  EXPECT_EQ(*sim->value("bounces"), 0);
  ASSERT_TRUE(sim->advance_to(fall * 1.001));
  EXPECT_EQ(*sim->value("bounces"), 1);
  EXPECT_NEAR(*sim->value("v"), 0.8 * 9.81 * fall, 0.01 * 9.81 * fall);
}

// The first bounce lies beyond the end that was told: it happens all the same. After it the ball rises with
// 0.8 of its speed, so that it is back at the ground after 1.6 times of the fall.
TEST(Simulation, BouncesBeyondTheEndItWasTold) {
  const auto engine = engine_of(ball, {.rtol = 1e-9});
  auto sim = engine->start({.until = 0.1});
  ASSERT_TRUE(sim.has_value());
  const double fall = std::sqrt(2 / 9.81);
  ASSERT_TRUE(sim->advance_to(fall * 1.8)) << sim->reason();
  EXPECT_EQ(*sim->value("bounces"), 1);
  EXPECT_NEAR(*sim->value("h"), 0.64, 1e-6);  // the top of the arc: (0.8)^2 of the height
  ASSERT_TRUE(sim->advance_to(fall * 2.7)) << sim->reason();
  EXPECT_EQ(*sim->value("bounces"), 2);
}

TEST(Simulation, RestsWhereItIsWhenItIsToldTo) {
  auto sim = engine_of(pendulum)->start();
  ASSERT_TRUE(sim.has_value());
  int steps = 0;
  EXPECT_TRUE(sim->advance_to(3, [&] { return ++steps <= 2; }));
  EXPECT_EQ(sim->steps(), 2);
  EXPECT_LT(sim->time(), 3);
  EXPECT_TRUE(sim->advance_to(3));
  EXPECT_EQ(sim->time(), 3);
}

// y = 0.6 beside x = 1: initialisation needs expressions then that a consistent start does without.
TEST(Engine, StartsFromValuesThatContradict) {
  for (const char* formulation : {"ggl", "orthogonal-projection", "dummy-derivatives"}) {
    const auto engine = engine_of(pendulum, {.formulation = Selection(formulation)});
    auto sim = engine->start({.set = {{"y", 0.6}}});
    ASSERT_TRUE(sim.has_value()) << formulation;
    EXPECT_NEAR(*sim->value("x"), 0.8, 1e-8) << formulation;
    const auto run = engine->run({.until = 0.1, .set = {{"y", 0.6}}});
    ASSERT_TRUE(run.has_value() && run->ok()) << formulation;
    EXPECT_NEAR(run->trajectory.at(0, 0), 0.8, 1e-8) << formulation;
  }
}

TEST(Simulation, AVariableThatIsSetStays) {
  const auto engine = engine_of(ball);
  auto sim = engine->start();
  ASSERT_TRUE(sim.has_value());
  ASSERT_TRUE(sim->set("v", 3).has_value());
  ASSERT_TRUE(sim->advance_to(0.1));
  EXPECT_NEAR(*sim->value("h"), 1 + (3 * 0.1) - (9.81 * 0.1 * 0.1 / 2), 1e-6);
  EXPECT_FALSE(sim->set("nothing", 1).has_value());
}

struct Checkpointed {
  std::string_view text;
  const char* formulation;
  const char* integrator;
};

constexpr std::string_view bouncing_pendulum = R"(
model BouncingPendulum "index 3; at the wall its velocity turns round"
  Real x(start = 0.6, fixed = true), y(start = -0.8), u, v(start = 0, fixed = true), l;
  Integer hits(start = 0, fixed = true);
equation
  der(x) = u; der(y) = v;
  der(u) = -l*x; der(v) = -l*y - 9.81;
  x^2 + y^2 = 1;
  when x < -0.2 then
    hits = pre(hits) + 1;
  end when;
  annotation(experiment(StopTime = 4, Tolerance = 1e-7));
end BouncingPendulum;
)";

std::vector<double> end_of(Simulation sim) {
  while (sim.time() < 3 && sim.step()) {
  }
  EXPECT_FALSE(sim.failed()) << sim.reason();
  std::vector<double> values = sim.values();
  values.push_back(sim.time());
  return values;
}

TEST(Simulation, CopiesAndSavedOnesGoOnWithTheSameBits) {
  for (const Checkpointed& one :
       std::initializer_list<Checkpointed>{{pendulum, "dummy-derivatives", "radau"},
                                           {pendulum, "dummy-derivatives", "bdf"},
                                           {pendulum, "orthogonal-projection", "dop853"},
                                           {pendulum, "orthogonal-projection", "radau"},
                                           {pendulum, "ggl", "bdf"},
                                           {pendulum, "trust-region", "radau"},
                                           {pendulum, "tangent-plane", "radau"},
                                           {bouncing_pendulum, "dummy-derivatives", "bdf"},
                                           {bouncing_pendulum, "orthogonal-projection", "dopri5"},
                                           {bouncing_pendulum, "auto", "auto"},
                                           {ball, "auto", "auto"},
                                           {ball, "dummy-derivatives", "bdf"}}) {
    const RunOptions options{.formulation = Selection(one.formulation),
                             .integrator = Selection(one.integrator)};
    const auto engine = engine_of(one.text, options);
    auto sim = engine->start();
    ASSERT_TRUE(sim.has_value());
    for (int k = 0; k < 40 && sim->time() < 1; ++k) ASSERT_TRUE(sim->step()) << sim->reason();
    const Simulation copy = *sim;
    const auto bytes = sim->save();
    ASSERT_TRUE(bytes.has_value());
    const auto other = engine_of(one.text, options);  // as another process would make it
    auto loaded = other->load(*bytes);
    ASSERT_TRUE(loaded.has_value()) << one.formulation << ' ' << one.integrator << ": "
                                    << loaded.error().front().message;
    const std::vector<double> expected = end_of(*std::move(sim));
    EXPECT_EQ(end_of(copy), expected) << one.formulation << ' ' << one.integrator;
    EXPECT_EQ(end_of(*std::move(loaded)), expected) << one.formulation << ' ' << one.integrator;
  }
}

TEST(Simulation, BytesThatAreNoCheckpointAreRefused) {
  const auto engine = engine_of(pendulum);
  auto sim = engine->start();
  ASSERT_TRUE(sim->advance(0.5));
  auto bytes = sim->save();
  ASSERT_TRUE(bytes.has_value());
  EXPECT_FALSE(engine_of(ball)->load(*bytes).has_value());
  EXPECT_FALSE(engine->load(std::span(*bytes).first(bytes->size() / 2)).has_value());
  EXPECT_FALSE(engine->load({}).has_value());
  for (std::size_t k = 0; k < bytes->size(); k += 37) {
    std::vector<std::byte> damaged = *bytes;
    damaged[k] ^= std::byte{0x5a};
    EXPECT_FALSE(engine->load(damaged).has_value()) << k;
  }
}

// The period of a pendulum of length L is proportional to √L: a free parameter does what another model would
// do.
TEST(Engine, FreeParametersAreSetWithoutCompilingAnew) {
  auto sources = std::make_shared<SourceMap>();
  const auto file = sources->add("m.mo", std::string(pendulum));
  const auto system = load_model(sources, file, {.free = {"L", "g"}});
  ASSERT_TRUE(system.has_value());
  const auto engine = compile(*plan(*system, {.rtol = 1e-9}));
  ASSERT_TRUE(engine.has_value());
  EXPECT_EQ((*engine)->settable(), (std::vector<std::string>{"L", "g"}));
  for (const double length : {0.5, 1.0, 4.0}) {
    const auto result =
        (*engine)->run({.until = std::sqrt(length), .points = 2, .set = {{"L", length}, {"x", length}}});
    ASSERT_TRUE(result.has_value()) << result.error().front().message;
    ASSERT_TRUE(result->ok()) << result->summary.reason;
    const auto text = std::string(pendulum);
    const auto other = sources->add("n.mo", text);
    const auto folded = load_model(
        sources, other, {.settings = {{"L", std::to_string(length)}, {"x", std::to_string(length)}}});
    ASSERT_TRUE(folded.has_value());
    const auto expected = simulate(*folded, {.until = std::sqrt(length), .rtol = 1e-9, .points = 2});
    ASSERT_TRUE(expected.has_value());
    EXPECT_NEAR(result->trajectory.at(1, 0), expected->trajectory.at(1, 0), 1e-7);
    EXPECT_NEAR(std::hypot(result->trajectory.at(1, 0), result->trajectory.at(1, 1)), length, 1e-9);
  }
  EXPECT_FALSE((*engine)->run({.set = {{"nothing", 1.0}}}).has_value());
}

// The constraint is there twice, the second time threefold: with gradients g and 3 g and the force f along g
// that holds the particle, the least multipliers are l1 = f/10, l2 = 3 f/10. Step by step as in a run; the
// signals that measure what was left out are shown in neither.
TEST(Simulation, ReactionsOfRedundantConstraintsAreOfLeastNorm) {
  const testing::Twice twice;
  auto planned = plan(twice.system, {.rtol = 1e-9, .points = 11});
  ASSERT_TRUE(planned.has_value());
  ASSERT_NE(planned->independent, nullptr);
  const auto engine = compile(*std::move(planned));
  ASSERT_TRUE(engine.has_value());
  const auto run = (*engine)->run({.until = 1});
  ASSERT_TRUE(run.has_value() && run->ok());
  auto sim = (*engine)->start({.until = 1});
  ASSERT_TRUE(sim.has_value());
  std::vector<std::string> names;
  for (const Signal& signal : run->trajectory.signals) names.push_back(signal.name);
  EXPECT_EQ(sim->names(), names);
  for (std::size_t row = 0; row < run->trajectory.rows(); ++row) {
    ASSERT_TRUE(sim->advance_to(run->trajectory.times[row]));
    const double l1 = *sim->value("l1");
    const double l2 = *sim->value("l2");
    EXPECT_NEAR(3 * l2, l1, 1e-9 * std::abs(l1));  // each by the acceleration that it makes: 1 and 9
    for (std::size_t k = 0; k < names.size(); ++k)
      EXPECT_NEAR(sim->values()[k], run->trajectory.at(row, k), 1e-6) << names[k];
  }
  Simulation copy = *sim;
  EXPECT_EQ(copy.values(), sim->values());
}

}  // namespace
}  // namespace daedalus
