// How far a run is from a reference, in one number.
//
// The error of a signal is the largest |x - x_ref| over the output points at which there is a reference,
// divided by the range of x_ref, its largest minus its smallest value. A signal that hardly moves is measured
// by the signals of its group that do: the divisor is at least a millionth of the largest in the group. When
// nothing in the group moves (a single point, a state of rest), sizes take the place of ranges.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/dae_system.hpp"
#include "record/trajectory.hpp"

namespace daedalus {

struct SignalGroups {
  std::vector<std::string> motion;  // what the model differentiates: positions, velocities, other states
  std::vector<std::string>
      multipliers;  // of the constrained form; without one, all other continuous unknowns
};

[[nodiscard]] SignalGroups signal_groups(const DaeSystem& system);

// Signals by name; those that the reference or the run does not have are left out.
class ErrorMeasure {
 public:
  struct Result {
    double error = 0;
    std::string worst;              // the signal that it comes from
    double worst_time = 0;          // and when
    std::vector<double> over_time;  // by rows of the run; NaN where there is no reference
    int points = 0;                 // rows with a reference

    // Not exceeded at half of these rows.
    [[nodiscard]] double median() const;
  };

  // Keeps the reference, which must outlive it.
  ErrorMeasure(const Trajectory& reference, const std::vector<std::string>& signals);

  [[nodiscard]] bool empty() const { return columns_.empty(); }
  // Anything not finite is infinitely far away.
  [[nodiscard]] Result of(const Trajectory& run) const;

 private:
  struct Column {
    std::string name;
    std::size_t reference = 0;
    double scale = 1;
  };
  const Trajectory& reference_;
  std::vector<Column> columns_;
};

// The column of a signal by name, or the number of signals when there is none.
[[nodiscard]] std::size_t find_signal(const Trajectory& trajectory, const std::string& name);

// By rows: |E - E(first row)|.
[[nodiscard]] std::vector<double> departure(const Trajectory& trajectory, std::size_t column);

}  // namespace daedalus
