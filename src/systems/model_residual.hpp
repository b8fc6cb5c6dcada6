// The dummy-derivative system as an integrator sees it: F(t, y, y') = 0 with
//
//   A(t, levels) = 0                    all level equations
//   y'_s - y_next(s) = 0                for every state level s = x_j^(k), next(s) = x_j^(k+1)
//
// y is one fixed vector of levels; a dummy pivot exchanges the differential equations only
// (form n of the pendulum in the reference, Mattsson, Söderlind 1991 §4). Where a block can never pivot, its
// top derivative x_j^(d_j) has no entry in y: it is the integrator's y' of x_j^(d_j - 1). Algebraic unknowns
// that an equation gives explicitly may be left out, too, together with that equation (explicit_levels.hpp).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "integrate/residual_system.hpp"
#include "systems/compiled_model.hpp"
#include "systems/explicit_levels.hpp"
#include "systems/output_rows.hpp"

namespace daedalus {

class ModelResidual final : public ResidualSystem {
 public:
  struct Options {
    bool leave_out_superfluous = false;
    bool compute_explicit = false;
  };
  explicit ModelResidual(const CompiledModel& model) : ModelResidual(model, Options{}) {}
  ModelResidual(const CompiledModel& model, const Options& options);

  // The memory of the run; levels and time in it are overwritten by every evaluation. A copy is bound anew.
  void bind(std::span<double> environment) { environment_ = environment; }

  // Which levels are states, by taken[] of the selection. Changes pattern() and components().
  void select(const std::vector<int>& taken);

  [[nodiscard]] int size() const override { return static_cast<int>(level_of_y_.size()); }
  [[nodiscard]] std::span<const Component> components() const override { return components_; }
  [[nodiscard]] const SparsePattern& pattern() const override { return pattern_; }
  bool residual(double t, std::span<const double> y, std::span<const double> yp,
                std::span<double> r) override;
  bool jacobian(double t, std::span<const double> y, std::span<const double> yp, std::span<double> dy,
                std::span<double> dyp) override;
  [[nodiscard]] std::string trouble() const override;

  // y ↔ levels. rates: d/dt of every level (for y' of the levels in y).
  void gather(std::span<const double> levels, std::span<double> y) const;
  void scatter(double t, std::span<const double> y, std::span<const double> yp);
  [[nodiscard]] const std::vector<int>& states() const { return states_; }
  // Whether the level is no part of y because it is computed from the others.
  [[nodiscard]] bool computes(int level) const { return explicit_ != nullptr && explicit_->has_level(level); }
  [[nodiscard]] int level_of(int component) const { return level_of_y_[static_cast<std::size_t>(component)]; }

 private:
  void number_equations(bool leave_out_superfluous);
  void find_explicit();
  void number_unknowns();
  void compile_explicit();
  void scatter_kept(double t, std::span<const double> y, std::span<const double> yp);
  void find_bad_equation();
  void build_pattern();
  [[nodiscard]] bool check_finite(std::span<const double> values);

  const CompiledModel& model_;
  std::span<double> environment_;
  std::vector<double> workspace_;
  std::vector<double> jacobian_workspace_;
  std::vector<double> jacobian_values_;
  std::vector<double> all_residuals_;
  int algebraic_rows_ = 0;
  std::vector<int> row_of_equation_;  // by level equation: its row, or -1: left out
  std::vector<bool> open_top_;        // by unknown j: its highest derivative is the y' of the level below
  // -1: a top derivative that is the y' of the level below; -2: computed from the others
  std::vector<int> y_of_level_;
  std::vector<int> level_of_y_;
  std::vector<int> states_;  // levels
  std::vector<int> rows_;    // state level of each differential row
  std::vector<Component> components_;
  SparsePattern pattern_;
  struct Target {
    int position = 0;
    bool rate = false;  // into dyp instead of dy
  };
  std::vector<Target> targets_;                     // by entry of the model's Jacobian
  std::shared_ptr<const ExplicitLevels> explicit_;  // null: no unknown is computed
  std::vector<Target> filled_;                      // by entry of its filled()
  std::vector<double> derivatives_, explicit_workspace_;
  std::vector<int> row_rate_position_;  // by differential row: place of ∂/∂y'_s
  std::vector<int> row_next_position_;  // and of ∂/∂y_next
  OutputRows output_rows_;
  int bad_equation_ = -1;
};

}  // namespace daedalus
