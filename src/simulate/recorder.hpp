// Output points: values of every signal, and the drift of every constraint level, at uniform times.
#pragma once

#include <string>
#include <vector>

#include "drive/run_settings.hpp"
#include "record/trajectory.hpp"
#include "simulate/equation_check.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

class Recorder {
 public:
  // `assertions`: a program for the conditions of the model's assertions. Both outlive the recorder.
  // `environment`: values of free parameters, which others may follow from.
  Recorder(const CompiledModel& model, const Program& assertions, std::span<const double> environment,
           const RunSettings& settings);

  // The next output time, or infinity when all are written.
  [[nodiscard]] double next() const;
  // Writes the row of the next output time from an environment that holds consistent values at it.
  void record(std::span<const double> environment);
  // Whether the equations hold at a point as well as the tolerances ask, about.
  [[nodiscard]] bool nearly_holds(std::span<const double> environment);
  // The last state of a run that ended early: one more row, if it is later than the last one.
  bool record_end(double t, std::span<const double> environment);
  // Assertions: the first that fails as an error, or empty. Warnings are collected once each.
  [[nodiscard]] std::string check_assertions(std::span<const double> environment,
                                             std::vector<std::string>& warnings);

  void finish(RunResult& result);

  [[nodiscard]] const std::vector<Signal>& signals() const { return trajectory_.signals; }
  [[nodiscard]] const std::vector<ParameterValue>& parameters() const { return trajectory_.parameters; }
  // Of the row written last.
  [[nodiscard]] double last_time() const { return trajectory_.times.back(); }
  [[nodiscard]] std::span<const double> last_row() const { return row_; }
  // The values of the signals in this environment, at the end of `rows`.
  void append_signals(std::span<const double> environment, std::vector<double>& rows);

 private:
  [[nodiscard]] double parameter_value(NodeId value, std::span<const double> environment) const;
  void write(double t, std::span<const double> environment);
  [[nodiscard]] std::size_t level_of(int row) const;
  void measure_drift(std::span<const double> environment);
  [[nodiscard]] std::string equation_name(int row) const;
  void add_warnings(Summary& summary) const;

  const CompiledModel& model_;
  EquationCheck check_;
  double rtol_;
  double t_start_, t_end_;
  int points_;
  const Program& assertions_;
  int written_ = 0;
  Trajectory trajectory_;
  Drift drift_;
  std::vector<int> worst_row_;          // by level: the equation behind drift_.levels
  std::vector<int> constraint_rows_;    // level equations of differentiated equations
  std::vector<std::size_t> row_level_;  // by constraint row: the level at which it holds
  std::vector<bool> warned_;
  std::vector<double> workspace_, row_, truths_;
};

}  // namespace daedalus
