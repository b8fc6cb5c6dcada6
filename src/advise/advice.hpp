// Which formulation suits a model, and why: the four cases and the recommendations of paper 003 (Ascher,
// Petzold 1993), §4.2 and §5, as code, and paper 000 (Petzold, Ren, Maly 1997) where constraints lose rank.
//
// What is measured, at the initial values and, if the model is explored, at a few points of a coarse run:
//   rank and smallest singular value of G M⁻¹ B         redundant and singular constraints
//   condition of M, obliqueness |H|                     H projects onto ker G along the range of M⁻¹B; it is
//                                                       1 when M⁻¹B spans what Gᵀ spans, and large when
//                                                       C of paper 003 is much better behaved than B
//   stiffness                                           largest |λ| of the motion with frozen constraints,
//                                                       u^(m) = Σ R A_j S u^(j-1) (case 3)
//   coupling                                            |m R'S|, the part of the motion that the turning of
//                                                       the constraints brings in (case 4)
//   constraint speed                                    how fast range Gᵀ turns, in rad a unit of time
// against the rate at which the solution changes, and never less than one over the length of the run.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "constraints/redundancy.hpp"
#include "core/options.hpp"
#include "record/run_options.hpp"
#include "record/trajectory.hpp"
#include "reform/constrained_form.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

// The cases of paper 003 §4.2. "Fast" and "stiff" are meant against the rate of the solution.
enum class MotionCase {
  Unknown = 0,          // not measured
  Slow = 1,             // not stiff, constraints turn slowly
  FastConstraints = 2,  // not stiff, constraints turn fast
  StiffMotion = 3,      // the motion with frozen constraints is stiff
  StiffCoupling = 4,    // stiff because the constraints turn
};

struct Measures {
  bool taken = false;    // all of them
  bool ranked = false;   // rank and redundant constraints alone are known: of G, at the start values
  int rank = 0;          // of G M⁻¹ B at regular points
  double sigma_min = 0;  // smallest singular value that belongs to the rank; the largest is 1
  std::vector<Redundancy> redundant;
  bool uncontrolled = false;           // G has a higher rank than G M⁻¹ B: the index is not m + 1
  std::optional<RankChange> singular;  // a point on the way where constraints lose rank; the first one
  double mass_condition = 0;           // largest over smallest singular value of M; may be infinite
  double obliqueness = 1;              // |H|
  double stiffness = 0;                // largest |λ|, frozen constraints
  double slowest = 0;                  // smallest |λ| at the start, likewise; 0: not known
  double coupling = 0;                 // |m R'S|
  double constraint_speed = 0;         // of range Gᵀ
  double solution_rate = 0;            // |x^(m)|/|x^(m-1)|, the median over the stretch looked at
  bool stiff_ahead = false;            // an explicit method was limited by stability on the way
  double length = 1;                   // length of the run
  double looked_ahead = 0;             // how much of it was looked at
};

struct Advice {
  Selection formulation{"dummy-derivatives"};
  std::string why;
  MotionCase motion = MotionCase::Unknown;
  bool suits_explicit = false;  // nothing stands against an explicit method of high order
  Measures measures;
  std::shared_ptr<const ConstrainedForm> form;  // null: the model has none,
  std::string broken_by;                        // which this says
  int dof = 0;                                  // redundant constraints take none away; with a form
  // What the measuring was done with, for whoever goes on with the same form: compiled from
  // level_system_of(form). Null: nothing was measured.
  std::shared_ptr<const CompiledModel> model;
};

// Whether a coarse run goes ahead of the measuring. It costs as much as a run of a small model; without it
// stiffness and singular points are met on the way, and the run deals with them there.
enum class Explore { No, Yes };

// How long a run with these options is.
[[nodiscard]] double run_length(const DaeSystem& system, const RunOptions& options);

// From a model in constrained form with consistent values: `model` is compiled from level_system_of(form).
[[nodiscard]] Advice advise(const CompiledModel& model, const ConstrainedForm& form,
                            std::span<const double> environment, double length,
                            Explore explore = Explore::Yes);
// The whole of it: recognises the form, finds consistent values, measures, recommends. Never fails: where
// something cannot be had, the recommendation is dummy derivatives, and the reason says so.
[[nodiscard]] Advice advise(const DaeSystem& system, const RunOptions& options = {},
                            Explore explore = Explore::Yes);

// Whether trust-region continues a motion of this form through a singular point better than others do. Not so
// for m = 1, where the multiplier has a pole and the regularisation costs O(ε^¼) (paper 000, theorem 3.2),
// while dummy derivatives hold the constraint on both sides; nor for motion constraints, which do not say
// which way the motion goes on.
[[nodiscard]] bool passes_singular_points(const ConstrainedForm& form);

// Too many unknowns for measurements to be worth their cost.
[[nodiscard]] bool too_large_for_advice(const DaeSystem& system);
[[nodiscard]] bool too_large_for_advice(const CompiledModel& model);

// The rules alone: case, formulation and reason from what was measured.
void recommend(const ConstrainedForm& form, Advice& advice);

// Degrees of freedom of the form when of its constraints these are redundant.
[[nodiscard]] int degrees_of_freedom(const ConstrainedForm& form, std::span<const Redundancy> redundant);

}  // namespace daedalus
