// The run of a rewriting of the constrained form: sets what is held during a step, monitors the rank of the
// constraints.
#pragma once

#include "constraints/basis.hpp"
#include "constraints/constraint_monitor.hpp"
#include "constraints/constraint_projector.hpp"
#include "drive/driver.hpp"
#include "drive/driver_setting.hpp"
#include "systems/explicit_form.hpp"
#include "systems/mechanical_form.hpp"
#include "systems/reformed_residual.hpp"
#include "systems/series_form.hpp"

namespace daedalus {

class ReformDriver : public RunDriver {
 public:
  ReformDriver(const DriverSetting& setting, ReformulatedSystem system);

  ReformDriver(const ReformDriver& other);
  [[nodiscard]] std::unique_ptr<RunDriver> copy() const override {
    return std::make_unique<ReformDriver>(*this);
  }
  [[nodiscard]] int slots() const override { return residual_.slots(); }
  void bind(std::span<double> environment) override;

  std::string begin() override;
  [[nodiscard]] std::unique_ptr<Integrator> make_integrator(const IntegratorRow& row,
                                                            const IntegratorSettings& settings) override;
  [[nodiscard]] SystemReference system() override;
  [[nodiscard]] int size() const override;
  void start_values(Integrator* integrator, std::span<double> y, std::span<double> yp) override;
  void scatter(double t, std::span<const double> y, std::span<const double> yp) override;
  void place(double t, std::span<const double> y, std::span<const double> yp) override;
  [[nodiscard]] bool reads_rates() const override { return !is_explicit(); }
  std::string complete_output() override;
  [[nodiscard]] std::vector<ProgramSize> programs() const override;
  [[nodiscard]] bool prepare_lanes() override;
  [[nodiscard]] std::span<double> lane_states(std::span<double> environments) override {
    return ode_->lane_argument(environments);
  }
  [[nodiscard]] bool complete_lanes(std::span<double> environments) override;
  [[nodiscard]] const std::vector<int>& states() const override { return states_; }
  bool make_consistent() override { return false; }
  void before_step(const Integrator& integrator, double t_stop) override;
  StepOutcome step(Integrator& integrator, double t_stop) override;
  std::string after_step(Integrator& integrator) override;
  [[nodiscard]] std::string component_name(int component) const override;
  [[nodiscard]] std::string explain_failure() override;
  void state(Archive& archive) override;
  void finish(Summary& summary) override;

 protected:
  [[nodiscard]] bool is_explicit() const { return integrator_row_->make == nullptr; }
  // Of formulations that are an ODE.
  [[nodiscard]] ExplicitForm& ode() { return *ode_; }
  [[nodiscard]] std::vector<Basis> make_bases() const;
  // Where all else follows from the states, it is computed from them.
  bool complete();
  [[nodiscard]] const Tolerances& tolerances() const { return setting_.tolerances; }
  [[nodiscard]] const CompiledModel& model() const { return setting_.model; }
  [[nodiscard]] const ConstrainedForm& form() const { return *setting_.plan.form; }
  [[nodiscard]] std::span<double> environment() const { return environment_; }
  [[nodiscard]] ReformedResidual& residual() { return residual_; }
  [[nodiscard]] const ConstraintMonitor& monitor() const { return monitor_; }
  // Near singular points with regularised steps. `singularity_distance`: the distance to singularity at this
  // point, by the rank monitor; `at_end`: it is the end of the step that the monitor has seen last.
  bool project(double singularity_distance, bool at_end = false);
  [[nodiscard]] ConstraintProjector& projector() { return projector_; }
  [[nodiscard]] const ConstraintMatrices& matrices() const { return matrices_; }
  [[nodiscard]] double now() const;
  // The integrator's vector from the environment, and its slopes, if the span is not empty.
  void gather(std::span<double> y, std::span<double> yp) const;

 private:
  // The method chooses its steps: it can, and no step was asked for.
  [[nodiscard]] bool is_adaptive() const { return integrator_row_->adaptive && !setting_.plan.options.step; }
  void set_held(HeldValue::Role role, double value);
  void set_epsilon(double h);
  [[nodiscard]] bool chooses_bases() const;
  // A sentence: why there is no A here.
  std::string refresh_bases(Integrator* integrator, bool first);
  [[nodiscard]] double automatic_epsilon(double h, int constraint) const;
  [[nodiscard]] bool bounds_multipliers() const { return setting_.plan.row_options.has("delta"); }
  [[nodiscard]] double radius_used(double h) const;
  [[nodiscard]] double epsilon_of_radius(double h);
  [[nodiscard]] std::vector<NodeId> constraint_roots() const;
  struct Violation {
    int constraint = -1;
    double relative = 0;
    double value = 0;
    double t = 0;
  };
  [[nodiscard]] Violation worst_violation();
  [[nodiscard]] std::string find_drift();
  [[nodiscard]] bool treats_singular_points() const;
  [[nodiscard]] std::string find_impasse();

  DriverSetting setting_;
  const IntegratorRow* integrator_row_;  // the plan's, until another one takes over
  std::span<double> environment_;
  ReformedResidual residual_;
  std::unique_ptr<ExplicitForm> ode_;           // of formulations that are an ODE
  std::unique_ptr<MechanicalForm> mechanical_;  // for methods that ask for it
  std::unique_ptr<SeriesForm> series_;          // likewise
  ConstraintMatrices matrices_;
  ConstraintMonitor monitor_;
  ConstraintProjector projector_;  // onto what the formulation keeps
  std::vector<Basis> bases_;
  std::vector<int> states_;
  std::vector<double> scratch_y_, scratch_yp_;
  double typical_multiplier_ = 1;
  Program constraints_;  // residuals of the constraints themselves
  std::vector<double> violations_, slopes_, sizes_, constraint_sizes_, workspace_;
  std::vector<double> typical_sizes_;  // the largest Σ |G_ij x_j| of each constraint so far
  bool watches_impasse_ = false;
  double violated_since_ = 0;  // the last time at which they held
  long basis_changes_ = 0;
  int lingering_ = 0;         // steps near a singular point
  bool softened_ = false;     // explicit runs: multipliers are regularised near singular points
  double longest_ahead_ = 0;  // to the end of the run, seen from the first step
  double coupled_step_ = 0;   // h of γ = 1/h
  bool is_biased_ = false;    // constraints are not fulfilled to the tolerance by the equations themselves
  double bias_limit_ = 0;     // times rtol
  Violation worst_;           // so far, where that is so
};

}  // namespace daedalus
