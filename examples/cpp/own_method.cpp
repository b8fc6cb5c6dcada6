// Your own method as a new row of the table: the pair of Bogacki and Shampine, of orders 3 and 2 (Applied
// Mathematics Letters 2, 1989). docs/own-method.md goes through it. This program integrates with the row as
// the library would and checks that the method has the order it claims; in the library the row would be one
// file and one entry.
#include <daedalus/integrate/explicit_runge_kutta.hpp>
#include <daedalus/integrate/rows.hpp>

#include <array>
#include <cmath>
#include <cstdio>

namespace daedalus {
namespace {

// The method is its coefficients. Stage 3 is the slope at the end, which is the first of the next step.
constexpr std::array<double, 4> kC{0, 1.0 / 2, 3.0 / 4, 1};
constexpr std::array<ErkWeight, 1> kA1{{{0, 1.0 / 2}}};
constexpr std::array<ErkWeight, 1> kA2{{{1, 3.0 / 4}}};
constexpr std::array<ErkWeight, 3> kB{{{0, 2.0 / 9}, {1, 1.0 / 3}, {2, 4.0 / 9}}};
constexpr std::array<ErkRow, 4> kA{{{}, kA1, kA2, kB}};
// What the embedded method of order 2 differs by: b - (7/24, 1/4, 1/3, 1/8).
constexpr std::array<ErkWeight, 4> kError{{{0, -5.0 / 72}, {1, 1.0 / 12}, {2, 1.0 / 9}, {3, -1.0 / 8}}};

const ErkTableau& tableau() {
  static constexpr ErkTableau values{
      .order = 3, .stages = 3, .c = kC, .a = kA, .b = kB, .error = kError, .stability_bound = 2.5};
  return values;
}

// What `daedalus list integrators`, --help, the tests and the comparisons read.
IntegratorRow bogacki_shampine_row() {
  return {.name = "bogacki-shampine",
          .summary = "Bogacki-Shampine of order 3(2), explicit, variable step: rough answers, cheaply",
          .reference = "Bogacki, Shampine, Appl. Math. Lett. 2 (1989)",
          .order = 3,
          .adaptive = true,
          .one_step = true,
          .options = explicit_options(),
          .make_explicit = [](OdeSystem& system,
                              const IntegratorSettings& settings) -> std::unique_ptr<Integrator> {
            return std::make_unique<ExplicitRungeKutta>(
                system, with_defaults(settings, bogacki_shampine_row()), tableau());
          }};
}

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

}  // namespace
}  // namespace daedalus

int main() {
  const double coarse = daedalus::error_at_end(0.02);
  const double fine = daedalus::error_at_end(0.01);
  const double order = std::log2(coarse / fine);
  std::printf("steps of 0.02 and 0.01: errors %.2e and %.2e, order %.2f\n", coarse, fine, order);
  return std::abs(order - 3) < 0.2 ? 0 : 1;
}
