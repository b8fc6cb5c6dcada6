// Records a run step by step: rows at output points, dense output between them, and calls to the observers.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "record/dense_output.hpp"
#include "record/observer.hpp"
#include "sensitivity/sensitivity_course.hpp"
#include "simulate/amplification.hpp"
#include "simulate/recorder.hpp"
#include "stepping/stepper.hpp"

namespace daedalus {

class Recording final : public StepObserver {
 public:
  struct Followers {
    std::function<bool(const Progress&)> progress;
    std::vector<std::shared_ptr<RunObserver>> observers;
    std::shared_ptr<DenseOutput> dense;  // null: only the output points
  };

  // `sensitivities`: null where none were asked for; outlives the recording.
  // `environment`: that of the run, in which free parameters have their values.
  Recording(const EngineParts& parts, const RunSettings& settings, std::span<const double> environment,
            Followers followers, SensitivityCourse* sensitivities = nullptr);

  std::string step_done(Stepper& stepper, double reached, bool event) override;
  std::string event_done(Stepper& stepper) override;
  bool go_on(const Progress& progress) override;

  // Of a run that ended early: the last state is one more row, if the equations hold there.
  void record_end(Stepper& stepper);
  void finish(RunResult& result);
  // How much worse than the states what follows from them may be.
  [[nodiscard]] AmplifiedError amplification() const {
    return amplification_ ? amplification_->worst() : AmplifiedError{};
  }

 private:
  [[nodiscard]] std::string record(std::span<const double> environment, const std::string& trouble = {});
  [[nodiscard]] bool record_lanes(Stepper& stepper, Stepper::OutputPoints& points, double reached);
  void record_course(const Stepper& stepper, Stepper::OutputPoints& points, double reached);
  void tell_row();

  [[nodiscard]] Amplification* amplification_of(const IntegratorRow& row);

  Recorder recorder_;
  const EngineParts& parts_;
  Tolerances tolerances_;
  double start_, end_;
  std::optional<Amplification> amplification_;
  Followers followers_;
  SensitivityCourse* sensitivities_;
  std::vector<std::string> warnings_;  // of assertions
  std::vector<double> course_;         // rows of the step being recorded
};

}  // namespace daedalus
