// A model that is stepped by somebody else's integrator: Runge and Kutta's of fourth order, written here.
#include "simulate/model_exchange.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

#include "model/load.hpp"
#include "simulate/engine.hpp"

namespace daedalus {
namespace {

struct Held {
  std::shared_ptr<const Engine> engine;
  Simulation simulation;
  [[nodiscard]] double value(const std::string& name) { return *simulation.value(name); }
};

Held held(std::string_view text, double rtol = 1e-9) {
  auto sources = std::make_shared<SourceMap>();
  const auto file = sources->add("m.mo", std::string(text));
  auto system = load_model(sources, file);
  EXPECT_TRUE(system.has_value());
  auto engine = compile(*plan(*system, {.rtol = rtol}));
  EXPECT_TRUE(engine.has_value());
  return {.engine = *engine, .simulation = *(*engine)->start()};
}

using Vector = std::vector<double>;

Vector slope(ModelExchange& model, double t, const Vector& x) {
  model.set_time(t);
  model.set_states(x);
  EXPECT_EQ(model.evaluate(), "");
  Vector dx(x.size());
  model.derivatives(dx);
  return dx;
}

Vector moved(Vector x, double h, const Vector& dx) {
  for (std::size_t k = 0; k < x.size(); ++k) x[k] += h * dx[k];
  return x;
}

Vector stepped(ModelExchange& model, double t, double h, const Vector& x) {
  const Vector k1 = slope(model, t, x);
  const Vector k2 = slope(model, t + (h / 2), moved(x, h / 2, k1));
  const Vector k3 = slope(model, t + (h / 2), moved(x, h / 2, k2));
  const Vector k4 = slope(model, t + h, moved(x, h, k3));
  return moved(moved(moved(moved(x, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
}

constexpr std::string_view pendulum = R"(model P
    Real x(start = 0.6), y(start = -0.8), vx(start = 1.2, fixed = true), vy, l;
  equation
    der(x) = vx; der(y) = vy; der(vx) = -l*x; der(vy) = -l*y - 9.81;
    x^2 + y^2 = 1;
  end P;)";

TEST(ModelExchange, APendulumOfIndexThreeHasPositionsAndVelocitiesAsStates) {
  auto p = held(pendulum);
  ModelExchange model(p.simulation);
  const std::size_t n = ModelExchange::states_of(p.engine->model().levels()).size();
  ASSERT_EQ(n, 4U);
  Vector x(n);
  model.states(x);
  const double h = 1e-3;
  for (int k = 0; k < 1000; ++k) {
    x = stepped(model, k * h, h, x);
    if (!model.drifted()) continue;
    ASSERT_EQ(model.update().failure, "");
    model.states(x);
  }
  (void)slope(model, 1, x);
  auto own = p.engine->start();
  own->advance_to(1);
  // h⁴ of the method, and rtol of ours.
  EXPECT_NEAR(p.value("x"), *own->value("x"), 1e-7);
  EXPECT_NEAR(p.value("l"), *own->value("l"), 1e-5);
}

TEST(ModelExchange, WhatIsSetBesideTheConstraintsIsMovedOntoThem) {
  auto p = held(pendulum);
  ModelExchange model(p.simulation);
  Vector x(4);
  model.states(x);
  Vector off = x;
  off[0] += 0.01;
  model.set_states(off);
  ASSERT_EQ(model.evaluate(), "");
  EXPECT_NEAR(std::hypot(p.value("x"), p.value("y")), 1, 1e-14);
  EXPECT_NEAR((p.value("x") * p.value("vx")) + (p.value("y") * p.value("vy")), 0, 1e-13);
  EXPECT_TRUE(model.drifted());
  const auto update = model.update();
  EXPECT_TRUE(update.states_changed);
  EXPECT_FALSE(model.drifted());
}

TEST(ModelExchange, AnIndicatorIsNegativeOnceItsRelationIsContradicted) {
  auto b = held(R"(model Ball
    Real h(start = 1, fixed = true), v(start = 0, fixed = true);
    Integer n(start = 0, fixed = true);
  equation
    der(h) = v; der(v) = -2;
    when h < 0 then reinit(v, -0.5*pre(v)); n = pre(n) + 1; end when;
  end Ball;)");
  ModelExchange model(b.simulation);
  Vector x(2), z(1);
  model.states(x);
  ASSERT_EQ(model.evaluate(), "");
  model.indicators(z);
  const double before = z[0];
  (void)slope(model, 1, {-1e-8, -2});  // the floor is reached at t = 1 with v = -2
  model.indicators(z);
  EXPECT_LT(before * z[0], 0);
  const auto update = model.update();
  EXPECT_EQ(update.failure, "");
  EXPECT_TRUE(update.states_changed);
  EXPECT_DOUBLE_EQ(b.value("v"), 1);
  EXPECT_DOUBLE_EQ(b.value("n"), 1);
  model.indicators(z);
  EXPECT_LT(z[0] * before, 0);  // it holds now
}

TEST(ModelExchange, TellsWhenTheNextTimeEventIs) {
  auto s = held(R"(model S
    Real x(start = 0, fixed = true); discrete Real u(start = 0, fixed = true);
  equation
    der(x) = u;
    when sample(0.25, 0.5) then u = pre(u) + 1; end when;
  end S;)");
  ModelExchange model(s.simulation);
  EXPECT_DOUBLE_EQ(model.update().next_event, 0.25);
  model.set_time(0.25);
  EXPECT_DOUBLE_EQ(model.update().next_event, 0.75);
  EXPECT_DOUBLE_EQ(s.value("u"), 1);
}

}  // namespace
}  // namespace daedalus
