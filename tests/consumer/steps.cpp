// The second example of the README, built and run by the tests: a model compiled once, advanced and copied.
#include <daedalus/daedalus.hpp>
#include <daedalus/simulate/engine.hpp>

#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

int main() {
  const auto sources = std::make_shared<daedalus::SourceMap>();
  const auto file = sources->add("pendulum", R"(
    model Pendulum
      Real x(start = 1), y(start = 0, fixed = true), u, v(start = 0, fixed = true), lambda;
    equation
      der(x) = u;            der(y) = v;
      der(u) = -lambda*x;    der(v) = -lambda*y - 9.81;
      x^2 + y^2 = 1;
    end Pendulum;)");
  const auto model = daedalus::load_model(sources, file);
  if (!model) return std::fputs(render(model.error(), *sources).c_str(), stderr), 2;

  auto plan = daedalus::plan(*model, {.rtol = 1e-8});       // what is solved, how and why: plan->why
  const auto engine = daedalus::compile(*std::move(plan));  // once; any number of threads may share it
  auto sim = (*engine)->start();                            // often
  sim->advance(0.01);                                       // then sim->value("x"), sim->time(), sim->drift()
  auto checkpoint = *sim;                                   // a copy goes on with the same bits (not ida)
  auto bytes = sim->save();                                 // so does (*engine)->load(*bytes), in any process

  sim->advance(0.5);
  checkpoint.advance(0.5);
  const bool same = *sim->value("x") == *checkpoint.value("x");
  std::printf("steps: t = %g, drift %s, the copy %s\n", sim->time(),
              sim->drift().at(0) < 1e-12 ? "none" : "too large", same ? "agrees" : "differs");
  return same && bytes.has_value() && std::abs(sim->time() - 0.51) < 1e-15 ? 0 : 1;
}
