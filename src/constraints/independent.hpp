// Redundant joints without a singular matrix: constraints that follow from the others are left out, and their
// multipliers, which nothing determines, are zero during the run. What was left out is measured at every
// output point, so that a constraint that is not redundant after all does not go unnoticed, and the reactions
// reported are those of least norm.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "constraints/redundancy.hpp"
#include "model/dae_system.hpp"
#include "record/dense_output.hpp"
#include "record/trajectory.hpp"
#include "reform/constrained_form.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

struct IndependentSystem {
  DaeSystem system;
  std::vector<int> dropped;        // of the form's constraints
  std::vector<std::string> names;  // of them
};

// For equations that are to be kept (Equation::keep) with a multiplier each, as mechanisms have them; nothing
// for other models, where it is not known which multiplier belongs to which constraint.
[[nodiscard]] std::optional<IndependentSystem> independent_system(const DaeSystem& system,
                                                                  const ConstrainedForm& form,
                                                                  std::span<const Redundancy> redundant);

// Constraints whose gradients depend on those before them at the start values, by sparse elimination: for
// mechanisms that are too large to be measured. Without the combinations.
[[nodiscard]] std::vector<Redundancy> redundant_at_start(const ConstrainedForm& form);
// The combinations, there.
void find_combinations(const ConstrainedForm& form, std::span<Redundancy> redundant);

// After a run of it: takes the measured residuals out of the results into the drift, and puts in reactions of
// least norm. Gives the largest residual of position relative to `tolerance`-sized errors, in the
// constraints' own units.
// `model`: of full_model(), or null where there is none.
double share_among_redundant(const ConstrainedForm& form, const IndependentSystem& independent,
                             const CompiledModel* model, RunResult& result);
// What reactions of least norm are computed with; null where the redundancy is too large for them.
[[nodiscard]] std::unique_ptr<const CompiledModel> full_model(const ConstrainedForm& form,
                                                              const IndependentSystem& independent);

// The same for one instant: `row` has the values of all these signals, and is left with those that results
// report. (Those that measure what was left out are not: is_measure() of their names.)
void share_at(const ConstrainedForm& form, const IndependentSystem& independent, const CompiledModel* model,
              std::span<const Signal> signals, double t, std::vector<double>& row);
[[nodiscard]] bool is_measure(std::string_view signal);

// The same along the whole course of the run, which is to be done before `result` itself is settled.
void share_along_run(const ConstrainedForm& form, const IndependentSystem& independent,
                     const CompiledModel* model, const RunResult& result, DenseOutput& course);

}  // namespace daedalus
