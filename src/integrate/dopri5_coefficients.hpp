// Dormand, Prince (1980), 5(4) with seven stages: Hairer, Nørsett, Wanner I, table II.5.2; dense output
// (II.6) as in DOPRI5. The tests check the order conditions.
#pragma once

#include <array>

#include "integrate/erk_tableau.hpp"

namespace daedalus::dopri5 {

inline constexpr std::array<double, 7> kC{0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
inline constexpr std::array<ErkWeight, 1> kA1{{{0, 1.0 / 5}}};
inline constexpr std::array<ErkWeight, 2> kA2{{{0, 3.0 / 40}, {1, 9.0 / 40}}};
inline constexpr std::array<ErkWeight, 3> kA3{{{0, 44.0 / 45}, {1, -56.0 / 15}, {2, 32.0 / 9}}};
inline constexpr std::array<ErkWeight, 4> kA4{
    {{0, 19372.0 / 6561}, {1, -25360.0 / 2187}, {2, 64448.0 / 6561}, {3, -212.0 / 729}}};
inline constexpr std::array<ErkWeight, 5> kA5{
    {{0, 9017.0 / 3168}, {1, -355.0 / 33}, {2, 46732.0 / 5247}, {3, 49.0 / 176}, {4, -5103.0 / 18656}}};
inline constexpr std::array<ErkWeight, 5> kB{
    {{0, 35.0 / 384}, {2, 500.0 / 1113}, {3, 125.0 / 192}, {4, -2187.0 / 6784}, {5, 11.0 / 84}}};
inline constexpr std::array<ErkRow, 7> kA{{{}, kA1, kA2, kA3, kA4, kA5, kB}};

inline constexpr std::array<ErkWeight, 6> kError{{{0, 71.0 / 57600},
                                                  {2, -71.0 / 16695},
                                                  {3, 71.0 / 1920},
                                                  {4, -17253.0 / 339200},
                                                  {5, 22.0 / 525},
                                                  {6, -1.0 / 40}}};

inline constexpr std::array<ErkWeight, 6> kDense4{{{0, -12715105075.0 / 11282082432.0},
                                                   {2, 87487479700.0 / 32700410799.0},
                                                   {3, -10690763975.0 / 1880347072.0},
                                                   {4, 701980252875.0 / 199316789632.0},
                                                   {5, -1453857185.0 / 822651844.0},
                                                   {6, 69997945.0 / 29380423.0}}};
inline constexpr std::array<ErkRow, 1> kDense{{kDense4}};

}  // namespace daedalus::dopri5
