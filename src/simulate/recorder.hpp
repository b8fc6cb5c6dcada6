// Output points: values of every signal, and the drift of every constraint level, at uniform times.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "drive/run_settings.hpp"
#include "record/trajectory.hpp"
#include "stepping/equation_check.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

class Recorder {
 public:
  // `assertions`: a program for the conditions of the model's assertions. Both outlive the recorder.
  // `environment`: values of free parameters, which others may follow from.
  Recorder(const CompiledModel& model, const Program& assertions, std::span<const double> environment,
           const RunSettings& settings);

  // Further columns, whose values at a time somebody else knows. Before the first row.
  using Further = std::function<void(double t, std::span<double> values)>;
  void add_columns(std::span<const Signal> signals, Further further);

  // The next output time, or infinity when all are written.
  [[nodiscard]] double next() const { return next_; }
  // Writes the row of the next output time from an environment that holds consistent values at it.
  void record(std::span<const double> environment);
  // Several points at once. Output times from next() on that are below `limit`, at most lane_count; how many.
  // The rest of `times` is the last one again.
  [[nodiscard]] std::size_t coming(double limit, std::span<double, lane_count> times) const;
  // Whether there are enough of them, and they can be recorded at once; makes what it takes.
  [[nodiscard]] bool prepare_lanes();
  // record() for these first of them. False: they are to be recorded one by one, assertions first.
  [[nodiscard]] bool record_lanes(std::span<const double> environments, std::span<const double> times);
  // Whether the equations hold at a point as well as the tolerances ask, about.
  [[nodiscard]] bool nearly_holds(std::span<const double> environment);
  // The last state of a run that ended early: one more row, if it is later than the last one.
  bool record_end(double t, std::span<const double> environment);
  // Assertions: the first that fails as an error, or empty. Warnings are collected once each.
  [[nodiscard]] std::string check_assertions(std::span<const double> environment,
                                             std::vector<std::string>& warnings);

  [[nodiscard]] std::size_t columns() const { return trajectory_.signals.size(); }
  [[nodiscard]] std::size_t rows() const { return trajectory_.rows(); }
  [[nodiscard]] double time(std::size_t row) const { return trajectory_.times[row]; }
  [[nodiscard]] std::span<const double> row(std::size_t number) const {
    return {trajectory_.values.data() + (number * columns()), columns()};
  }

  void finish(RunResult& result);

  [[nodiscard]] const std::vector<Signal>& signals() const { return trajectory_.signals; }
  [[nodiscard]] const std::vector<ParameterValue>& parameters() const { return trajectory_.parameters; }
  // The values of the signals in this environment, at the end of `rows`.
  void append_signals(std::span<const double> environment, std::vector<double>& rows);

 private:
  [[nodiscard]] double parameter_value(NodeId value, std::span<const double> environment) const;
  void write(double t, std::span<const double> environment);
  [[nodiscard]] double time_of(int point) const;
  [[nodiscard]] std::size_t level_of(int row) const;
  void measure_drift(std::span<const double> environment);
  void note_drift(std::size_t level, double largest, const double* residuals, std::size_t stride);
  void measure_drift_in_lanes(const double* residuals, std::size_t count);
  [[nodiscard]] std::string equation_name(int row) const;
  void add_warnings(Summary& summary) const;

  const CompiledModel& model_;
  EquationCheck check_;
  double rtol_;
  double t_start_, t_end_;
  int points_;
  const Program& assertions_;
  int written_ = 0;
  double next_;
  Trajectory trajectory_;
  Drift drift_;
  std::vector<int> worst_row_;          // by level: the equation behind drift_.levels
  std::vector<int> constraint_rows_;    // level equations of differentiated equations, level by level
  std::vector<std::size_t> level_end_;  // by level: behind the last of its rows
  std::vector<bool> warned_;
  std::vector<double> row_, further_row_, truths_;
  Further further_;
  // One a program: a workspace that changes its program is laid out anew.
  std::vector<double> workspace_, truth_workspace_, lane_workspace_;
  const Program* lane_records_ = nullptr;
  std::vector<double> lane_values_;  // of lane_records_
  std::vector<double> one_;          // of its environments
  std::vector<double> lane_drift_;   // by level
};

}  // namespace daedalus
