// What initialisation is asked for: its unknowns, which are all levels and the parameters with fixed = false,
// where each of them shall be and how much that matters, and the conditions on them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "consistent/block_wise.hpp"
#include "consistent/level_starts.hpp"
#include "consistent/nearest_point.hpp"

namespace daedalus {

class StartProblem {
 public:
  StartProblem(const CompiledModel& model, std::span<double> environment, std::vector<LevelStart> starts);

  [[nodiscard]] const CompiledModel& model() const { return model_; }
  [[nodiscard]] const std::vector<LevelStart>& starts() const { return starts_; }
  [[nodiscard]] bool has_parameters() const { return !parameters_.empty(); }
  // Fixed values and initial equations, less those that parameters are determined by.
  [[nodiscard]] int conditions() const;

  // Values, scales, weights and what is held. Rounds of the event iteration hold more.
  NearestProblem posed;

  [[nodiscard]] bool given(std::size_t k) const { return k < starts_.size() && starts_[k].given; }
  // It can be a state, or is an unknown parameter.
  [[nodiscard]] bool matters(std::size_t k) const;
  // A value that was given for something that can be a state, or has been fixed.
  [[nodiscard]] bool is_wish(std::size_t k) const { return given(k) && matters(k); }
  // A value that was given for an algebraic unknown. It is a guess for Newton unless it can decide something
  // that nobody else has decided. That a highest derivative is zero is what libraries write everywhere; it
  // decides nothing.
  [[nodiscard]] bool is_guess(std::size_t k) const;
  // A state for which nobody gave a value.
  [[nodiscard]] bool is_default(std::size_t k) const { return !given(k) && matters(k) && k < starts_.size(); }
  [[nodiscard]] Willingness willingness(std::size_t k) const;
  // By the equations, once values that were given are decided: highest derivatives and algebraic unknowns.
  [[nodiscard]] std::vector<bool> follows() const;

  // Writes the unknowns into the environment.
  void put(std::span<const double> z) const;
  // All conditions: the equations of all levels, then the initial equations.
  [[nodiscard]] const ConstraintFunction& constraints() const;
  // Those with another Jacobian of the model's own residuals; nothing is added to them.
  [[nodiscard]] bool has_start_jacobian() const;
  [[nodiscard]] ConstraintFunction constraints_with_start_jacobian() const;
  // As expressions, at the values in the environment, with unknowns as willing as said above. Derivatives are
  // added to a copy of the graph: the model's own is shared.
  [[nodiscard]] BlockWiseProblem block_problem() const;

  // By row: what of its residual may be rounding, at these values.
  [[nodiscard]] std::vector<double> rounding_at(std::span<const double> z) const;

  // For messages.
  [[nodiscard]] std::string row_text(int row) const;
  [[nodiscard]] SourceSpan row_span(int row) const;
  [[nodiscard]] std::string name(std::size_t k) const;
  [[nodiscard]] std::string value_text(std::size_t k, std::span<const double> z) const;  // "x = 2"
  // The values that a row depends on, of the first few unknowns in it.
  [[nodiscard]] std::string values_in_row(int row, std::span<const double> z) const;

 private:
  void pose();
  [[nodiscard]] int slot(std::size_t k) const;
  [[nodiscard]] ConstraintFunction constraints_by(const Program& residuals,
                                                  const SparseJacobianProgram& jacobian) const;

  const CompiledModel& model_;
  std::span<double> environment_;
  std::vector<LevelStart> starts_;      // by level
  std::vector<VariableId> parameters_;  // unknown ones
  mutable ConstraintFunction constraints_;
  mutable bool has_constraints_ = false;
  mutable std::unique_ptr<ExprGraph> graph_;
};

}  // namespace daedalus
