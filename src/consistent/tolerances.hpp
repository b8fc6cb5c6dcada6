// The numbers that decide in this folder: each with its reason, and nowhere else.
#pragma once

#include "numerics/newton.hpp"

namespace daedalus::consistent {

// --- Newton at output points and after events (algebraic_solver) ------------------------------------------
// A Newton step of this size, in units of the run's tolerances, is the last: convergence is quadratic, so the
// error left after it is of the order of its square.
constexpr double last_step = 1e-3;
// From an extrapolated point a few steps suffice, or the point was bad; after an event there is time.
constexpr NewtonLimits quick_newton{.iterations = 8, .smallest_damping = 1e-9};
constexpr NewtonLimits robust_newton{.iterations = 100, .smallest_damping = 1e-9};
// Residuals below this part of the terms that they are sums of are rounding: 2^-52 for each of a few dozen
// operations. No Newton step can make them smaller, whatever the tolerances say: a switch that carries 1e7 A
// is not solved to 1e-9 A.
constexpr double rounding_of_terms = 1e-14;
// Where rounding ends the descent before last_step does, a step of this size is good enough: it is within the
// run's tolerances.
constexpr double stalled_step = 1;
constexpr int polishing_steps = 5;
// Positions and velocities that fulfil their constraints to this many times the tolerances stay where they
// are at an event: a formulation may let them drift so far.
constexpr double drifted = 1e3;
constexpr int event_iterations = 30;
// Reinitialised values that a constraint determines cannot be had: the matrix between them is singular.
constexpr double independent_reinits = 1e-12;
// Step of the difference quotient for ∂A/∂t: the square root of rounding, since the quotient only starts a
// predictor.
constexpr double time_difference = 1e-7;

// --- Start values that are consistent as they are (consistent_start) --------------------------------------
// What follows from them does so in two or three steps (accelerations and multipliers are linear); more mean
// that the start is not of this kind.
constexpr NewtonLimits consistent_newton{.iterations = 6, .smallest_damping = 0.5};
// Relative to |z| and its scale: two digits above rounding, which a condition number of 100 may cost.
constexpr double consistent_step = 1e-12;
// A matrix that is singular but for rounding "solves" with values of 1/rounding.
constexpr double implausible = 1e12;

// --- Block by block -------------------------------------------------------------------------------
constexpr NewtonLimits block_newton{.iterations = 60, .smallest_damping = 1e-8};
// Relative; the next step would be its square, that is rounding.
constexpr double block_last_step = 1e-9;
// Where the test ends the descent by rounding: half the digits are right, and the whole system is solved anew
// from there.
constexpr double block_stagnation = 1e-7;
// Blocks are solved densely; larger ones are left to the sparse solver of the whole system.
constexpr unsigned largest_block = 250;
// Where F has no value at the start (1/x, log x at 0): other places to begin, in units of the scale.
constexpr double elsewhere[] = {1e-3, 1.0, -1e-3, -1.0};

// --- Nearest point ----------------------------------------------------------------------------------------
constexpr double smallest_nearest_damping = 1e-10;
// A vanishing step with larger residuals, relative to their terms, is a least-squares point, no solution.
constexpr double fulfilled = 1e-6;
// Rounding may end the descent before the tolerance does: then the step is this small and so are residuals.
constexpr double stagnating_step = 1e-7;
constexpr double stagnating_residual = 1e-9;
// Gauss–Newton towards the guess: linear convergence, so not to rounding; curvature may cost what Newton can
// repair afterwards.
constexpr NewtonLimits approach_limits{.iterations = 40, .smallest_damping = 1e-3, .recovery = 1e9};
constexpr double approach_step = 1e-7;
constexpr double approach_residual = 0.1;
// Newton to round-off, as long as steps become smaller.
constexpr NewtonLimits polish_limits{.iterations = 20, .smallest_damping = 0.5};
constexpr double polished_step = 1e-15;
// δ of the saddle system: above the rounding of its factorisation, far below any residual that is asked for.
constexpr double saddle_regularisation = 1e-13;
// Rank of the conditions, for the diagnosis: rows scaled to 1 that agree in nine digits are dependent.
constexpr double dependency_rank = 1e-9;

}  // namespace daedalus::consistent
