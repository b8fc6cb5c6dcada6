// The example of the README, built and run by the tests.
#include <daedalus/daedalus.hpp>

#include <cstdio>
#include <memory>

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

  const auto run = daedalus::simulate(*model, {.until = 10, .rtol = 1e-8});
  if (!run) return std::fputs(render(run.error(), *sources).c_str(), stderr), 2;

  std::printf("%s: index %d, drift %.1e\n", run->summary.status.c_str(), run->summary.index,
              run->summary.drift.levels.at(0));
  for (const auto& [name, value] : run->summary.final_values) std::printf("%s = %g\n", name.c_str(), value);
  return run->ok() ? 0 : 1;
}
