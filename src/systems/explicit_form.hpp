// A reformulated system of index 1 as an explicit ODE: given the differential unknowns, F(t, u, u') = 0 is
// solved for their rates and the algebraic unknowns. In the constrained form this is linear (LinearRates);
// companions may make it nonlinear, then by Newton's method.
#pragma once

#include <memory>

#include "core/copied.hpp"
#include "integrate/ode_system.hpp"
#include "numerics/linear_solver.hpp"
#include "numerics/vectors.hpp"
#include "systems/linear_rates.hpp"
#include "systems/reformed_residual.hpp"

namespace daedalus {

class ExplicitForm final : public OdeSystem {
 public:
  ExplicitForm(const ConstrainedForm& form, ReformedResidual& residual);
  // A copy for a copy of the residual.
  ExplicitForm(const ExplicitForm& other, ReformedResidual& residual);

  [[nodiscard]] int size() const override { return static_cast<int>(states_.size()); }
  [[nodiscard]] std::span<const Component> components() const override { return components_; }
  [[nodiscard]] std::span<double> argument() override;
  [[nodiscard]] int positions() const override { return linear_ != nullptr ? linear_->positions() : 0; }
  [[nodiscard]] DirectRates direct() override;
  bool derivative(double t, std::span<const double> y, std::span<double> yp) override;
  [[nodiscard]] std::string trouble() const override { return trouble_; }

  // Leaves t and y in the environment.
  void place(double t, std::span<const double> y);
  // Leaves values and rates of everything at (t, y) in the environment. False: it could not be solved.
  bool complete(double t, std::span<const double> y);
  // The same at the time and the states that the environment holds.
  bool complete_here();
  // Several environments at once (core/lanes.hpp): where the states belong, which place_lanes() puts where
  // the model has them; and complete_here(). Whether that is possible: prepare_lanes().
  [[nodiscard]] bool prepare_lanes() { return linear_ != nullptr && linear_->prepare_lanes(); }
  [[nodiscard]] std::span<double> lane_argument(std::span<double> environments) const;
  void place_lanes(std::span<double> environments) const;
  [[nodiscard]] bool complete_lanes(std::span<double> environments);
  // The differential unknowns, by their number in the reformulated system.
  [[nodiscard]] const std::vector<int>& states() const { return states_; }
  // y and y' from the environment.
  void gather(std::span<double> y) const;
  void gather_rates(std::span<double> yp) const;
  // Null: the equations for the rates are not linear.
  [[nodiscard]] LinearRates* linear() { return linear_.get(); }
  // How the equations are solved: "none", "straight-line", "condensed", "ldl", "dense", "klu".
  [[nodiscard]] bool soften(double part) { return linear_ != nullptr && linear_->soften(part); }
  [[nodiscard]] std::string_view method() const;
  [[nodiscard]] std::vector<ProgramSize> programs() const;
  void state(Archive& archive);
  // LinearRates::regularity() at the point in the environment; 0: not known.
  [[nodiscard]] double regularity();

 private:
  void set_argument(double t, std::span<const double> y);
  bool solve_rates();
  bool newton(double t, std::span<const double> y);
  struct Newton;

  ReformedResidual& residual_;
  Copied<LinearRates> linear_;                        // null: Newton's method
  IndexedCopy to_states_, from_states_, from_rates_;  // between y or y' and the environment
  // The programs of linear_ read the states from slots of their own, in the order of y: what is evaluated
  // again and again shall not look for each value where the model has it.
  int first_state_ = 0;
  std::vector<int> state_slots_;
  std::vector<int> states_;
  std::vector<Component> components_;
  Copied<RealSolver> solver_;
  std::vector<double> u_, up_, dy_, dyp_, values_, r_;
  std::string trouble_;
};

}  // namespace daedalus
