// The numbers that decide in this folder: each with its reason, and nowhere else.
#pragma once

#include "numerics/newton.hpp"

namespace daedalus::consistent {

// --- Newton at output points and after events (algebraic_solver) ------------------------------------------
// A Newton step of this size, in units of the run's tolerances, is the last: convergence is quadratic, so the
// error left after it is of the order of its square.
constexpr double last_step = 1e-3;
// From an extrapolated point a few steps suffice, or the point was bad; after an event there is time.
constexpr int quick_iterations = 12;
// At output points the factorisation of an earlier one is kept as long as each step with it is so much
// smaller than the one before; and what is left after the last step with it, by this rate, is what quadratic
// convergence would leave.
constexpr double tired_rate = 0.1;
constexpr double last_old_step = 1e-6;
// Steps that do not become smaller than by this are rounding, or go nowhere.
constexpr double stagnating = 0.5;
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

// --- What a start value means (start_problem, start_search) -----------------------------------------------
// Weights of nearness. A start value of something that can be a state means a wish; of an algebraic unknown
// it is a guess for Newton. The steps between the classes are wide, so that a lower class does not pull at a
// higher one (by more than their ratio squared, which near_given removes).
constexpr double weight_of_wish = 1;
constexpr double weight_of_default = 1e-3;
constexpr double weight_of_guess = 1e-6;
constexpr double weight_of_nothing = 1e-7;
// What came out this near to a value, in units of its scale, was meant to be it, if the equations allow it:
// the weights of the lower classes pull by 1e-6 at most at one that was given, and defaults at each other.
constexpr double near_given = 1e-4;
constexpr double near_default = 1e-2;
// Of values that are held: relative residuals that Newton leaves where they contradict nothing.
constexpr double held_residual = 1e-10;
// Values that moved by more than this part of their scale are in the explanation.
constexpr double moved = 1e-9;
// And those by more than this are a warning: less is the rounding of start values written with six digits.
constexpr double told = 1e-5;
// Farther from its start value, in units of its scale, no state is: a contradiction was "solved" there.
constexpr double far_away = 1e6;
// Double roots are found to this part of their scale: 1e-16 in the residual.
constexpr double root_of_rounding = 1e-8;

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
// Residuals, and changes of residuals by a whole unit of an unknown, count as rounding up to this many times
// the bound: derivatives have rounding of their own, of about the same size.
constexpr double within_rounding = 10;
// δ of the saddle system: above the rounding of its factorisation, far below any residual that is asked for.
constexpr double saddle_regularisation = 1e-13;
// And where conditions are redundant only at the solution, as those of a mechanism that is not closed yet:
// the root of it, 1e-4, is above what poses are off by in files and below what tells conditions apart.
constexpr double redundant_regularisation = 1e-8;
// Rank of the conditions, for the diagnosis: rows scaled to 1 that agree in nine digits are dependent.
constexpr double dependency_rank = 1e-9;
// A constraint of a mechanism that is open by more, in its own unit, is named where it cannot be closed.
constexpr double open = 1e-6;
// Conditions that depend on each other and are off by less agree.
constexpr double contradiction = 1e-8;

}  // namespace daedalus::consistent
