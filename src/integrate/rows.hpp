// The rows of the table of integrators, each defined in its method's file, and what they share.
#pragma once

#include "integrate/integrator.hpp"
#include "numerics/linear_solver.hpp"
#include "numerics/static_lu.hpp"

namespace daedalus {

[[nodiscard]] IntegratorRow bdf_row();
[[nodiscard]] IntegratorRow ndf_row();
[[nodiscard]] IntegratorRow backward_euler_row();
[[nodiscard]] IntegratorRow implicit_midpoint_row();
[[nodiscard]] IntegratorRow radau_row();
[[nodiscard]] IntegratorRow ida_row();
[[nodiscard]] IntegratorRow dopri5_row();
[[nodiscard]] IntegratorRow dop853_row();
[[nodiscard]] IntegratorRow hem5_row();
[[nodiscard]] IntegratorRow rattle_row();
[[nodiscard]] IntegratorRow generalized_alpha_row();
[[nodiscard]] IntegratorRow taylor_row();

// A method from outside the library becomes the last row of the table: plans, comparisons and lists of this
// program know it by its name from then on. For the start of a program: rows must not be added while another
// thread uses the table. Texts of the row must live as long as the program. Fails where the name is taken.
[[nodiscard]] Result<void> register_integrator(const IntegratorRow& row);

// The option `solver` (auto, dense, klu) and its value.
[[nodiscard]] OptionSpec solver_option();
[[nodiscard]] LinearSolverKind solver_kind(const Selection& selection);

// Solvers for the iteration matrices of a system: by its plan if it has one and the choice is open. All that
// one object makes share what is found of the pattern.
class IterationSolvers {
 public:
  IterationSolvers(const ResidualSystem& system, LinearSolverKind kind)
      : pattern_(system.pattern()),
        kind_(kind),
        plan_(kind == LinearSolverKind::Auto ? system.elimination() : nullptr) {}

  template <class Scalar>
  void renew(std::unique_ptr<LinearSolver<Scalar>>& solver) {
    if (plan_ == nullptr) return renew_linear_solver(solver, pattern_, kind_);
    if (solver && solver->pattern() == pattern_) return;
    if (structure_ == nullptr) structure_ = planned_structure(pattern_, *plan_);
    solver = make_static_solver<Scalar>(pattern_, structure_);
  }

  // The solver's factorisation, read into a solver for the pattern of this system, which must be that of the
  // system it was written for. A copy shares what was found of the pattern.
  template <class Scalar>
  void state(Archive& archive, std::unique_ptr<LinearSolver<Scalar>>& solver) {
    std::uint64_t mark = fingerprint(pattern_);
    archive(mark);
    archive.require(mark == fingerprint(pattern_), "the system has another pattern");
    if (!archive.ok()) return;
    if (archive.copying()) {
      archive.reading() ? void(solver = archive.take<LinearSolver<Scalar>>())
                        : archive.give(solver->sibling());
    } else if (archive.reading()) {
      renew(solver);
    }
    solver->state(archive);
  }

 private:
  const SparsePattern& pattern_;
  LinearSolverKind kind_;
  const EliminationPlan* plan_;
  SharedLu structure_;
};

// The option `max_step` of the adaptive rows; with_defaults() puts it into IntegratorSettings::max_step.
[[nodiscard]] OptionSpec max_step_option();

// The step of fixed size h from t: the last one before t_stop may be shorter, and one that is longer by
// rounding only is taken whole.
// Of the interval: the first step, before anything is known of the solution (DASSL).
inline constexpr double first_part = 1e-3;
// Limits of options: a number that must not be zero; a part of the tolerance beyond which Newton iterates on
// rounding.
inline constexpr double least_positive = 1e-300;
inline constexpr double least_newton = 1e-8;

[[nodiscard]] double step_towards(double t, double t_stop, double h);

// The settings with every option of the row present; options that do not fit are our caller's bug.
[[nodiscard]] IntegratorSettings with_defaults(IntegratorSettings settings, const IntegratorRow& row);

}  // namespace daedalus
