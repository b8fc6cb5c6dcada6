// The run of dummy derivatives: levels as unknowns, states selected and pivoted without a restart.
#pragma once

#include "consistent/algebraic_solver.hpp"
#include "constraints/constraint_monitor.hpp"
#include "core/copied.hpp"
#include "core/options.hpp"
#include "drive/driver.hpp"
#include "drive/driver_setting.hpp"
#include "systems/model_residual.hpp"

namespace daedalus {

class DummyDriver final : public RunDriver {
 public:
  // `form`: the constrained form of the model, if it has one, whose rank is monitored. `give_up`: end the run
  // where the constraints lose rank, because the caller has a formulation that passes.
  DummyDriver(const DriverSetting& setting, const ConstrainedForm* form, bool give_up);

  [[nodiscard]] std::unique_ptr<RunDriver> copy() const override {
    return std::make_unique<DummyDriver>(*this);
  }
  [[nodiscard]] int slots() const override { return model_.layout().size; }
  void bind(std::span<double> environment) override;

  std::string begin() override;
  [[nodiscard]] std::unique_ptr<Integrator> make_integrator(const IntegratorRow& row,
                                                            const IntegratorSettings& settings) override;
  [[nodiscard]] SystemReference system() override { return residual_; }
  [[nodiscard]] int size() const override { return residual_.size(); }
  void start_values(Integrator* integrator, std::span<double> y, std::span<double> yp) override;
  void scatter(double t, std::span<const double> y, std::span<const double> yp) override;
  std::string complete_output() override;
  std::string complete_asked() override;
  std::string check_step(const Integrator& integrator) override;
  [[nodiscard]] const std::vector<int>& states() const override { return residual_.states(); }
  bool make_consistent() override;
  void before_step(const Integrator&, double) override {}
  std::string after_step(Integrator& integrator) override;
  [[nodiscard]] std::string component_name(int component) const override;
  [[nodiscard]] std::string explain_failure() override;
  void state(Archive& archive) override;
  void finish(Summary& summary) override;

 private:
  // Chooses the states anew where the old ones became bad; true when they changed.
  bool pivot();
  void note_pivot(const std::vector<int>& taken);
  [[nodiscard]] SelectionOutcome choose(double threshold) const;
  [[nodiscard]] std::string trouble_of(AlgebraicStatus status) const;
  void select_states();
  [[nodiscard]] std::string complete(AlgebraicSolver& solver);
  [[nodiscard]] std::span<double> levels() const;
  [[nodiscard]] bool follows(const Integrator& integrator, std::span<const double> end);
  void note_jump(double t0, double t1, int level);
  [[nodiscard]] double allowed_jump(int level, double a, double b) const;

  const CompiledModel& model_;
  std::span<double> environment_;
  ModelResidual residual_;
  AlgebraicSolver algebraic_;
  std::optional<AlgebraicSolver> asked_;  // by who asks between steps; made then
  Tolerances tolerances_;
  double threshold_;
  std::vector<int> taken_;
  std::vector<double> rates_, selection_values_, workspace_;
  std::vector<double> kept_for_;  // the selection values with which the choice was last kept
  SelectionCheck check_;
  Copied<ConstraintMonitor> monitor_;
  bool give_up_ = false;
  std::vector<double> y_, yp_;
  std::vector<double> interpolated_;  // levels of an output point as they came
  bool may_jump_ = false;             // conditions that are no events decide between formulas
  std::size_t jump_count_ = 0;
  std::vector<std::string> jumps_;  // the first of them, told
  // Algebraic unknowns, which no error test sees: their levels, values at the end of the last step and slopes
  // of it.
  std::vector<int> untested_;
  std::vector<double> before_, followed_, slopes_;
  double before_time_ = 0;
  double before_step_ = 0;
  bool before_known_ = false;
  std::vector<PivotRecord> pivots_;
  long pivot_count_ = 0;
};

}  // namespace daedalus
