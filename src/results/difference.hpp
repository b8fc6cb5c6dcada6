// Whether two results are the same within a tolerance, as the Modelica Association's CSV-compare does it:
// around the first one lies a tube, as wide in time and in value as the tolerance says, and the second one
// must stay in it. So a jump may come a little earlier or later, and the two may have points at different
// times.
#pragma once

#include <string>
#include <vector>

#include "core/diagnostic.hpp"
#include "record/trajectory.hpp"

namespace daedalus {

struct DifferenceOptions {
  double tolerance = 1e-3;        // of a signal's range and of the length of the run
  std::vector<std::string> vars;  // names and patterns; none: all signals that both have
};

struct SignalDifference {
  std::string name;
  bool differs = false;
  double excess = 0;  // how far outside of the tube at worst, in parts of the signal's range
  double t = 0;       // where that is
  double first = 0;   // values there
  double second = 0;
  long outside = 0;  // points of the second result outside of the tube
};

struct Difference {
  std::vector<SignalDifference> signals;             // the worst first
  std::vector<std::string> only_first, only_second;  // names
  double from = 0;                                   // what was compared
  double to = 0;
  bool lengths_differ = false;  // one of them ends earlier by more than the tube is wide
  [[nodiscard]] bool same() const;
};

// What is asked for and one of them has not is an error; without names, what only one has is told and no
// difference.
[[nodiscard]] Result<Difference> difference_of(const Trajectory& first, const Trajectory& second,
                                               const DifferenceOptions& options = {});

[[nodiscard]] std::string difference_text(const Difference& difference);
[[nodiscard]] std::string difference_json(const Difference& difference);
// Both results' values of these signals as one trajectory, "x (first)" and "x (second)" over all times: for a
// picture.
[[nodiscard]] Trajectory side_by_side(const Trajectory& first, const Trajectory& second,
                                      const std::vector<std::string>& names);

}  // namespace daedalus
