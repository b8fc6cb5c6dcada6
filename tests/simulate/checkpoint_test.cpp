// Simulations saved at half time and loaded by another process, which goes on with the same bits.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "simulate/engine.hpp"
#include "support/model_text.hpp"

namespace daedalus::testing {
namespace {

const std::string pendulum =
    R"(model Pendulum "index 3; what passes the wall is counted, and its velocity turned round twice"
  Real x(start = 0.6, fixed = true), y(start = -0.8), u, v(start = 0, fixed = true), l;
  Integer hits(start = 0, fixed = true);
  discrete Real when_(start = 0, fixed = true);
equation
  der(x) = u; der(y) = v;
  der(u) = -l*x; der(v) = -l*y - 9.81;
  x^2 + y^2 = 1;
  when x < -0.2 then
    hits = pre(hits) + 1;
    when_ = time;
  end when;
  annotation(experiment(StopTime = 4, Tolerance = 1e-7));
end Pendulum;
)";

const std::string ball = R"(model Ball
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Integer bounces(start = 0, fixed = true);
  Boolean tick(start = false, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.8*pre(v));
    bounces = pre(bounces) + 1;
  end when;
  when sample(0.1, 0.3) then
    tick = not pre(tick);
  end when;
  annotation(experiment(StopTime = 3));
end Ball;
)";

struct Case {
  const char* name;
  const std::string* text;
  const char* formulation;
  const char* integrator;
};

class Checkpoint : public ::testing::TestWithParam<Case> {};

std::string printed(double value) {
  std::array<char, 64> text{};
  return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%a", value))};
}

// What a command prints.
std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), n);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return text;
}

TEST_P(Checkpoint, GoesOnInAnotherProcess) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("daedalus_checkpoint_" + std::to_string(::getpid()) + "_" + GetParam().name);
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "model.mo") << *GetParam().text;
  auto planned = plan(from_text(*GetParam().text), {.formulation = Selection(GetParam().formulation),
                                                    .integrator = Selection(GetParam().integrator)});
  ASSERT_TRUE(planned.has_value());
  const auto engine = compile(*std::move(planned));
  ASSERT_TRUE(engine.has_value());
  auto simulation = (*engine)->start();
  ASSERT_TRUE(simulation.has_value());
  while (simulation->time() < 1.5) ASSERT_TRUE(simulation->step()) << simulation->reason();
  const auto saved = simulation->save();
  ASSERT_TRUE(saved.has_value());
  std::ofstream(folder / "half", std::ios::binary)
      .write(reinterpret_cast<const char*>(saved->data()), static_cast<std::streamsize>(saved->size()));
  while (simulation->time() < 3) ASSERT_TRUE(simulation->step()) << simulation->reason();
  std::string expected = printed(simulation->time()) + " " + std::to_string(simulation->steps());
  for (const double value : simulation->values()) expected += " " + printed(value);
  const std::string command = std::string(CHECKPOINT_PROCESS) + " '" + (folder / "model.mo").string() + "' " +
                              GetParam().formulation + " " + GetParam().integrator + " '" +
                              (folder / "half").string() + "' 3";
  EXPECT_EQ(output_of(command), expected + "\n");
  std::filesystem::remove_all(folder);
}

// Who asks for values between steps changes nothing: neither the run, nor what one that was saved gives when
// it is asked.
TEST_P(Checkpoint, AskingForValuesLeavesTheRunAsItWas) {
  const DaeSystem system = from_text(*GetParam().text);
  auto planned = plan(system, {.formulation = Selection(GetParam().formulation),
                               .integrator = Selection(GetParam().integrator)});
  ASSERT_TRUE(planned.has_value());
  const auto engine = compile(*std::move(planned));
  ASSERT_TRUE(engine.has_value());
  auto silent = (*engine)->start();
  auto asked = (*engine)->start();
  ASSERT_TRUE(silent.has_value() && asked.has_value());
  for (int k = 1; k <= 9; ++k) {
    (void)silent->advance_to(0.17 * k);
    (void)asked->advance_to(0.17 * k);
    (void)asked->values();
  }
  const auto bytes = asked->save();
  ASSERT_TRUE(bytes.has_value());
  auto loaded = (*engine)->load(*bytes);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->values(), asked->values());
  for (Simulation* one : {&*silent, &*asked, &*loaded}) (void)one->advance_to(3);
  EXPECT_EQ(asked->values(), silent->values());
  EXPECT_EQ(loaded->values(), silent->values());
}

// dop853 begins, and radau goes on with a longest step of its own.
TEST(CheckpointOfAnotherMethod, GoesOnAfterTheEquationsTurnedStiff) {
  const DaeSystem system = from_text(
      "model Stiff Real x(start = 1, fixed = true), y(start = 0, fixed = true); equation der(x) = -1e4*(x - "
      "cos(time)); "
      "der(y) = x; annotation(experiment(StopTime = 3, Tolerance = 1e-6)); end Stiff;");
  auto planned = plan(system, {.integrator = *parse_selection("dop853:max_step=0.5")});
  ASSERT_TRUE(planned.has_value());
  planned->stiff_row = find_integrator("radau");
  const auto engine = compile(*std::move(planned));
  ASSERT_TRUE(engine.has_value());
  auto simulation = (*engine)->start();
  ASSERT_TRUE(simulation.has_value());
  long before = 0;
  while (simulation->time() < 1) {
    ASSERT_TRUE(simulation->step()) << simulation->reason();
    EXPECT_GT(simulation->steps(), before);  // those of both methods
    before = simulation->steps();
  }
  const auto bytes = simulation->save();
  ASSERT_TRUE(bytes.has_value());
  auto loaded = (*engine)->load(*bytes);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().front().message;
  for (Simulation* one : {&*simulation, &*loaded}) (void)one->advance_to(3);
  EXPECT_EQ(loaded->values(), simulation->values());
  EXPECT_EQ(loaded->steps(), simulation->steps());
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Checkpoint,
    ::testing::Values(Case{"dummies_radau", &pendulum, "dummy-derivatives", "radau"},
                      Case{"dummies_bdf", &pendulum, "dummy-derivatives", "bdf"},
                      Case{"projection", &pendulum, "orthogonal-projection", "dop853"},
                      Case{"projection_radau", &pendulum, "orthogonal-projection", "radau"},
                      Case{"ggl_bdf", &pendulum, "ggl", "bdf"}, Case{"auto_", &pendulum, "auto", "auto"},
                      Case{"ball", &ball, "auto", "auto"},
                      Case{"ball_bdf", &ball, "dummy-derivatives", "bdf"}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace daedalus::testing
