// hem5: Murua's half-explicit method of order 5 on the stages of Dormand and Prince (his code PHEM56), the
// successor of Brasey's HEM5. Explicit but for one linear system a stage, it keeps the constraints of
// velocity; those of position are left to a projection. The tests check the conditions on â.
#include <array>

#include "integrate/dopri5_coefficients.hpp"
#include "integrate/explicit_runge_kutta.hpp"
#include "integrate/rows.hpp"

namespace daedalus {
namespace {

// â of the stages; nodes ĉ = 3/10, 3/8, 5/7, 1, 1.
constexpr std::array<ErkWeight, 2> kEnd1{{{0, 3.0 / 40}, {1, 9.0 / 40}}};
constexpr std::array<ErkWeight, 3> kEnd2{{{0, 21.0 / 256}, {1, 45.0 / 256}, {2, 15.0 / 128}}};
constexpr std::array<ErkWeight, 4> kEnd3{
    {{0, 19235.0 / 98784}, {1, -225.0 / 392}, {2, 6235.0 / 6174}, {3, 2755.0 / 32928}}};
constexpr std::array<ErkWeight, 5> kEnd4{
    {{0, -293.0 / 1152}, {1, 85.0 / 48}, {2, -2275.0 / 1908}, {3, 35.0 / 32}, {4, -2835.0 / 6784}}};
constexpr std::array<ErkRow, 6> kEnds{{{}, kEnd1, kEnd2, kEnd3, kEnd4, dopri5::kB}};

}  // namespace

const ErkTableau& hem5_tableau() {
  static constexpr ErkTableau tableau = [] {
    ErkTableau half = {.order = 5,
                       .stages = 6,
                       .c = dopri5::kC,
                       .a = dopri5::kA,
                       .b = dopri5::kB,
                       .error = dopri5::kError,
                       .coarse_error = {},
                       .dense = dopri5::kDense,
                       .ends = kEnds,
                       .beta = 0.04,
                       .min_factor = 0.2,
                       .max_factor = 10,
                       .stability_bound = 3.25};
    return half;
  }();
  return tableau;
}

IntegratorRow hem5_row() {
  return {.name = "hem5",
          .summary =
              "half-explicit Runge-Kutta of order 5(4), variable step: mechanisms that are not stiff, "
              "velocities on the constraints at every stage",
          .reference =
              "Murua: Partitioned half-explicit Runge-Kutta methods, Computing 59 (1997); Brasey, "
              "Hairer: SIAM J. Numer. Anal. 30 (1993)",
          .order = 5,
          .adaptive = true,
          .one_step = true,
          .options = explicit_options(),
          .make_mechanical = make_runge_kutta<MechanicalSystem, hem5_row, hem5_tableau>};
}

}  // namespace daedalus
