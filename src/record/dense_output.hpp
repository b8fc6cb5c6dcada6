// The whole course of a run, not only its output points: within every step all signals at Chebyshev points,
// as many as the order of the method asks for, each made consistent as an output point is. Between them the
// polynomial through these values is as good as the step itself.
#pragma once

#include <span>
#include <vector>

#include "record/trajectory.hpp"

namespace daedalus {

class DenseOutput {
 public:
  // The nodes of a step [from, to], in order, for a method of this order.
  [[nodiscard]] static std::vector<double> nodes(double from, double to, int order);

  // Forgets what was recorded: a run begins. Discrete signals keep their value within a step.
  void begin(std::vector<Signal> signals);
  // A step: the values at its nodes, one row of signals each.
  void add(std::span<const double> times, std::span<const double> rows);

  [[nodiscard]] bool empty() const { return starts_.empty(); }
  [[nodiscard]] std::size_t segments() const { return starts_.size(); }
  [[nodiscard]] const std::vector<Signal>& signals() const { return signals_; }
  [[nodiscard]] double t_begin() const { return starts_.front(); }
  [[nodiscard]] double t_end() const { return ends_.back(); }
  // Where the steps begin and end.
  [[nodiscard]] std::span<const double> starts() const { return starts_; }
  [[nodiscard]] std::span<const double> ends() const { return ends_; }

  // All signals at a time in [t_begin(), t_end()]; at an event the values after it.
  void evaluate(double t, std::span<double> signals) const;
  // The same within one step, its ends included: at an event the values before it are those of the end.
  void evaluate_in(std::size_t segment, double t, std::span<double> signals) const;
  // All nodes of all steps as rows, and back, with signals left out or rewritten, but the same rows.
  [[nodiscard]] Trajectory rows() const;
  void replace(Trajectory rows);

 private:
  [[nodiscard]] std::size_t node_count(std::size_t segment) const;

  std::vector<Signal> signals_;
  std::vector<double> starts_;
  std::vector<double> ends_;
  std::vector<std::size_t> first_;  // by segment: its first row
  std::vector<double> times_;       // of the rows
  std::vector<double> values_;
};

}  // namespace daedalus
