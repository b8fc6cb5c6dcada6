// Your own method as a row of the table: the pair of Bogacki and Shampine, of orders 3 and 2 (Applied
// Mathematics Letters 2, 1989). docs/own-method.md goes through it.
#include "bogacki_shampine.hpp"

#include <daedalus/integrate/explicit_runge_kutta.hpp>

#include <array>

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

}  // namespace

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

}  // namespace daedalus
