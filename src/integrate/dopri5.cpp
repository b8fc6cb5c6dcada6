// dopri5: the pair of Dormand and Prince of orders 5 and 4, the standard method for equations that are not
// stiff.
#include "integrate/dopri5_coefficients.hpp"
#include "integrate/erk_small.hpp"
#include "integrate/explicit_runge_kutta.hpp"
#include "integrate/rows.hpp"

namespace daedalus {

namespace {

constexpr ErkTableau kTableau{.order = 5,
                              .stages = 6,
                              .c = dopri5::kC,
                              .a = dopri5::kA,
                              .b = dopri5::kB,
                              .error = dopri5::kError,
                              .coarse_error = {},
                              .dense = dopri5::kDense,
                              .beta = 0.04,
                              .min_factor = 0.2,
                              .max_factor = 10,
                              .stability_bound = 3.25};

DAEDALUS_WIDE bool small_stages(const SmallStep& step, const DirectRates& rates, double* argument,
                                double* y_end) {
  return ErkSmallSizes<kTableau>::stages(step, rates, argument, y_end);
}

DAEDALUS_WIDE void small_errors(const SmallStep& step, double* error, double* coarse) {
  ErkSmallSizes<kTableau>::errors(step, error, coarse);
}

constexpr ErkSmallCode kSmall{.stages = small_stages, .errors = small_errors};

}  // namespace

const ErkTableau& dopri5_tableau() {
  static constexpr ErkTableau tableau = with_small(kTableau, &kSmall);
  return tableau;
}

IntegratorRow dopri5_row() {
  return {.name = "dopri5",
          .summary = "Dormand-Prince of order 5(4), explicit, variable step: ODEs that are not stiff",
          .reference = "Hairer, Nørsett, Wanner: Solving Ordinary Differential Equations I, sec. II.5",
          .order = 5,
          .adaptive = true,
          .one_step = true,
          .options = explicit_options(),
          .make_explicit = make_runge_kutta<OdeSystem, dopri5_row, dopri5_tableau>};
}

}  // namespace daedalus
