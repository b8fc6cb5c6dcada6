// Integrates with the method of bogacki_shampine.cpp as the library would, checks that it has the order that
// it claims, makes it a row of this program's table, and runs a model by its name.
#include <daedalus/daedalus.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <memory>

#include "bogacki_shampine.hpp"

namespace daedalus {
namespace {

// y' = y cos t: y = exp(sin t).
class Growth final : public OdeSystem {
 public:
  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] std::span<const Component> components() const override { return components_; }
  bool derivative(double t, std::span<const double> y, std::span<double> yp) override {
    yp[0] = y[0] * std::cos(t);
    return true;
  }

 private:
  std::array<Component, 1> components_{};
};

// The error at t = 2 with steps of one size: a tolerance that never rejects leaves them at their longest.
double error_at_end(double h) {
  Growth system;
  IntegratorSettings settings;
  settings.tolerances = {.relative = 1e6, .absolute = 1e6};
  settings.initial_step = settings.max_step = h;
  const auto integrator = bogacki_shampine_row().make_explicit(system, settings);
  const std::array<double, 1> y{1};
  const std::array<double, 1> yp{1};
  integrator->start(0, y, yp, 2);
  while (integrator->t() < 2) {
    if (!integrator->step(2).ok()) return std::nan("");
  }
  return std::abs(integrator->y()[0] - std::exp(std::sin(2.0)));
}

// A pendulum of index 3, by its name. The rod keeps its length to the last digits.
bool runs_by_name() {
  if (!register_integrator(bogacki_shampine_row())) return false;
  const auto sources = std::make_shared<SourceMap>();
  const auto file = sources->add("pendulum", R"(
    model Pendulum
      Real x(start = 1), y(start = 0, fixed = true), u, v(start = 0, fixed = true), lambda;
    equation
      der(x) = u;            der(y) = v;
      der(u) = -lambda*x;    der(v) = -lambda*y - 9.81;
      x^2 + y^2 = 1;
    end Pendulum;)");
  const auto model = load_model(sources, file);
  if (!model) return false;
  const auto run = simulate(*model, {.until = 1, .integrator = Selection("bogacki-shampine")});
  return run && run->ok() && run->summary.integrator.name() == "bogacki-shampine" &&
         run->summary.drift.levels.at(0) < 1e-12;
}

}  // namespace
}  // namespace daedalus

int main() {
  const double coarse = daedalus::error_at_end(0.02);
  const double fine = daedalus::error_at_end(0.01);
  const double order = std::log2(coarse / fine);
  std::printf("steps of 0.02 and 0.01: errors %.2e and %.2e, order %.2f\n", coarse, fine, order);
  return std::abs(order - 3) < 0.2 && daedalus::runs_by_name() ? 0 : 1;
}
